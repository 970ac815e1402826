"""The line at which two traces part, by the text of the lines that each side executes.

Owns the answer that needs no lookup of one side's place in the other's program: it is what is left
where finding the operation fails.
"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from samebits.diagnosis.report.findings import OperationFact, Place
from samebits.errors import Span
from samebits.frame_trace.record import Trace
from samebits.source_lines import line_of

_Line = tuple[str, str, int]
"""The text of a line; where that is not known, its file and number."""


def parting(a: Trace, b: Trace, validation: str) -> OperationFact | None:
    """The first line that one side executes where the other executes another, or else the first
    of which results differ; None where neither can be told."""
    runs = _lines(a), _lines(b)
    for mine, theirs in zip_longest(*runs):
        if mine is not None and theirs is not None and mine[0] == theirs[0]:
            continue
        known = [{line for line, _ in run} for run in runs]
        ends = (mine, known[1], "a"), (theirs, known[0], "b")
        alone = [(end, who) for end, others, who in ends if end and end[0] not in others]
        end, only = alone[-1] if alone else (mine or theirs, "")
        assert end is not None
        place = Place.of(end[1])
        return OperationFact(
            "path", "line", place, (), (), (), None, None, None, validation, only, bool(only)
        )
    event = _first_other_value(a, b)
    if event is None:
        return None
    place = Place.of(a.model.numbering.ops[int(a.numbers.item(event))].span)
    return OperationFact("result", "line", place, (), (), (), None, None, None, validation)


def _first_other_value(a: Trace, b: Trace) -> int | None:
    """The first event whose results differ, where both sides have as many, of as many results."""
    if not np.array_equal(a.starts, b.starts):
        return None
    differs = np.flatnonzero(a.values != b.values)
    first: int = differs.item(0) if len(differs) else -1
    return int(np.searchsorted(a.starts, first, "right")) - 1 if len(differs) else None


def _lines(trace: Trace) -> list[tuple[_Line, Span]]:
    """The lines that a side executes, in order, each once where it follows itself."""
    spans = [op.span for op in trace.model.numbering.ops]
    lines = [_line(span) for span in spans]
    found: list[tuple[_Line, Span]] = []
    numbers: list[int] = trace.numbers.tolist()
    for n in numbers:
        if not found or found[-1][0] != lines[n]:
            found.append((lines[n], spans[n]))
    return found


def _line(span: Span) -> _Line:
    text = line_of(span.file, span.line).strip()
    return (text, "", 0) if text else ("", span.file, span.line)
