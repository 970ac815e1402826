"""The arena of a call: the block of memory that its local arrays of run-time sizes lie in.

The first word of a block is how many bytes are in use, the second how many there are; the arrays
begin after `ARENA_HEAD` bytes. In this process each thread has a block, which grows to the largest
that it needed and is freed with the thread. Elsewhere a module has one of its own, so that one
thread calls its functions at a time.
"""

from __future__ import annotations

from samebits.backend.emit.preemption import key_type
from samebits.backend.objects import ARENA_IMPORTS, ARENA_KEY
from samebits.backend.targets.table import Target

ARENA_HEAD = 64
"""Bytes of an arena's block before the first array. The first word is how many are in use."""
ALLOTTED = 16
"""Bytes of which each array in the arena takes a multiple."""
ARENA_PLACE = "%arena"
"""The last parameter of a function that makes arrays of run-time sizes, or calls one that does."""
_TAKE = "@sb.arena.take"
_OWN = "@sb.arena.block"

_TAKING = """\
@{ARENA_KEY} = global i64 0, align 8
declare ptr @{get}({key})
declare i32 @{set}({key}, ptr)
declare ptr @{malloc}(i{bits})
declare void @{free}(ptr)

define internal ptr @sb.arena.take(i64 %size) noinline nounwind {{
entry:
  %word = load i64, ptr @{ARENA_KEY}
  %key = {narrow}
  %block = call ptr @{get}({key} %key)
  %none = icmp eq ptr %block, null
  br i1 %none, label %make, label %look
look:
  %size.p = getelementptr i64, ptr %block, i64 1
  %has = load i64, ptr %size.p
  %enough = icmp uge i64 %has, %size
  br i1 %enough, label %done, label %drop
drop:
  %cleared = call i32 @{set}({key} %key, ptr null)
  call void @{free}(ptr %block)
  br label %make
make:
  %bytes = add i64 %size, {ARENA_HEAD}
  %given = {given}
  %new = call ptr @{malloc}(i{bits} %given)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %end, label %keep
keep:
  %kept = call i32 @{set}({key} %key, ptr %new)
  %new.p = getelementptr i64, ptr %new, i64 1
  store i64 %size, ptr %new.p
  br label %done
done:
  %found = phi ptr [ %block, %look ], [ %new, %keep ]
  store i64 0, ptr %found
  br label %end
end:
  %result = phi ptr [ %found, %done ], [ null, %make ]
  ret ptr %result
}}"""


def rounded(size: int) -> int:
    """Bytes of a block for an arena of `size` bytes."""
    return -(-size // ALLOTTED) * ALLOTTED


def definitions(target: Target, size: int, threads: bool) -> str:
    """The definitions of a module whose largest arena has `size` bytes."""
    if not threads:
        size = ARENA_HEAD + rounded(size)
        return f"{_OWN} = internal global [{size} x i8] zeroinitializer, align 64"
    key, bits = key_type(target), target.pointer_bits
    get, set_, malloc, free = ARENA_IMPORTS
    return _TAKING.format(
        ARENA_KEY=ARENA_KEY, ARENA_HEAD=ARENA_HEAD, get=get, set=set_, malloc=malloc, free=free,
        key=key, bits=bits,
        narrow="add i64 %word, 0" if key == "i64" else f"trunc i64 %word to {key}",
        given="add i64 %bytes, 0" if bits == 64 else f"trunc i64 %bytes to i{bits}",
    )  # fmt: skip


def ready(symbol: str, body: str, size: int, status: int) -> str:
    """LLVM text of `symbol`, which makes the thread's block and calls `body`, what may be
    preempted; without memory for it the status is `status`."""
    return f"""\
define internal i32 {symbol}(ptr %args) noinline #0 {{
entry:
  %block = call ptr {_TAKE}(i64 {rounded(size)})
  %none = icmp eq ptr %block, null
  br i1 %none, label %failed, label %ready, !prof !0
failed:
  ret i32 {status}
ready:
  %status = call i32 {body}(ptr %args)
  ret i32 %status
}}"""


def block(size: int, threads: bool) -> tuple[list[str], str]:
    """The lines of a body that find its call's block, with nothing in use, and its address."""
    if threads:
        return [f"  {ARENA_PLACE} = call ptr {_TAKE}(i64 {rounded(size)})"], ARENA_PLACE
    return [f"  store i64 0, ptr {_OWN}, align 8"], _OWN
