"""The passes on integers of a few bits, of which all values can be tried.

Owns which names of the passes stand for the width of an int, and what they are meanwhile.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import samebits.passes
from samebits import types
from samebits.ir import builder, rewrite
from samebits.passes.bounds import blocks, domain, guard, transfer
from samebits.types import Kind, ScalarType

MODULES: list[Any] = [
    *(
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(samebits.passes.__path__, "samebits.passes.")
    ),
    builder, rewrite,
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Widths:
    """Weak int, int64 and uint64 as they are meanwhile, and narrower types of both signs."""

    weak: ScalarType
    signed: ScalarType
    unsigned: ScalarType
    narrow: tuple[ScalarType, ...]

    @property
    def all(self) -> tuple[ScalarType, ...]:
        return self.weak, self.signed, self.unsigned, *self.narrow


def widths(bits: int) -> Widths:
    narrow = tuple(
        ScalarType(f"{'u' if kind is Kind.UNSIGNED else ''}int{n}", kind, n)
        for n in range(2, bits)
        for kind in (Kind.SIGNED, Kind.UNSIGNED)
    )
    return Widths(
        ScalarType("int", Kind.SIGNED, bits, weak=True),
        ScalarType(f"int{bits}", Kind.SIGNED, bits),
        ScalarType(f"uint{bits}", Kind.UNSIGNED, bits),
        narrow,
    )


@contextmanager
def miniature(bits: int) -> Iterator[Widths]:
    """Inside, ints, int64 and uint64 have `bits` bits for the passes, and limits are like those of
    64 bits: a sum of a few terms stays in an int, as does a product of two factors."""
    mini = widths(bits)
    instead = {types.INT: mini.weak, types.INT64: mini.signed, types.UINT64: mini.unsigned}
    saved: list[tuple[Any, str, Any]] = []

    def put(module: Any, name: str, value: Any) -> None:
        saved.append((module, name, getattr(module, name)))
        setattr(module, name, value)

    for module in MODULES:
        for name, value in list(vars(module).items()):
            if isinstance(value, ScalarType) and value in instead:
                put(module, name, instead[value])
    put(guard, "SUM_LIMIT", 1 << (bits - 1))
    put(guard, "TERM_LIMIT", 1 << (bits - 2))
    put(guard, "FACTOR_LIMIT", 1 << (bits // 2))
    put(domain, "LENGTH_LIMIT", 1 << (bits - 2))
    put(blocks, "BLOCK", 3)
    put(blocks, "LEAST", 2)
    put(transfer, "OVERFLOW_MARGIN", 1 << (bits - 2))
    try:
        yield mini
    finally:
        for module, name, value in reversed(saved):
            setattr(module, name, value)
