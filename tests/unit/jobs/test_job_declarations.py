"""What is no job, and what no job takes, is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.jobs import Move, arrays, message

import samebits as sb
from samebits import float32
from samebits.errors import ArgumentError, CompileError, JobError

V, P = arrays("v", "p")

REFUSED: list[tuple[Callable[[], object], str]] = [
    (
        lambda: Move(velocities=V, positions=P).schedule(),
        "Move runs over a number of indices from 0 to 2,147,483,647; none is given",
    ),
    (lambda: Move(velocities=V, positions=P).schedule(-1), "got -1"),
    (lambda: Move(velocities=V, positions=P).schedule(1 << 31), "got 2147483648"),
    (lambda: Move(velocities=V, positions=P).schedule(True), "got True"),
    (lambda: Move(velocities=V, positions=P).schedule(2.5), "got 2.5"),
    (lambda: Move(velocities=V, positions=P).schedule("8"), "got '8'"),
    (
        lambda: Move(velocities=V, positions=P).schedule(P),
        "an array of one integer; got 24 of float32",
    ),
    (
        lambda: Move(velocities=V, positions=P).schedule(8, 0),
        "a batch of Move is a number of indices from 1 to 2^48; got 0",
    ),
    (lambda: Move(velocities=V, positions=P).schedule(8, batch=-4), "got -4"),
    (lambda: Move(velocities=V, positions=P).schedule(8, batch=1 << 60), "got 1152921504606846976"),
    (
        lambda: Move(velocities=V, positions=P).schedule(8, depends_on=7),
        "depends_on is a JobHandle or a list of them, not 7",
    ),
    (lambda: Move(velocities=V, positions=P).schedule(8, depends_on=[None]), "depends_on is"),
    (lambda: sb.combine(3), "an argument of combine() is"),
    (lambda: Move(velocities=V), "Move lacks its field 'positions'"),
    (lambda: Move(velocities=V, positions=P, mass=3), "Move has no field 'mass'"),
    (
        lambda: Move(velocities=V, positions=P[0]),
        "Move(): parameter 'positions': expected Array[float3]",
    ),
    (lambda: setattr(Move(velocities=V, positions=P), "mass", 3), "Move has no field 'mass'"),
    (lambda: sb.set_workers(0), "an int from 1 to 1024, not 0"),
    (lambda: sb.set_workers(True), "an int from 1 to 1024, not True"),
    (lambda: sb.set_workers(10**9), "an int from 1 to 1024"),
]


@pytest.mark.parametrize(("call", "expected"), REFUSED)
def test_bad_input_is_refused_in_words(call: Callable[[], object], expected: str) -> None:
    text = message(call)
    assert expected in text, text
    assert isinstance(text, str)
    Move(velocities=V, positions=P).schedule(8).complete()  # and nothing is left behind


def test_a_wrong_field_is_refused_when_it_is_used() -> None:
    job = Move(velocities=V, positions=P)
    job.positions = "nothing"
    for call in (lambda: job.schedule(8), lambda: job.run(8), lambda: job.managed_run(8)):
        with pytest.raises(ArgumentError, match="parameter 'positions'"):
            call()


def declared(body: str, form: str = "ParallelFor") -> str:
    return message(lambda: exec_job(body, form))


def exec_job(body: str, form: str) -> None:
    """Define a job in a file of its own and make one."""
    import linecache

    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"import samebits as sb\nfrom samebits import *\n@sb.job\nclass Bad(sb.{form}):\n{lines}"
    name = f"<bad job {abs(hash((body, form)))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": "bad_job"}
    exec(compile(text, name, "exec"), scope)
    made = scope["Bad"](a=np.zeros(8, np.float32))
    made.run(*() if form == "Job" else (8,))


A = "a: sb.Array[float32]\n"

DECLARED = [
    ("ParallelFor", A, "job Bad has no `execute`"),
    (
        "ParallelFor",
        A + "def execute(self): pass",
        "`execute` of job Bad, a ParallelFor, has other parameters",
    ),
    ("Job", A + "def execute(self, i: int32): pass", "a Job, has other parameters"),
    (
        "ParallelForBatch",
        A + "def execute(self, i: int32): pass",
        "write `def execute(self, start: int32, count: int32):`",
    ),
    (
        "ParallelFor",
        A + "def execute(self, i: float32): pass",
        "'i' of Bad.execute is not an index",
    ),
    ("ParallelFor", A + "def execute(self, i): pass", "'i' of Bad.execute is not an index"),
    ("ParallelFor", A + "def execute(self, i: int32) -> float32: pass", "can't return anything"),
    ("ParallelFor", A + "def execute(self, i: int32):\n    return 3", "can't return anything"),
    (
        "ParallelFor",
        A + "def helper(self): pass\ndef execute(self, i: int32): pass",
        "Bad.helper is neither a field nor `execute`",
    ),
    (
        "ParallelFor",
        "schedule: float32\ndef execute(self, i: int32): pass",
        "field Bad.schedule: the name is taken",
    ),
    (
        "ParallelFor",
        "a: list\ndef execute(self, i: int32): pass",
        "field Bad.a: list is not a type of the language",
    ),
    (
        "ParallelFor",
        "a: sb.unsafe_parallel[float32]\ndef execute(self, i: int32): pass",
        "float32 is a value",
    ),
    (
        "ParallelFor",
        A + "def execute(self, i: int32):\n    self.b[i] = float32(1)",
        "this job has no field 'b'",
    ),
    (
        "ParallelFor",
        A + "def execute(self, i: int32):\n    self.a = 3",
        "'self.a' can't be assigned in `execute`",
    ),
    ("ParallelFor", A + "def execute(self, i: int32):\n    x = self", "`self` is the job itself"),
    (
        "ParallelFor",
        A + "def execute(self, i: int32):\n    i = int32(0)",
        "'i' says which elements are this iteration's own",
    ),
    (
        "ParallelFor",
        "a: sb.ReadOnly[float32]\ndef execute(self, i: int32):\n    self.a[i] = float32(1)",
        "read-only",
    ),
    (
        "ParallelFor",
        "a: sb.WriteOnly[float32]\ndef execute(self, i: int32):\n    self.a[i] += float32(1)",
        "'self.a' is write-only here, and this reads it",
    ),
    (
        "ParallelFor",
        "a: sb.WriteOnly[float32]\ndef execute(self, i: int32):\n    x = self.a[i]",
        "'self.a' is write-only here",
    ),
    (
        "For",
        "a: sb.WriteOnly[float32]\ndef execute(self, i: int32):\n"
        "    for x in range(3):\n        if self.a[i] > float32(0): pass",
        "'self.a' is write-only here",
    ),
]


@pytest.mark.parametrize(("form", "body", "expected"), DECLARED)
def test_what_is_no_job_is_refused_in_words(form: str, body: str, expected: str) -> None:
    text = declared(body, form)
    assert expected in text, text


def test_other_classes_are_no_jobs() -> None:
    class Plain:
        pass

    class Undecorated(sb.ParallelFor):
        pass

    class Derived(Move):
        pass

    for cls in (Plain, Derived, 7):
        with pytest.raises(CompileError, match="is not derived from one kind of job"):
            sb.job(cls)  # type: ignore[type-var]
    for cls in (Undecorated, Derived, sb.ParallelFor):
        with pytest.raises(JobError, match=r"write @sb\.job above"):
            cls()

    @sb.kernel
    def f(a: sb.WriteOnly[float32]):
        a[0] = float32(1)

    with pytest.raises(CompileError, match=r"parameter 'a' of kernel .* is WriteOnly"):
        f(np.zeros(3, np.float32))
    with pytest.raises(ArgumentError, match="there is no option 'colour'"):
        sb.job(colour="red")  # type: ignore[call-overload]


def test_fields_go_by_name_and_combine_names_itself() -> None:
    v, p = arrays("v", "p")
    new: Any = Move
    assert message(lambda: new(v, p)) == (
        "Move takes its fields by name\n  fix: write Move(velocities=..., positions=...)"
    )
    assert message(lambda: sb.combine("both")) == (  # pyright: ignore[reportArgumentType]
        "an argument of combine() is a JobHandle or a list of them, not 'both'\n"
        "  fix: give what job.schedule(...) returns"
    )
