"""Options of a program's kernels, drawn apart from its text: a seed's text is the same with others.

Most programs have the default ones, the others a mixture, so that kernels of different options
call one another.
"""

from __future__ import annotations

from random import Random

CHOICES: dict[str, tuple[str, ...]] = {
    "mode": ("sb.DETERMINISTIC",),
    "contract": ("True",),
    "denormals": ('"flush"',),
    "precision": ("sb.MEDIUM", "sb.LOW"),
    "optimize_for": ('"size"', '"compile_time"'),
}
"""The values of each option, as source text, beside its default."""
PROGRAMS = 0.4
"""How many programs have options at all."""
DEBUGGED = 0.1
"""How many programs are compiled for a debugger."""


class Options:
    """Draws the options of the kernels of one program."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"samebits fuzz options {seed}")
        self.mixed = self._rng.random() < PROGRAMS
        self._debug = Random(f"samebits fuzz debug {seed}").random() < DEBUGGED

    def decorator(self, name: str) -> str:
        """`@sb.kernel`, or `@sb.struct`, with options or without."""
        if not self.mixed:
            return f"@sb.{name}(debug_info=True)" if self._debug else f"@sb.{name}"
        drawn = {option: self._rng.choice(values) for option, values in CHOICES.items()}
        given = [f"{k}={v}" for k, v in drawn.items() if self._rng.random() < 0.6]
        given += ["debug_info=True"] * self._debug
        return f"@sb.{name}({', '.join(given)})" if given else f"@sb.{name}"
