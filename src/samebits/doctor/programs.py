"""Programs run under observation, and the import, library or line that changed the registers.

Owns the processes: their time limit, their output, and the events that they write, all of which are
validated. What happens inside them is in `watched`.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from samebits.doctor import watched
from samebits.errors import ArgumentError, TargetError
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state import ptrace
from samebits.runtime.fp_state.registers import State
from samebits.runtime.fp_state.threads import ThreadState, system_name, thread_state
from samebits.runtime.work_folders import work_folder

LIMIT_SECONDS = 60.0
REPORT_LIMIT = 64 << 20
_MOST_CHANGES = 64
"""Changes that are reported of one run."""
_SAID_LINES = 6
_SAID_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A stack frame: the line of source that it ran."""

    file: str
    line: int
    function: str
    module: str


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """A change of a thread's registers, first seen after `name`.

    `kind` is `import` (a module), `load` (a library, by ctypes), `line` (a line of source), or
    `outside`: seen before the import of `name` or at the program's end, with no known cause.
    `before` is the thread's environment at its check before. `stack` has the innermost line first.
    `restored` says that what this change set was found put back at a later check.
    """

    kind: str
    name: str
    file: str | None
    before: State
    state: State
    thread: str
    last: str | None
    stack: tuple[StackFrame, ...]
    restored: bool = False

    @property
    def gained(self) -> tuple[str, ...]:
        """The differences from the default that this change made, a phrase each; those that were
        there before are another's."""
        had = self.before.oddities()
        return tuple([phrase for phrase in self.state.oddities() if phrase not in had])


@dataclass(slots=True)
class WatchedRun:
    """The observations of one run of a program."""

    outcome: str
    finished: bool
    seconds: float
    changes: list[RegisterChange] = field(default_factory=list[RegisterChange])
    imports: list[str] = field(default_factory=list[str])
    threads: list[ThreadState] = field(default_factory=list[ThreadState])
    said: str = ""


def check_supported() -> None:
    """Raise TargetError if this system's registers cannot be observed."""
    if (sys.platform, platform.machine()) not in watched.LAYOUTS:
        raise TargetError(
            f"programs cannot be observed on {sys.platform} {platform.machine()}",
            note="C's fenv_t is not known here",
            fix="call sb.fpenv.state() after each import of the program",
        )


def observe(program: Sequence[str], limit: float = LIMIT_SECONDS, mode: str = "run") -> WatchedRun:
    """Run `program` (a path and its arguments, or `-m` and a module and its arguments).

    `mode` is `run`, which observes imports, or `lines`, slower, which observes every line. The
    program's output is not shown; `said` has the end of its standard error. After `limit` seconds
    it is stopped together with all processes that it started.
    """
    check_supported()
    with work_folder() as folder:
        return _Run(folder / "report", [mode, *program], limit).run()


def state_after_imports(
    names: Sequence[str], folder: str, limit: float = LIMIT_SECONDS
) -> State | None:
    """The state of a fresh process after it imports `names` in order; None if it ended before that.

    A name that begins with `library:` is a library that ctypes loads; `folder` holds the program's
    own modules.
    """
    with work_folder() as place:
        run = _Run(place / "report", ["bring", folder, *names], limit)
        found = run.run()
    if not found.finished:
        return None
    return found.changes[-1].state if found.changes else run.start


class _Run:
    def __init__(self, report: Path, arguments: Sequence[str], limit: float) -> None:
        self._report = report
        self._limit = limit
        self._said: deque[bytes] = deque(maxlen=_SAID_LINES)
        self.start: State | None = None
        report.touch()
        script = str(Path(watched.__file__).resolve())
        self._process = subprocess.Popen(
            [sys.executable, "-P", script, str(report), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        """Store the program's last lines of output; overlong lines are cut."""
        stream = self._process.stderr
        assert stream is not None
        with stream:
            while line := stream.readline(1 << 16):
                self._said.append(line)

    def run(self) -> WatchedRun:
        begun = time.monotonic()
        threads: list[ThreadState] = []
        waiting = timed_out = False
        pid = self._process.pid
        try:
            while self._process.poll() is None:
                if not waiting and self._is_waiting():
                    waiting = True
                    threads = _threads(pid)
                    self._let_go()
                if time.monotonic() - begun > self._limit:
                    timed_out = True
                    threads = threads or _threads(pid)
                    break
                time.sleep(0.02)
        finally:
            self._end()
        found = self._read(timed_out)
        names = self._names()
        found.threads = [
            replace(row, name=names[row.number], is_python=True, library=None)
            if row.number in names
            else row
            for row in threads
        ]
        found.seconds = time.monotonic() - begun
        return found

    def _let_go(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(b"g")
            self._process.stdin.flush()

    def _end(self) -> None:
        """Kill everything that the program started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(1)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _events(self) -> list[dict[str, Any]]:
        """The valid events that the program's process wrote."""
        with open(self._report, "rb") as file:
            data = file.read(REPORT_LIMIT)
        events: list[dict[str, Any]] = []
        for line in data.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                events.append(cast("dict[str, Any]", event))
        return events

    def _is_waiting(self) -> bool:
        with open(self._report, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - (1 << 16)))
            return b'{"event": "waiting"' in file.read(1 << 16)

    def _names(self) -> dict[int, str]:
        """Python's names of threads; only the main one's if the program wrote none."""
        names = {self._process.pid: "MainThread"}
        for event in self._events():
            if event.get("event") == "waiting":
                with contextlib.suppress(TypeError, ValueError):
                    names |= {int(number): str(name) for number, name in event["names"]}
        return names

    def _read(self, timed_out: bool) -> WatchedRun:
        found = WatchedRun("", False, 0.0)
        seen: set[tuple[Any, ...]] = set()
        every: list[RegisterChange] = []
        for event in self._events():
            match event:
                case {"event": "start", "words": [int(word), int() | None as x87]}:
                    self.start = self.start or _state((word, x87))
                case {"event": "import", "name": str(name), "main": True}:
                    found.imports.append(name)
                case {"event": "change"}:
                    change = _change(event)
                    if change is None:
                        continue
                    every.append(change)
                    place = change.stack[0] if change.stack else change.name
                    key = change.kind, change.thread, change.gained, place
                    if change.gained and key not in seen and len(seen) < _MOST_CHANGES:
                        seen.add(key)
                        found.changes.append(change)
                case {"event": "end", "outcome": str(outcome)}:
                    found.outcome, found.finished = outcome, True
                case _:
                    pass
        found.changes = [replace(c, restored=_restored(c, every)) for c in found.changes]
        code = self._process.returncode
        if timed_out:
            found.outcome = f"was stopped after {self._limit:g} s"
        elif not found.finished and code < 0:
            found.outcome = f"was killed by {_signal_name(-code)}"
        elif not found.finished:
            found.outcome = f"ended by itself with exit status {code}"
        lines = b"".join(self._said).decode(errors="replace").splitlines()
        found.said = "\n".join(line[:_SAID_COLUMNS] for line in lines[-_SAID_LINES:])
        return found


def _restored(change: RegisterChange, every: Sequence[RegisterChange]) -> bool:
    """Whether a later check of the same thread found nothing of what a change set."""
    first = next(i for i, other in enumerate(every) if other is change)
    return any(
        later.thread == change.thread and not set(change.gained) & set(later.state.oddities())
        for later in every[first + 1 :]
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _threads(pid: int) -> list[ThreadState]:
    """Every thread of a child of this process."""
    reason = ptrace.unreadable()
    if reason is not None:
        return [ThreadState(pid, "", True, None, reason)]
    try:
        words = ptrace.read_threads(pid)
    except OSError:
        return []
    return [thread_state(n, system_name(n, pid), False, found) for n, found in words.items()]


def _state(words: Any) -> State:
    word, x87 = words
    return fpenv.described(int(word), None if x87 is None else int(x87))


def _change(event: dict[str, Any]) -> RegisterChange | None:
    """The change that an event describes; None if it is malformed."""
    file, last = event.get("file"), event.get("last")
    try:
        stack = tuple(StackFrame(str(f), int(n), str(w), str(m)) for f, n, w, m in event["stack"])
        before, state = _state(event["before"]), _state(event["after"])
    except (KeyError, TypeError, ValueError):
        return None
    return RegisterChange(
        str(event.get("kind")), str(event.get("name")), None if file is None else str(file),
        before, state, str(event.get("thread")), None if last is None else str(last), stack,
    )  # fmt: skip


def check_program(program: Sequence[str]) -> None:
    """Raise ArgumentError if there is no such program."""
    if program[0] == "-m":
        if len(program) < 2:
            raise ArgumentError("-m needs the name of a module", fix="write -m package.module")
        return
    path = Path(program[0])
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise ArgumentError(
            f"{program[0]} {what}", fix="give the path of a Python file, or -m and a module"
        )
