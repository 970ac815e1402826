"""Conversions, selection, slots, assertions and calls."""

from __future__ import annotations

from samebits.backend.lowering.float import bits_of, canonical_bits, of_bits
from samebits.backend.lowering.int64 import float_to_wide, needs_help, wide_to_float
from samebits.backend.lowering.integer import scalar_type
from samebits.backend.lowering.parallel import lower_parallel
from samebits.backend.text.types import parts, return_type, scalar
from samebits.backend.text.writer import FunctionWriter, Lowering
from samebits.ir.grammar import FITS, HostFunction, HostTable, Op
from samebits.ir.trap_texts import message
from samebits.types import Kind, ScalarType


def _resize(f: FunctionWriter, name: str, source: ScalarType, bits: int) -> str:
    """An integer or bool register modulo 2^bits, extended as its type says."""
    if source.bits == bits:
        return name
    if source.bits > bits:
        return f.emit(f"trunc i{source.bits} {name} to i{bits}")
    return f.emit(f"{'sext' if source.is_signed else 'zext'} i{source.bits} {name} to i{bits}")


def _convert(f: FunctionWriter, op: Op) -> None:
    source, target = scalar_type(op.args[0]), scalar_type(op.result)
    name = f.seen(op.args[0]) if target.kind is Kind.BOOL else f.operand(op.args[0])
    if op.attr == FITS and not needs_help(f, target):
        # Frozen: out of range, where nothing uses it, LLVM's would be no number at all.
        whole = f.emit(f"fptosi {scalar(source)} {name} to {scalar(target)}")
        f.define(op.result, f.emit(f"freeze {scalar(target)} {whole}"))
        return
    f.define(op.result, _converted(f, name, source, target))


def _converted(f: FunctionWriter, name: str, source: ScalarType, target: ScalarType) -> str:
    s, t = scalar(source), scalar(target)
    if target.kind is Kind.BOOL:
        if source.kind is Kind.BOOL:
            return name
        return f.emit(f"fcmp une {s} {name}, 0.0" if source.is_float else f"icmp ne {s} {name}, 0")
    if source.is_float and target.is_float:
        if source.bits == target.bits:
            return name
        if target.bits < source.bits:
            return f.emit(f"fptrunc {s} {name} to {t}")
        name = f.emit(f"fpext {s} {name} to {t}")
        if f.target.has_wide_product:
            return name
        # An empty instruction: LLVM's arithmetic fence fails an assertion for SystemZ.
        return f.emit(f'call {t} asm "", "=f,0"({t} {name})')
    if source.is_float:
        if needs_help(f, target):
            return float_to_wide(f, name, source, target)
        if not (f.target.has_saturation or target.is_signed):
            unordered = f.emit(f"fcmp uno {s} {name}, 0.0")
            name = f.emit(f"select i1 {unordered}, {s} 0.0, {s} {name}")
        sign = "s" if target.is_signed else "u"
        return f.emit(f"call {t} @llvm.fpto{sign}i.sat.{t}.f{source.bits}({s} {name})")
    if target.is_float:
        single = source.bits == 64 and target.bits == 32 and not f.target.has_single_from_int64
        if single or needs_help(f, source):
            return wide_to_float(f, name, source, target)
        return f.emit(f"{'s' if source.is_signed else 'u'}itofp {s} {name} to {t}")
    return _resize(f, name, source, target.bits)


def _narrow(f: FunctionWriter, op: Op) -> None:
    t = scalar_type(op.result)
    a = f.operand(op.args[0])
    if t.bits == 64:
        if not op.unchecked and not t.is_signed:
            f.trap_if(f.emit(f"icmp slt i64 {a}, 0"), op, "overflow")
        f.define(op.result, a)
        return
    cut = f.emit(f"trunc i64 {a} to {scalar(t)}")
    if not op.unchecked:
        back = f.emit(f"{'sext' if t.is_signed else 'zext'} {scalar(t)} {cut} to i64")
        f.trap_if(f.emit(f"icmp ne i64 {back}, {a}"), op, "overflow")
    f.define(op.result, cut)


def _bitcast(f: FunctionWriter, op: Op) -> None:
    source, target = scalar_type(op.args[0]), scalar_type(op.result)
    name = f.seen(op.args[0])
    if source.is_float:
        alike = f.facts.is_number(op.args[0]) or f.patterns.is_read_as_exponent(op.result)
        name = canonical_bits(f, name, source.bits, alike)
    elif source.kind is Kind.BOOL and target.kind is not Kind.BOOL:
        name = f.emit(f"zext i1 {name} to i8")
    if target.is_float:
        name = of_bits(f, name, target.bits)
    elif target.kind is Kind.BOOL and source.kind is not Kind.BOOL:
        name = f.emit(f"icmp ne i8 {name}, 0")
    f.define(op.result, name)


def _select(f: FunctionWriter, op: Op) -> None:
    condition, weights = f.operand(op.args[0]), f.weights(op.args[0])
    if op.id in f.flips and not weights:
        f.define(op.result, _flipped(f, op, condition))
        return
    chosen = [
        f.emit(f"select i1 {condition}, {t} {a}, {t} {b}{weights}")
        for t, a, b in zip(
            parts(op.result.type), f.operands(op.args[1]), f.operands(op.args[2]), strict=True
        )
    ]
    f.define(op.result, *chosen)


def _flipped(f: FunctionWriter, op: Op, condition: str) -> str:
    """The one of a float and its negative that the condition chooses, by its sign bit."""
    bits = scalar_type(op.result).bits
    negative = f.flips[op.id]
    flip = condition if negative else f.emit(f"xor i1 {condition}, true")
    wide = f.emit(f"zext i1 {flip} to i{bits}")
    sign = f.emit(f"shl i{bits} {wide}, {bits - 1}")
    pattern = bits_of(f, f.operand(op.args[2 if negative else 1]), bits)
    return of_bits(f, f.emit(f"xor i{bits} {pattern}, {sign}"), bits)


def _get(f: FunctionWriter, op: Op) -> None:
    f.define(op.result, *f.load_slot(str(op.attr)))


def _set(f: FunctionWriter, op: Op) -> None:
    f.store_slot(str(op.attr), f.operands(op.args[0]))


def _assert(f: FunctionWriter, op: Op) -> None:
    if op.unchecked:
        return
    failed = f.emit(f"xor i1 {f.operand(op.args[0])}, true")
    f.trap_if(failed, op, "assert", message(op))


def _assume(f: FunctionWriter, op: Op) -> None:
    holds = f.operand(op.args[0])
    if op.unchecked:
        f.do(f"call void @llvm.assume(i1 {holds})")
    else:
        f.trap_if(f.emit(f"xor i1 {holds}, true"), op, "assume")


def _hint(likely: bool) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        f.define(op.result, f.operand(op.args[0]))
        f.expect(op.result, likely)

    return lower


def _overflow(f: FunctionWriter, op: Op) -> None:
    if not op.unchecked:
        f.trap_if(f.operand(op.args[0]), op, "overflow")


LEAST_COLD_COPY = 40
"""Fewest statements of a function that the checked version of a loop calls as a cold copy instead
of inlining it: that version rarely runs, and would take as long to compile."""


def _call(f: FunctionWriter, op: Op) -> None:
    name = str(op.attr)
    callee = f.module.function(name)
    traps = f.module.traps[name]
    arguments = f.arguments(name, op.args)
    returned = return_type(callee, traps, f.target)
    if isinstance(callee, HostTable):
        (number,) = f.operands(op.args[0])
        base = f"inttoptr (i64 {callee.address} to ptr)"
        place = f.emit(f"getelementptr i8, ptr {base}, i64 {number}")
        f.define(op.result, f.emit(f"load volatile i8, ptr {place}"))
        return
    if isinstance(callee, HostFunction):
        place = f"inttoptr (i64 {callee.address} to ptr)"
        f.define(op.result, f.emit(f"call {returned} {place}({arguments})"))
        return
    large = f.in_fallback and callee.results and f.module.inlined_size(name) >= LEAST_COLD_COPY
    is_cold = large and not f.module.prints(name)
    symbol = f.module.cold_copy(name) if is_cold else f.module.symbol(name)
    text = f"call {f.target.convention}{returned} {symbol}({arguments})"
    if returned == "void":
        f.do(text)
        return
    result = f.emit(text)
    count = traps + len(callee.results)
    items = [result] if count == 1 else [
        f.emit(f"extractvalue {returned} {result}, {k}") for k in range(count)
    ]  # fmt: skip
    if traps:
        f.leave_if_failed(items.pop(0), f.module.placed_at_call(f.function.name, op))
    for value, item in zip(op.results, items, strict=True):
        f.define(value, item)


MIXED_LOWERINGS: dict[str, Lowering] = {
    "convert": _convert,
    "narrow": _narrow,
    "bitcast": _bitcast,
    "select": _select,
    "get": _get,
    "set": _set,
    "assert": _assert,
    "assume": _assume,
    "likely": _hint(True),
    "unlikely": _hint(False),
    "overflow": _overflow,
    "call": _call,
    "parallel": lower_parallel,
}
