"""The cost of calls from Python, beside Numba's and a C function that does nothing.

Owns the calls: kernels with next to no work, and the methods of a session of a small state.
"""

from __future__ import annotations

import ctypes
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np

import samebits as sb
from samebits import float3, float32, float64, int64
from samebits.backend.llvm import engine

CALLS = 2_000


@dataclass(frozen=True)
class CallCost:
    """CPU seconds of one call: of samebits, of Numba if it has such a call, and of a C function of
    as many arguments that does nothing. `goal` is the most that the first may take."""

    title: str
    samebits: float
    numba: float | None
    floor: float
    goal: float

    @property
    def reached(self) -> bool:
        return self.samebits <= self.goal


@sb.struct
class Body:
    x: float64
    v: float64


@sb.struct
class Push:
    force: float64


@sb.kernel
def _scalars(x: float64, y: float64) -> float64:
    return x * y + x


@sb.kernel
def _integers(x: int64, y: int64) -> int64:
    return x * 3 + y


@sb.kernel
def _two_results(x: float64, y: float64) -> tuple[float64, float64]:
    return x + y, x - y


@sb.kernel
def _arrays(a: sb.Array[float32], b: sb.Array[float32], c: sb.Array[float32], d: sb.Array[float32]):
    d[0] = a[0] + b[0] + c[0]


@sb.kernel
def _vector(x: float3, gain: float32) -> float3:
    return x * gain


@sb.kernel
def _struct(body: Body, dt: float64) -> None:
    body.x += body.v * dt


@sb.kernel
def _init(state: Body, seed: sb.uint64) -> None:
    state.v = 1.0


@sb.kernel
def _step(state: Body, inputs: sb.ReadOnly[Push]) -> None:
    state.v += inputs[0].force * 0.01
    state.x += state.v * 0.01


SIMULATION = sb.Simulation(
    name="call cost", version="1", state=Body, input=Push, players=1, init=_init, step=_step
)


def _record(body: Any, dt: float) -> None:
    body[0].x += body[0].v * dt


def _four(a: Any, b: Any, c: Any, d: Any) -> None:
    d[0] = a[0] + b[0] + c[0]


class _MethodDef(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )  # fmt: skip


_NOTHING = """\
target triple = "{triple}"
define ptr @sb_nothing(ptr %self, ptr %args, i64 %count) {{
  call void inttoptr (i64 {incref} to ptr)(ptr %self)
  ret ptr %self
}}
"""
_FASTCALL = 0x80


@cache
def nothing() -> Callable[..., None]:
    """A C function of any arguments by CPython's quickest convention, METH_FASTCALL, that returns
    None: no call of compiled code can take less."""
    target = engine.host_target()
    incref = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value
    code = engine.compile_text(_NOTHING.format(triple=target.triple, incref=incref), target, 3)
    loaded = engine.load(code, ["sb_nothing"])
    row = _MethodDef(b"nothing", loaded.addresses["sb_nothing"], _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object,
                                                     ctypes.c_void_p)  # fmt: skip
    function = make(ctypes.addressof(row), None, None)
    _kept.append((loaded, row))
    return function


_kept: list[Any] = []

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def _calls() -> list[tuple[str, float, Call, Call | None]]:
    """Each title, goal, samebits' call, and Numba's."""
    jit = numba.njit
    floats = [np.ones(64, np.float32) for _ in range(4)]
    body, record = Body(v=1.0), np.zeros(1, Body.dtype)
    session = SIMULATION.start(1)
    frame, structs = np.zeros(1, Push.dtype), [Push(force=1.0)]
    saved = session.save()
    triple: Any = jit(lambda x, gain: (x[0] * gain, x[1] * gain, x[2] * gain))
    three, gain = tuple(map(np.float32, (1, 2, 3))), np.float32(2)
    return [
        ("two floats", 0.25e-6, (_scalars, (1.5, 2.5)), (jit(lambda x, y: x * y + x), (1.5, 2.5))),
        ("two ints", 0.25e-6, (_integers, (7, 9)), (jit(lambda x, y: x * 3 + y), (7, 9))),
        ("two floats, two results", 0.6e-6, (_two_results, (1.5, 2.5)),
         (jit(lambda x, y: (x + y, x - y)), (1.5, 2.5))),
        ("four arrays", 0.6e-6, (_arrays, (*floats,)), (jit(_four), (*floats,))),
        ("a float3 and a float, a float3 back", 0.6e-6, (_vector, (float3(1, 2, 3), 2.0)),
         (triple, (three, gain))),
        ("a struct and a float", 0.6e-6, (_struct, (body, 0.5)), (jit(_record), (record, 0.5))),
        ("session.step, inputs in an array", 2e-6, (session.step, (frame,)), None),
        ("session.step, inputs as structs", 2e-6, (session.step, (structs,)), None),
        ("session.step, inputs as dicts", 2e-6, (session.step, ([{"force": 1.0}],)), None),
        ("session.save, 16 bytes of state", 1e-6, (session.save, ()), None),
        ("session.restore", 1e-6, (session.restore, (saved,)), None),
    ]  # fmt: skip


def _timer(function: Callable[..., Any], args: tuple[Any, ...]) -> timeit.Timer:
    names = [f"a{n}" for n in range(len(args))]
    scope = {"f": function, **dict(zip(names, args, strict=True))}
    function(*args)  # compiles
    return timeit.Timer(f"f({', '.join(names)})", timer=time.thread_time, globals=scope)


def measure(rounds: int) -> list[CallCost]:
    """All of them: the least of interleaved rounds in this process, the loop around them included;
    what others do on the machine only adds to so short a time."""
    rows = _calls()
    timers: list[list[timeit.Timer]] = []
    for _, _, ours, theirs in rows:
        calls = [ours, (nothing(), ours[1]), *([] if theirs is None else [theirs])]
        timers.append([_timer(*call) for call in calls])
    rounds_of = [
        [[timer.timeit(CALLS) / CALLS for timer in row] for row in timers] for _ in range(rounds)
    ]
    found: list[CallCost] = []
    for n, (title, goal, _, _) in enumerate(rows):
        own, floor, *others = map(min, zip(*(times[n] for times in rounds_of), strict=True))
        found.append(CallCost(title, own, others[0] if others else None, floor, goal))
    return found
