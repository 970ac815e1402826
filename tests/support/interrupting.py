"""Interrupts at each bytecode, one after another, wherever CPython looks for signals.

A trace function in compiled code, in which no bytecode runs, counts the bytecodes of a call and
raises a signal before the n-th. CPython then runs the signal's handler, which raises, at the next
of the places where it does so for any signal: so each of these is met, and no other. Signals
before several bytecodes meet the same place; one of them is tried.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

from samebits.backend.llvm import engine

NUMBER = signal.SIGINT
_NEVER = 1 << 62

_TEXT = """\
target triple = "{triple}"
@sb_left = global i64 0
@sb_again = global i64 0
@sb_at_call = global i64 0
@trace = internal constant [8 x i8] c"f_trace\\00"
@name = internal constant [16 x i8] c"f_trace_opcodes\\00"

define i32 @sb_trace(ptr %object, ptr %frame, i32 %what, ptr %value) {{
entry:
  switch i32 %what, label %done [
    i32 0, label %call
    i32 7, label %opcode
  ]
call:
  %then = load i64, ptr @sb_left
  store i64 %then, ptr @sb_at_call
  %true = inttoptr i64 {true} to ptr
  %set.f = inttoptr i64 {set_attribute} to ptr
  %set = call i32 %set.f(ptr %frame, ptr @trace, ptr %true)
  %failed = call i32 %set.f(ptr %frame, ptr @name, ptr %true)
  ret i32 0
opcode:
  %left = load i64, ptr @sb_left
  %less = sub i64 %left, 1
  store i64 %less, ptr @sb_left
  %now = icmp eq i64 %less, 0
  br i1 %now, label %interrupt, label %done
interrupt:
  %again = load i64, ptr @sb_again
  store i64 %again, ptr @sb_left
  store i64 0, ptr @sb_again
  %sent = call i32 inttoptr (i64 {set_interrupt} to ptr)(i32 {number})
  ret i32 0
done:
  ret i32 0
}}
"""


class Interrupt(KeyboardInterrupt):
    """What the signal's handler raises."""


class Alarm(Exception):
    """What a handler of another kind raises."""


class _Tracer:
    def __init__(self) -> None:
        api = ctypes.pythonapi
        target = engine.host_target()
        text = _TEXT.format(
            triple=target.triple,
            set_attribute=_address(api.PyObject_SetAttrString),
            set_interrupt=_address(api.PyErr_SetInterruptEx),
            true=id(True),
            number=int(NUMBER),
        )
        names = ["sb_trace", "sb_left", "sb_again", "sb_at_call"]
        self._loaded = engine.load(engine.compile_text(text, target, 0), names)
        at = self._loaded.addresses
        self._trace = ctypes.c_void_p(at["sb_trace"])
        self.left = ctypes.c_int64.from_address(at["sb_left"])
        self.again = ctypes.c_int64.from_address(at["sb_again"])
        self.at_call = ctypes.c_int64.from_address(at["sb_at_call"])
        """`left` when the latest function began: in a handler, the handler itself."""
        self._set: Any = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
            ("PyEval_SetTrace", api)
        )
        # Python 3.12 counts from the next trace on, 3.13 and later only frames with a trace.
        self.run(lambda: None, _NEVER, 0)

    def run(self, call: Callable[[], object], left: int, again: int) -> None:
        self.left.value, self.again.value = left, again
        try:
            self._set(self._trace, None)
            call()
        finally:
            self._set(None, None)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def _tracer() -> _Tracer:
    return _Tracer()


def bytecodes(call: Callable[[], object]) -> int:
    """How many bytecodes this thread runs in `call`."""
    tracer = _tracer()
    tracer.run(call, _NEVER, 0)
    return _NEVER - tracer.left.value


class Signals:
    """What the handler saw: how often it raised, how many bytecodes later than it was asked, and
    how often what it raised reached nobody. It raises `armed` times more."""

    raised = 0
    late = 0
    lost = 0
    armed = 1 << 30


@contextmanager
def handler(error: type[BaseException]) -> Generator[Signals]:
    """Inside, the signal raises `error`."""
    signals, tracer = Signals(), _tracer()

    def interrupt(number: int, frame: object) -> None:
        signals.late = max(0, -tracer.at_call.value)
        if signals.armed > 0:
            signals.armed -= 1
            signals.raised += 1
            raise error

    def unraisable(found: Any) -> None:  # as in a destructor, of which nobody hears
        if issubclass(found.exc_type, error):
            signals.lost += 1
        else:
            sys.__unraisablehook__(found)

    before = signal.signal(NUMBER, interrupt)
    hook, sys.unraisablehook = sys.unraisablehook, unraisable
    try:
        yield signals
    finally:
        sys.unraisablehook = hook
        signal.signal(NUMBER, before)


def interrupted(call: Callable[[], object], at: int, again: int = 0) -> bool:
    """Run `call` with a signal before the `at`-th bytecode, and another `again` bytecodes after
    that one; whether it was left by what the handler raised."""
    tracer = _tracer()
    try:
        tracer.run(call, at, again)
        for _ in range(10):  # a signal at the end comes here
            pass
    except (Interrupt, Alarm):
        return True
    return False


def at_each(
    call: Callable[[], object],
    check: Callable[[], None],
    error: type[BaseException] = Interrupt,
    *,
    stride: int = 1,
    again: int = 0,
    destructors: bool = True,
) -> int:
    """Interrupt `call` at each place, or each `stride`-th, and `check` each time; how often it was
    left by the interrupt. Where no `destructors` run in it, each interrupt must leave it."""
    for _ in range(2):
        call()
        check()
    total = bytecodes(call)
    check()
    left, at = 0, 1
    gc.collect()
    with handler(error) as signals:
        while at <= total:
            signals.late = 0
            left += interrupted(call, at, again)
            try:
                assert destructors or not signals.lost
                check()
            except BaseException as wrong:
                wrong.add_note(f"interrupted before bytecode {at} of {total}")
                raise
            at += (signals.late + 1) * stride
        assert signals.raised >= left > 0
    return left
