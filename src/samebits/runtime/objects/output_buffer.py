"""The output that compiled code has left in its buffer: read after each call, given on in order.

Owns the buffer of one loaded object, and the lock that keeps calls of its entries apart.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from samebits import printed
from samebits.backend.objects import OUTPUT_HEAD, TrapSite
from samebits.printed import OUTPUT, TraceRecord
from samebits.runtime.fp_state import pin as fpenv
from samebits.value_text import filled_from_words, first_text, number_of, of_word, types_in

_HEAD = ctypes.c_uint64 * OUTPUT_HEAD


def has_output(sites: Sequence[TrapSite]) -> bool:
    """Whether an object with these sites prints or traces."""
    return any(site.kind in OUTPUT for site in sites)


def items(sites: Sequence[TrapSite], words: Sequence[int]) -> Iterator[str | TraceRecord]:
    """The texts and records behind the words of a buffer, after its head."""
    at = 0
    while at < len(words):
        site = sites[words[at] - 1]
        text = site.said or ""
        types = types_in(text)
        values, at = words[at + 1 : at + 1 + len(types)], at + 1 + len(types)
        if site.kind == "print":
            yield filled_from_words(text, values)
        else:
            pairs = zip(values, types, strict=True)
            numbers = tuple(number_of(of_word(word, t), t) for word, t in pairs)
            yield TraceRecord(first_text(text), numbers, site.span)


def give_on(sites: Sequence[TrapSite], words: Sequence[int], dropped: int) -> None:
    """Print and keep what a call has left."""
    if not (words or dropped):
        return
    with fpenv.pinned():
        for item in items(sites, words):
            printed.deliver(item)
        printed.report_dropped(dropped)


class OutputBuffer:
    """The buffer at `address` of an object of this process."""

    def __init__(self, address: int, sites: Sequence[TrapSite]) -> None:
        self._head = _HEAD.from_address(address)
        self._words = address + ctypes.sizeof(_HEAD)
        self._sites = sites
        self._lock = threading.RLock()

    def around(self, function: Callable[[Any], int]) -> Callable[[Any], int]:
        """`function`, which calls an entry, followed by what it has left."""

        def call(slots: Any) -> int:
            words: list[int] = []
            dropped = 0
            try:
                with self._lock:
                    self._head[:] = (0, 0, printed.is_tracing())
                    try:
                        return function(slots)
                    finally:
                        used, dropped, _ = self._head
                        words = list((ctypes.c_uint64 * used).from_address(self._words))
            finally:
                give_on(self._sites, words, dropped)

        return call
