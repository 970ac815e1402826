"""Shapes that kernels make: a struct, and functions that fill one. Written by `python -m tools.stubs`."""

from typing import TypeVar

from samebits.typed.kernels import Struct, kernel, struct
from samebits.typed.values import (
    float2,
    float32,
    float64,
    int32,
    uint32,
)

T = TypeVar("T")

@struct
class Mark(Struct):
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

@kernel
def line(start: float2, end: float2, width: float32, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A line between two places, with round ends."""

@kernel
def number(
    at: float2,
    value: float64,
    decimals: int32,
    size: float32,
    color: uint32,
    opacity: float32 = 1.0,
) -> Mark:
    """A number as text, its middle at a place, with 0 to 20 `decimals`."""

@kernel
def quad(a: float2, b: float2, c: float2, d: float2, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A filled shape of four corners, in order, and convex."""

@kernel
def ring(
    at: float2, radius: float32, width: float32, color: uint32, opacity: float32 = 1.0
) -> Mark:
    """A circle of a line that is `width` wide."""

@kernel
def triangle(a: float2, b: float2, c: float2, color: uint32, opacity: float32 = 1.0) -> Mark:
    """A filled triangle."""
