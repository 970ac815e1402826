"""Tracebacks begin at the user's line, unless the whole one is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import sys
import numpy as np
import samebits as sb
from samebits import float64, uint64

@sb.kernel
def at(a: sb.Array[float64], i: int) -> float64:
    return a[i]

@sb.kernel
def refused(a: sb.Array[float64]) -> float64:
    return a.sum()

@sb.kernel
def component(v: sb.float3) -> float64:
    return v.q

@sb.kernel
def halves(x: float64) -> float64:
    s = 0.0
    for i in range(x / 2):
        s += i
    return s

@sb.kernel
def five(x: float64) -> int:
    return int("5")

@sb.struct
class State:
    a: sb.FixedArray[float64, 4]
    n: float64

@sb.struct
class Input:
    x: sb.int8

@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.n = 1.0

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.n = state.a[int(inputs[0].x)]

@sb.kernel
def bad_init(state: State, seed: uint64) -> None:
    state.n = state.a[int(seed) + 4]

@sb.kernel
def bad_step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.n = state.a.sum()

@sb.job
class Sums(sb.ParallelFor):
    a: sb.Array[float64]

    def execute(self, index: sb.int32) -> None:
        self.a[index] = self.a.sum()

@sb.job
class Far(sb.ParallelFor):
    a: sb.Array[float64]

    def execute(self, index: sb.int32) -> None:
        self.a[int(index) + 9] = 1.0

class Bad:
    def __index__(self):
        raise ValueError("bad")

def session(init=init, step=step):
    parts = {"state": State, "input": Input, "init": init, "step": step}
    return sb.Simulation(name="s", version="1", players=1, **parts).start()

@sb.kernel
def over(a: sb.Array[float64], i: int) -> float64:
    s = at(a, 0)
    return s + at(a, i)

@sb.kernel
def applied(f: sb.Kernel[[float64], float64], x: float64) -> float64:
    return f(x)

@sb.kernel
def given(x: float64) -> float64:
    return applied(len, x)

@sb.kernel
def full(n: int) -> int:
    items = sb.List[sb.int32, 2]()
    for i in range(n):
        items.append(i)
    return len(items)

CASES = {
    "trap": lambda: at(np.ones(3), 7),
    "managed": lambda: at.managed(np.ones(3), 7),
    "evaluate": lambda: sb.evaluate(at, np.ones(3), 7),
    "compile": lambda: refused(np.ones(3)),
    "argument": lambda: at(np.ones(3, np.float32), 1),
    "count": lambda: at(np.ones(3)),
    "restore": lambda: session().restore(b"no"),
    "inside a generator": lambda: list(at(np.ones(3), i) for i in range(5)),
    "inside a kernel's argument": lambda: at(np.ones(3), Bad()),
    "races": lambda: at.check_races(np.ones(3), 7),
    "step": lambda: session().step([{"x": 9}]),
    "run": lambda: session().run(np.full((2, 1), 9, Input.dtype)),
    "start": lambda: session(init=bad_init),
    "start to compile": lambda: session(step=bad_step),
    "same bits": lambda: sb.assert_same_bits(refused, np.ones(3)),
    "inspect": lambda: sb.inspect(refused),
    "math": lambda: sb.math.sin("a"),
    "job": lambda: Far(a=np.ones(3)).schedule(3).complete(),
    "job to compile": lambda: Sums(a=np.ones(3)).schedule(3),
    "job run": lambda: Sums(a=np.ones(3)).run(3),
    "struct": lambda: sb.struct(type("P", (), {"__annotations__": {"x": float}})),
    "struct with options": lambda: sb.struct(mode=sb.FAST)(type("P", (), {})),
    "kernel": lambda: sb.kernel(3),
    "kernel with options": lambda: sb.kernel(mode=sb.FAST)(3),
    "field": lambda: State(n="a"),
    "assigned field": lambda: setattr(State(), "n", "a"),
    "table": lambda: sb.table(["a"], float64),
    "job class": lambda: sb.job(type("J", (sb.ParallelFor,), {})),
    "job field": lambda: Far(a=3),
    "struct's field read": lambda: State().m,
    "fixed array read": lambda: State().a[4],
    "fixed array written": lambda: State().a.__setitem__(4, 1.0),
    "vector of two": lambda: sb.float3(1, 2),
    "vector's component": lambda: sb.float3(1, 2, 3).q,
    "vector assigned": lambda: setattr(sb.float3(1, 2, 3), "x", 3),
    "scalar of text": lambda: sb.float32("abc"),
    "list of too many": lambda: sb.List[sb.int32, 2]([1, 2, 3]),
    "item of a list": lambda: sb.List[sb.int32, 2]([1, 2])[2],
    "item of a map": lambda: sb.Map[sb.int32, sb.int32, 2]()[3],
    "strided": lambda: sb.strided([1, 2, 3]),
    "module": lambda: sb.foo,
    "managed component": lambda: component.managed(sb.float3(1, 2, 3)),
    "managed range": lambda: halves.managed(4.0),
    "managed int": lambda: five.managed(4.0),
    "managed inner": lambda: over.managed(np.ones(3), 7),
    "managed list": lambda: full.managed(3),
    "managed kernel given": lambda: given.managed(4.0),
    "structs compared": lambda: State() == State(),
    "arrays compared": lambda: State().a == State().a,
    "vector as a condition": lambda: bool(sb.float3(1) < 2),
    "vectors of two lengths": lambda: sb.float3(1) + sb.float2(1),
    "bool vector negated": lambda: -sb.bool2(True),
    "vector's power": lambda: sb.float3(1) ** 0.5,
    "vector's item": lambda: sb.float3(1)[3],
    "matrix's item": lambda: sb.float2x2(1)[2],
    "matrix's column": lambda: sb.float2x2(1).c2,
    "matrix assigned": lambda: setattr(sb.float2x2(1), "c0", 3),
    "scalars of two types": lambda: sb.int64(1) + True,
    "scalar inverted": lambda: ~sb.float64(1),
    "scalar's product": lambda: sb.float64(1) @ sb.float64(1),
    "fixed-point sum": lambda: sb.fix32(1) + sb.float32(1),
    "fixed-point overflow": lambda: sb.fix16(30000) * sb.fix16(2),
    "fixed-point as a condition": lambda: bool(sb.fix32(1)),
    "dot product": lambda: sb.dot(sb.float3(1), 2.0),
    "any of a number": lambda: sb.any(3),
    "fixed array without a length": lambda: sb.FixedArray[sb.int32],
    "fixed array called": lambda: sb.FixedArray[sb.int32, 3](),
    "array of five dimensions": lambda: sb.Array[float64, 5],
    "array called": lambda: sb.Array(3),
    "array type called": lambda: sb.ReadOnly[float64](3),
    "list without a capacity": lambda: sb.List[sb.int32],
    "list of no type": lambda: sb.List(),
    "kernel's annotation": lambda: sb.Kernel[float64],
    "given a function": lambda: applied(lambda x: x, 1.0),
}
if "warm" in sys.argv:
    for _ in range(2):
        at(np.ones(3), 0)
CASES[sys.argv[1]]()
"""
CASES = (
    "trap", "managed", "evaluate", "compile", "argument", "count", "races", "step", "run",
    "start", "start to compile", "restore", "same bits", "inspect", "job", "job to compile",
    "job run", "struct", "struct with options", "kernel", "kernel with options", "table",
    "job class", "job field", "field", "assigned field", "math", "inside a generator",
    "inside a kernel's argument", "struct's field read", "fixed array read", "fixed array written",
    "vector of two", "vector's component", "vector assigned", "scalar of text", "list of too many",
    "item of a list", "item of a map", "strided", "module", "managed component", "managed range",
    "managed int", "managed inner", "managed list", "managed kernel given", "structs compared",
    "arrays compared", "vector as a condition", "vectors of two lengths", "bool vector negated",
    "vector's power", "vector's item", "matrix's item", "matrix's column", "matrix assigned",
    "scalars of two types", "scalar inverted", "scalar's product", "fixed-point sum",
    "fixed-point overflow", "fixed-point as a condition", "dot product", "any of a number",
    "fixed array without a length", "fixed array called", "array of five dimensions",
    "array called", "array type called", "list without a capacity", "list of no type",
    "kernel's annotation", "given a function",
)  # fmt: skip
KERNELS = {
    "managed": ["at"],
    "managed inner": ["over", "at"],
    "managed list": ["full"],
    "managed component": ["component"],
    "managed int": ["five"],
    "managed kernel given": ["given", "applied"],
}
"""The kernels that a managed run is in when it ends by an error."""
CALLS = ("trap", "compile", "argument", "count")


def lines_of(folder: Path, *case: str, **environment: str) -> list[str]:
    """The places of the frames in the traceback that the program ends with."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), *case]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 1
    return [line for line in done.stderr.splitlines() if line.startswith("  File ")]


@pytest.mark.parametrize("case", CASES)
def test_no_frame_follows_the_users_line(case: str, tmp_path: Path) -> None:
    found = lines_of(tmp_path, case)
    assert len(found) > 1
    assert all("program.py" in line for line in found)


@pytest.mark.parametrize(("case", "kernels"), KERNELS.items())
def test_a_managed_run_ends_at_the_kernels_line(
    case: str, kernels: list[str], tmp_path: Path
) -> None:
    names = [line.rpartition(" in ")[2] for line in lines_of(tmp_path, case)]
    assert names == ["<module>", "<lambda>", *kernels]


@pytest.mark.parametrize("case", CALLS)
def test_no_frame_follows_a_call_once_a_kernel_has_run_twice(case: str, tmp_path: Path) -> None:
    assert all("program.py" in line for line in lines_of(tmp_path, case, "warm"))


def test_pytest_shows_no_frame_of_samebits(tmp_path: Path) -> None:
    program = tmp_path / "test_program.py"
    program.write_text(f"{PROGRAM.split('CASES')[0]}\ndef test(): session().step([{{'x': 9}}])\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    places = [line for line in done.stdout.splitlines() if ".py:" in line and "at /" not in line]
    assert places
    assert all("test_program.py" in line for line in places)


@pytest.mark.parametrize("given", [(), ("warm",)])
def test_all_frames_are_shown_where_they_are_asked_for(
    given: tuple[str, ...], tmp_path: Path
) -> None:
    found = lines_of(tmp_path, "compile", *given, SAMEBITS_TRACEBACK="full")
    assert sum("samebits" in line for line in found) > 5
