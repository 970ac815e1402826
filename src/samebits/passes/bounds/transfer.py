"""The transfer function of each operation: the range of its results, and whether its check can go.

One function an opcode, in a table. `apply` returns the op as it should stand, or None if it is
needless. A wrong fact here is wrong code: whatever is not certain is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from samebits.ir.grammar import Op, Value, can_trap
from samebits.ir.rules import is_int
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
    LENGTH_LIMIT,
    AbstractState,
    Both,
    Compare,
    Condition,
    Either,
    Lengths,
    integer_range,
    is_weak_int,
    negate,
)
from samebits.passes.bounds.prover import product_bounds
from samebits.types import BOOL, FixedArrayType, Kind, RefType, ScalarType

Wanted = Callable[[Form], None]
"""Receives each inequality `form >= 0` whose proof would remove a check."""
Handler = Callable[[AbstractState, Op, Wanted], Op | None]

PRODUCT_TERMS = 4
"""A product of sums is multiplied out up to this many terms."""
REACH_MOST = 1 << 512
"""A product whose parts could be larger is not multiplied out: squares of squares have no end."""
OVERFLOW_MARGIN = 1 << 62
"""Wanted of a weak int sum instead of 2^63: leaves room for computing it in 64 bits."""


def apply(state: AbstractState, op: Op, want: Wanted) -> Op | None:
    """`op` without the checks that cannot fail; learns its results."""
    handler = HANDLERS.get(op.opcode)
    if handler is not None:
        return handler(state, op, want)
    if op.results and is_int(op.result.type):
        state.learn(op, state.unknown(op.result.type))
    return op


def _scalar(value: Value) -> ScalarType:
    assert isinstance(value.type, ScalarType)
    return value.type


def _proved(op: Op) -> Op:
    return op if op.unchecked else replace(op, unchecked=True)


def _finish(state: AbstractState, op: Op, exact: Form, want: Wanted) -> Op:
    """An integer result that is `exact` unless it overflows."""
    t = _scalar(op.result)
    if not t.weak:
        state.learn(op, state.wrapped(exact, t))
        return op
    low, high = t.minimum, t.maximum
    proved = op.unchecked or state.within(exact, low, high)
    if not proved:
        want(shift(exact, OVERFLOW_MARGIN))
        want(subtract(constant(OVERFLOW_MARGIN), exact))
    state.assume_within(exact, low, high)
    # Where it traps always, nothing is known of what follows, and no number may grow for ever.
    always = not exact.terms and not low <= exact.constant <= high
    state.learn(op, state.unknown(t) if always else exact)
    return _proved(op) if proved else op


def _const(state: AbstractState, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    attr = op.attr
    if t.is_float:
        assert isinstance(attr, (int, float))
        state.floats[op.id] = float(attr)
    elif t.kind is Kind.BOOL:
        state.values[op.id] = bool(attr)
    else:
        assert isinstance(attr, int)
        state.values[op.id] = constant(int(attr))
    return op


def _get(state: AbstractState, op: Op, want: Wanted) -> Op:
    assert isinstance(op.attr, str)
    found = state.slots.get(op.attr)
    state.learn(op, state.unknown(op.result.type) if found is None else found)
    return op


def _set(state: AbstractState, op: Op, want: Wanted) -> Op:
    assert isinstance(op.attr, str)
    state.slots[op.attr] = state.of(op.args[0])
    return op


def _linear(exact: Callable[..., Form]) -> Handler:
    def handler(state: AbstractState, op: Op, want: Wanted) -> Op:
        if not is_int(op.result.type):
            return op
        return _finish(state, op, exact(*map(state.form, op.args)), want)

    return handler


def _mul(state: AbstractState, op: Op, want: Wanted) -> Op:
    if not is_int(op.result.type):
        return op
    a, b = state.form(op.args[0]), state.form(op.args[1])
    if not b.terms:
        return _finish(state, op, scale(a, b.constant), want)
    if not a.terms:
        return _finish(state, op, scale(b, a.constant), want)
    if len(a.terms) * len(b.terms) > PRODUCT_TERMS or _reach(state, a, b) > REACH_MOST:
        low, high = product_bounds(state.bounds(a), state.bounds(b))
        return _finish(state, op, state.bounded(low, high), want)
    total = add(scale(a, b.constant), Form(0, tuple([(x, c * a.constant) for x, c in b.terms
                                                     if a.constant])))  # fmt: skip
    for x, i in a.terms:
        for y, k in b.terms:
            total = add(total, scale(atom_form(state.facts.product(x, y)), i * k))
    return _finish(state, op, total, want)


def _reach(state: AbstractState, a: Form, b: Form) -> int:
    """The greatest magnitude of a number in a*b, multiplied out."""
    one, other = (
        max(abs(form.constant), *[abs(c) * state.facts.reach(atom) for atom, c in form.terms])
        for form in (a, b)
    )
    return one * other


def _abs(state: AbstractState, op: Op, want: Wanted) -> Op:
    if not is_int(op.result.type):
        return op
    a = state.form(op.args[0])
    low, high = state.bounds(a)
    if low >= 0:
        state.learn(op, a)
        return _proved(op)
    least, greatest = integer_range(op.result.type)
    weak = is_weak_int(op.result.type)
    if low > least or weak:
        state.learn(op, state.bounded(0, min(greatest, max(-low, high))))
    else:
        state.learn(op, state.unknown(op.result.type))
    return _proved(op) if low > least else op


def _div(state: AbstractState, op: Op, want: Wanted) -> Op:
    divisor = state.floats.get(op.args[1].op)
    if divisor is None and can_trap(op):
        # An integer that is not 0 becomes no float that is.
        exact = state.integers.get(op.args[1].op)
        if exact is not None and not _nonzero(state, exact):
            want(shift(exact, -1))
            exact = None
        return op if exact is None else _proved(op)
    return _proved(op) if divisor is not None and divisor != 0 else op


def _nonzero(state: AbstractState, divisor: Form) -> bool:
    low, high = state.bounds(divisor)
    return low > 0 or high < 0 or state.facts.proves(shift(divisor, -1))


def _mod(state: AbstractState, op: Op, want: Wanted) -> Op:
    a, b = state.form(op.args[0]), state.form(op.args[1])
    safe = _nonzero(state, b)
    facts = state.facts
    low, high = state.bounds(b)
    if facts.proves(shift(b, -1)):
        if facts.proves(a) and facts.proves(shift(subtract(b, a), -1)):
            state.learn(op, a)
        else:
            rest = state.bounded(0, high - 1)
            facts.assume(shift(subtract(b, rest), -1))
            if facts.proves(a):
                facts.assume(subtract(a, rest))
            state.learn(op, rest)
    elif low >= 0:
        state.learn(op, state.bounded(0, max(high - 1, 0)))
    else:
        state.learn(op, state.bounded(min(low + 1, 0), max(high - 1, 0)))
    return _proved(op) if safe else op


def _quotient(state: AbstractState, a: Form, divisor: int) -> Form:
    """floor(a / divisor) for a constant divisor > 0."""
    if not a.terms:
        return constant(a.constant // divisor)
    low, high = state.bounds(a)
    q = state.bounded(low // divisor, high // divisor)
    rest = subtract(a, scale(q, divisor))
    state.facts.assume(rest)
    state.facts.assume(subtract(constant(divisor - 1), rest))
    return q


def _floordiv(state: AbstractState, op: Op, want: Wanted) -> Op:
    a, b = state.form(op.args[0]), state.form(op.args[1])
    low, high = state.bounds(a)
    below, above = state.bounds(b)
    least, greatest = integer_range(op.result.type)
    no_overflow = low > least or below > -1 or above < -1 or least == 0
    if below == above and below > 0:
        state.learn(op, _quotient(state, a, below))
    elif 0 < below <= above:
        corners = (low // below, low // above, high // below, high // above)
        state.learn(op, state.bounded(min(corners), max(corners)))
    elif no_overflow or is_weak_int(op.result.type):
        reach = max(abs(low), abs(high))
        state.learn(op, state.bounded(max(least, -reach), min(greatest, reach)))
    else:
        state.learn(op, state.unknown(op.result.type))
    safe = _nonzero(state, b) and (no_overflow or not is_weak_int(op.result.type))
    return _proved(op) if safe else op


def _extreme(largest: bool) -> Handler:
    pick = max if largest else min
    sign = 1 if largest else -1

    def handler(state: AbstractState, op: Op, want: Wanted) -> Op:
        if not is_int(op.result.type):
            return op
        a, b = state.form(op.args[0]), state.form(op.args[1])
        (a_low, a_high), (b_low, b_high) = state.bounds(a), state.bounds(b)
        if a == b or (a_low >= b_high if largest else a_high <= b_low):
            state.learn(op, a)
        elif b_low >= a_high if largest else b_high <= a_low:
            state.learn(op, b)
        else:
            result = state.choice(a, (), b, (), pick(a_low, b_low), pick(a_high, b_high))
            state.facts.assume(scale(subtract(result, a), sign))
            state.facts.assume(scale(subtract(result, b), sign))
            state.learn(op, result)
        return op

    return handler


def _select(state: AbstractState, op: Op, want: Wanted) -> Op:
    if not is_int(op.result.type):
        if op.result.type == BOOL:
            state.learn(op, state.unknown(BOOL))
        return op
    condition = state.condition(op.args[0])
    a, b = state.form(op.args[1]), state.form(op.args[2])
    low = min(state.facts.low(a), state.facts.low(b))
    high = max(state.facts.high(a), state.facts.high(b))
    given_a = state.consequences(condition)
    given_b = state.consequences(negate(condition))
    state.learn(op, state.choice(a, given_a, b, given_b, low, high))
    return op


def _bitwise(opcode: str) -> Handler:
    def handler(state: AbstractState, op: Op, want: Wanted) -> Op:
        if not is_int(op.result.type):
            if opcode == "and":
                state.learn(op, Both(state.condition(op.args[0]), state.condition(op.args[1])))
            elif opcode == "or":
                state.learn(op, Either(state.condition(op.args[0]), state.condition(op.args[1])))
            return op
        a, b = state.form(op.args[0]), state.form(op.args[1])
        (a_low, a_high), (b_low, b_high) = state.bounds(a), state.bounds(b)
        if opcode == "and" and (a_low >= 0 or b_low >= 0):
            high = min([h for low, h in ((a_low, a_high), (b_low, b_high)) if low >= 0])
            result = state.bounded(0, high)
            for operand, low in ((a, a_low), (b, b_low)):
                if low >= 0:
                    state.facts.assume(subtract(operand, result))
            state.learn(op, result)
        elif a_low >= 0 and b_low >= 0:
            state.learn(op, state.bounded(0, (1 << max(a_high, b_high).bit_length()) - 1))
        else:
            state.learn(op, state.unknown(op.result.type))
        return op

    return handler


def _not(state: AbstractState, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    if t.kind is Kind.BOOL:
        state.learn(op, negate(state.condition(op.args[0])))
    else:
        top = -1 if t.is_signed else t.maximum
        state.learn(op, subtract(constant(top), state.form(op.args[0])))
    return op


def _shl(state: AbstractState, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    a, count = state.form(op.args[0]), state.form(op.args[1])
    if not count.terms and 0 <= count.constant < t.bits:
        return _finish(state, op, scale(a, 1 << count.constant), want)
    low, high = state.bounds(count)
    if 0 <= low <= high < t.bits and t.weak:
        factors = (1 << low, 1 << high)
        least, greatest = product_bounds(state.bounds(a), factors)
        fits = least >= t.minimum and greatest <= t.maximum
        state.learn(op, state.bounded(max(least, t.minimum), min(greatest, t.maximum)))
        return _proved(op) if fits else op
    state.learn(op, state.unknown(t))
    return op


def _shr(state: AbstractState, op: Op, want: Wanted) -> Op:
    t = _scalar(op.result)
    a, count = state.form(op.args[0]), state.form(op.args[1])
    low, high = state.bounds(a)
    if not count.terms and 0 <= count.constant < t.bits:
        state.learn(op, _quotient(state, a, 1 << count.constant))
    else:
        state.learn(op, state.bounded(min(low, 0), max(high, 0)))
    return _proved(op) if state.facts.low(count) >= 0 else op


def _bit_count(state: AbstractState, op: Op, want: Wanted) -> Op:
    state.learn(op, state.bounded(0, _scalar(op.result).bits))
    return op


def _convert(state: AbstractState, op: Op, want: Wanted) -> Op:
    source, target = _scalar(op.args[0]), _scalar(op.result)
    if target.is_float:
        exact = state.values.get(op.args[0].op)
        if isinstance(exact, Form) and not exact.terms:
            state.floats[op.id] = float(exact.constant)
        elif isinstance(exact, Form) and source.is_int:
            state.integers[op.id] = exact
        elif op.args[0].op in state.floats and target.bits >= source.bits:
            state.floats[op.id] = state.floats[op.args[0].op]
    elif target.is_int and source.is_int:
        state.learn(op, state.wrapped(state.form(op.args[0]), target))
    elif target.is_int and source.kind is Kind.BOOL:
        state.learn(op, state.bounded(0, 1))
    elif target.kind is Kind.BOOL and source.kind is Kind.BOOL:
        state.learn(op, state.condition(op.args[0]))
    else:
        state.learn(op, state.unknown(target))
    return op


def _narrow(state: AbstractState, op: Op, want: Wanted) -> Op:
    low, high = integer_range(op.result.type)
    a = state.form(op.args[0])
    proved = op.unchecked or state.within(a, low, high)
    if not proved:
        want(shift(a, -low))
        want(subtract(constant(high), a))
    state.assume_within(a, low, high)
    state.learn(op, a)
    return _proved(op) if proved else op


def _compare(build: Callable[[Form, Form], Condition]) -> Handler:
    def handler(state: AbstractState, op: Op, want: Wanted) -> Op:
        if is_int(op.args[0].type):
            state.learn(op, build(state.form(op.args[0]), state.form(op.args[1])))
        else:
            state.learn(op, state.unknown(BOOL))
        return op

    return handler


def _length(state: AbstractState, op: Op, want: Wanted) -> Op:
    lengths = state.of(op.args[0])
    assert isinstance(lengths, Lengths)
    assert isinstance(op.attr, int)
    state.learn(op, lengths.forms[op.attr])
    return op


def _row(state: AbstractState, op: Op, want: Wanted) -> Op:
    lengths = state.of(op.args[0])
    assert isinstance(lengths, Lengths)
    state.learn(op, Lengths(lengths.forms[1:]))
    return op


def _slice(state: AbstractState, op: Op, want: Wanted) -> Op:
    lengths = state.of(op.args[0])
    assert isinstance(lengths, Lengths)
    start, stop = state.form(op.args[1]), state.form(op.args[2])
    count = subtract(stop, start)
    if not state.facts.proves(count):
        some, none = (count,), (shift(subtract(start, stop), -1),)
        high = min(max(0, state.bounds(count)[1]), LENGTH_LIMIT)
        longer = count
        count = state.choice(longer, some, constant(0), none, 0, high)
        state.facts.assume(subtract(count, longer))
    state.learn(op, Lengths((count, *lengths.forms[1:])))
    return op


def _view(state: AbstractState, op: Op, want: Wanted) -> Op:
    t = op.args[0].type
    assert isinstance(t, RefType)
    assert isinstance(t.target, FixedArrayType)
    state.learn(op, Lengths(tuple([constant(n) for n in t.target.shape])))
    return op


def _inside(least_room: int) -> Handler:
    """A check that 0 <= a <= b - `least_room`."""

    def handler(state: AbstractState, op: Op, want: Wanted) -> Op | None:
        a, length = state.form(op.args[0]), state.form(op.args[1])
        room = shift(subtract(length, a), -least_room)
        missing = [form for form in (a, room) if not state.facts.proves(form)]
        if not op.unchecked:
            for form in missing:
                want(form)
        state.facts.assume(a, derived=True)
        state.facts.assume(room, derived=True)
        return op if missing and not op.unchecked else None

    return handler


def _own(state: AbstractState, op: Op, want: Wanted) -> Op | None:
    a, first, count = (state.form(value) for value in op.args)
    missing = [
        form
        for form in (subtract(a, first), shift(subtract(add(first, count), a), -1))
        if not state.facts.proves(form)
    ]
    for form in missing:
        want(form)
        state.facts.assume(form, derived=True)
    return op if missing and not op.unchecked else None


def _assert(state: AbstractState, op: Op, want: Wanted) -> Op | None:
    condition = state.condition(op.args[0])
    proved = state.holds(condition)
    state.assume(condition)
    return None if proved else op


def _hint(state: AbstractState, op: Op, want: Wanted) -> Op:
    state.learn(op, state.condition(op.args[0]))
    return op


HANDLERS: dict[str, Handler] = {
    "const": _const, "get": _get, "set": _set,
    "add": _linear(add), "sub": _linear(subtract), "neg": _linear(partial(subtract, constant(0))),
    "mul": _mul, "abs": _abs,
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
    "length": _length, "row": _row, "slice": _slice, "view": _view,
    "index": _inside(1), "bound": _inside(0), "own": _own,
    "assert": _assert, "assume": _assert, "likely": _hint, "unlikely": _hint,
}  # fmt: skip
