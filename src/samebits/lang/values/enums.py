"""Members of enums as values: an IntEnum's are numbers, a plain Enum's are none.

Knows no class of the language.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from samebits.errors import ArgumentError


def plain_number(value: object) -> object:
    """The number that an IntEnum's member is, or any instance of a subclass of Python's int or
    float; anything else itself, a bool too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__int__(value)
    if isinstance(value, float) and not isinstance(value, np.generic):
        return float.__float__(value)
    return value


def fix_of_enum(value: object) -> str | None:
    """What to write where a plain Enum's member stands for a number; None of anything else."""
    if not isinstance(value, Enum):
        return None
    return f"derive {type(value).__name__} from IntEnum, whose members are numbers"


def refuse_enum(what: str, value: object) -> None:
    """Raise ArgumentError if `value`, an operand of `what`, is a plain Enum's member."""
    fix = fix_of_enum(value)
    if fix is not None:
        raise ArgumentError(f"{what} takes numbers, got {value}, of a plain Enum", fix=fix)
