"""The floating-point state that a compile command leaves, and the probe's bits that it predicts."""

from __future__ import annotations

from dataclasses import dataclass, field

FUSED, REASSOCIATED, FLUSHED, WIDER = 1, 2, 4, 16
"""Bits of the probe in `samebits.h`: what a file that was compiled so does."""

FAST_PARTS = ("associative", "reciprocal", "no-signed-zeros", "finite", "limited-complex",
              "approximate")  # fmt: skip
"""What -ffast-math is made of, as far as it changes bits."""


@dataclass(slots=True)
class FlagState:
    """What the flags of one command add up to."""

    family: str
    version: tuple[int, ...] | None
    architecture: str
    contract: str = "off"
    """`off`, `on` (within an expression) or `fast` (across statements)."""
    contract_flag: str = ""
    """The flag that said so; empty for the compiler's default."""
    fast: dict[str, str] = field(default_factory=dict[str, str])
    """Parts of -ffast-math that are on, and the flag that turned each on."""
    flush: str = ""
    """The flag that makes a linked program flush, if any."""
    x87: str = ""
    native: str = ""
    has_fma: bool = False
    relaxed: str = ""
    single_constants: str = ""
    unread: list[str] = field(default_factory=list[str])

    @property
    def contracts(self) -> bool:
        """Whether the compiler may fuse, on a processor that can."""
        if self.family == "gcc":  # GCC has no way to stay within an expression: on is off
            return self.contract == "fast"
        return self.contract != "off"

    @property
    def bits(self) -> int:
        """What the probe must say of a program that was compiled and linked so."""
        fused = FUSED if self.contracts and self.has_fma else 0
        moved = REASSOCIATED if "associative" in self.fast else 0
        return fused | moved | (FLUSHED if self.flush else 0) | (WIDER if self.x87 else 0)
