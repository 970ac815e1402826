"""What the source says at a change, in both versions, as far as both texts are at hand."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from samebits.diagnosis.operation.match_versions import Change
from samebits.diagnosis.report.findings import Place as Source
from samebits.errors import Span


def is_constant(change: Change) -> bool:
    """Whether a change is one of numbers alone. What the front end has folded is a constant in the
    IR, whatever has changed in its expression."""
    if change.kind != "constant" or change.a is None or change.b is None:
        return change.kind == "constant"
    a, b = _shape(_text(change.a)), _shape(_text(change.b))
    return not a or not b or a == b


def rewording(change: Change, others: Sequence[Change]) -> tuple[str, ...]:
    """Both versions' line at a change, where they can be read and differ. What one version lacks
    is beside what the other has instead in that function."""
    same = [other for other in (change, *others) if other.place.function == change.place.function]
    a = next((other.a for other in same if other.a is not None), None)
    b = next((other.b for other in same if other.b is not None), None)
    if a is None or b is None:
        return ()
    before, after = (Source.of(span).source.strip() for span in (a, b))
    if not before or not after or before == after:
        return ()
    return (f"`{before}` is `{after}` on the other side",)


def _text(span: Span) -> str:
    """The source under a span of one line; empty where it can't be read."""
    place = Source.of(span)
    return place.source[place.column : place.end_column] if span.line == span.end_line else ""


def _shape(text: str) -> str:
    """An expression without its numbers; empty where it is none."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return ""
    return ast.dump(_WithoutNumbers().visit(tree))


class _WithoutNumbers(ast.NodeTransformer):
    """Numbers and their signs become one number."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(0)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.operand, ast.Constant) else node
