"""Every operation of the language at every type, each as a kernel of one expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samebits.types import BOOL, FLOAT, FLOAT64, INT, ScalarType
from tests.fuzz.expressions.forms import BY_RESULT, COMPARABLE, COMPARISONS
from tests.fuzz.generator import HEADER
from tests.fuzz.literals import FLOATS, INTS, NUMBERS, type_name

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "and": "&", "or": "|",
    "xor": "^", "shl": "<<", "shr": ">>", "div": "/",
}  # fmt: skip
FLOAT_SIGNS = ("add", "sub", "mul", "div")
INT_SIGNS = tuple(name for name in SIGNS if name != "div")


@dataclass(frozen=True)
class Operation:
    """A kernel: its group, parameter types, result type, and the expression over a, b and c."""

    group: str
    params: tuple[ScalarType, ...]
    result: ScalarType
    expression: str

    @property
    def name(self) -> str:
        types = "_".join(t.name for t in (*self.params, self.result))
        return f"{self.group}_{types}"

    @property
    def source(self) -> str:
        params = ", ".join(f"{n}: {type_name(t)}" for n, t in zip("abc", self.params, strict=False))
        return (
            f"@sb.kernel\ndef {self.name}({params}) -> {type_name(self.result)}:\n"
            f"    return {self.expression}\n"
        )


def _binary() -> Iterator[Operation]:
    for name in INT_SIGNS:
        for t in (*INTS, INT):
            yield Operation(name, (t, t), t, f"a {SIGNS[name]} b")
    for name in FLOAT_SIGNS:
        for t in (*FLOATS, FLOAT):
            yield Operation(name, (t, t), t, f"a {SIGNS[name]} b")
    for t in INTS:
        yield Operation("div", (t, t), FLOAT64, "a / b")
    for name in ("and", "or", "xor"):
        yield Operation(name, (BOOL, BOOL), BOOL, f"a {SIGNS[name]} b")
    for t, pairs in BY_RESULT.items():
        for pair in pairs:
            for name in ("mixed_add", "mixed_mul"):
                yield Operation(name, pair, t, f"a {SIGNS[name[6:]]} b")
            if t.is_int:
                yield Operation("mixed_shl", pair, t, "a << b")
                yield Operation("mixed_shr", pair, t, "a >> b")
                yield Operation("mixed_floordiv", pair, t, "a // b")


def _weak() -> Iterator[Operation]:
    for t in NUMBERS:
        yield Operation("weak_int_right", (t, INT), t, "a - b")
        yield Operation("weak_int_left", (INT, t), t, "a - b")
        yield Operation("weak_int_compare", (t, INT), BOOL, "a < b")
        weak_float = t if t.is_float else FLOAT64
        yield Operation("weak_float_right", (t, FLOAT), weak_float, "a * b")
        yield Operation("weak_float_left", (FLOAT, t), weak_float, "a / b")
    yield Operation("weak_mixed", (INT, FLOAT), FLOAT, "a * b - a")
    for t in INTS[:-1]:
        yield Operation("to_int", (t,), INT, "int(a)")


def _compare() -> Iterator[Operation]:
    for k, sign in enumerate(COMPARISONS):
        for t in (*NUMBERS, INT, FLOAT):
            yield Operation(f"compare{k}", (t, t), BOOL, f"a {sign} b")
    for pair in COMPARABLE:
        yield Operation("mixed_lt", pair, BOOL, "a < b")
        yield Operation("mixed_eq", pair, BOOL, "a == b")
    yield Operation("chain", (INTS[2],) * 3, BOOL, "a < b <= c")


def _intrinsics() -> Iterator[Operation]:
    for t in (*NUMBERS, INT, FLOAT):
        for name in ("min", "max"):
            yield Operation(name, (t, t), t, f"sb.{name}(a, b)")
        for name in ("abs", "sign"):
            yield Operation(name, (t,), t, f"sb.{name}(a)")
        yield Operation("neg", (t,), t, "-a")
        yield Operation("clamp", (t, t, t), t, "sb.clamp(a, b, c)")
        yield Operation("select", (BOOL, t, t), t, "sb.select(a, b, c)")
        yield Operation("ternary", (t, t), t, "a if a < b else b")
    for t in (*INTS, INT):
        yield Operation("invert", (t,), t, "~a")
    for t in INTS:
        for name in ("popcount", "clz", "ctz"):
            yield Operation(name, (t,), t, f"sb.{name}(a)")
        for name in ("rotl", "rotr"):
            yield Operation(name, (t, t), t, f"sb.{name}(a, b)")
    for t in (*FLOATS, FLOAT):
        for name in ("sqrt", "floor", "ceil", "trunc", "round"):
            yield Operation(name, (t,), t, f"sb.{name}(a)")
        yield Operation("copysign", (t, t), t, "sb.copysign(a, b)")
        yield Operation("fma", (t, t, t), t, "sb.fma(a, b, c)")
        yield Operation("unfused", (t, t, t), t, "a * b + c")


def _conversions() -> Iterator[Operation]:
    for target in NUMBERS:
        for source in (*NUMBERS, BOOL, INT, FLOAT):
            yield Operation("convert", (source,), target, f"{target.name}(a)")
        for source in NUMBERS:
            if source.bits == target.bits and source != target:
                yield Operation("bitcast", (source,), target, f"sb.bitcast({target.name}, a)")


def _table() -> dict[str, Operation]:
    groups = (_binary(), _weak(), _compare(), _intrinsics(), _conversions())
    return {operation.name: operation for group in groups for operation in group}


OPERATIONS = _table()
GROUPS = tuple(dict.fromkeys(operation.group for operation in OPERATIONS.values()))
SOURCE = HEADER + "".join(f"\n\n{operation.source}" for operation in OPERATIONS.values())
