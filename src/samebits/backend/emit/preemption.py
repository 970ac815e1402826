"""Preemption of compiled code in this process: guards around long bodies, and a signal handler.

An entry whose arguments can make its body run long calls it through `sb_guarded` (`guards`), which
stores in the thread's record where to jump back to. A signal to the thread runs `SIGNAL_HANDLER` on
top of the body, so loops poll nothing. The handler runs the handlers of Python's signals, as
CPython does between bytecodes. If none raises, the body continues; if one does, or if the thread
has been told to stop, the handler jumps out of the body for good, with the status `LEFT`. That is
sound because a body holds nothing to release: it takes no lock and allocates nothing. The thread
team does, and its threads return by themselves.

The same guard checks that the thread's stack has room for local memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from samebits.backend import records
from samebits.backend.targets.table import Target
from samebits.backend.text.run_bound import OPEN, Bound, formula
from samebits.ir.grammar import ValueType

LEAST_STATEMENTS = 1 << 23
"""Fewest statements of a guarded body: some ten milliseconds."""
LEAST_FRAME = 4096
"""Bytes of a frame that fits any thread's stack without a check."""
STACK_MARGIN = 24 << 10
"""Bytes of stack for what a body's known frame leaves out, and for a signal handler."""

_SYSTEMS = ("linux", "darwin", "macosx")


def can_guard(target: Target) -> bool:
    """Whether a process of this target has POSIX signals and threads."""
    return any(system in target.triple for system in _SYSTEMS)


def key_type(target: Target) -> str:
    """LLVM's type of `pthread_key_t`."""
    return "i32" if "linux" in target.triple else f"i{target.pointer_bits}"


GUARD_VARIABLE = f"@{records.GUARD} = global ptr null"
"""LLVM text of the variable that `guarded_call` reads; once in a module."""


class BodyGuard(NamedTuple):
    """A body's guard: its frame in bytes, the status for a stack without room for it, and the most
    statements that it runs, as a formula of its parameters."""

    need: int
    small: int
    most: Bound = OPEN
    params: Sequence[tuple[str, ValueType]] = ()

    @property
    def is_needed(self) -> bool:
        """Whether any call of the body needs a guard or a stack check."""
        return self.is_large or not isinstance(self.most, float) or self.most > LEAST_STATEMENTS

    @property
    def is_large(self) -> bool:
        """Whether short calls check the stack too."""
        return self.need > LEAST_FRAME


def guarded_call(symbol: str, body: str, guard: BodyGuard) -> str:
    """LLVM text of `symbol`, which has the signature of `body` and calls it: guarded, or directly
    if the call is short. It becomes part of its caller."""
    given = f"ptr {body}, ptr %args, i64 {guard.need + STACK_MARGIN}, i32 {guard.small}"
    guarded = _through(records.GUARDED, "guarded", given)
    measured = _through(records.MEASURED, "measured", given)
    plain = ["  br label %plain"]
    if guard.most == OPEN:
        lines = guarded
    elif isinstance(guard.most, float) and guard.most <= LEAST_STATEMENTS:
        lines = measured
    else:
        lines, most = formula(guard.most, guard.params)
        lines += [
            f"  %short = icmp ult i64 {most}, {LEAST_STATEMENTS}",
            "  br i1 %short, label %short.call, label %long.call",
            "short.call:",
            *(measured if guard.is_large else plain),
            "long.call:",
            *guarded,
        ]
    return "\n".join([
        f"define internal i32 {symbol}(ptr noundef nonnull %args) alwaysinline #0 {{",
        "entry:",
        *lines,
        "plain:",
        f"  %plain.status = call i32 {body}(ptr %args)",
        "  ret i32 %plain.status",
        "}",
    ])  # fmt: skip


def _through(word: int, name: str, given: str) -> list[str]:
    """Lines that call a body through the function that a word of the process has, or that go to
    `plain` where there is no process."""
    return [
        f"  %{name}.words = load ptr, ptr @{records.GUARD}",
        f"  %{name}.alone = icmp eq ptr %{name}.words, null",
        f"  br i1 %{name}.alone, label %plain, label %{name}",
        f"{name}:",
        f"  %{name}.p = getelementptr i64, ptr %{name}.words, i64 {word}",
        f"  %{name}.f = load ptr, ptr %{name}.p",
        f"  %{name}.status = call i32 %{name}.f(ptr %{name}.words, {given})",
        f"  ret i32 %{name}.status",
    ]


ASK = "sb_ask"
"""`i32 sb_ask(record)`: run Python's signal handlers; 1 if one raised, which the record keeps."""

CALL = "sb_call"
"""`i32 sb_call(object, record)`: call a Python object without arguments. Returns the truth of its
result, 0 or 1, or -1 if it raised, which the record keeps. Python checks for signals when a
function begins: a handler may raise before its first line."""

_KEEP = """\
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyException_SetContext(ptr, ptr)
declare ptr @PyObject_CallNoArgs(ptr)
declare i32 @PyObject_IsTrue(ptr)
declare void @Py_DecRef(ptr)

define internal void @sb.keep(ptr %record) noinline {{
entry:
  %kind = getelementptr i64, ptr %record, i64 {KIND}
  %value = getelementptr i64, ptr %record, i64 {VALUE}
  %trace = getelementptr i64, ptr %record, i64 {TRACE}
  %kind.0 = load ptr, ptr %kind
  %value.0 = load ptr, ptr %value
  %trace.0 = load ptr, ptr %trace
  call void @PyErr_Fetch(ptr %kind, ptr %value, ptr %trace)
  call void @PyErr_NormalizeException(ptr %kind, ptr %value, ptr %trace)
  %first = icmp eq ptr %value.0, null
  br i1 %first, label %end, label %chain
chain:
  %value.1 = load ptr, ptr %value
  %same = icmp eq ptr %value.0, %value.1
  br i1 %same, label %drop, label %put
drop:
  call void @Py_DecRef(ptr %value.0)
  br label %rest
put:
  call void @PyException_SetContext(ptr %value.1, ptr %value.0)
  br label %rest
rest:
  call void @Py_DecRef(ptr %kind.0)
  %bare = icmp eq ptr %trace.0, null
  br i1 %bare, label %end, label %forget
forget:
  call void @Py_DecRef(ptr %trace.0)
  br label %end
end:
  ret void
}}
"""

_CALL = """\
define internal i32 @{call}(ptr %object, ptr %record) {{
entry:
  %held = call i32 @PyGILState_Ensure()
  %got = call ptr @PyObject_CallNoArgs(ptr %object)
  %raised = icmp eq ptr %got, null
  br i1 %raised, label %keep, label %ask
ask:
  %true = call i32 @PyObject_IsTrue(ptr %got)
  call void @Py_DecRef(ptr %got)
  %odd = icmp slt i32 %true, 0
  br i1 %odd, label %keep, label %end
keep:
  call void @sb.keep(ptr %record)
  br label %end
end:
  %answer = phi i32 [ %true, %ask ], [ -1, %keep ]
  call void @PyGILState_Release(i32 %held)
  ret i32 %answer
}}
"""

_ASK = """\
define internal i32 @{ask}(ptr %record) {{
entry:
  %held = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  %some = icmp ne i32 %raised, 0
  br i1 %some, label %keep, label %end
keep:
  call void @sb.keep(ptr %record)
  br label %end
end:
  call void @PyGILState_Release(i32 %held)
  %answer = zext i1 %some to i32
  ret i32 %answer
}}
"""

_HANDLER = """\
target triple = "{triple}"
@{HANDLER_WORDS} = global [2 x i64] zeroinitializer, align 8
declare ptr @pthread_getspecific({key})
declare void @_longjmp(ptr, i32) noreturn

define void @{SIGNAL_HANDLER}(i32 %signal) {{
entry:
  %before.p = getelementptr i64, ptr @{HANDLER_WORDS}, i64 {BEFORE}
  %before = load i64, ptr %before.p
  %other = icmp ugt i64 %before, 1
  br i1 %other, label %chain, label %look
chain:
  %chain.f = inttoptr i64 %before to ptr
  call void %chain.f(i32 %signal)
  br label %look
look:
  %key = load {key}, ptr @{HANDLER_WORDS}
  %record = call ptr @pthread_getspecific({key} %key)
  %none = icmp eq ptr %record, null
  br i1 %none, label %end, label %known
known:
  %place = load atomic volatile ptr, ptr %record acquire, align 8
  %outside = icmp eq ptr %place, null
  br i1 %outside, label %end, label %inside
inside:
  %stop.p = getelementptr i64, ptr %record, i64 {STOP}
  %stop = load atomic volatile i64, ptr %stop.p acquire, align 8
  %stops = icmp ne i64 %stop, 0
  br i1 %stops, label %stopped, label %goes.on
stopped:
  store atomic volatile i64 0, ptr %stop.p release, align 8
  br label %leave
goes.on:
  %main.p = getelementptr i64, ptr %record, i64 {MAIN}
  %main = load i64, ptr %main.p
  %is.main = icmp ne i64 %main, 0
  br i1 %is.main, label %ask, label %end
ask:
  store atomic volatile ptr null, ptr %record release, align 8
  %raised = call i32 @{ask}(ptr %record)
  %some = icmp ne i32 %raised, 0
  br i1 %some, label %leave, label %resume
resume:
  store atomic volatile ptr %place, ptr %record release, align 8
  br label %end
leave:
  store atomic volatile ptr null, ptr %record release, align 8
  call void @_longjmp(ptr %place, i32 1)
  unreachable
end:
  ret void
}}
"""


def ask_text() -> str:
    """LLVM text of `@sb_ask`, internal to its module."""
    return (_KEEP + _ASK).format(ask=ASK, **vars(records))


def call_text() -> str:
    """LLVM text of `@sb_call`, which goes after `ask_text`."""
    return _CALL.format(call=CALL)


def signal_handler_text(target: Target) -> str:
    """LLVM text of the signal handler's module, for a process of this target."""
    handler = _HANDLER.format(
        triple=target.triple, ask=ASK,
        key=key_type(target), **vars(records),
    )  # fmt: skip
    return handler + ask_text()
