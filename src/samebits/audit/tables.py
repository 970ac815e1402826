"""Tables of jumps within functions of x86, which a decoder may take for instructions.

A table's entries are addresses inside the function: whole, from the image's base, or from the
table's own begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.audit.decode.words import Hit
from samebits.audit.model import Function

_LONGEST = 15
"""Bytes of an x86 instruction."""


def outside_tables(function: Function, hits: Sequence[Hit], base: int) -> Iterator[Hit]:
    """The hits whose bytes are no entries of a table."""
    for hit in hits:
        if not _in_table(function, hit.offset, base):
            yield hit


def _in_table(function: Function, offset: int, base: int) -> bool:
    """Whether two neighbouring words around an offset are addresses in the function."""
    code, start = function.code, function.address
    end = start + len(code)

    def is_entry(at: int, size: int, bias: int) -> bool:
        if at < 0 or at + size > len(code):
            return False
        value = int.from_bytes(code[at : at + size], "little") + bias
        return start <= value < end

    for size in (4, 8):
        for first in range(offset - size + 1, offset + 1):
            for bias in (0, base, -base):
                here = is_entry(first, size, bias)
                near = is_entry(first + size, size, bias) or is_entry(first - size, size, bias)
                if here and near and start + bias > 1 << 8:
                    return True
    return False
