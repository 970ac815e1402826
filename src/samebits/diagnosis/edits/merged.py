"""A merged tree: one syntax tree for two versions, in which each edit is made or not.

With no edit chosen it is the first version's tree, with all of them the second's.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

Chosen = Collection[int]
"""Numbers of the edits that are made."""


class Part:
    """A part of a merged tree."""

    def build(self, chosen: Chosen) -> Any:
        """The part where these edits are made: a node, a list of nodes, or a field's value."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Same(Part):
    """What both versions have."""

    value: Any

    def build(self, chosen: Chosen) -> Any:
        return self.value


@dataclass(frozen=True, eq=False)
class Choice(Part):
    """What one edit exchanges."""

    edit: int
    a: Any
    b: Any

    def build(self, chosen: Chosen) -> Any:
        return self.b if self.edit in chosen else self.a


@dataclass(frozen=True, eq=False)
class Inner(Part):
    """A node that both versions have, with edits inside."""

    original: ast.AST
    fields: dict[str, Part]

    def build(self, chosen: Chosen) -> ast.AST:
        node = self.original
        values = {name: getattr(node, name, None) for name in node._fields}
        values |= {name: part.build(chosen) for name, part in self.fields.items()}
        made = type(node)(**values)
        return ast.copy_location(made, node) if hasattr(node, "lineno") else made


@dataclass(frozen=True, eq=False)
class Several(Part):
    """A list of as many expressions in both versions."""

    parts: Sequence[Part]

    def build(self, chosen: Chosen) -> list[Any]:
        return [part.build(chosen) for part in self.parts]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A statement of a block: there with edit `added` alone, and without edit `removed`."""

    part: Part
    added: int | None = None
    removed: int | None = None

    def is_there(self, chosen: Chosen) -> bool:
        return (self.added is None or self.added in chosen) and (
            self.removed is None or self.removed not in chosen
        )


@dataclass(frozen=True, eq=False)
class Block(Part):
    """Statements, which may come, go and move. What is needed and left empty is `pass`."""

    items: Sequence[Item]
    needed: bool

    def build(self, chosen: Chosen) -> list[ast.stmt]:
        found = [item.part.build(chosen) for item in self.items if item.is_there(chosen)]
        return [ast.Pass()] if self.needed and not found else found
