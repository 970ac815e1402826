"""Wide stores in LLVM text: vectors, each lane of which computes what its own number would.

Lane 0 is at the lowest address, on every target.
"""

from __future__ import annotations

from samebits.backend.lowering.integer import scalar_type
from samebits.backend.text.types import float_constant, scalar
from samebits.backend.text.wide_stores import (
    Computed,
    Constants,
    Lanes,
    Loaded,
    Scalars,
    WideStore,
)
from samebits.backend.text.writer import EXPONENT, SIGN, FunctionWriter
from samebits.bits import CANONICAL_NAN
from samebits.ir.grammar import Op

_TEXTS = {
    "add": "fadd {fast}{t} {0}, {1}",
    "sub": "fsub {fast}{t} {0}, {1}",
    "mul": "fmul {fast}{t} {0}, {1}",
    "div": "fdiv {fast}{t} {0}, {1}",
    "neg": "fneg {fast}{t} {0}",
    "abs": "call {fast}{t} @llvm.fabs.{name}({t} {0})",
    "sqrt": "call {fast}{t} @llvm.sqrt.{name}({t} {0})",
    "fma": "call {fast}{t} @llvm.fma.{name}({t} {0}, {t} {1}, {t} {2})",
    "muladd": "call {t} @llvm.fma.{name}({t} {0}, {t} {1}, {t} {2})",
}


def store_in_lanes(f: FunctionWriter, op: Op) -> bool:
    """Emit what a wide store needs at one of its stores, or before it; whether that is all of the
    store."""
    for wide in f.wide.ready.get(op.id, ()):
        f.vectors[wide.last] = _Vector(f, wide).of(wide.lanes)
    wide = f.wide.of.get(op.id)
    if wide is not None and wide.last == op.id:
        _Vector(f, wide).store(f.vectors[op.id])
    return wide is not None


class _Vector:
    """The writer of one wide store's vectors."""

    def __init__(self, f: FunctionWriter, wide: WideStore) -> None:
        self._f = f
        self._wide = wide
        self._count = len(wide.stores)
        t = scalar_type(wide.stores[0].args[1])
        self._bits = t.bits
        self._scalar = scalar(t)
        self._type = f"<{self._count} x {self._scalar}>"
        self._patterns = f"<{self._count} x i{t.bits}>"
        self._made: dict[int, str] = {}

    def of(self, lanes: Lanes) -> str:
        """The register or constant with the lanes."""
        known = self._made.get(id(lanes))
        if known is None:
            known = self._made[id(lanes)] = self._lanes(lanes)
        return known

    def store(self, vector: str) -> None:
        """Store a vector, with every NaN the canonical one."""
        f, place, t = self._f, self._wide.stores[0].args[0], self._type
        vector = self._flushed(vector) if f.flushes_late else vector
        if not all(f.facts.is_number(store.args[1]) for store in self._wide.stores):
            unordered = f.emit(f"fcmp uno {t} {vector}, zeroinitializer")
            pattern = self._to_patterns(vector)
            nan = self._pattern(CANONICAL_NAN[self._bits])
            t, vector = self._patterns, self._chosen(unordered, nan, pattern)
        f.do(f"store {t} {vector}, ptr {f.operand(place)}, align {self._bits // 8}")

    def _lanes(self, lanes: Lanes) -> str:
        match lanes:
            case Scalars():
                return self._together(lanes)
            case Constants():
                return f"<{', '.join(f'{self._scalar} {float_constant(v)}' for v in lanes.values)}>"
            case Loaded():
                return self._loaded(lanes)
            case Computed():
                return self._computed(lanes)

    def _together(self, lanes: Scalars) -> str:
        vector = "poison"
        for k, value in enumerate(lanes.values):
            name = self._f.operand(value)
            vector = self._f.emit(
                f"insertelement {self._type} {vector}, {self._scalar} {name}, i64 {k}"
            )
        return self._picked(self._type, vector, lanes.lanes)

    def _loaded(self, lanes: Loaded) -> str:
        t = f"<{lanes.count} x {self._scalar}>"
        place = self._f.operand(lanes.place)
        vector = self._f.emit(f"load {t}, ptr {place}, align {self._bits // 8}")
        if lanes.lanes == tuple(range(lanes.count)):
            return vector
        return self._picked(t, vector, lanes.lanes)

    def _picked(self, t: str, vector: str, lanes: tuple[int, ...]) -> str:
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        return self._f.emit(
            f"shufflevector {t} {vector}, {t} poison, <{self._count} x i32> <{mask}>"
        )

    def _computed(self, lanes: Computed) -> str:
        args = [self.of(arg) for arg in lanes.args]
        if lanes.op.opcode == "flush":
            return args[0] if self._f.flushes_late else self._flushed(*args)
        given = {"t": self._type, "name": f"v{self._count}f{self._bits}", "fast": self._f.fast}
        return self._f.emit(_TEXTS[lanes.op.opcode].format(*args, **given))

    def _flushed(self, vector: str) -> str:
        """All bits where the exponent is not zero, else the sign alone."""
        pattern, t = self._to_patterns(vector), self._patterns
        exponent = self._f.emit(f"and {t} {pattern}, {self._pattern(EXPONENT[self._bits])}")
        small = self._f.emit(f"icmp eq {t} {exponent}, zeroinitializer")
        zero = self._f.emit(f"and {t} {pattern}, {self._pattern(SIGN[self._bits])}")
        chosen = self._chosen(small, zero, pattern)
        return self._f.emit(f"bitcast {t} {chosen} to {self._type}")

    def _to_patterns(self, vector: str) -> str:
        return self._f.emit(f"bitcast {self._type} {vector} to {self._patterns}")

    def _pattern(self, value: int) -> str:
        return f"<{', '.join([f'i{self._bits} {value}'] * self._count)}>"

    def _chosen(self, where: str, a: str, b: str) -> str:
        t = self._patterns
        return self._f.emit(f"select <{self._count} x i1> {where}, {t} {a}, {t} {b}")
