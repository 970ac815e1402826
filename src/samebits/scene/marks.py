"""Shapes that kernels make: a struct, and functions that fill one.

A scene whose `draw` is a kernel appends them to a list. Then pages draw it too, without Python.
"""

# pyright: basic, reportArgumentType=false, reportCallIssue=false
# Kernels take Python's numbers where they declare their own, and leave out fields, which are zero.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.memory.structs import struct
from samebits.lang.values.scalars import float32, float64, int32, uint32
from samebits.lang.values.vectors import float2
from samebits.scene.kinds import DISC, LINE, NUMBER, QUAD, TRIANGLE

__all__ = ["Mark", "disc", "line", "number", "quad", "ring", "triangle"]


@struct
class Mark:
    """A shape; `disc`, `ring`, `line`, `triangle`, `quad` and `number` make them.

    `color` is 0xrrggbb and `opacity` 0 to 1; `size` is a radius or a number's height, `width` that
    of a line or of a ring, 0 for what is filled.
    """

    kind: uint32
    color: uint32
    a: float2
    b: float2
    c: float2
    d: float2
    size: float32
    width: float32
    opacity: float32
    decimals: int32
    value: float64


@kernel
def disc(at: float2, radius: float32, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A filled disc."""
    return Mark(kind=DISC, a=at, size=radius, color=color, opacity=opacity)


@kernel
def ring(
    at: float2, radius: float32, width: float32, color: uint32, opacity: float32 = 1.0
) -> Mark:
    """A circle of a line that is `width` wide."""
    return Mark(kind=DISC, a=at, size=radius, width=width, color=color, opacity=opacity)


@kernel
def line(start: float2, end: float2, width: float32, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A line between two places, with round ends."""
    return Mark(kind=LINE, a=start, b=end, width=width, color=color, opacity=opacity)


@kernel
def triangle(a: float2, b: float2, c: float2, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A filled triangle."""
    return Mark(kind=TRIANGLE, a=a, b=b, c=c, color=color, opacity=opacity)


@kernel
def quad(a: float2, b: float2, c: float2, d: float2, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A filled shape of four corners, in order, and convex."""
    return Mark(kind=QUAD, a=a, b=b, c=c, d=d, color=color, opacity=opacity)


@kernel
def number(
    at: float2, value: float64, decimals: int32, size: float32, color: uint32,
    opacity: float32 = 1.0,
) -> Mark:  # fmt: skip
    """A number as text, its middle at a place, with 0 to 20 `decimals`."""
    return Mark(
        kind=NUMBER, a=at, value=value, decimals=decimals, size=size, color=color, opacity=opacity
    )
