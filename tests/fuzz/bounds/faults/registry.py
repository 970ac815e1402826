"""The unsound rules by name, and what those that inject them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.ir.grammar import Value, ValueType
from samebits.passes.bounds import transfer
from samebits.types import ScalarType

FAULTS: dict[str, Callable[[], None]] = {}
"""The function that injects each fault, by name."""


def fault(inject: Callable[[], None]) -> Callable[[], None]:
    FAULTS[inject.__name__.replace("_", " ")] = inject
    return inject


def handler(opcode: str, handler: Callable[..., Any]) -> None:
    """Let the analysis of ranges take `handler` for operations with this opcode."""
    transfer.HANDLERS[opcode] = handler


def is_integer(t: ValueType) -> bool:
    return isinstance(t, ScalarType) and t.is_int


def is_integer_value(value: Value) -> bool:
    return is_integer(value.type)
