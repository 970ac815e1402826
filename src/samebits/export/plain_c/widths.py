"""Floats of a function that a port by hand writes in the other width: data, one way a member.

Owns which of a function's floats are meant. What C text they become is the writers'.
"""

from __future__ import annotations

from enum import Enum, Flag, auto

from samebits.types import FLOAT32, FLOAT64, ScalarType


class Part(Flag):
    """What of a function has the other width."""

    CONSTANTS = auto()
    """Constants, with the digits of the source."""
    SHORT = auto()
    """Constants, with the fewest digits that are read back as they are."""
    LOCALS = auto()
    """Local names."""
    SIGNATURES = auto()
    """Parameters and results."""
    FUNCTIONS = auto()
    """C's functions, and what is converted."""


_LOCAL_ALL = Part.LOCALS | Part.CONSTANTS | Part.FUNCTIONS
_NONE = Part(0)


class Widths(Enum):
    """Ways to write a function: what of its floats has another type, `to`, than in the source.

    DOUBLE_ ways make double of float32, SINGLE_ ways float of float64.
    """

    SAME = "nothing", None, _NONE
    DOUBLE_CONSTANTS = "constants", FLOAT64, Part.CONSTANTS
    DOUBLE_SHORT_CONSTANTS = "constants of fewest digits", FLOAT64, Part.SHORT
    DOUBLE_LOCALS = "local names", FLOAT64, Part.LOCALS
    DOUBLE_LOCALS_CONSTANTS = (
        "local names and constants", FLOAT64, Part.LOCALS | Part.CONSTANTS,
    )  # fmt: skip
    DOUBLE_LOCALS_ALL = "local names, constants and the functions of C", FLOAT64, _LOCAL_ALL
    DOUBLE_LOCALS_ALL_SHORT = (
        "local names, constants of fewest digits and the functions of C", FLOAT64,
        Part.LOCALS | Part.SHORT | Part.FUNCTIONS,
    )  # fmt: skip
    DOUBLE_NAMES = "local names and parameters", FLOAT64, Part.LOCALS | Part.SIGNATURES
    DOUBLE_FUNCTIONS = (
        "local names, parameters and the functions of C", FLOAT64,
        Part.LOCALS | Part.SIGNATURES | Part.FUNCTIONS,
    )  # fmt: skip
    DOUBLE_ALL = (
        "local names, parameters, constants and the functions of C", FLOAT64,
        _LOCAL_ALL | Part.SIGNATURES,
    )  # fmt: skip
    SINGLE_CONSTANTS = "constants", FLOAT32, Part.CONSTANTS
    SINGLE_LOCALS = "local names", FLOAT32, Part.LOCALS
    SINGLE_LOCALS_CONSTANTS = (
        "local names and constants", FLOAT32, Part.LOCALS | Part.CONSTANTS,
    )  # fmt: skip
    SINGLE_LOCALS_ALL = "local names, constants and the functions of C", FLOAT32, _LOCAL_ALL
    SINGLE_NAMES = "local names and parameters", FLOAT32, Part.LOCALS | Part.SIGNATURES
    SINGLE_ALL = (
        "local names, parameters, constants and the functions of C", FLOAT32,
        _LOCAL_ALL | Part.SIGNATURES,
    )  # fmt: skip

    def __init__(self, title: str, to: ScalarType | None, parts: Part) -> None:
        self.title = title
        """What is meant, in words."""
        self.to = to
        """The type that it has; None where nothing is meant."""
        self.parts = parts

    @property
    def of(self) -> ScalarType | None:
        """The type that it has in the source."""
        return None if self.to is None else FLOAT32 if self.to == FLOAT64 else FLOAT64

    @property
    def words(self) -> str:
        """What is written otherwise, and as what."""
        return f"{self.title} {'doubles' if self.to == FLOAT64 else 'floats'}"

    @property
    def keeps_signatures(self) -> bool:
        """Whether functions may be written so one by one, for parameters and results stay."""
        return Part.SIGNATURES not in self.parts

    def has(self, part: Part) -> bool:
        """Whether any of `part` has the other width."""
        return bool(self.parts & part)

    def type_of(self, t: ScalarType, part: Part) -> ScalarType:
        """The type that something of a function, which is `part` of it, is written with."""
        return self.to if self.to is not None and self.has(part) and t == self.of else t
