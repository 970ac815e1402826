"""The ways in which a team writes the same program in C: data, one field a habit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """`constants`: `hex`, `decimal` (with f for float32), or `bare` (decimals without an f).
    `extremes`: `exact`, as the language has them, or `ternary`, as in `a < b ? a : b`.
    `functions`: `own`, samebits' own; `libm`, as in `sinf(x)`; `double`, as in `(float)sin(x)`.
    `temporaries`: whether each operation has a variable of its own. `doubles`: whether local
    float32 variables are doubles."""

    constants: str = "decimal"
    extremes: str = "exact"
    functions: str = "own"
    temporaries: bool = False
    doubles: bool = False

    def __str__(self) -> str:
        words = [
            *(() if self.constants == "decimal" else (f"{self.constants} constants",)),
            *(() if self.extremes == "exact" else ("ternary extremes",)),
            *(() if self.functions == "own" else (self.functions,)),
            *(("a variable each",) if self.temporaries else ()),
            *(("double locals",) if self.doubles else ()),
        ]
        return ", ".join(words) or "plain"


EXACT = Style()
"""Gives the bits of the source, with a compiler that keeps them."""
