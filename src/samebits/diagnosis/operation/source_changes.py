"""Between two versions of a source: the operation that the other version lacks, where one that both
have is the first to differ only because it gets something else instead.

Knows one trace and what has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from samebits.diagnosis.operation.first_difference import OperationDifference
from samebits.diagnosis.operation.match_versions import Change
from samebits.errors import Span
from samebits.ir.analysis.enclosing import Layout
from samebits.ir.grammar import Op, Statement
from samebits.ir.refs import OpRef, statement_at
from samebits.trace.record import Trace


def blamed(
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
