"""The operations that FAST lets a compiler rewrite, and programs in which only some of them may be.

Owns which these are in one frame, and how a program enables their flags. Knows nothing of searches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from samebits.backend.text.overrides import CodegenOverrides
from samebits.diagnosis.frame.points import Point
from samebits.errors import Trap
from samebits.ir.grammar import For, Module, Op
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.refs import OpRef, statements
from samebits.modes import FAST
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.runtime.fp_state import pin as fpenv
from samebits.sides.side import Side
from samebits.sim.program import Program
from samebits.types import ScalarType

FLAGS: Mapping[str, str] = {
    "contract": "a product and a sum may be fused",
    "reassoc": "sums and products may be reordered, and regrouped in lanes",
    "arcp": "a division may be a multiplication by the reciprocal",
    "nsz": "the signs of zeros and the bits of NaNs may be lost",
    "afn": "functions may be approximated",
}
"""What FAST allows, as LLVM calls it."""

EnabledFlags = Mapping[OpRef, Collection[str]]
"""The flags that operations keep, by place; others keep none."""


def rewritable(side: Side, point: Point) -> list[OpRef]:
    """The operations and loops of FAST functions that may be rewritten and that a frame executes,
    or `init`: the first executed first.

    It is evaluated with none of them rewritten.
    """
    kernels = side.linked.kernels
    fast = [name for name, f in kernels.functions.items() if f.options.mode is FAST]
    laned = {
        (name, s.id)
        for name, f in lower_float_modes(kernels).functions.items()
        for _, s in statements(Module({name: f}), [name])
        if isinstance(s, For) and s.lanes is not None
    }
    strict = lower_float_modes(kernels, {})
    homes: dict[int, list[OpRef]] = {}
    loops: list[tuple[OpRef, For]] = []
    for place, statement in statements(strict, fast):
        if isinstance(statement, Op) and _is_free(statement):
            homes[id(statement)] = [place]
        elif isinstance(statement, For) and (place.function, place.op) in laned:
            loops.append((place, statement))
    for place, loop in loops:
        for inner in loop.body:
            if isinstance(inner, Op):  # the loop is executed where its body is
                homes.setdefault(id(inner), []).insert(0, place)
    found: dict[OpRef, None] = {}

    def listen(op: Op, args: object, results: object) -> None:
        for place in homes.get(id(op), ()):
            found.setdefault(place)

    try:
        with fpenv.pinned():
            Evaluator(strict, listen).run(*point.arguments(side.plain))
    except Trap:
        pass  # what led to it has been executed
    return [*found]


_FREE = {
    "add", "sub", "mul", "div", "neg", "abs", "sqrt", "fma", "min", "max", "floor", "ceil",
    "trunc", "round", "copysign", "bitcast",
}  # fmt: skip
"""The operations whose lowering depends on flags, but for those that write NaNs to memory: how a
NaN is written is in no canonical state."""
_CARELESS = "nsz "


def _is_free(op: Op) -> bool:
    return op.opcode in _FREE and any(
        isinstance(value.type, ScalarType) and value.type.is_float
        for value in (*op.args, *op.results)
    )


def with_flags(side: Side, enabled: EnabledFlags, quick: bool = False) -> Program:
    """The program of a side in which only the operations of `enabled` may be rewritten, and only as
    their flags say. A `quick` one is compiled in a fifth of the time, by fewer passes."""
    old = side.linked.kernels
    chosen: dict[str, dict[int, str]] = {
        name: {
            place.op: _CARELESS
            for place, statement in statements(old, [name])
            if isinstance(statement, Op) and statement.opcode == "store"
        }
        for name, function in old.functions.items()
        if function.options.mode is FAST
    }
    shaped: dict[str, set[int]] = {}
    for place, flags in enabled.items():
        text = "".join(f"{flag} " for flag in FLAGS if flag in flags)
        chosen.setdefault(place.function, {})[place.op] = text
    for name, ops in chosen.items():
        shaped[name] = {
            statement.id
            for place, statement in statements(old, [name])
            if (found := ops.get(place.op)) is not None
            and ("reassoc" if isinstance(statement, For) else "contract") in found
        }
    kernels = lower_float_modes(old, shaped)
    for name, ops in chosen.items():
        known = {place.op for place, _ in statements(old, [name])}
        every = "".join(f"{flag} " for flag in FLAGS if any(flag in f for f in ops.values()))
        # What a rewrite brought with it is as free as what it was made of.
        ops |= {p.op: every for p, _ in statements(kernels, [name]) if p.op not in known}
    goal = "compile_time" if quick else None
    program = side.with_hazards(side.plain.with_kernels(kernels, goal))
    return replace(program, overrides=CodegenOverrides(side.spec.environment, chosen))
