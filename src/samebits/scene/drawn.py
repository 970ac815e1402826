"""Shapes of Python from what a scene's kernel makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from samebits.containers.list import List
from samebits.lang.kernel import Kernel
from samebits.scene.kinds import CORNERS, DISC, LINE, NUMBER
from samebits.scene.marks import Mark
from samebits.scene.shapes import Discs, Line, Polygon, Shape, Text
from samebits.types import NONE, FixedArrayType, StructType

MOST_DECIMALS = 20


def capacity_of(draw: Kernel) -> tuple[StructType, int] | None:
    """The state that a kernel `draw(state, marks: List[Mark, N])` takes, and N; None of another."""
    types = draw.fixed_types
    if types is None or len(types) != 2 or draw.signature.result_type(types) not in (None, NONE):
        return None
    state, marks = types
    if not isinstance(state, StructType) or not isinstance(marks, StructType):
        return None
    data = marks.field_types.get("data")
    one: Any = Mark
    if not isinstance(data, FixedArrayType) or data.element != one.__sb_type__:
        return None
    whole: Any = List[Mark, data.count]
    return (state, data.count) if whole.__sb_type__ == marks else None


def drawn(draw: Kernel, capacity: int, state: Any) -> Iterator[Shape]:
    """The shapes that a kernel draws of a state. Raises Trap."""
    whole: Any = List[Mark, capacity]
    marks = whole()
    draw(state, marks)
    return shapes_of(np.asarray(marks.data)[: int(marks.size)])


def shapes_of(marks: np.ndarray) -> Iterator[Shape]:
    """Marks as shapes of Python: discs alike that follow one another are one."""
    first = 0
    look = marks[["kind", "color", "opacity", "width"]]
    while first < len(marks):
        one = marks[first]
        color = f"#{int(one['color']) & 0xFFFFFF:06x}{_byte(float(one['opacity'])):02x}"
        end = first + 1
        width = float(one["width"])
        kind = int(one["kind"])
        if kind == DISC:
            while end < len(marks) and look[end] == look[first]:
                end += 1
            run = marks[first:end]
            yield Discs(run["a"], run["size"], color, outline=width)
        elif kind == LINE:
            yield Line([one["a"], one["b"]], width, color)
        elif kind in CORNERS:
            yield Polygon([one[corner] for corner in CORNERS[kind]], color)
        elif kind == NUMBER:
            decimals = min(max(int(one["decimals"]), 0), MOST_DECIMALS)
            yield Text(one["a"], f"{float(one['value']):.{decimals}f}", float(one["size"]), color)
        first = end


def _byte(opacity: float) -> int:
    """An opacity as a byte; of a NaN none."""
    return round(min(1.0, max(0.0, opacity)) * 255) if opacity == opacity else 0
