"""What values are called: as the source does, whatever they lie in."""

from __future__ import annotations

import samebits as sb
from samebits import float2, float3x3, float32
from samebits.diagnosis.operation.describe import ValueNames
from samebits.frontend.compile import compile_kernel
from samebits.ir.grammar import Op, walk


@sb.struct
class Body:
    at: float2
    frame: float3x3
    past: sb.FixedArray[float2, 3]


@sb.kernel
def drawn(x: sb.uint32, low: float32) -> float32:
    return low + float32(x >> 8) * 0.5


@sb.kernel
def moved(body: Body, k: sb.int32) -> float32:
    return body.at.y * 2.0 + body.frame.c1.z - body.past[k].x


def test_loads_are_called_as_in_the_source() -> None:
    function = compile_kernel(moved, moved.signature.resolve(())).function
    names = ValueNames(function)
    made = [op for op in walk(function.body) if isinstance(op, Op)]
    loads = [names.of(op.result) for op in made if op.opcode == "load"]
    assert {"body.at.y", "body.frame.c1.z", "body.past[k].x"} <= set(loads)
    assert [names.of(op.result) for op in made if op.opcode == "mul"] == ["(body.at.y * 2.0)"]


def test_shifts_and_conversions_have_names() -> None:
    function = compile_kernel(drawn, drawn.signature.resolve(())).function
    names = ValueNames(function)
    made = [op for op in walk(function.body) if isinstance(op, Op)]
    assert [names.of(op.result) for op in made if op.opcode == "mul"] == ["((x >> 8) * 0.5)"]
