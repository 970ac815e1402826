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
from samebits.runtime.fp_state.registers import State

_NO_LINE = "a second run, line by line, did not show it: it depends on time, or took too long"


@dataclass(frozen=True, slots=True)
class Culprit:
    """The cause of a change of a thread's registers.

    `what` names it, `file` is the shared object or source if known. `line` is the line of the
    program that led to it, `direct` the line that did it if that is another. `confirmed` says
    what fresh processes showed.
    """

    change: RegisterChange
    what: str
    file: str | None
    line: StackFrame | None
    direct: StackFrame | None
    confirmed: str


def find(
    observation: WatchedRun, program: Sequence[str], limit: float = LIMIT_SECONDS
) -> list[Culprit]:
    """The cause of each change in the run."""
    return [_culprit(change, observation, program, limit) for change in observation.changes]


def _culprit(
    change: RegisterChange, observation: WatchedRun, program: Sequence[str], limit: float
) -> Culprit:
    folder = _folder(program)
    if change.kind == "outside":
        by_line = _by_line(change, program, limit)
        if by_line is not None:
            return by_line
        before = f"after the import of {change.last}" if change.last else "before any import"
        what = f"something between imports, {before} and before {change.name}"
        line = _program_line(change.stack, program)
        return Culprit(change, what, None, line, None, _NO_LINE)
    subject = f"library:{change.name}" if change.kind == "load" else change.name
    what = f"ctypes loading {change.name}" if change.kind == "load" else f"import {change.name}"
    line = _program_line(change.stack, program)
    direct = change.stack[0] if change.stack and change.stack[0] != line else None
    confirmed = _confirm(subject, change.state, observation.imports, folder, limit)
    return Culprit(change, what, change.file, line, direct, confirmed)


def _by_line(change: RegisterChange, program: Sequence[str], limit: float) -> Culprit | None:
    """Run once more, checking after every line."""
    again = observe(program, limit, "lines")
    same = [c for c in again.changes if c.kind == "line" and c.state == change.state]
    if not same or not same[0].stack:
        return None
    found = same[0]
    line = _program_line(found.stack, program)
    direct = found.stack[0] if found.stack[0] != line else None
    return Culprit(found, "a call", None, line, direct, "seen in a second run, line by line")


def _confirm(subject: str, state: State, imports: Sequence[str], folder: str, limit: float) -> str:
    def changes(names: Sequence[str]) -> bool:
        found = state_after_imports(names, folder, limit)
        return found is not None and found.oddities() == state.oddities()

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
    """The text of a line."""
    return linecache.getline(place.file, place.line).strip()
