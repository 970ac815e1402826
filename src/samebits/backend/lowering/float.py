"""Float arithmetic in LLVM text: each operation rounded once, without library calls.

Only FAST functions have fast-math flags.

Where a target lacks an instruction (fused multiply-add, rounding to integral), exact sequences
of the basic operations stand in for it.
"""

from __future__ import annotations

from samebits.backend.lowering.integer import instruction, scalar_type
from samebits.backend.text.types import float_constant, scalar
from samebits.backend.text.writer import FunctionWriter, Lowering
from samebits.bits import CANONICAL_NAN
from samebits.ir.grammar import Op, Value
from samebits.types import ScalarType


def bits_of(f: FunctionWriter, name: str, bits: int) -> str:
    """The bit pattern of a float register."""
    return f.emit(f"bitcast {_FLOAT[bits]} {name} to i{bits}")


def of_bits(f: FunctionWriter, name: str, bits: int) -> str:
    """The float with the bit pattern of an integer register."""
    return f.emit(f"bitcast i{bits} {name} to {_FLOAT[bits]}")


def canonical_bits(f: FunctionWriter, name: str, bits: int, is_number: bool) -> str:
    """The bit pattern of a float register, with every NaN the canonical one."""
    pattern = bits_of(f, name, bits)
    if is_number:
        return pattern
    unordered = f.emit(f"fcmp uno {_FLOAT[bits]} {name}, {_ZERO}")
    return f.emit(f"select i1 {unordered}, i{bits} {CANONICAL_NAN[bits]}, i{bits} {pattern}")


_FLOAT = {32: "float", 64: "double"}
_ZERO = float_constant(0.0)
_ONE = float_constant(1.0)
_INTEGRAL = {32: float_constant(2.0**23), 64: float_constant(2.0**52)}
"""From here on every float is integral; below, adding it rounds to nearest even."""


def _div(f: FunctionWriter, op: Op) -> None:
    t = scalar_type(op.result)
    a, b = map(f.operand, op.args)
    if t.weak and not op.unchecked:
        f.trap_if(f.emit(f"fcmp oeq double {f.seen(op.args[1])}, {_ZERO}"), op, "zero")
    f.define(op.result, f.emit(f"fdiv {f.fast}{scalar(t)} {a}, {b}"))


def _intrinsic(f: FunctionWriter, name: str, bits: int, *arguments: str) -> str:
    t = _FLOAT[bits]
    typed = ", ".join(f"{t} {a}" for a in arguments)
    return f.emit(f"call {f.fast}{t} @llvm.{name}.f{bits}({typed})")


def _sqrt(f: FunctionWriter, op: Op) -> None:
    bits = scalar_type(op.result).bits
    root = _intrinsic(f, "sqrt", bits, f.operand(op.args[0]))
    if f.target.fuses_sqrt:
        root = _intrinsic(f, "arithmetic.fence", bits, root)
    f.define(op.result, root)


def _fma(f: FunctionWriter, op: Op) -> None:
    bits = scalar_type(op.result).bits
    arguments = [f.operand(value) for value in op.args]
    if f.target.has_fma:
        f.define(op.result, _intrinsic(f, "fma", bits, *arguments))
        return
    t = _FLOAT[bits]
    typed = ", ".join(f"{t} {a}" for a in arguments)
    symbol = f.module.helper(f"fma.f{bits}")
    f.define(op.result, f.emit(f"call {f.target.convention}{t} {symbol}({typed})"))


def _extreme(is_min: bool) -> Lowering:
    """Minimum or maximum. Equal operands differ only if they are zeros: OR of the patterns is then
    -0 if either is, AND is +0 if either is."""

    def lower(f: FunctionWriter, op: Op) -> None:
        bits = scalar_type(op.result).bits
        t = _FLOAT[bits]
        a, b = map(f.seen, op.args)
        first = f.emit(f"fcmp {'olt' if is_min else 'ogt'} {t} {a}, {b}")
        result = f.emit(f"select i1 {first}, {t} {a}, {t} {b}")
        if f.facts.is_fast:
            f.define(op.result, result)
            return
        merge = f"{'or' if is_min else 'and'} i{bits} {bits_of(f, a, bits)}, {bits_of(f, b, bits)}"
        merged = of_bits(f, f.emit(merge), bits)
        same = f.emit(f"fcmp oeq {t} {a}, {b}")
        result = f.emit(f"select i1 {same}, {t} {merged}, {t} {result}")
        if not all(f.facts.is_number(value) for value in op.args):
            unordered = f.emit(f"fcmp uno {t} {a}, {b}")
            nan = float_constant(float("nan"))
            result = f.emit(f"select i1 {unordered}, {t} {nan}, {t} {result}")
        f.define(op.result, result)

    return lower


def _nearest(f: FunctionWriter, magnitude: str, bits: int) -> str:
    """A non-negative float below 2^23 or 2^52 rounded to nearest, ties to even."""
    t = _FLOAT[bits]
    raised = f.emit(f"fadd {t} {magnitude}, {_INTEGRAL[bits]}")
    return f.emit(f"fsub {t} {raised}, {_INTEGRAL[bits]}")


def _rounding(name: str) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        bits = scalar_type(op.result).bits
        x = f.operand(op.args[0])
        calls = f.target.rounds_by_calls and f.module.profile.is_small
        if f.target.has_round and not calls:
            f.define(op.result, _intrinsic(f, _ROUNDINGS[name], bits, x))
        else:
            f.define(op.result, _rounded_by_adding(f, name, x, bits))

    return lower


def _rounded_by_adding(f: FunctionWriter, name: str, x: str, bits: int) -> str:
    """Rounding without the instruction: to nearest by adding 2^23 or 2^52, then one step back if
    that went too far. The result has the operand's sign."""
    t = _FLOAT[bits]
    magnitude = _intrinsic(f, "fabs", bits, x)
    nearest = _nearest(f, magnitude, bits)
    if name in ("floor", "ceil"):
        nearest = _intrinsic(f, "copysign", bits, nearest, x)
        far, back = ("ogt", "fsub") if name == "floor" else ("olt", "fadd")
        too_far = f.emit(f"fcmp {far} {t} {nearest}, {x}")
    else:
        back = "fsub"
        too_far = f.emit(f"fcmp ogt {t} {nearest}, {magnitude}") if name == "trunc" else "false"
    stepped = f.emit(f"{back} {t} {nearest}, {_ONE}")
    result = f.emit(f"select i1 {too_far}, {t} {stepped}, {t} {nearest}")
    small = f.emit(f"fcmp olt {t} {magnitude}, {_INTEGRAL[bits]}")
    result = f.emit(f"select i1 {small}, {t} {result}, {t} {x}")
    return _intrinsic(f, "copysign", bits, result, x)


_ROUNDINGS = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "roundeven"}


def _copysign(f: FunctionWriter, op: Op) -> None:
    bits = scalar_type(op.result).bits
    t = _FLOAT[bits]
    a, b = map(f.operand, op.args)
    if not f.facts.is_number(op.args[1]):
        unordered = f.emit(f"fcmp uno {t} {b}, {_ZERO}")
        b = f.emit(f"select i1 {unordered}, {t} {_ZERO}, {t} {b}")
    f.define(op.result, _intrinsic(f, "copysign", bits, a, b))


def _flush(f: FunctionWriter, op: Op) -> None:
    name = f.operand(op.args[0])
    f.define(op.result, name if f.flushes_late else f.flushed(name, scalar_type(op.result)))


def _equality(predicate: str) -> Lowering:
    """A comparison that LLVM makes one of zero's bits, alone or joined with another: it holds a
    number from memory that is compared with 0.0 to be zero by its bits (LLVM 22), which a
    subnormal one is not. Those are flushed before."""

    def lower(f: FunctionWriter, op: Op) -> None:
        a, b = map(f.seen, op.args)
        f.define(op.result, f.emit(f"fcmp {predicate} {scalar(scalar_type(op.args[0]))} {a}, {b}"))

    return lower


def stored_value(f: FunctionWriter, value: Value, name: str) -> tuple[str, str]:
    """LLVM type and register of a float to be stored, with NaN canonical."""
    bits = scalar_type(value).bits
    if f.facts.is_number(value):
        return _FLOAT[bits], name
    return f"i{bits}", canonical_bits(f, name, bits, False)


MOST_PENDING = 8
"""Stores after which a run ends: each keeps its register until then."""


def store_then_canonicalise(f: FunctionWriter, t: ScalarType, name: str, place: str) -> None:
    """Store a float uncanonicalised; the end of the run of stores canonicalises any NaN among
    them."""
    if len(f.to_canonicalise) == MOST_PENDING:
        canonicalise_stores(f)
    f.do(f"store {_FLOAT[t.bits]} {name}, ptr {place}, align {t.align}")
    f.to_canonicalise.append((t.bits, name, place))


def is_some_nan(f: FunctionWriter, names: list[str], bits: int) -> str:
    """An i1 that holds if a float register is NaN, or there are infinities of both signs."""
    t = _FLOAT[bits]
    while len(names) > 2:
        half = len(names) // 2
        if len(names) % 2:
            names = [f.emit(f"fadd {t} {names[0]}, {names[-1]}"), *names[1:-1]]
        else:
            pairs = zip(names, names[half:], strict=False)
            names = [f.emit(f"fadd {t} {a}, {b}") for a, b in pairs]
    return f.emit(f"fcmp uno {t} {names[0]}, {names[-1]}")


def watch_stored(f: FunctionWriter, op: Op, name: str, bits: int) -> None:
    """After a store of a float as it is: let a loop's end see it, alone or in a sum."""
    watched = f.watched[op.id]
    if watched is None:
        return
    t, (place, adds) = _FLOAT[bits], watched
    if adds:
        before = f.emit(f"load {t}, ptr {place}")
        name = f.emit(f"fadd {t} {before}, {name}")
    f.do(f"store {t} {name}, ptr {place}")


def canonicalise_stores(f: FunctionWriter) -> None:
    """After a run of stores of one width: make every NaN among them the canonical one.

    A NaN shows in the sum, as do infinities of both signs, which a cold block finds harmless. It
    looks at memory, not at what was stored: a later store of the run may have been to one place.
    """
    stores, f.to_canonicalise = f.to_canonicalise, []
    bits = stores[0][0]
    t = _FLOAT[bits]
    some = is_some_nan(f, [name for _, name, _ in stores], bits)
    repairs: list[str] = []
    for place in dict.fromkeys(place for _, _, place in stores):
        found, test, kept = f.name(), f.name(), f.name()
        repairs += [
            f"{found} = load {t}, ptr {place}, align {bits // 8}",
            f"{test} = fcmp uno {t} {found}, {_ZERO}",
            f"{kept}.i = bitcast {t} {found} to i{bits}",
            f"{kept} = select i1 {test}, i{bits} {CANONICAL_NAN[bits]}, i{bits} {kept}.i",
            f"store i{bits} {kept}, ptr {place}, align {bits // 8}",
        ]
    f.cold_block(some, repairs)


FLOAT_LOWERINGS: dict[str, Lowering] = {
    "add": instruction("fadd {fast}{t} {a}, {b}"),
    "sub": instruction("fsub {fast}{t} {a}, {b}"),
    "mul": instruction("fmul {fast}{t} {a}, {b}"),
    "div": _div,
    "neg": instruction("fneg {fast}{t} {a}"),
    "abs": instruction("call {fast}{t} @llvm.fabs.f{bits}({t} {a})"),
    "sqrt": _sqrt,
    "fma": _fma,
    "min": _extreme(True),
    "max": _extreme(False),
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "trunc": _rounding("trunc"),
    "round": _rounding("round"),
    "copysign": _copysign,
    "flush": _flush,
    "eq": _equality("oeq"),
    "ne": _equality("une"),
    "lt": instruction("fcmp olt {t} {a}, {b}"),
    "le": _equality("ole"),
    "gt": instruction("fcmp ogt {t} {a}, {b}"),
    "ge": _equality("oge"),
}
