"""What a run of IR leaves behind, in a form that two runs can be compared by."""

from __future__ import annotations

from typing import Any

import numpy as np

from samebits.errors import Trap
from samebits.ir.evaluate import evaluate
from samebits.ir.grammar import Module, Op


class Endless(Exception):
    """The program runs for too long to compare."""


def outcome(
    module: Module, name: str, args: list[Any], limit: int = 20_000
) -> tuple[Any, list[bytes]]:
    """Results or trap, then every array's bytes. Raises Endless after `limit` operations."""
    left = limit

    def count(op: Op, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Endless

    own = [value.copy() if isinstance(value, np.ndarray) else value for value in args]
    try:
        ending: Any = evaluate(module, name, own, count)
    except Trap as trap:
        ending = (trap.kind, trap.span, trap.detail)
    return ending, [value.tobytes() for value in own if isinstance(value, np.ndarray)]
