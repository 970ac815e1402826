"""Floating-point environments as hazards: all code, the library's included, run in another one.

Owns which environments of this processor are tried, and which hazard each corresponds to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from samebits.backend.llvm.engine import host_target
from samebits.backend.targets.fp_environments import ENVIRONMENTS
from samebits.backend.text.overrides import CodegenOverrides
from samebits.hazards.catalogue.expressions.rounding_direction import DIRECTIONS
from samebits.hazards.catalogue.expressions.subnormal_flush import PRACTICE
from samebits.sim.program import Program


@dataclass(frozen=True, slots=True)
class Environment:
    """A word of `fp_environments`, the name of its hazard, and the note of its variant."""

    word: str
    hazard: str
    note: str

    def of(self, program: Program) -> Program:
        """The program in this environment, compiled for its step's goal, on which bits depend."""
        made = program.with_kernels(program.kernels, goal=None)
        return replace(made, overrides=CodegenOverrides((self.word,)))


_ALL = (
    Environment("up", "rounding", DIRECTIONS["up"]),
    Environment("down", "rounding", DIRECTIONS["down"]),
    Environment("toward-zero", "rounding", DIRECTIONS["zero"]),
    Environment("flush", "flush", PRACTICE["after", True]),
    Environment("ftz", "flush", PRACTICE["after", False]),
    Environment("daz", "flush", PRACTICE["no", True]),
)


def environments() -> Iterator[Environment]:
    """The environments that this processor has."""
    words = ENVIRONMENTS.get(host_target().fp_control or "", {})
    yield from (each for each in _ALL if each.word in words)
