"""Loops that must be vectorised (`sb.expect_vectorized`), as data, and their mark in LLVM text."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.backend.targets.table import Target
from samebits.errors import Span
from samebits.ir.grammar import Module

NAME = "samebits.expect"
"""The metadata string before an expectation's number."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One such loop of a function, whatever the number of its compiled copies."""

    function: str
    span: Span


@dataclass(frozen=True, slots=True)
class Expected:
    """The loops of one module that must be vectorised, and what the module was emitted from."""

    loops: tuple[Expectation, ...]
    module: Module
    entries: tuple[str, ...]
    ranges: tuple[str, ...]
    target: Target


def metadata(number: int) -> str:
    """The operand of a loop's metadata that holds its expectation's number."""
    return f'!{{!"{NAME}", i32 {number}}}'
