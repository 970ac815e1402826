"""Object code between compiler and loader: the bytes, the traps behind its statuses, its symbols.

Compiler and loader both import this module, and it imports neither: a process that compiles
nothing need not load the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from samebits.errors import Span


class _Facts:
    """Facts that are equal where all of them are. A NamedTuple would take a process that only
    fetches a kernel from the cache longer to make than all that it does with it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _all_of(self) == _all_of(other)

    def __hash__(self) -> int:
        return hash(_all_of(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{_all_of(self)}"


def _all_of(facts: Any) -> tuple[object, ...]:
    return tuple(getattr(facts, name) for name in facts.__slots__)


class TrapSite(_Facts):
    """The trap behind a non-zero status. `said` is what it says of the values that it met, with
    places for the words of its record."""

    __slots__ = ("detail", "kind", "said", "span")

    def __init__(self, kind: str, span: Span, detail: str | None, said: str | None = None) -> None:
        self.kind, self.span, self.detail, self.said = kind, span, detail, said

    def at(self, span: Span) -> TrapSite:
        """The same trap at another place."""
        return TrapSite(self.kind, span, self.detail, self.said)


class CompiledObject(_Facts):
    """Relocatable object code, and the traps behind its entries' statuses 1, 2, …

    `needs` are the keys of the shared functions that it calls, `has` of those that it defines.
    """

    __slots__ = ("has", "needs", "object_bytes", "traps")

    def __init__(
        self,
        object_bytes: bytes,
        traps: tuple[TrapSite, ...],
        needs: tuple[str, ...] = (),
        has: tuple[str, ...] = (),
    ) -> None:
        self.object_bytes, self.traps, self.needs, self.has = object_bytes, traps, needs, has


STATUS_BITS = 20
"""Bits of a status that stand for a trap; the bits above stand for the trap's record, if any."""
STATUS_MASK = (1 << STATUS_BITS) - 1
TRAP_RECORDS = "sb_trap_records"
"""The object's variable: `RECORDS` records of `TRAP_WORDS` words of 64 bits."""
RECORDS = 64
TRAP_WORDS = 8

OUTPUT = "sb_output"
"""The object's variable of `OUTPUT_HEAD` words and those of what a call prints and traces: of each
`print` or `trace` the number of its site, as a trap's status, and a word for each value. The first
words are how many are used, how many prints and traces were dropped since they did not fit, and
whether traces are wanted. Who calls an entry sets these before."""
OUTPUT_HEAD = 3

NO_ADDRESSES: Mapping[str, int] = MappingProxyType({})

DEBUG_INFO = b".debug_info"
"""What an object with debug information has in it, as the name of a section."""

LENGTH_LIMIT = 1 << 48
"""Every array length that a caller passes is below this; no address space here is larger."""

HOOK = "sb_parallel_hook"
"""The object's variable: `i32 hook(range, slots, indices, batch, least, own)`. `range` is a range
function (see `emit.range`) whose first slot is the first index, `batch` the kernel's batch size or
0, `least` the fewest iterations worth a batch, `own` the address for the numbers of a trap "own".
Returns a status, or a negative number if it ran nothing."""

OWN = "sb_own_range"
"""The object's variable of three words: index, first and end of the last trap "own". Two threads
that trap at once in one kernel may mix them up; the trap itself they don't."""

ARENA_KEY = "sb_arena_key"
"""The object's variable: the key of a thread's arena, as pthread_key_create gives it."""
ARENA_IMPORTS = ("sb_arena_get", "sb_arena_set", "sb_arena_malloc", "sb_arena_free")
"""The C functions by which an entry finds and makes it: pthread_getspecific, pthread_setspecific,
malloc and free, or what stands for them."""

SYMBOL = "sb.lib."
"""The prefix of shared functions' symbols."""


def symbol_of(key: str) -> str:
    """The symbol of a shared function in objects."""
    return SYMBOL + key
