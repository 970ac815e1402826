"""The functions of the process through which entries call their bodies, as LLVM text.

`sb_guarded` stores in the thread's record where a signal handler jumps back to, and makes sure that
the thread's stack has room for the body; `sb_measured` does the latter alone. They are compiled
once: in each object they would take as long as a small kernel. `preemption` says what calls them.
"""

from __future__ import annotations

from samebits.backend import records

_BUFFER_BYTES = 1024
"""Room for C's `jmp_buf`, which is 656 bytes at most (glibc, ppc64le)."""

_RECORD = """\
  %key.p = getelementptr i64, ptr %words, i64 {KEY}
  %key = load {key}, ptr %key.p
  %found = call ptr @pthread_getspecific({key} %key)
  %none = icmp eq ptr %found, null
  br i1 %none, label %enter, label %known
enter:
  %enter.p = getelementptr i64, ptr %words, i64 {ENTER}
  %enter.f = load ptr, ptr %enter.p
  %made = call ptr %enter.f()
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %plain, label %known
plain:
  %plain.status = call i32 %body(ptr %args)
  ret i32 %plain.status
known:
  %record = phi ptr [ %found, %entry ], [ %made, %enter ]
"""
_ROOM = """\
  %lowest.p = getelementptr i64, ptr %record, i64 {LOWEST}
  %lowest = load i64, ptr %lowest.p
  %here.short = ptrtoint ptr %{here} to i{pointer}
  %here = {widen}
  %room = sub i64 %here, %lowest
  %fits = icmp sge i64 %room, %need
"""
_SIGNATURE = "(ptr %words, ptr %body, ptr %args, i64 %need, i32 %small) nounwind"
_MEASURED = (
    f"define i32 @{records.MEASURED_NAME}{_SIGNATURE} "
    """{{
entry:
  %mark = alloca i64, align 8
"""
    + _RECORD
    + _ROOM.replace("{here}", "mark")
    + """\
  br i1 %fits, label %run, label %full
full:
  ret i32 %small
run:
  %status = call i32 %body(ptr %args)
  ret i32 %status
}}
"""
)
_GUARDED = (
    """\
target triple = "{triple}"
declare i32 @_setjmp(ptr) returns_twice
declare ptr @pthread_getspecific({key})

"""
    f"define i32 @{records.GUARDED_NAME}{_SIGNATURE} "
    """{{
entry:
  %buffer = alloca [{buffer} x i8], align 16
"""
    + _RECORD
    + """\
  %wake.p = getelementptr i64, ptr %record, i64 {WAKE}
  %wake = load atomic volatile ptr, ptr %wake.p monotonic, align 8
  %sleeps = icmp ne ptr %wake, null
  br i1 %sleeps, label %rouse, label %measure
rouse:
  %lock = atomicrmw xchg ptr %wake.p, ptr null acq_rel, align 8
  %late = icmp eq ptr %lock, null
  br i1 %late, label %measure, label %release
release:
  %release.p = getelementptr i64, ptr %words, i64 {RELEASE}
  %release.f = load ptr, ptr %release.p
  call void %release.f(ptr %lock)
  br label %measure
measure:
"""
    + _ROOM.replace("{here}", "buffer")
    + """\
  br i1 %fits, label %set, label %full
full:
  ret i32 %small
set:
  %before = load volatile ptr, ptr %record
  %again = call i32 @_setjmp(ptr %buffer) returns_twice
  %first = icmp eq i32 %again, 0
  br i1 %first, label %run, label %left
run:
  %calls.p = getelementptr i64, ptr %record, i64 {CALLS}
  %calls = load volatile i64, ptr %calls.p
  %calls.1 = add i64 %calls, 1
  store volatile i64 %calls.1, ptr %calls.p
  %stop.p = getelementptr i64, ptr %record, i64 {STOP}
  store atomic volatile i64 0, ptr %stop.p release, align 8
  store atomic volatile ptr %buffer, ptr %record release, align 8
  %status = call i32 %body(ptr %args)
  store atomic volatile ptr %before, ptr %record release, align 8
  ret i32 %status
left:
  store atomic volatile ptr %before, ptr %record release, align 8
  ret i32 {LEFT}
}}
"""
)


def guards_text(triple: str, pointer_bits: int, key_bits: int) -> str:
    """LLVM text of both functions, a module for a process of a target, whose `pthread_key_t` has
    `key_bits`."""
    narrow = f"zext i{pointer_bits} %here.short to i64"
    return (_GUARDED + _MEASURED).format(
        triple=triple, key=f"i{key_bits}", pointer=pointer_bits, buffer=_BUFFER_BYTES,
        widen="add i64 %here.short, 0" if pointer_bits == 64 else narrow, **vars(records),
    )  # fmt: skip
