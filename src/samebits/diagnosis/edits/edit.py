"""An edit: one change between two versions of a source, which can be made by itself.

Plain data; `merge` finds edits, `merged` applies them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from samebits.diagnosis.report.findings import Place

KINDS = {
    "constant": "a changed constant",
    "operator": "a changed operator",
    "default": "a changed default",
    "expression": "a changed expression",
    "statement": "a changed statement",
    "added": "an added statement",
    "removed": "a removed statement",
    "moved": "a moved statement",
    "put under": "a statement put under a condition or into a loop",
    "no more under": "a statement taken out of a condition or a loop",
    "function added": "an added function",
    "function removed": "a removed function",
    "signature": "a changed signature",
    "decorator": "changed options of a function",
    "field": "a changed field",
    "renamed": "a changed name",
    "import": "a changed import",
}
"""Kinds of edits, in words."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of kind `kind` inside `function` (empty: the module's own). `a` and `b` are where it
    stands in each version, `None` where it does not.

    Edits of one `site` are of one statement, or of a run of neighbouring ones: to whoever wrote
    them they are one change.
    """

    number: int
    site: int
    kind: str
    function: str
    a: Place | None
    b: Place | None
    old: str = ""
    """What is changed, as source; empty where it is added."""
    new: str = ""

    @property
    def place(self) -> Place:
        """Where it stands in the first version, or else in the second."""
        found = self.a or self.b
        assert found is not None
        return found


def kind_of(x: object, y: object) -> str:
    """The kind of the change from `x` to `y`; one of them may be missing."""
    some = x if x is not None else y
    if isinstance(some, ast.FunctionDef | ast.ClassDef) and (x is None or y is None):
        return "function removed" if y is None else "function added"
    if x is None or y is None:
        return "added" if x is None else "removed"
    if isinstance(x, ast.operator | ast.cmpop | ast.unaryop | ast.boolop):
        return "operator"
    if is_number(x) and is_number(y):
        return "constant"
    if isinstance(x, ast.Import | ast.ImportFrom):
        return "import"
    if isinstance(x, ast.arguments):
        return "signature"
    return "statement" if isinstance(x, ast.stmt) else "expression"


def is_number(node: object) -> bool:
    """Whether it is a number, with or without a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)
