"""Operations of a module by function and id, and by what a user writes: a line, or a function.

Owns how a place is named and found. Knows nothing of hazards or of values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from samebits.diagnose.nearest import nearest
from samebits.errors import HazardError, Span
from samebits.ir.grammar import For, If, Module, Op, While, walk

Numbered = Op | If | While | For
"""The statements that have an id."""

LIBRARY = "samebits."
"""How the names of functions begin that are not the user's own."""
_MOST_LISTED = 12
_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?")
_ID = re.compile(r"(?P<function>.+)#(?P<op>\d{1,9})")


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """The operation or statement `op` of a function of a module."""

    function: str
    op: int

    def __str__(self) -> str:
        return f"{self.function}#{self.op}"


def is_own(function: str) -> bool:
    """Whether a function of this name is the user's, not the library's."""
    return not function.startswith(LIBRARY)


def statements(module: Module, functions: Iterable[str]) -> Iterator[tuple[Place, Numbered]]:
    """Every numbered statement of the functions, in source order."""
    for name in functions:
        for statement in walk(module.functions[name].body):
            if isinstance(statement, Numbered):
                yield Place(name, statement.id), statement


def has(module: Module, place: Place) -> bool:
    """Whether a module has a statement at a place."""
    known = place.function in module.functions
    return known and any(at == place for at, _ in statements(module, [place.function]))


def statement_at(module: Module, place: Place) -> Numbered:
    """The statement at a place. Raises HazardError where there is none."""
    if place.function not in module.functions:
        raise _no_function(module, place.function)
    for found, statement in statements(module, [place.function]):
        if found == place:
            return statement
    raise HazardError(f"{place.function} has no operation {place.op}")


def op_at(module: Module, place: Place) -> Op:
    """The operation at a place. Raises HazardError where there is none."""
    found = statement_at(module, place)
    if not isinstance(found, Op):
        raise HazardError(f"{described(module, place)} is a statement, not an operation")
    return found


def described(module: Module, place: Place) -> str:
    """`arena.py:131:20 mul in arena.draw`."""
    statement = statement_at(module, place)
    return f"{_shown(statement.span)} {what(statement)} in {place.function}"


def what(statement: Numbered) -> str:
    """A statement in a word or two: an opcode, the function that is called, a keyword."""
    if not isinstance(statement, Op):
        return type(statement).__name__.lower()
    if statement.opcode == "call":
        name = re.sub(r"[<{].*", "", str(statement.attr).rpartition("<locals>.")[2])
        return f"call of {name.rpartition('.')[2]}"
    if statement.opcode in ("convert", "bitcast"):
        return f"{statement.opcode} to {statement.result.type}"
    return statement.opcode


def find(module: Module, text: str) -> list[Place]:
    """The places that `text` names, in source order.

    `arena.py:131` is what begins on that line, or, where nothing does, what extends over it;
    `arena.py:131:20` what begins at that column, from 1; the file is given by the last parts of
    its path. `arena.draw` or `draw` is a function's every place, `arena.draw#37` one of them.
    Raises HazardError, which lists what there is.
    """
    if match := _LINE.fullmatch(text.strip()):
        column = match["column"]
        return _on_line(module, match["file"], int(match["line"]), column and int(column))
    if match := _ID.fullmatch(text.strip()):
        name = _function(module, match["function"])
        place = Place(name, int(match["op"]))
        statement_at(module, place)
        return [place]
    name = _function(module, text.strip())
    return [place for place, _ in statements(module, [name])]


def _function(module: Module, text: str) -> str:
    """The function that is called so, by its full name or the end of it."""
    if text in module.functions:
        return text
    found = [n for n in module.functions if n.endswith(f".{text}")]
    own = [n for n in found if is_own(n)] or found
    if not own:
        raise _no_function(module, text)
    if len(own) > 1:
        raise HazardError(
            f"{len(own)} functions are called {text!r}", fix=f"write {_listed(own, ' or ')}"
        )
    return own[0]


def _no_function(module: Module, text: str) -> HazardError:
    own = list(filter(is_own, module.functions))
    short = {name.rpartition(".")[2]: name for name in own}
    meant = nearest(text, own) or short.get(nearest(text, short) or "")
    return HazardError(
        f"there is no function {text!r:.60} in the simulation",
        note=f"its functions are {_listed(own)}",
        fix="name one of them, or a line: file.py:12" if meant is None else f"write {meant}",
    )


def _on_line(module: Module, file: str, line: int, column: int | str | None) -> list[Place]:
    path = _parts(file)
    rows = [
        (place, statement.span)
        for place, statement in statements(module, module.functions)
        if _parts(statement.span.file)[-len(path) :] == path
    ]
    files = list(dict.fromkeys(span.file for _, span in rows))
    if not files:
        own = dict.fromkeys(f.span.file for n, f in module.functions.items() if is_own(n))
        raise HazardError(
            f"no code of the simulation is in {file!r}",
            note=f"its files are {_listed(own)}",
        )
    if len(files) > 1:
        raise HazardError(
            f"{len(files)} files are called {file!r}", fix=f"write {_listed(files, ' or ')}"
        )
    found = [row for row in rows if row[1].line == line]
    found = found or [row for row in rows if row[1].line <= line <= row[1].end_line]
    if not found:
        lines = sorted({span.line for _, span in rows}, key=lambda n: (abs(n - line), n))
        near = ", ".join(map(str, sorted(lines[:_MOST_LISTED])))
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


def _parts(path: str) -> list[str]:
    return re.split(r"[/\\]", path)


def _shown(span: Span) -> str:
    return f"{_parts(span.file)[-1]}:{span.line}:{span.column + 1}"


def _listed(names: Iterable[str], join: str = ", ") -> str:
    rows = list(names)
    more = len(rows) - _MOST_LISTED
    return join.join(rows[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
