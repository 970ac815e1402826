"""From a change of the registers to its cause, confirmed in fresh processes.

The watched run names a module; a process that imports nothing else confirms it. If that shows no
change, the imports before it matter, and bisection finds the first of them that does.
"""

from __future__ import annotations

import linecache
import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from samebits.doctor.programs import (
    LIMIT_SECONDS,
    RegisterChange,
    StackFrame,
    WatchedRun,
    observe,
    state_after_imports,
)

_NO_LINE = "a second run, line by line, did not show it: it depends on time, or took too long"


@dataclass(frozen=True, slots=True)
class Culprit:
    """The cause of a change of a thread's registers, or of a part of one.

    `gained` is what it set, a phrase each: what another set before is left to that one. `what`
    names it, `file` is the shared object or source if known. `line` is the line of the
    program that led to it, `direct` the line that did it if that is another. `confirmed` says
    what fresh processes showed.
    """

    change: RegisterChange
    gained: tuple[str, ...]
    what: str
    file: str | None
    line: StackFrame | None
    direct: StackFrame | None
    confirmed: str


def find(
    observation: WatchedRun, program: Sequence[str], limit: float = LIMIT_SECONDS
) -> list[Culprit]:
    """The causes of the changes in the run, each of them for what it set itself."""
    found = [
        _brought(change, observation, program, limit)
        for change in observation.changes
        if change.kind != "outside"
    ]
    outside = [change for change in observation.changes if change.kind == "outside"]
    if outside:
        known = {place for culprit in found for place in culprit.change.stack}
        lines = [
            change
            for change in observe(program, limit, "lines").changes
            if change.kind == "line" and change.stack and change.stack[0] not in known
        ]
        found += _called(outside, lines, program)
    return found


def _called(
    outside: Sequence[RegisterChange], lines: Sequence[RegisterChange], program: Sequence[str]
) -> list[Culprit]:
    """The causes of changes that no import made, by those that a run line by line showed."""
    found: list[Culprit] = []
    left = list(lines)
    for change in outside:
        mine = [line for line in left if set(change.gained) & set(line.gained)]
        found += [_by_line(line, program) for line in mine]
        left = [line for line in left if line not in mine]
        seen = {phrase for line in lines for phrase in line.gained}
        rest = tuple([phrase for phrase in change.gained if phrase not in seen])
        if rest:
            before = f"after the import of {change.last}" if change.last else "before any import"
            what = f"something between imports, {before} and before {change.name}"
            line = _program_line(change.stack, program)
            found.append(Culprit(change, rest, what, None, line, None, _NO_LINE))
    return found


def _by_line(found: RegisterChange, program: Sequence[str]) -> Culprit:
    line = _program_line(found.stack, program)
    inner = found.stack[0]
    what = f"the call in line {inner.line} of {os.path.basename(inner.file)}"
    direct = inner if inner != line else None
    return Culprit(
        found, found.gained, what, None, line, direct, "seen in a second run, line by line"
    )


def _brought(
    change: RegisterChange, observation: WatchedRun, program: Sequence[str], limit: float
) -> Culprit:
    """The cause of a change that the import of a module, or the load of a library, made."""
    subject = f"library:{change.name}" if change.kind == "load" else change.name
    what = f"ctypes loading {change.name}" if change.kind == "load" else f"import {change.name}"
    line = _program_line(change.stack, program)
    direct = change.stack[0] if change.stack and change.stack[0] != line else None
    folder = _folder(program)
    confirmed = _confirm(subject, change.gained, observation.imports, folder, limit)
    return Culprit(change, change.gained, what, change.file, line, direct, confirmed)


def _confirm(
    subject: str, gained: Sequence[str], imports: Sequence[str], folder: str, limit: float
) -> str:
    def changes(names: Sequence[str]) -> bool:
        found = state_after_imports(names, folder, limit)
        return found is not None and set(gained) <= set(found.oddities())

    if changes([subject]):
        return "a fresh process that does only this shows it too"
    before = imports[: imports.index(subject)] if subject in imports else imports
    if not changes([*before, subject]):
        return "fresh processes that repeat the imports do not show it: it depends on the program"
    first = bisect(lambda count: changes(before[:count]), len(before))
    if first is not None:
        return f"bisecting {len(before)} imports in fresh processes: from {before[first - 1]} on"
    needed = bisect(lambda count: changes([*before[:count], subject]), len(before))
    name = before[needed - 1] if needed else subject
    return f"bisecting {len(before)} imports in fresh processes: only once {name} is imported"


def bisect(holds: Callable[[int], bool], count: int) -> int | None:
    """The least n in 1…count with `holds(n)`, assuming it holds from some n on; None if never."""
    if count == 0 or not holds(count):
        return None
    return 1 + bisect_left(range(1, count), True, key=holds)


def _folder(program: Sequence[str]) -> str:
    return os.getcwd() if program[0] == "-m" else os.path.dirname(os.path.abspath(program[0]))


def _program_line(stack: Sequence[StackFrame], program: Sequence[str]) -> StackFrame | None:
    """The program's own line that led here; the outermost line if none is."""
    own = [p for p in stack if p.module == "__main__"]
    if not own and program[0] != "-m":
        own = [p for p in stack if os.path.abspath(p.file) == os.path.abspath(program[0])]
    if not own:
        library = os.path.dirname(os.__file__)
        own = [p for p in stack if not p.file.startswith((library, sys.prefix))] or list(stack)
    return own[-1] if own else None


def source(place: StackFrame) -> str:
    """The text of a line, as its file is now."""
    linecache.checkcache(place.file)
    return linecache.getline(place.file, place.line).strip()
