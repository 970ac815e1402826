"""What each operation does to what is known: ranges of results, and whether a check can go.

One function an opcode, in a table. `apply` gives the op as it should stand, or None where it
has become needless. Wrong knowledge here is wrong code: whatever is not surely so is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from samebits.ir.grammar import Op, Value
from samebits.passes.bounds.affine import (
    Form,
    add,
    atom_form,
    constant,
    scale,
    shift,
    subtract,
)
from samebits.passes.bounds.domain import (
    Both,
    Compare,
    Condition,
    Either,
    Known,
    Lengths,
    fixed_lengths,
    integer_range,
    is_integer,
    is_weak_int,
    negate,
)
from samebits.passes.bounds.prover import product_bounds
from samebits.types import BOOL, Kind, ScalarType


class Wanted(Protocol):
    """Is told each inequality (`form` >= 0) for want of which a check stays."""

    def __call__(self, form: Form) -> None: ...


Handler = Callable[[Known, Op, Wanted], Op | None]

PRODUCT_TERMS = 4
"""A product of sums is multiplied out up to this many terms."""
REACH_MOST = 1 << 512
"""A product whose parts could be larger is not multiplied out: squares of squares have no end."""
OVERFLOW_MARGIN = 1 << 62
"""Wanted of a weak int sum instead of 2^63: leaves room for computing it in 64 bits."""


def apply(known: Known, op: Op, want: Wanted) -> Op | None:
    """`op` with the checks taken out that cannot fail; learns its results."""
    handler = HANDLERS.get(op.opcode)
    if handler is not None:
        return handler(known, op, want)
    if op.results and is_integer(op.result.type):
        known.learn(op, known.unknown(op.result.type))
    return op


def _scalar(value: Value) -> ScalarType:
    assert isinstance(value.type, ScalarType)
    return value.type


def _proved(op: Op) -> Op:
    return op if op.unchecked else replace(op, unchecked=True)


def _finish(known: Known, op: Op, exact: Form, want: Wanted) -> Op:
    """An integer result that is `exact` unless it overflows."""
    t = _scalar(op.result)
    if not t.weak:
        known.learn(op, known.wrapped(exact, t))
        return op
    low, high = t.minimum, t.maximum
    proved = op.unchecked or known.within(exact, low, high)
    if not proved:
        want(shift(exact, OVERFLOW_MARGIN))
        want(subtract(constant(OVERFLOW_MARGIN), exact))
    known.assume_within(exact, low, high)
    # Where it traps always, nothing is known of what follows, and no number may grow for ever.
    always = not exact.terms and not low <= exact.constant <= high
    known.learn(op, known.unknown(t) if always else exact)
    return _proved(op) if proved else op


def _const(known: Known, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    attr = op.attr
    if t.is_float:
        assert isinstance(attr, (int, float))
        known.floats[op.id] = float(attr)
    elif t.kind is Kind.BOOL:
        known.values[op.id] = bool(attr)
    else:
        assert isinstance(attr, int)
        known.values[op.id] = constant(int(attr))
    return op


def _get(known: Known, op: Op, want: Wanted) -> Op:
    assert isinstance(op.attr, str)
    found = known.slots.get(op.attr)
    known.learn(op, known.unknown(op.result.type) if found is None else found)
    return op


def _set(known: Known, op: Op, want: Wanted) -> Op:
    assert isinstance(op.attr, str)
    known.slots[op.attr] = known.of(op.args[0])
    return op


def _add(known: Known, op: Op, want: Wanted) -> Op:
    if not is_integer(op.result.type):
        return op
    return _finish(known, op, add(known.form(op.args[0]), known.form(op.args[1])), want)


def _sub(known: Known, op: Op, want: Wanted) -> Op:
    if not is_integer(op.result.type):
        return op
    return _finish(known, op, subtract(known.form(op.args[0]), known.form(op.args[1])), want)


def _neg(known: Known, op: Op, want: Wanted) -> Op:
    if not is_integer(op.result.type):
        return op
    return _finish(known, op, scale(known.form(op.args[0]), -1), want)


def _mul(known: Known, op: Op, want: Wanted) -> Op:
    if not is_integer(op.result.type):
        return op
    a, b = known.form(op.args[0]), known.form(op.args[1])
    if not b.terms:
        return _finish(known, op, scale(a, b.constant), want)
    if not a.terms:
        return _finish(known, op, scale(b, a.constant), want)
    if len(a.terms) * len(b.terms) > PRODUCT_TERMS or _reach(known, a, b) > REACH_MOST:
        low, high = product_bounds(known.bounds(a), known.bounds(b))
        return _finish(known, op, known.bounded(low, high), want)
    total = add(scale(a, b.constant), Form(0, tuple([(x, c * a.constant) for x, c in b.terms
                                                     if a.constant])))  # fmt: skip
    for x, i in a.terms:
        for y, k in b.terms:
            total = add(total, scale(atom_form(known.facts.product(x, y)), i * k))
    return _finish(known, op, total, want)


def _reach(known: Known, a: Form, b: Form) -> int:
    """The most that a number in a*b, multiplied out, can be."""
    one, other = (
        max(abs(form.constant), *[abs(c) * known.facts.reach(atom) for atom, c in form.terms])
        for form in (a, b)
    )
    return one * other


def _abs(known: Known, op: Op, want: Wanted) -> Op:
    if not is_integer(op.result.type):
        return op
    a = known.form(op.args[0])
    low, high = known.bounds(a)
    if low >= 0:
        known.learn(op, a)
        return _proved(op)
    least, greatest = integer_range(op.result.type)
    weak = is_weak_int(op.result.type)
    if low > least or weak:
        known.learn(op, known.bounded(0, min(greatest, max(-low, high))))
    else:
        known.learn(op, known.unknown(op.result.type))
    return _proved(op) if low > least else op


def _div(known: Known, op: Op, want: Wanted) -> Op:
    divisor = known.floats.get(op.args[1].op)
    return _proved(op) if divisor is not None and divisor != 0 else op


def _nonzero(known: Known, divisor: Form) -> bool:
    low, high = known.bounds(divisor)
    return low > 0 or high < 0 or known.facts.proves(shift(divisor, -1))


def _mod(known: Known, op: Op, want: Wanted) -> Op:
    a, b = known.form(op.args[0]), known.form(op.args[1])
    safe = _nonzero(known, b)
    facts = known.facts
    low, high = known.bounds(b)
    if facts.proves(shift(b, -1)):
        if facts.proves(a) and facts.proves(shift(subtract(b, a), -1)):
            known.learn(op, a)
        else:
            rest = known.bounded(0, high - 1)
            facts.assume(shift(subtract(b, rest), -1))
            if facts.proves(a):
                facts.assume(subtract(a, rest))
            known.learn(op, rest)
    elif low >= 0:
        known.learn(op, known.bounded(0, max(high - 1, 0)))
    else:
        known.learn(op, known.bounded(min(low + 1, 0), max(high - 1, 0)))
    return _proved(op) if safe else op


def _quotient(known: Known, a: Form, divisor: int) -> Form:
    """floor(a / divisor) for a constant divisor > 0."""
    if not a.terms:
        return constant(a.constant // divisor)
    low, high = known.bounds(a)
    q = known.bounded(low // divisor, high // divisor)
    rest = subtract(a, scale(q, divisor))
    known.facts.assume(rest)
    known.facts.assume(subtract(constant(divisor - 1), rest))
    return q


def _floordiv(known: Known, op: Op, want: Wanted) -> Op:
    a, b = known.form(op.args[0]), known.form(op.args[1])
    low, high = known.bounds(a)
    below, above = known.bounds(b)
    least, greatest = integer_range(op.result.type)
    no_overflow = low > least or below > -1 or above < -1 or least == 0
    if below == above and below > 0:
        known.learn(op, _quotient(known, a, below))
    elif 0 < below <= above:
        corners = (low // below, low // above, high // below, high // above)
        known.learn(op, known.bounded(min(corners), max(corners)))
    elif no_overflow or is_weak_int(op.result.type):
        reach = max(abs(low), abs(high))
        known.learn(op, known.bounded(max(least, -reach), min(greatest, reach)))
    else:
        known.learn(op, known.unknown(op.result.type))
    safe = _nonzero(known, b) and (no_overflow or not is_weak_int(op.result.type))
    return _proved(op) if safe else op


def _extreme(largest: bool) -> Handler:
    pick = max if largest else min
    sign = 1 if largest else -1

    def handler(known: Known, op: Op, want: Wanted) -> Op:
        if not is_integer(op.result.type):
            return op
        a, b = known.form(op.args[0]), known.form(op.args[1])
        (a_low, a_high), (b_low, b_high) = known.bounds(a), known.bounds(b)
        if a == b or (a_low >= b_high if largest else a_high <= b_low):
            known.learn(op, a)
        elif b_low >= a_high if largest else b_high <= a_low:
            known.learn(op, b)
        else:
            result = known.choice(a, (), b, (), pick(a_low, b_low), pick(a_high, b_high))
            known.facts.assume(scale(subtract(result, a), sign))
            known.facts.assume(scale(subtract(result, b), sign))
            known.learn(op, result)
        return op

    return handler


def _select(known: Known, op: Op, want: Wanted) -> Op:
    if not is_integer(op.result.type):
        if op.result.type == BOOL:
            known.learn(op, known.unknown(BOOL))
        return op
    condition = known.condition(op.args[0])
    a, b = known.form(op.args[1]), known.form(op.args[2])
    low = min(known.facts.low(a), known.facts.low(b))
    high = max(known.facts.high(a), known.facts.high(b))
    given_a = known.consequences(condition)
    given_b = known.consequences(negate(condition))
    known.learn(op, known.choice(a, given_a, b, given_b, low, high))
    return op


def _bitwise(opcode: str) -> Handler:
    def handler(known: Known, op: Op, want: Wanted) -> Op:
        if not is_integer(op.result.type):
            if opcode == "and":
                known.learn(op, Both(known.condition(op.args[0]), known.condition(op.args[1])))
            elif opcode == "or":
                known.learn(op, Either(known.condition(op.args[0]), known.condition(op.args[1])))
            return op
        a, b = known.form(op.args[0]), known.form(op.args[1])
        (a_low, a_high), (b_low, b_high) = known.bounds(a), known.bounds(b)
        if opcode == "and" and (a_low >= 0 or b_low >= 0):
            high = min([h for low, h in ((a_low, a_high), (b_low, b_high)) if low >= 0])
            result = known.bounded(0, high)
            for operand, low in ((a, a_low), (b, b_low)):
                if low >= 0:
                    known.facts.assume(subtract(operand, result))
            known.learn(op, result)
        elif a_low >= 0 and b_low >= 0:
            known.learn(op, known.bounded(0, (1 << max(a_high, b_high).bit_length()) - 1))
        else:
            known.learn(op, known.unknown(op.result.type))
        return op

    return handler


def _not(known: Known, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    if t.kind is Kind.BOOL:
        known.learn(op, negate(known.condition(op.args[0])))
    else:
        top = -1 if t.is_signed else t.maximum
        known.learn(op, subtract(constant(top), known.form(op.args[0])))
    return op


def _shl(known: Known, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    a, count = known.form(op.args[0]), known.form(op.args[1])
    if not count.terms and 0 <= count.constant < t.bits:
        return _finish(known, op, scale(a, 1 << count.constant), want)
    low, high = known.bounds(count)
    if 0 <= low <= high < t.bits and t.weak:
        factors = (1 << low, 1 << high)
        least, greatest = product_bounds(known.bounds(a), factors)
        fits = least >= t.minimum and greatest <= t.maximum
        known.learn(op, known.bounded(max(least, t.minimum), min(greatest, t.maximum)))
        return _proved(op) if fits else op
    known.learn(op, known.unknown(t))
    return op


def _shr(known: Known, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    a, count = known.form(op.args[0]), known.form(op.args[1])
    low, high = known.bounds(a)
    if not count.terms and 0 <= count.constant < t.bits:
        known.learn(op, _quotient(known, a, 1 << count.constant))
    else:
        known.learn(op, known.bounded(min(low, 0), max(high, 0)))
    return _proved(op) if known.facts.low(count) >= 0 else op


def _bit_count(known: Known, op: Op, want: Wanted) -> Op:
    known.learn(op, known.bounded(0, _scalar(op.result).bits))
    return op


def _convert(known: Known, op: Op, want: Wanted) -> Op:
    source, target = _scalar(op.args[0]), _scalar(op.result)
    if target.is_float:
        exact = known.values.get(op.args[0].op)
        if isinstance(exact, Form) and not exact.terms:
            known.floats[op.id] = float(exact.constant)
        elif op.args[0].op in known.floats and target.bits >= source.bits:
            known.floats[op.id] = known.floats[op.args[0].op]
    elif target.is_int and source.is_int:
        known.learn(op, known.wrapped(known.form(op.args[0]), target))
    elif target.is_int and source.kind is Kind.BOOL:
        known.learn(op, known.bounded(0, 1))
    elif target.kind is Kind.BOOL and source.kind is Kind.BOOL:
        known.learn(op, known.condition(op.args[0]))
    else:
        known.learn(op, known.unknown(target))
    return op


def _narrow(known: Known, op: Op, want: Wanted) -> Op:
    low, high = integer_range(op.result.type)
    a = known.form(op.args[0])
    proved = op.unchecked or known.within(a, low, high)
    if not proved:
        want(shift(a, -low))
        want(subtract(constant(high), a))
    known.assume_within(a, low, high)
    known.learn(op, a)
    return _proved(op) if proved else op


def _compare(build: Callable[[Form, Form], Condition]) -> Handler:
    def handler(known: Known, op: Op, want: Wanted) -> Op:
        if is_integer(op.args[0].type):
            known.learn(op, build(known.form(op.args[0]), known.form(op.args[1])))
        else:
            known.learn(op, known.unknown(BOOL))
        return op

    return handler


def _length(known: Known, op: Op, want: Wanted) -> Op:
    lengths = known.of(op.args[0])
    assert isinstance(lengths, Lengths)
    assert isinstance(op.attr, int)
    known.learn(op, lengths.forms[op.attr])
    return op


def _row(known: Known, op: Op, want: Wanted) -> Op:
    lengths = known.of(op.args[0])
    assert isinstance(lengths, Lengths)
    known.learn(op, Lengths(lengths.forms[1:]))
    return op


def _view(known: Known, op: Op, want: Wanted) -> Op:
    known.learn(op, fixed_lengths(op.args[0].type) or known.unknown(op.result.type))
    return op


def _index(known: Known, op: Op, want: Wanted) -> Op | None:
    a, length = known.form(op.args[0]), known.form(op.args[1])
    room = shift(subtract(length, a), -1)
    missing = [form for form in (a, room) if not known.facts.proves(form)]
    if not op.unchecked:
        for form in missing:
            want(form)
    known.facts.assume(a, derived=True)
    known.facts.assume(room, derived=True)
    return op if missing and not op.unchecked else None


def _own(known: Known, op: Op, want: Wanted) -> Op | None:
    a, first, count = (known.form(value) for value in op.args)
    missing = [
        form
        for form in (subtract(a, first), shift(subtract(add(first, count), a), -1))
        if not known.facts.proves(form)
    ]
    for form in missing:
        want(form)
        known.facts.assume(form, derived=True)
    return op if missing and not op.unchecked else None


def _assert(known: Known, op: Op, want: Wanted) -> Op | None:
    condition = known.condition(op.args[0])
    proved = known.holds(condition)
    known.assume(condition)
    return None if proved else op


def _hint(known: Known, op: Op, want: Wanted) -> Op:
    known.learn(op, known.condition(op.args[0]))
    return op


HANDLERS: dict[str, Handler] = {
    "const": _const, "get": _get, "set": _set,
    "add": _add, "sub": _sub, "mul": _mul, "neg": _neg, "abs": _abs,
    "div": _div, "floordiv": _floordiv, "mod": _mod,
    "min": _extreme(False), "max": _extreme(True), "select": _select,
    "and": _bitwise("and"), "or": _bitwise("or"), "xor": _bitwise("xor"), "not": _not,
    "shl": _shl, "shr": _shr, "popcount": _bit_count, "clz": _bit_count, "ctz": _bit_count,
    "convert": _convert, "narrow": _narrow,
    "eq": _compare(lambda a, b: Compare("eq", subtract(a, b))),
    "ne": _compare(lambda a, b: Compare("ne", subtract(a, b))),
    "lt": _compare(lambda a, b: Compare("ge", shift(subtract(b, a), -1))),
    "le": _compare(lambda a, b: Compare("ge", subtract(b, a))),
    "gt": _compare(lambda a, b: Compare("ge", shift(subtract(a, b), -1))),
    "ge": _compare(lambda a, b: Compare("ge", subtract(a, b))),
    "length": _length, "row": _row, "view": _view, "index": _index, "own": _own,
    "assert": _assert, "assume": _assert, "likely": _hint, "unlikely": _hint,
}  # fmt: skip
