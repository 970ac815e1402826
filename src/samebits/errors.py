"""Every error that samebits raises: one small tree, each with a place, a note and a fix.

Owns how an error reads, and the "did you mean" of an unknown name. Knows nothing of types, IR or
targets.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from samebits.source_lines import line_of


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of source: 1-based lines, 0-based columns in characters, end exclusive."""

    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        # A line break in a name could forge the lines after it.
        file = self.file.replace("\n", "\\n")
        return f"{file}:{self.line}:{self.column + 1}"


EXCERPT_LINES = 4
EXCERPT_COLUMNS = 160
_LONGEST = 200
_PACKAGE = Path(__file__).parent
_OWN = f"{_PACKAGE}{os.sep}"


def excerpt(span: Span) -> str:
    """The source under `span` with carets, at most `EXCERPT_LINES` lines; empty if unreadable.

    Lines longer than `EXCERPT_COLUMNS` are cut.
    """
    rows: list[str] = []
    width = len(str(min(span.end_line, span.line + EXCERPT_LINES - 1)))
    for line in range(span.line, min(span.end_line, span.line + EXCERPT_LINES - 1) + 1):
        text = line_of(span.file, line).rstrip("\n")
        if not text:
            continue
        start = span.column if line == span.line else len(text) - len(text.lstrip())
        end = min(span.end_column, len(text)) if line == span.end_line else len(text)
        text, start, end = _window(text, start, end)
        rows.append(f"  {line:>{width}} | {text}")
        rows.append(f"  {'':>{width}} | {' ' * start}{'^' * max(1, end - start)}")
    return "\n".join(rows)


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A very long line around its marked columns."""
    if len(text) <= EXCERPT_COLUMNS:
        return text, start, end
    first = max(0, start - EXCERPT_COLUMNS // 4)
    shown = text[first : first + EXCERPT_COLUMNS]
    head, tail = "..." * (first > 0), "..." * (first + len(shown) < len(text))
    shift = len(head) - first
    return f"{head}{shown}{tail}", start + shift, min(end, first + len(shown)) + shift


def first_line(error: BaseException) -> str:
    """The first line of an error's text; of a user's error whose text cannot be had, that."""
    try:
        return (str(error).splitlines() or [""])[0]
    except Exception as its_own:
        return f"its text cannot be had: {type(its_own).__name__}"


def unexpected(error: BaseException) -> str:
    """One printable line on an error outside this tree: its type, its text, and the innermost line
    of samebits that it passed through."""
    from traceback import extract_tb

    text = first_line(error)
    text = (text if text.isprintable() else ascii(text)[1:-1])[:_LONGEST]
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_PACKAGE)]
    if not frames:
        return what
    frame = (own or frames)[-1]
    file = Path(frame.filename)
    shown = file.relative_to(_PACKAGE.parent).as_posix() if own else file.name
    return f"{what}, at {shown}:{frame.lineno} in {frame.name}"


class SamebitsError(Exception):
    """Base of all: what is wrong, where, what was found, what to do instead."""

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        note: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.note = note
        self.fix = fix

    def __str__(self) -> str:
        return _formatted(self.message, self.span, self.note, self.fix)


WHOLE_TRACEBACK = "SAMEBITS_TRACEBACK"
"""The environment variable that keeps all frames in tracebacks, where it is `full`."""
IS_OWN_CODE = "__sb_is_own_code"
"""The global name, in a managed run of a kernel, of whether it is samebits' own."""
_P = ParamSpec("_P")
_R = TypeVar("_R")


_WRAPPERS: set[CodeType] = set()


def mark_wrapper(function: Callable[..., Any]) -> None:
    """Note that a function does no more than call another one: a TypeError that passes through such
    functions alone is one of the call, which had wrong arguments."""
    _WRAPPERS.add(cast("FunctionType", function).__code__)


def fold(error: BaseException) -> None:
    """Take the frames of samebits out of the traceback of an error that the function which a user
    called has caught, and raises on by a bare `raise`: that adds no frame, so that nothing
    follows the caller's line but frames of users' own functions and kernels, which stay.

    Faults inside samebits and interrupts keep all.
    """
    trace = error.__traceback__
    if os.environ.get(WHOLE_TRACEBACK) == "full" or not isinstance(error, Exception):
        return
    if isinstance(error, SamebitsError):
        error.__cause__ = error.__cause__  # hides what was handled inside, as `from` does
        error.__traceback__ = _of_kernels(trace)
        return
    if type(error) is TypeError and _is_of_the_call(trace):
        error.__traceback__ = None  # what was called has other parameters
        return
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN):
        trace = trace.tb_next
    error.__traceback__ = trace or error.__traceback__
    last = trace
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OWN):
            last = trace
        trace = trace.tb_next
    if last is not None:
        last.tb_next = None  # what a function of the user's called


def _is_of_the_call(trace: TracebackType | None) -> bool:
    """Whether nothing but a call was done where an error comes from."""
    first = trace
    while trace is not None and (trace is first or trace.tb_frame.f_code in _WRAPPERS):
        trace = trace.tb_next
    return first is not None and trace is None


def _of_kernels(trace: TracebackType | None) -> TracebackType | None:
    """The frames of a traceback that are of users' kernels, in a managed run."""
    frames: list[TracebackType] = []
    while trace is not None:
        if trace.tb_frame.f_globals.get(IS_OWN_CODE) is False:
            frames.append(trace)
        trace = trace.tb_next
    found: TracebackType | None = None
    for frame in reversed(frames):
        found = TracebackType(found, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return found


def hide(error: BaseException) -> None:
    """Take all frames so far out of the traceback of an error that the function which a user called
    has caught, and raises on by a bare `raise`."""
    if os.environ.get(WHOLE_TRACEBACK) != "full":
        error.__traceback__ = None


def folding(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """`function`, whose errors have tracebacks that begin at the caller's line."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            fold(error)
            raise

    mark_wrapper(call)
    return call


class SamebitsWarning(UserWarning):
    """Code that is allowed, but probably not what its author means."""

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        note: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(_formatted(message, span, note, fix))


def _formatted(message: str, span: Span | None, note: str | None, fix: str | None) -> str:
    parts = [message]
    if span is not None:
        parts.append(f"  at {span} in {span.function}")
        source = excerpt(span)
        if source:
            parts.append(source)
    if note:
        parts.append(f"  note: {note}")
    if fix:
        parts.append(f"  fix: {fix}")
    return "\n".join(parts)


class CompileError(SamebitsError):
    """The kernel is not in the language, or its types do not fit."""


class ArgumentError(SamebitsError, TypeError):
    """A value from Python does not fit the parameter that it was given for."""


class IRError(SamebitsError):
    """IR text that does not parse, or IR that breaks a legality rule."""


class JobError(SamebitsError):
    """Jobs that can't be scheduled as they are: they would race, or wait for each other."""


class TargetError(SamebitsError):
    """A target that is unknown, or that cannot run here."""


class RunnerError(SamebitsError):
    """A program that runs a target's code outside this process could not be made, crashed, hung, or
    gave an invalid answer."""


class StackError(SamebitsError):
    """A thread's stack is too small for the call."""

    def __init__(self, size: str, span: Span | None = None) -> None:
        larger = "call it on a thread with a larger stack (threading.stack_size)"
        if size == "0":
            super().__init__(
                "this thread's stack has no room for compiled code",
                span=span,
                note="nothing was run",
                fix=larger,
            )
        else:
            super().__init__(
                f"this thread's stack has no room for the {size} bytes that this call needs",
                span=span,
                note="local arrays, structs and values that live at the same time are on the "
                "stack; nothing was run",
                fix=f"{larger}, or pass large arrays in as parameters",
            )
        self._given = size, span

    def __reduce__(self) -> tuple[object, ...]:
        return StackError, self._given


class TraceError(SamebitsError):
    """A trace of a frame's operations that can't be made, read or followed.

    `event` is the index in the frame of the first operation that does not fit.
    """

    def __init__(self, message: str, *, event: int | None = None, note: str | None = None) -> None:
        super().__init__(message, note=note)
        self.event = event


class BitsMismatchError(SamebitsError, AssertionError):
    """Two executions that should agree gave different bits."""


class SimulationError(SamebitsError):
    """A simulation that cannot be loaded, or whose parts do not fit together."""


class ReplayError(SamebitsError):
    """A replay or golden file that cannot be used."""


class SideError(SamebitsError, ValueError):
    """A side of a comparison that does not exist, or that cannot be compared with the other."""


class HazardError(SamebitsError, ValueError):
    """An unknown hazard or source location, or a hazard that does not act there."""


class ReportError(SamebitsError):
    """A desync report that cannot be written, read, or compared with another."""


class MatchError(SamebitsError):
    """A match that cannot be served, joined or gone on with."""


class ProtocolError(MatchError):
    """A message that breaks the protocol: it ends the connection that it came over, no other."""


TRAP_MESSAGES = {
    "index": "index out of range",
    "zero": "division by zero",
    "overflow": "integer overflow",
    "shift": "negative shift count",
    "assert": "assertion failed",
    "assume": "assumption does not hold",
    "own": "index outside the iteration's own elements",
    "length": "negative length of an array",
    "arena": "the arena has no room for an array",
}


class Trap(SamebitsError):
    """A kernel stopped: the same trap, at the same source span, on every target."""

    def __init__(
        self,
        kind: str,
        span: Span | None = None,
        detail: str | None = None,
        said: str | None = None,
    ) -> None:
        message = TRAP_MESSAGES[kind]
        self.summary = f"{message}: {detail}" if detail else message
        """The message without values: what every execution knows."""
        super().__init__(said or self.summary, span=span)
        self.kind = kind
        self.detail = detail
        self.said = said
        """The message with the values that it met, where they are known."""
        self.is_inner = False
        """Whether it is in samebits' own code, so that it belongs to the line that called that."""
        self.own: tuple[int, int, int] | None = None
        """For kind "own", if known: the index, and the first index and end of the range."""

    def outside(self, index: int, first: int, end: int) -> Trap:
        """The trap "own" with its numbers in the message; `detail` is the array's name."""
        self.own = index, first, end
        self.message = (
            f"index {index} of `{self.detail}` is outside this iteration's own elements "
            f"[{first}, {end})"
        )
        self.summary = self.message
        self.args = (self.message,)
        return self

    def at(self, span: Span | None) -> Trap:
        """The same trap at a span."""
        return _trap(self.kind, span, self.detail, self.own, self.said)

    def __reduce__(self) -> tuple[object, ...]:
        return _trap, (self.kind, self.span, self.detail, self.own, self.said)


def _trap(
    kind: str,
    span: Span | None,
    detail: str | None,
    own: tuple[int, int, int] | None,
    said: str | None,
) -> Trap:
    trap = Trap(kind, span, detail, said)
    return trap if own is None else trap.outside(*own)


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """One memory access of an iteration of a parallel range: to what, and where in the source."""

    iteration: int
    place: str
    """As the kernel could write it: `bodies[3].pos.x`."""
    writes: bool
    span: Span

    def __str__(self) -> str:
        verb = "writes" if self.writes else "reads"
        where = f"{self.place} at {self.span} in {self.span.function}"
        parts = [f"  iteration {self.iteration} {verb} {where}"]
        source = excerpt(self.span)
        return "\n".join([*parts, source] if source else parts)


class RaceError(SamebitsError):
    """Two iterations of a parallel range access the same memory, and one of them writes it."""

    def __init__(self, first: MemoryAccess, second: MemoryAccess) -> None:
        super().__init__(
            f"iterations {first.iteration} and {second.iteration} of a parallel range race for "
            f"{second.place}",
            fix="let each iteration write at its own index only, and read what none writes",
        )
        self.first = first
        self.second = second

    def __str__(self) -> str:
        return "\n".join([self.message, str(self.first), str(self.second), f"  fix: {self.fix}"])

    def __reduce__(self) -> tuple[type[RaceError], tuple[MemoryAccess, MemoryAccess]]:
        return type(self), (self.first, self.second)


_LONGEST_NAME = 60
_ALIKE = 0.7
"""How alike two names are for one to be meant by the other; 1 is the same."""


def are_given(count: int) -> str:
    """How many there are of something, as the end of a sentence."""
    return f"{count or 'none'} {'is' if count == 1 else 'are'} given"


def nearest(text: str, names: Iterable[str]) -> str | None:
    """The name closest in spelling to `text`, ignoring case; None if none is close.

    Close is alike by `difflib`, or made of the same letters, as two swapped ones are: in
    names of three letters those alone weigh more than `_ALIKE` allows.
    """
    known = {name.lower(): name for name in names}
    asked = text.lower()[:_LONGEST_NAME]
    swapped = [name for name in known if sorted(name) == sorted(asked)]
    found = get_close_matches(asked, known, 1, _ALIKE) or get_close_matches(asked, swapped, 1, 0)
    return known[found[0]] if found else None
