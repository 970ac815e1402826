"""Object code between compiler and loader: the bytes, the traps behind its statuses, its symbols.

Compiler and loader both import this module, and it imports neither: a process that compiles
nothing need not load the compiler.
"""

# No `from __future__ import annotations`: see `backend.targets.table`.
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from samebits.errors import Span


class TrapSite(NamedTuple):
    """The trap behind a non-zero status."""

    kind: str
    span: Span
    detail: str | None
    said: str | None = None
    """What it says of the values that it met, with places for the words of its record."""


class CompiledObject(NamedTuple):
    """Relocatable object code, and the traps behind its entries' statuses 1, 2, …

    `needs` are the keys of the shared functions that it calls, `has` of those that it defines.
    """

    object_bytes: bytes
    traps: tuple[TrapSite, ...]
    needs: tuple[str, ...] = ()
    has: tuple[str, ...] = ()


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
