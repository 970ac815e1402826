"""The thread team as LLVM text: threads in compiled code that run parallel ranges.

A kernel starts a range and waits for its end without Python's lock. One range at a time has the
team: a nested or concurrent request runs serially on its own thread. Knows the words that threads
share, not how threads start; `runtime.threads.team` does.

A helper is idle (polling), asleep in its lock, asked for, running, or dismissed. It is asked for by
an atomic exchange of its state, which tells the leader whether to wake it. The leader, the thread
that started the range, runs batches itself, retracts its request from helpers that have not begun,
and waits for the others: first polling, then asleep in a lock of its own. If the leader is
preempted (`emit.preemption`), or Python's signal handlers raise while it sleeps, no batch begins
any more and the helpers are told to leave theirs: none is inside when the range ends. Python is
called so that no exception is lost, wherever a signal handler raises: the thread's record keeps it,
and the range ends.
"""

from __future__ import annotations

from samebits.backend.emit.preemption import ASK, CALL, ask_text, call_text, can_guard, key_type
from samebits.backend.emit.range import (
    BATCH_SIZE,
    BATCHES,
    LENGTH,
    LINE_BYTES,
    NO_TRAP,
    OWN_NUMBERS,
    STATUS_MASK,
    TRAP,
    WORDS,
)
from samebits.backend.objects import TRAP_WORDS
from samebits.backend.records import KEY, LEFT, MAIN, RECORD_WORDS, STOP, WAITS
from samebits.backend.targets.table import Target

TEAM, SPARE = "sb_team", "sb_team_spare"
"""The team's words; the record of threads without one."""
RUN, WORK, ASSEMBLE = "sb_team_run", "sb_team_work", "sb_team_assemble"
"""The hook of `lowering.parallel`; `void work(line)`, in which a helper stays until it is
dismissed; `void assemble(lines, count, ready)`, which waits for the range that has the team,
dismisses all helpers and installs others."""

BUSY, READY, HELPERS, LINES, JOBS, BEGIN, INSIDE, ACQUIRE, RELEASE, HANDED_OUT = range(10)
KEYS, DISPERSE = range(10, 12)
"""Words on the first two lines: 1 while a range has the team; 0 if `BEGIN` must make a team first;
the number of helpers; the address of their lines; the address of the pool's count of running tasks;
a Python object that makes a team; one that says whether this thread is inside a task of the pool;
`i32 acquire(lock, microseconds, 0)`, which returns 0 on a time-out and never times out for -1, and
`void release(lock)`, which any thread may call; the number of ranges so far; then the address of
`emit.preemption`'s words, and a Python object that tells all helpers to leave their range."""
REMAINING, OWN_LOCK, FUNCTION, SLOTS, BLOCK = range(16, 21)
"""Words on the third line, of the range that has the team: helpers that were asked for and have not
finished, plus `_SLEEPS` while the leader sleeps in its lock; that lock; the call to make."""
TEAM_WORDS = 3 * LINE_BYTES // 8

STATE, THREAD_LOCK = range(2)
"""Words of a helper's line."""
_IDLE, _ASLEEP, _ASKED, _RUNNING, _DISMISSED = range(5)
_SLEEPS = 1 << 32

BATCHES_A_WORKER = 8
"""Batches for each thread if the kernel sets no batch size: enough that none waits long for the
last one."""
_WAIT_MICROSECONDS = 50_000
"""How long the leader sleeps between two checks for Python's signals."""
_ENDED = 1 << 62
"""The value of `NEXT` for a range that begins no more batches."""
IN_LINE = -1
"""The hook's answer if the kernel must run the iterations itself."""

_LOOKS = {"x86_64": 1000, "i686": 1000, "aarch64": 4000}
"""Polls before a thread sleeps: 15 to 50 µs, about as long as waking one takes."""
_PAUSE = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "i686": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.isb(i32 15)",
}
"""The instruction for a polling loop."""

_TEXT = """\
target triple = "{triple}"
@{team} = global [{team_words} x i64] zeroinitializer, align {line_bytes}
@{spare} = global [{record_words} x i64] zeroinitializer, align {line_bytes}
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
{declared}

define i32 @{run}(ptr %range, ptr %slots, i64 %indices, i64 %batch, i64 %least, ptr %own) {{
entry:
{find}
  %place = load volatile ptr, ptr %record
  store atomic volatile ptr null, ptr %record seq_cst, align 8
  %status = call i32 @sb.share(
    ptr %range, ptr %slots, i64 %indices, i64 %batch, i64 %least, ptr %own, ptr %record)
  store atomic volatile ptr %place, ptr %record seq_cst, align 8
  ret i32 %status
}}

define internal i32 @sb.share(
    ptr %range, ptr %slots, i64 %indices, i64 %batch, i64 %least, ptr %own, ptr %record) noinline {{
entry:
  %stop.p = getelementptr i64, ptr %record, i64 {STOP}
  %waits.p = getelementptr i64, ptr %record, i64 {WAITS}
  %main.p = getelementptr i64, ptr %record, i64 {MAIN}
  %block = alloca [{words} x i64], align {line_bytes}
  %ready = load atomic i64, ptr {READY} acquire, align 8
  %has = icmp ne i64 %ready, 0
  br i1 %has, label %look, label %begin
begin:
  %begin.f = load ptr, ptr {BEGIN}
  %began = call i32 @{call_name}(ptr %begin.f, ptr %record)
  %cut.short = icmp slt i32 %began, 0
  br i1 %cut.short, label %gone, label %look
look:
  %jobs.p = load ptr, ptr {JOBS}
  %jobs = load atomic i64, ptr %jobs.p monotonic, align 8
  %quiet = icmp eq i64 %jobs, 0
  br i1 %quiet, label %enter, label %ask
ask:
  %inside.f = load ptr, ptr {INSIDE}
  %inside = call i32 @{call_name}(ptr %inside.f, ptr %record)
  switch i32 %inside, label %gone [
    i32 0, label %enter
    i32 1, label %decline
  ]
enter:
  %held = cmpxchg ptr {BUSY}, i64 0, i64 1 acquire monotonic, align 8
  %mine = extractvalue {{ i64, i1 }} %held, 1
  br i1 %mine, label %cut, label %decline
cut:
  %helpers = load i64, ptr {HELPERS}
  %workers = add i64 %helpers, 1
  %worth = sdiv i64 %indices, %least
  %most = mul i64 %workers, {batches_a_worker}
  %many = call i64 @llvm.smin.i64(i64 %worth, i64 %most)
  %over = srem i64 %many, %workers
  %even = sub i64 %many, %over
  %enough = icmp sgt i64 %many, %workers
  %wanted.0 = select i1 %enough, i64 %even, i64 %many
  %wanted = call i64 @llvm.smax.i64(i64 %wanted.0, i64 1)
  %before = sub i64 %indices, 1
  %whole = sdiv i64 %before, %wanted
  %chosen = add i64 %whole, 1
  %open = icmp eq i64 %batch, 0
  %size = select i1 %open, i64 %chosen, i64 %batch
  %others = sdiv i64 %before, %size
  %batches = add i64 %others, 1
  %asked = call i64 @llvm.smin.i64(i64 %helpers, i64 %others)
  %any = icmp sgt i64 %asked, 0
  br i1 %any, label %share, label %alone
alone:
  store atomic i64 0, ptr {BUSY} release, align 8
  br label %decline
decline:
  ret i32 {in_line}
share:
  call void @llvm.memset.p0.i64(ptr align 8 %block, i8 0, i64 {block_bytes}, i1 false)
{fill}
  %ranges = load i64, ptr {HANDED_OUT}
  %ranges.1 = add i64 %ranges, 1
  store i64 %ranges.1, ptr {HANDED_OUT}
  store ptr %range, ptr {FUNCTION}
  store ptr %slots, ptr {SLOTS}
  store ptr %block, ptr {BLOCK}
  store atomic i64 %asked, ptr {REMAINING} release, align 8
  %lines = load ptr, ptr {LINES}
  br label %call
call:
  %k = phi i64 [ 0, %share ], [ %k.1, %called ]
  %at = mul i64 %k, {line_bytes}
  %line = getelementptr i8, ptr %lines, i64 %at
  %was = atomicrmw xchg ptr %line, i64 {asked} acq_rel, align 8
  %slept = icmp eq i64 %was, {asleep}
  br i1 %slept, label %wake, label %called
wake:
  %lock.p = getelementptr i64, ptr %line, i64 {thread_lock}
  %lock = load ptr, ptr %lock.p
  %wake.f = load ptr, ptr {RELEASE}
  call void %wake.f(ptr %lock)
  br label %called
called:
  %k.1 = add i64 %k, 1
  %all = icmp eq i64 %k.1, %asked
  br i1 %all, label %help, label %call
help:
  %done = call i32 %range(ptr %slots, ptr %block)
  %left.it = icmp eq i32 %done, {left}
  br i1 %left.it, label %break, label %take.back
break:
  store atomic i64 {ended}, ptr %block seq_cst, align 8
  %break.f = load ptr, ptr {DISPERSE}
  %break.r = call i32 @{call_name}(ptr %break.f, ptr %record)
  br label %take.back
take.back:
  %broken = phi i1 [ false, %help ], [ true, %break ]
  br label %retract
retract:
  %j = phi i64 [ 0, %take.back ], [ %j.1, %retracted ]
  %at.j = mul i64 %j, {line_bytes}
  %line.j = getelementptr i8, ptr %lines, i64 %at.j
  %took = cmpxchg ptr %line.j, i64 {asked}, i64 {idle} acq_rel monotonic, align 8
  %back = extractvalue {{ i64, i1 }} %took, 1
  br i1 %back, label %less, label %retracted
less:
  %less.was = atomicrmw sub ptr {REMAINING}, i64 1 acq_rel, align 8
  br label %retracted
retracted:
  %j.1 = add i64 %j, 1
  %none = icmp eq i64 %j.1, %asked
  br i1 %none, label %watch, label %retract
watch:
  %n = phi i64 [ {looks}, %retracted ], [ %n.1, %again ]
  %left = load atomic i64, ptr {REMAINING} acquire, align 8
  %over.all = icmp eq i64 %left, 0
  br i1 %over.all, label %end, label %again
again:
  {pause}
  %n.1 = sub i64 %n, 1
  %patient = icmp ne i64 %n.1, 0
  br i1 %patient, label %watch, label %rest
rest:
  %left.now = atomicrmw add ptr {REMAINING}, i64 {sleeps} acq_rel, align 8
  %late = icmp eq i64 %left.now, 0
  br i1 %late, label %end, label %sleep
sleep:
  store atomic volatile i64 0, ptr %stop.p seq_cst, align 8
  store atomic volatile i64 1, ptr %waits.p seq_cst, align 8
  br label %doze
doze:
  %ends = phi i1 [ %broken, %sleep ], [ false, %may.ask ], [ false, %hear ], [ true, %disperse ]
  %own.lock = load ptr, ptr {OWN_LOCK}
  %sleep.f = load ptr, ptr {ACQUIRE}
  %got = call i32 %sleep.f(ptr %own.lock, i64 {wait}, i32 0)
  %woken = icmp ne i32 %got, 0
  br i1 %woken, label %awake, label %consider
consider:
  br i1 %ends, label %disperse, label %listen
listen:
  %stop = load atomic volatile i64, ptr %stop.p seq_cst, align 8
  %stops = icmp ne i64 %stop, 0
  br i1 %stops, label %give.up, label %may.ask
may.ask:
  %main = load i64, ptr %main.p
  %is.main = icmp ne i64 %main, 0
  br i1 %is.main, label %hear, label %doze
hear:
  %raised = call i32 @{ask_name}(ptr %record)
  %none.raised = icmp eq i32 %raised, 0
  br i1 %none.raised, label %doze, label %give.up
give.up:
  store atomic i64 {ended}, ptr %block seq_cst, align 8
  br label %disperse
disperse:
  %disperse.f = load ptr, ptr {DISPERSE}
  %disperse.r = call i32 @{call_name}(ptr %disperse.f, ptr %record)
  br label %doze
awake:
  store atomic volatile i64 0, ptr %waits.p seq_cst, align 8
  br label %end
end:
  %ended = phi i1 [ %broken, %watch ], [ %broken, %rest ], [ %ends, %awake ]
  store atomic i64 0, ptr {BUSY} release, align 8
  br i1 %ended, label %gone, label %look.at
gone:
  ret i32 {left}
look.at:
  %lowest.p = getelementptr i64, ptr %block, i64 {trap}
  %lowest = load i64, ptr %lowest.p
  %clean = icmp eq i64 %lowest, {no_trap}
  br i1 %clean, label %good, label %bad
good:
  ret i32 0
bad:
  %wants = icmp ne ptr %own, null
  br i1 %wants, label %numbers, label %say
numbers:
  %numbers.p = getelementptr i64, ptr %block, i64 {own_numbers}
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %own, ptr align 8 %numbers.p, i64 {record}, i1 false)
  br label %say
say:
  %short = trunc i64 %lowest to i32
  %status = and i32 %short, {status_mask}
  ret i32 %status
}}

define void @{work}(ptr %line) {{
entry:
  %lock.p = getelementptr i64, ptr %line, i64 {thread_lock}
  br label %idle
idle:
  br label %look
look:
  %n = phi i64 [ {looks}, %idle ], [ %n.1, %again ]
  %state = load atomic i64, ptr %line acquire, align 8
  %nothing = icmp eq i64 %state, {idle}
  br i1 %nothing, label %again, label %act
again:
  {pause}
  %n.1 = sub i64 %n, 1
  %patient = icmp ne i64 %n.1, 0
  br i1 %patient, label %look, label %tire
tire:
  %tired = cmpxchg ptr %line, i64 {idle}, i64 {asleep} acq_rel acquire, align 8
  %sleeps = extractvalue {{ i64, i1 }} %tired, 1
  br i1 %sleeps, label %sleep, label %act
sleep:
  %lock = load ptr, ptr %lock.p
  %sleep.f = load ptr, ptr {ACQUIRE}
  %got = call i32 %sleep.f(ptr %lock, i64 -1, i32 0)
  br label %idle
act:
  %taken = cmpxchg ptr %line, i64 {asked}, i64 {running} acq_rel acquire, align 8
  %runs = extractvalue {{ i64, i1 }} %taken, 1
  br i1 %runs, label %run, label %other
other:
  %found = extractvalue {{ i64, i1 }} %taken, 0
  %leaves = icmp eq i64 %found, {dismissed}
  br i1 %leaves, label %leave, label %idle
leave:
  ret void
run:
  %range = load ptr, ptr {FUNCTION}
  %slots = load ptr, ptr {SLOTS}
  %block = load ptr, ptr {BLOCK}
  %done = call i32 %range(ptr %slots, ptr %block)
  store atomic i64 {idle}, ptr %line release, align 8
  %before = atomicrmw sub ptr {REMAINING}, i64 1 acq_rel, align 8
  %last = icmp eq i64 %before, {sleeps_1}
  br i1 %last, label %tell, label %idle
tell:
  %own.lock = load ptr, ptr {OWN_LOCK}
  %wake.f = load ptr, ptr {RELEASE}
  call void %wake.f(ptr %own.lock)
  br label %idle
}}

define void @{assemble}(ptr %lines, i64 %count, i64 %ready) {{
entry:
  br label %knock
knock:
  %held = cmpxchg weak ptr {BUSY}, i64 0, i64 1 acquire monotonic, align 8
  %mine = extractvalue {{ i64, i1 }} %held, 1
  br i1 %mine, label %enter, label %wait
wait:
  {pause}
  br label %knock
enter:
  %helpers = load i64, ptr {HELPERS}
  %old = load ptr, ptr {LINES}
  br label %next
next:
  %k = phi i64 [ 0, %enter ], [ %k.1, %gone ]
  %more = icmp slt i64 %k, %helpers
  br i1 %more, label %one, label %end
one:
  %at = mul i64 %k, {line_bytes}
  %line = getelementptr i8, ptr %old, i64 %at
  %was = atomicrmw xchg ptr %line, i64 {dismissed} acq_rel, align 8
  %slept = icmp eq i64 %was, {asleep}
  br i1 %slept, label %wake, label %gone
wake:
  %lock.p = getelementptr i64, ptr %line, i64 {thread_lock}
  %lock = load ptr, ptr %lock.p
  %wake.f = load ptr, ptr {RELEASE}
  call void %wake.f(ptr %lock)
  br label %gone
gone:
  %k.1 = add i64 %k, 1
  br label %next
end:
  store ptr %lines, ptr {LINES}
  store i64 %count, ptr {HELPERS}
  store atomic i64 %ready, ptr {READY} release, align 8
  store atomic i64 0, ptr {BUSY} release, align 8
  ret void
}}
"""


def team_text(target: Target) -> str:
    """LLVM text of the team's module for a process of this target."""
    places = dict(
        BUSY=BUSY, READY=READY, HELPERS=HELPERS, LINES=LINES, JOBS=JOBS, BEGIN=BEGIN,
        INSIDE=INSIDE, ACQUIRE=ACQUIRE, RELEASE=RELEASE, HANDED_OUT=HANDED_OUT,
        KEYS=KEYS, DISPERSE=DISPERSE, REMAINING=REMAINING, OWN_LOCK=OWN_LOCK,
        FUNCTION=FUNCTION, SLOTS=SLOTS, BLOCK=BLOCK,
    )  # fmt: skip
    words = {name: f"getelementptr (i64, ptr @{TEAM}, i64 {n})" for name, n in places.items()}
    return _TEXT.format(
        triple=target.triple, team=TEAM, run=RUN, work=WORK, assemble=ASSEMBLE,
        team_words=TEAM_WORDS, words=WORDS, block_bytes=8 * WORDS, line_bytes=LINE_BYTES,
        fill=_fill(), trap=TRAP, no_trap=NO_TRAP, own_numbers=OWN_NUMBERS, record=8 * TRAP_WORDS,
        status_mask=STATUS_MASK,
        batches_a_worker=BATCHES_A_WORKER, in_line=IN_LINE, thread_lock=THREAD_LOCK,
        idle=_IDLE, asleep=_ASLEEP, asked=_ASKED, running=_RUNNING, dismissed=_DISMISSED,
        sleeps=_SLEEPS, sleeps_1=_SLEEPS + 1, looks=_LOOKS.get(target.architecture, 1),
        pause=_PAUSE.get(target.architecture, ""), declared=_declared(target),
        find=_find(target, words["KEYS"]),
        record_words=RECORD_WORDS, spare=SPARE, call_name=CALL, left=LEFT, ended=_ENDED,
        wait=_WAIT_MICROSECONDS, ask_name=ASK, MAIN=MAIN, STOP=STOP, WAITS=WAITS, **words,
    ) + ask_text() + call_text()  # fmt: skip


def _declared(target: Target) -> str:
    return f"declare ptr @pthread_getspecific({key_type(target)})" if can_guard(target) else ""


def _find(target: Target, keys: str) -> str:
    """Lines that set `%record` to this thread's record, or to `SPARE` if it has none."""
    if not can_guard(target):
        return f"  %record = getelementptr i8, ptr @{SPARE}, i64 0"
    key = key_type(target)
    return f"""\
  %keys = load ptr, ptr {keys}
  %key.p = getelementptr i64, ptr %keys, i64 {KEY}
  %key = load {key}, ptr %key.p
  %found = call ptr @pthread_getspecific({key} %key)
  %none = icmp eq ptr %found, null
  %record = select i1 %none, ptr @{SPARE}, ptr %found"""


def _fill() -> str:
    """Stores of the control block's words that are not 0."""
    lines: list[str] = []
    values = {BATCHES: "%batches", BATCH_SIZE: "%size", LENGTH: "%indices", TRAP: str(NO_TRAP)}
    for word, value in values.items():
        lines.append(f"  %block.{word} = getelementptr i64, ptr %block, i64 {word}")
        lines.append(f"  store i64 {value}, ptr %block.{word}")
    return "\n".join(lines)
