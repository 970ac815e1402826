"""The words that cold code leaves of what a trap met, and statuses that name them.

A status has the number of its record, plus `RECORDS`, above its `STATUS_BITS` bits; it is 0 there
if the trap has no record. Threads that trap at once take different records, as long as fewer than
`RECORDS` trap before the first one's caller reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.objects import RECORDS, STATUS_BITS, TRAP_RECORDS, TRAP_WORDS
from samebits.backend.text.types import scalar
from samebits.types import Kind, ScalarType

_NEXT = "@sb.trap.next"
_STEP = 0x10001
"""Odd, and no status: LLVM would keep a register for both."""
RECORD_BYTES = 8 * TRAP_WORDS
DEFINITIONS = (
    f"@{TRAP_RECORDS} = global [{RECORDS} x [{TRAP_WORDS} x i64]] zeroinitializer, align 8\n"
    f"{_NEXT} = internal global i32 0, align 4"
)


def word(name: str, t: ScalarType, register: str) -> tuple[list[str], str]:
    """Instructions that make the word of a value, and the word."""
    bits = 1 if t.kind is Kind.BOOL else t.bits
    lines: list[str] = []
    if t.is_float:
        lines.append(f"{register}.b = bitcast {scalar(t)} {name} to i{bits}")
        name = f"{register}.b"
    if bits < 64:
        lines.append(f"{register}.w = zext i{bits} {name} to i64")
        name = f"{register}.w"
    return lines, name


def claim(prefix: str, status: str) -> tuple[list[str], str, str]:
    """Instructions that take a record, its address, and the status that names it."""
    number, place, named = f"%{prefix}.k", f"%{prefix}.at", f"%{prefix}.status"
    lines = [
        f"%{prefix}.n = atomicrmw add ptr {_NEXT}, i32 {_STEP} monotonic, align 4",
        f"{number} = and i32 %{prefix}.n, {RECORDS - 1}",
        f"{place} = getelementptr [{TRAP_WORDS} x i64], ptr @{TRAP_RECORDS}, i32 {number}",
        f"%{prefix}.r = or i32 {number}, {RECORDS}",
        f"%{prefix}.h = shl i32 %{prefix}.r, {STATUS_BITS}",
        f"{named} = or i32 %{prefix}.h, {status}",
    ]
    return lines, place, named


def common_block(rows: Sequence[tuple[str, int, list[str]]], label: str) -> tuple[list[str], str]:
    """The lines of a block `label` that the blocks `rows` branch to, each with its status and
    words; and the status that names the record."""
    sites = ", ".join(f"[ {status}, %{block} ]" for block, status, _ in rows)
    lines = [f"%{label}.site = phi i32 {sites}"]
    count = max(len(words) for _, _, words in rows)
    for k in range(count):
        given = ", ".join(
            f"[ {words[k] if k < len(words) else 'poison'}, %{block} ]" for block, _, words in rows
        )
        lines.append(f"%{label}.{k} = phi i64 {given}")
    claimed, place, status = claim(label, f"%{label}.site")
    lines += claimed
    for k in range(count):
        lines.append(f"%{label}.p{k} = getelementptr i64, ptr {place}, i32 {k}")
        lines.append(f"store i64 %{label}.{k}, ptr %{label}.p{k}")
    return lines, status
