"""Operations of a module found by what a user writes: a line or a function.

Owns the notation of a place. Knows nothing of hazards or of values.
"""

from __future__ import annotations

import re

from samebits.errors import HazardError
from samebits.ir.grammar import Module
from samebits.ir.refs import (
    MOST_LISTED,
    OpRef,
    is_own,
    listed,
    no_function,
    parts,
    statement_at,
    statements,
)

_LINE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")
_ID = re.compile(r"(?P<function>.+)#(?P<op>[0-9]{1,9})")


def find(module: Module, text: str) -> list[OpRef]:
    """The places that `text` names, in source order.

    `arena.py:131` means the operations that begin on that line or, if none does, extend over it;
    `arena.py:131:20` those that begin at that column, from 1; a file is named by the last parts
    of its path. `arena.draw` or `draw` means every place of a function, `arena.draw#37` one.
    Raises HazardError, which lists the candidates.
    """
    if match := _LINE.fullmatch(text.strip()):
        column = match["column"]
        return _on_line(module, match["file"], int(match["line"]), column and int(column))
    if match := _ID.fullmatch(text.strip()):
        name = _function(module, match["function"])
        place = OpRef(name, int(match["op"]))
        statement_at(module, place)
        return [place]
    name = _function(module, text.strip())
    return [place for place, _ in statements(module, [name])]


def _function(module: Module, text: str) -> str:
    """The function with this full name, or whose name ends in it."""
    if text in module.functions:
        return text
    found = [n for n in module.functions if n.endswith(f".{text}")]
    own = [n for n in found if is_own(n)] or found
    if not own:
        raise no_function(module, text)
    if len(own) > 1:
        raise HazardError(
            f"{len(own)} functions are called {text!r}", fix=f"write {listed(own, ' or ')}"
        )
    return own[0]


def _on_line(module: Module, file: str, line: int, column: int | str | None) -> list[OpRef]:
    path = parts(file)
    rows = [
        (place, statement.span)
        for place, statement in statements(module, module.functions)
        if parts(statement.span.file)[-len(path) :] == path
    ]
    files = list(dict.fromkeys(span.file for _, span in rows))
    if not files:
        own = dict.fromkeys(f.span.file for n, f in module.functions.items() if is_own(n))
        raise HazardError(
            f"no code of the simulation is in {file!r}",
            note=f"its files are {listed(own)}",
        )
    if len(files) > 1:
        raise HazardError(
            f"{len(files)} files are called {file!r}", fix=f"write {listed(files, ' or ')}"
        )
    found = [row for row in rows if row[1].line == line]
    found = found or [row for row in rows if row[1].line <= line <= row[1].end_line]
    if not found:
        lines = sorted({span.line for _, span in rows}, key=lambda n: (abs(n - line), n))
        near = ", ".join(map(str, sorted(lines[:MOST_LISTED])))
        raise HazardError(
            f"{file}:{line} has no operation of the simulation",
            note=f"the nearest lines that have one are {near}",
        )
    if column is None:
        return [place for place, _ in found]
    places = [place for place, span in found if span.line == line and span.column + 1 == column]
    if not places:
        columns = ", ".join(map(str, sorted({span.column + 1 for _, span in found})))
        raise HazardError(
            f"no operation begins at {file}:{line}:{column}",
            note=f"on that line they begin at the columns {columns}",
        )
    return places
