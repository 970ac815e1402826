"""Loops that the source wants vectorised, as data, and the mark of one in LLVM's text."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.backend.targets.table import Target
from samebits.errors import Span
from samebits.ir.grammar import Module

NAME = "samebits.expect"
"""The metadata string that goes before an expectation's number."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A loop of a function, in however many copies it was compiled."""

    function: str
    span: Span


@dataclass(frozen=True, slots=True)
class Expected:
    """The loops of one module that are to be vectorised, and what it was emitted from."""

    loops: tuple[Expectation, ...]
    module: Module
    entries: tuple[str, ...]
    ranges: tuple[str, ...]
    target: Target


def metadata(number: int) -> str:
    """The operand of a loop's metadata that says which expectation it is."""
    return f'!{{!"{NAME}", i32 {number}}}'
