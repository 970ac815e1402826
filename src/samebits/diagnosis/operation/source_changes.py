"""Changes between two versions of a source: lost operations, other calls, and both texts.

Knows one trace, both modules and what has changed between them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from samebits.diagnosis.operation.first_difference import OperationDifference
from samebits.diagnosis.operation.match_versions import Change
from samebits.diagnosis.report.findings import Place as Source
from samebits.errors import Span
from samebits.frame_trace.record import Trace
from samebits.hazards.edit.function_editor import calls_in, own_functions, with_statements
from samebits.ir.analysis.enclosing import Layout
from samebits.ir.grammar import Module, Op, Statement
from samebits.ir.refs import OpRef, op_at, statement_at


def attributed(
    difference: OperationDifference, a: Trace, changes: Sequence[Change]
) -> OperationDifference:
    """The difference, or the operation of the same expression that side a alone does."""
    place, seen = difference.place, difference.a
    own = {change.place for change in changes if change.kind in ("constant", "operation")}
    if difference.kind != "result" or place is None or seen is None or place in own:
        return difference
    gone = [change.place for change in changes if change.kind == "removed"]
    found = _maker(Layout(a.model.module.functions[place.function]), place, gone)
    if found is None:
        near = [at for at in gone if at.function == place.function]
        ops = [_operation(a, at) for at in near]
        found = next((op for op in ops if op and _share(op.span, difference.span)), None)
    if found is None:
        return difference
    at = OpRef(place.function, found.id)
    done = np.flatnonzero(a.numbers == a.model.numbering.at(at))
    if not len(done):
        return difference
    nearest = int(done[np.abs(done - seen.event).argmin()])
    return OperationDifference("path", at, found.span, found, a.instance(nearest, found.args))


def _maker(layout: Layout, place: OpRef, gone: Collection[OpRef]) -> Op | None:
    """The first of the operations that are gone whose results lead to the operation at `place`."""
    found: Op | None = None
    todo = layout.statements[place.op]
    while isinstance(todo, Op):
        makers = [layout.statements[value.op] for value in todo.args]
        todo = next(
            (m for m in makers if _computes(m) and OpRef(place.function, m.id) in gone), None
        )
        found = todo if isinstance(todo, Op) else found
    return found


def _operation(a: Trace, at: OpRef) -> Op | None:
    found = statement_at(a.model.module, at)
    return found if isinstance(found, Op) and _computes(found) else None


def _computes(statement: Statement) -> bool:
    """A constant is a part of what it is written in."""
    return isinstance(statement, Op) and statement.opcode != "const"


def _share(a: Span, b: Span) -> bool:
    """Whether one of two expressions is a part of the other."""
    return a.file == b.file and (_within(a, b) or _within(b, a))


def _within(a: Span, b: Span) -> bool:
    return (b.line, b.column) <= (a.line, a.column) and (
        (a.end_line, a.end_column) <= (b.end_line, b.end_column)
    )


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


PRACTICE = "another precision: an option of the kernel, of its module, or of the build"


def other_calls(mine: Module, theirs: Module) -> frozenset[OpRef]:
    """The user's own calls that are of another function in `theirs`, whose operations have the
    same ids."""
    found: set[OpRef] = set()
    for function in own_functions(mine):
        other = theirs.functions.get(function.name)
        if other is not None:
            named = {op.id: op.attr for op in calls_in(other)}
            found |= {
                OpRef(function.name, op.id)
                for op in calls_in(function)
                if named.get(op.id, op.attr) != op.attr
            }
    return frozenset(found)


def with_other_calls(mine: Module, theirs: Module, places: Collection[OpRef]) -> Module:
    """The module in which the calls at some places are those that `theirs` has there."""
    made = mine
    for place in places:
        called = replace(op_at(made, place), attr=op_at(theirs, place).attr)
        made = with_statements(made, place.function, {place.op: [called]})
    new = {name: f for name, f in theirs.functions.items() if name not in made.functions}
    return Module({**new, **made.functions}, {**theirs.tables, **made.tables})
