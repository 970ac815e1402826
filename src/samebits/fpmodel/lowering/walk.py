"""What all lowerings share: each subtree is computed once, leaves first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from samebits.fpmodel.evaluate import Arithmetic, constant
from samebits.fpmodel.lowering.code import Code
from samebits.fpmodel.softfloat import Number
from samebits.fpmodel.tree import Constant, Node, Operand, Tree
from samebits.ir.grammar import Value

Held = TypeVar("Held")
"""The representation of a number between operations."""


class CannotLower(Exception):
    """An evaluation needs something that IR lacks; the message says what."""


class Walk(ABC, Generic[Held]):
    """Lowers trees under one arithmetic. `known` has the values of subtrees that exist already."""

    def __init__(
        self,
        code: Code,
        arithmetic: Arithmetic,
        operands: Mapping[str, Value],
        known: Mapping[Tree, Value],
    ) -> None:
        self.code = code
        self.arithmetic = arithmetic
        self.operands = operands
        self.known = known
        self._held: dict[Tree, Held] = {}

    def held(self, tree: Tree) -> Held:
        """The tree's value, between operations."""
        found = self._held.get(tree)
        if found is None:
            found = self._held[tree] = self._computed(tree)
        return found

    def _computed(self, tree: Tree) -> Held:
        if isinstance(tree, Operand):
            return self.operand(self.operands[tree.name])
        if isinstance(tree, Constant):
            return self.number(constant(tree, self.arithmetic.form))
        if tree in self.known:
            return self.operand(self.known[tree])
        return self.apply(tree, [self.held(arg) for arg in tree.args])

    @abstractmethod
    def operand(self, value: Value) -> Held:
        """A float of the expression's type."""

    @abstractmethod
    def number(self, number: Number) -> Held:
        """A constant."""

    @abstractmethod
    def apply(self, op: Node, args: list[Held]) -> Held:
        """One operation. Raises CannotLower."""

    @abstractmethod
    def stored(self, held: Held) -> Value:
        """A result, rounded to the expression's type."""

    @abstractmethod
    def integer(self, detail: str, held: Held) -> Value:
        """A result as an integer of a type, by a rule."""
