"""The format of a record of another program's run, `run.sbt`: kinds of records and their bounds.

Owns what `recorders/` write and `records.py` accepts. Knows nothing of reports.
"""

from __future__ import annotations

from enum import StrEnum

SUFFIX = ".sbt"
MAGIC = b"\x89SBT\r\n\x1a\n"
VERSION = 1
HEAD = 16
"""Bytes of a file's head: magic, version, 4 bytes of zero; and of a record's head: kind, length of
its body, XXH64 of what is checked of the body, with kind and length, as they stand, as the seed."""


class Kind(StrEnum):
    """The kinds of records, four characters each."""

    RUN = "run "
    """Name, version, seed, rate, players, the input's layout, and regions: capacity, name, layout.
    The first record."""
    FACTS = "fact"
    """Pairs of texts: compiler, machine, what became of each source file."""
    WORD = "word"
    """Frame, word, where, register, who: a control register, at first and when it is another."""
    BEGIN = "begn"
    """Frame and its inputs, canonical."""
    DONE = "done"
    """Frame, hash of the state, flags, bytes of the state; then the state, where it is kept."""
    ENDS = "ends"
    """The last frame: the program closed its record."""


WHERE = ("as a frame began", "in a frame", "under a guard")
"""Where a control register was read."""
KEPT, OVERFLOWED = 1, 2
"""Flags of a frame: its state is in the record; a heap had more items than its capacity."""

MAX_FILE = (1 << 30) + (1 << 21)
"""Most bytes of a record; recorders stop at 1 GiB."""
MAX_FRAMES = 1 << 22
MAX_STATE = 1 << 28
"""Most canonical bytes of a state."""
MAX_RECORDS = 3 * MAX_FRAMES
"""Most records of a file that are looked at."""
MAX_REGIONS = 1024
MAX_PLAYERS = 1024
MAX_FACTS = 4096
MAX_WORDS = 4096
"""Most changes of control registers that are kept; later ones are counted."""
MAX_INPUT = 60 * 1024
"""Most bytes of one frame's inputs."""
UNTYPED_INPUT = 64
"""Bytes of an input whose type was not told."""
MAX_DEPTH = 16
"""Most structs inside one another in a layout."""
MAX_TYPES = 1 << 16
"""Most fields and arrays of a layout."""

MAX_BODY = {
    Kind.RUN: 1 << 24,
    Kind.FACTS: 1 << 22,
    Kind.WORD: 1 << 12,
    Kind.BEGIN: MAX_INPUT + 8,
    Kind.DONE: MAX_STATE + 24,
    Kind.ENDS: 8,
}
"""Most bytes of a record's body."""
