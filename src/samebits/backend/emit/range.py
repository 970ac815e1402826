"""The range functions that worker threads call: `i32 sb_range_<n>(i64* slots, i64* shared)`.

`slots` hold the parameters after the range, as for any entry. `shared` is the control block: 64-bit
words on a cache line of their own, which the threads of one range change atomically. Each thread
calls once; the function pins the floating-point environment, claims batches in ascending order
until none is left, and runs a batch's indices in ascending order. Every batch below the lowest
trapped one runs, and no batch above it begins any more: so the trap of the lowest index is
reported, whatever the schedule.
"""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.emit.entry import SlotReader
from samebits.backend.emit.preemption import BodyGuard, guarded_call
from samebits.backend.objects import (
    RECORDS,
    STATUS_BITS,
    STATUS_MASK,
    TRAP_RECORDS,
    TRAP_WORDS,
)
from samebits.backend.targets.fp_control import pinned_call
from samebits.backend.targets.table import Target
from samebits.backend.text.locations import Locations
from samebits.backend.text.types import function_symbol, return_type
from samebits.errors import IRError
from samebits.ir.grammar import Function
from samebits.types import INT, INT64

NEXT, BATCHES, BATCH_SIZE, LENGTH, TRAP = range(5)
"""The words: the next batch to claim, the number of batches, indices in a batch, indices in all,
and the lowest trap: its batch, shifted left by `STATUS_BITS`, and its status."""
OWN_NUMBERS = 5
"""`TRAP_WORDS` words: the lowest trap's record, or its three numbers if its kind is "own"."""
LOCK = OWN_NUMBERS + TRAP_WORDS
"""The word that is 1 while a thread writes those."""
WORDS = LOCK + 1
LINE_BYTES = 64
"""A control block's alignment."""
NO_TRAP = (1 << 63) - 1
"""The value of `TRAP` while no batch has trapped."""

_CLAIM = """\
  %batches.p = getelementptr i64, ptr %shared, i64 {batches}
  %batches = load i64, ptr %batches.p
  %size.p = getelementptr i64, ptr %shared, i64 {batch_size}
  %size = load i64, ptr %size.p
  %length.p = getelementptr i64, ptr %shared, i64 {length}
  %length = load i64, ptr %length.p
  %trap.p = getelementptr i64, ptr %shared, i64 {trap}
  br label %claim
claim:
  %batch = atomicrmw add ptr %shared, i64 1 monotonic, align 8
  %more = icmp slt i64 %batch, %batches
  br i1 %more, label %look, label %done
look:
  %lowest = load atomic i64, ptr %trap.p monotonic, align 8
  %trapped = ashr i64 %lowest, {status_bits}
  %useful = icmp sle i64 %batch, %trapped
  br i1 %useful, label %run, label %done
run:
  %first = mul i64 %batch, %size
  %whole = add i64 %first, %size
  %short = icmp slt i64 %length, %whole
  %last = select i1 %short, i64 %length, i64 %whole
  %begin = add i64 %first, {base}
  %end = add i64 %last, {base}"""

_FAILED = """\
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %trap, label %claim, !prof !0
trap:
  %plain = and i32 %status, {status_mask}
  %wide = zext i32 %plain to i64
  %high = shl i64 %batch, {status_bits}
  %word = or i64 %high, %wide
"""

_TRAP = """\
  %before = atomicrmw min ptr %trap.p, i64 %word monotonic, align 8
  br label %done"""

_OWN_TRAP = """\
  %lock = getelementptr i64, ptr %shared, i64 {lock}
  br label %knock
knock:
  %held = atomicrmw xchg ptr %lock, i64 1 acquire, align 8
  %free = icmp eq i64 %held, 0
  br i1 %free, label %enter, label %knock
enter:
  %before = atomicrmw min ptr %trap.p, i64 %word monotonic, align 8
  %lower = icmp slt i64 %word, %before
  br i1 %lower, label %keep, label %leave
keep:
  %numbers = getelementptr i64, ptr %shared, i64 {numbers}
{source}  call void @llvm.memcpy.p0.p0.i64(
    ptr align 8 %numbers, ptr align 8 %source, i64 {bytes}, i1 false)
  br label %leave
leave:
  store atomic i64 0, ptr %lock release, align 8
  br label %done"""
"""As `_TRAP`, with the numbers or the record of the lowest trap."""
_OWN_SOURCE = "  %source = getelementptr i64, ptr %own, i64 0\n"
_RECORD_SOURCE = f"""\
  %named = lshr i32 %status, {STATUS_BITS}
  %number = and i32 %named, {RECORDS - 1}
  %record = getelementptr [{TRAP_WORDS} x i64], ptr @{TRAP_RECORDS}, i32 %number
  %has.record = icmp ne i32 %named, 0
  %source = select i1 %has.record, ptr %record, ptr {{other}}
"""


def range_text(
    name: str,
    function: Function,
    traps: bool,
    target: Target,
    locations: Locations | None = None,
    *,
    owns: bool = False,
    based: bool = False,
    environment: Sequence[str] = (),
    guard: BodyGuard | None = None,
    records: bool = False,
) -> str:
    """The range function `name` for a function (begin: int64, end: int64, ...), and its body.

    With `owns` the function's last parameter is the address for the numbers of a trap "own". With
    `based` the slots begin with the first index, and the function is internal. The body is called
    through `guard` if there is one. Raises IRError for a function of another signature.
    """
    types = [t for _, t in function.params[:2]]
    if len(types) < 2 or any(t not in (INT, INT64) for t in types) or function.results:
        raise IRError(
            f"function {function.name} can't be run over a range",
            span=function.span,
            note="its first two parameters are the first index and the end, and it returns nothing",
        )
    symbol = f"@sb.range.{name}"
    reader = SlotReader(target, "%slots")
    base = reader.arguments([("", INT)])[0].split()[1] if based else "0"
    arguments = ["i64 %begin", "i64 %end", *reader.arguments(function.params[2:])]
    arguments += ["ptr %own"] * owns
    returned = return_type(function, traps, target)
    callee = function_symbol(function.name)
    call = f"call {target.convention}{returned} {callee}({', '.join(arguments)})"
    words = dict(
        batches=BATCHES, batch_size=BATCH_SIZE, length=LENGTH, trap=TRAP, status_bits=STATUS_BITS,
        lock=LOCK, numbers=OWN_NUMBERS, base=base, status_mask=STATUS_MASK, bytes=8 * TRAP_WORDS,
        source=_RECORD_SOURCE.format(other="%own" if owns else "%record") if records
        else _OWN_SOURCE,
    )  # fmt: skip
    trap = _FAILED + (_OWN_TRAP if owns or records else _TRAP)
    lines = [
        f"define internal i32 {symbol}(ptr noundef nonnull %args) noinline #0"
        f"{target.stack_attribute} {{",
        "entry:",
        *([f"  %own = alloca [{TRAP_WORDS} x i64], align 8"] * owns),
        "  %slots = load ptr, ptr %args",
        "  %shared.p = getelementptr ptr, ptr %args, i64 1",
        "  %shared = load ptr, ptr %shared.p",
        *reader.lines,
        _CLAIM.format(**words),
        f"  %status = {call}" if traps else f"  {call}",
        trap.format(**words) if traps else "  br label %claim",
        "done:",
        "  ret i32 0",
        "}",
    ]
    guarded = f"@sb.guard.{name}"
    called = symbol if guard is None else guarded
    pin = pinned_call(target.fp_control, called, environment)
    entry = [
        f"define {'internal ' * based}i32 @{name}(ptr %slots, ptr %shared) #0 {{",
        "entry:",
        "  %args = alloca [2 x ptr]",
        "  store ptr %slots, ptr %args",
        "  %args.1 = getelementptr ptr, ptr %args, i64 1",
        "  store ptr %shared, ptr %args.1",
        f"{pin}}}",
    ]
    body = "\n".join(lines)
    if locations is not None:
        locations.begin(function)
        body = locations.attach(body)
    if guard is not None:
        body += "\n\n" + guarded_call(guarded, symbol, guard)
    return "\n".join([body, "", *entry])
