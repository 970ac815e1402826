"""Cold copies of inlined functions, called by the checked version of a versioned loop.

That version rarely runs. Cold copies are in the cold section, where LLVM spends less time.

Knows LLVM text, not what the functions compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.backend.text.types import function_symbol, quoted

_PREFIX = "cold:"


@dataclass(frozen=True, slots=True)
class ColdCopy:
    """A copy of a function of LLVM types that touches no memory, ends and cannot trap."""

    name: str
    """The function's name."""
    parameters: Sequence[str]
    result: str
    convention: str
    symbol: str
    """The copy's symbol."""

    def declaration(self) -> str:
        """The declaration in modules that the copy is linked to later."""
        types = ", ".join(self.parameters)
        return f"declare {self.convention}{self.result} {self.symbol}({types}) #1"

    def text(self) -> str:
        """The definition, into which LLVM inlines the function."""
        given = ", ".join(f"{t} %a{i}" for i, t in enumerate(self.parameters))
        typed = f"{self.convention}{self.result}"
        return "\n".join([
            f"define {typed} {self.symbol}({given}) #1 {{",
            "entry:",
            f"  %r = call {typed} {function_symbol(self.name)}({given})",
            f"  ret {self.result} %r",
            "}",
        ])  # fmt: skip


def cold_copy_symbol(name: str) -> str:
    """LLVM's name of the copy of a function."""
    return f"@{quoted(_PREFIX + name)}"


def is_cold_copy(name: str) -> bool:
    """Whether a function is a cold copy."""
    return name.startswith(_PREFIX)
