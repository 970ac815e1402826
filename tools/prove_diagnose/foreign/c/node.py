"""Expressions of C as trees: text, what they read, and which of their parts a statement rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.prove_diagnose.foreign.c.types import Typed


@dataclass(eq=False)
class Node:
    """`text` has a place `{0}`, `{1}` for each part. `place` is the text of what an address points
    to. `slots` and `memory` are what it reads; `rounds` whether a compiler could round it, or any
    of its parts, in another way."""

    type: Typed
    text: str
    parts: tuple[Node, ...] = ()
    place: str = ""
    slots: frozenset[str] = frozenset()
    memory: bool = False
    rounds: bool = False
    constant: bool = False
    lines: frozenset[int] = field(default_factory=frozenset[int])

    def __post_init__(self) -> None:
        for part in self.parts:
            self.slots |= part.slots
            self.memory |= part.memory
            self.rounds |= part.rounds
            self.lines |= part.lines

    @property
    def trivial(self) -> bool:
        """Whether it may be written more than once."""
        return self.constant or (not self.rounds and not self.memory)

    def __str__(self) -> str:
        return self.text.format(*self.parts)

    def pointed(self) -> str:
        """What the address points to, as an lvalue."""
        return (self.place or "*{self}").format(*self.parts, self=self)


def leaf(t: Typed, text: str, slots: frozenset[str] = frozenset()) -> Node:
    return Node(t, text.replace("{", "{{").replace("}", "}}"), slots=slots)


def outlined(root: Node) -> tuple[str, list[Node]]:
    """The text of a tree whose parts that round nothing are a0, a1, …; and these parts."""
    taken: list[Node] = []
    names: dict[str, str] = {}

    def text(node: Node) -> str:
        if node.constant:
            return str(node)
        if node.rounds:
            return node.text.format(*map(text, node.parts))
        shown = str(node)
        if shown not in names:
            names[shown] = f"a{len(taken)}"
            taken.append(node)
        return names[shown]

    return text(root), taken


def walk(node: Node) -> Iterator[Node]:
    yield node
    for part in node.parts:
        yield from walk(part)
