"""The output of kernels: where what they print and trace goes, and the most that a call may leave.

Owns no text of values. Every execution gives its lines and records here, in order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, NamedTuple

from samebits.errors import Span

MOST_WORDS = 1 << 16
"""The most that one call from Python leaves: a line or a record counts as one, and as one more for
each number in it. What no longer fits is dropped and counted."""
OUTPUT = frozenset({"print", "trace"})
"""The kinds of what a kernel leaves."""


class TraceRecord(NamedTuple):
    """What one `sb.trace(name, value)` has left."""

    name: str
    values: tuple[int | float | bool | Fraction, ...]
    """The value as Python's own numbers, exactly: one of a scalar, each component of a vector, each
    number of a struct's fields in their order. A fixed-point number is a Fraction."""
    span: Span | None
    """Where the call stands; None outside of kernels."""

    @property
    def value(self) -> Any:
        """The one number, or all of them as a tuple."""
        return self.values[0] if len(self.values) == 1 else self.values


class _Call:
    """What one call has left so far."""

    def __init__(self) -> None:
        self.words = 0
        self.dropped = 0

    def takes(self, numbers: int) -> bool:
        """Whether one more line or record of so many numbers fits, which is counted either way."""
        if self.words + 1 + numbers > MOST_WORDS:
            self.dropped += 1
            return False
        self.words += 1 + numbers
        return True


_call: ContextVar[_Call | None] = ContextVar("samebits.call", default=None)
_write: ContextVar[Callable[[str], object] | None] = ContextVar("samebits.write", default=None)
_keep: ContextVar[Callable[[TraceRecord], object] | None] = ContextVar(
    "samebits.keep", default=None
)


def is_tracing() -> bool:
    """Whether anybody reads records here."""
    return _keep.get() is not None


@contextmanager
def one_call() -> Generator[None]:
    """One call from Python of code that gives its lines here as they come."""
    if _call.get() is not None:
        yield
        return
    call = _Call()
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)
        report_dropped(call.dropped)


def write(text: str, numbers: int = 0) -> None:
    """Print a text with so many numbers in it."""
    call = _call.get()
    if call is None or call.takes(numbers):
        deliver(text)


def keep(name: str, values: Iterable[Any], span: Span | None) -> None:
    """Keep a record, if anybody reads records here."""
    if _keep.get() is None:
        return
    record, call = TraceRecord(name, tuple(values), span), _call.get()
    if call is None or call.takes(len(record.values)):
        deliver(record)


def deliver(item: str | TraceRecord) -> None:
    """Give on a text or a record that the call has counted."""
    if isinstance(item, TraceRecord):
        to = _keep.get()
        if to is not None:
            to(item)
        return
    write_to = _write.get()
    if write_to is not None:
        write_to(item)
    elif sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] - of a service
        sys.stdout.write(item)


def report_dropped(count: int) -> None:
    """Say how many lines and records a call has dropped, if any."""
    if count:
        deliver(
            f"samebits: {count:,} more were dropped, as a call leaves at most {MOST_WORDS:,} lines "
            "and numbers\n"
        )


@contextmanager
def tracing() -> Generator[list[TraceRecord]]:
    """A block whose calls leave their records in the list that it gives, in order.

    `with sb.tracing() as records:` holds for the calls of this thread that the block makes:
    compiled, managed and evaluated alike. Outside of such a block records are dropped. In a block
    inside another one records go to the inner list alone.
    """
    records: list[TraceRecord] = []
    token = _keep.set(records.append)
    try:
        yield records
    finally:
        _keep.reset(token)


@contextmanager
def captured() -> Generator[list[str | TraceRecord]]:
    """A block whose calls leave texts and records in the list that it gives, in order."""
    items: list[str | TraceRecord] = []
    tokens = _write.set(items.append), _keep.set(items.append)
    try:
        yield items
    finally:
        _write.reset(tokens[0])
        _keep.reset(tokens[1])


@contextmanager
def muted() -> Generator[None]:
    """A block whose calls print nothing and leave no record."""
    with captured() as items:
        yield
        items.clear()
