"""What a hazard is: a name, what does it in practice, and the evaluations that it makes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from samebits.diagnose.arithmetic import Arithmetic
from samebits.diagnose.trees import Tree

Variant = tuple[Tree, Arithmetic, str]
"""Another evaluation, and what does it in practice."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """One way in which the same source gives other bits, within an expression."""

    name: str
    title: str
    """What happens, in a few words."""
    ways: Callable[[Tree, Arithmetic], Iterator[Variant]]
    """The evaluations that it makes of one, the most plausible first."""
    practice: str
    """What does it in the real world, in a line."""
    remedy: str
    """What to do about it, in a line."""
    last: bool = False
    """Whether it only comes after others: its trees are large, with subtrees many times over."""
