"""Jobs that would race are refused in words that name both, whatever the time they take."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits import float3, float32, int32, int64, math
from samebits.errors import ArgumentError, CompileError, JobError, SamebitsError


@sb.struct
class Wind:
    push: float3


@sb.job
class Move(sb.ParallelFor):
    velocities: sb.ReadOnly[float3]
    positions: sb.Array[float3]

    def execute(self, index: int32):
        self.positions[index] += self.velocities[index]


@sb.job
class Measure(sb.For):
    points: sb.ReadOnly[float3]
    heights: sb.WriteOnly[float32]

    def execute(self, index: int32):
        self.heights[index] = self.points[index].y


@sb.job
class Blow(sb.ParallelFor):
    wind: Wind
    velocities: sb.Array[float3]

    def execute(self, index: int32):
        self.velocities[index] += self.wind.push


@sb.job
class Turn(sb.Job):
    wind: Wind

    def execute(self):
        self.wind.push = -self.wind.push


@sb.job
class Count(sb.Job):
    result: sb.Array[int32]

    def execute(self):
        self.result[0] = 8


@sb.kernel
def add(a: sb.ReadOnly[float3], out: sb.Array[float3]):
    for i in range(len(out)):
        out[i] = a[i] + out[i]


@sb.kernel
def gust(wind: Wind) -> float32:
    return wind.push.x


def arrays(*names: str) -> list[Any]:
    return [np.zeros((8, 3), np.float32) for _ in names] or []


def message(call: Callable[[], object]) -> str:
    with pytest.raises(SamebitsError) as caught:
        call()
    return str(caught.value)


def test_two_writers_that_nothing_orders_are_refused() -> None:
    v, p = arrays("v", "p")
    first = Move(velocities=v, positions=p).schedule(8)
    text = message(lambda: Move(velocities=v, positions=p[2:]).schedule(6))
    assert "writes `positions`, and the scheduled job Move (test_job_safety.py:" in text
    assert "writes the same memory as `positions`" in text
    assert "fix: write schedule(..., depends_on=handle of Move), or complete that first" in text
    Move(velocities=v, positions=p).schedule(8, depends_on=first).complete()
    Move(velocities=v, positions=p).schedule(8).complete()


def test_a_reader_and_a_writer_are_refused_in_both_orders() -> None:
    v, p = arrays("v", "p")
    heights = np.zeros(8, np.float32)
    moving = Move(velocities=v, positions=p).schedule(8)
    measure = Measure(points=p, heights=heights)
    text = message(lambda: measure.schedule(8))
    assert text.startswith("Measure (")
    assert "reads `points`" in text
    measuring = measure.schedule(8, depends_on=moving)
    assert "writes `positions`" in message(lambda: Move(velocities=v, positions=p).schedule(8))
    measuring.complete()
    moving.complete()


def test_jobs_that_only_read_the_same_memory_need_no_order() -> None:
    v, p, q = arrays("v", "p", "q")
    one = Move(velocities=v, positions=p).schedule(8)
    two = Move(velocities=v, positions=q).schedule(8)
    sb.combine(one, two).complete()


def test_halves_of_an_array_do_not_meet() -> None:
    v, p = arrays("v", "p")
    one = Move(velocities=v, positions=p[:4]).schedule(4)
    two = Move(velocities=v, positions=p[4:]).schedule(4)
    sb.combine([one, two]).complete()


def test_order_goes_by_way_of_other_jobs_and_combined_handles() -> None:
    v, p, q = arrays("v", "p", "q")
    one = Move(velocities=v, positions=p).schedule(8)
    two = Move(velocities=v, positions=q).schedule(8)
    both = sb.combine(one, two)
    between = Move(velocities=v, positions=np.zeros((8, 3), np.float32)).schedule(8, 1, both)
    Move(velocities=q, positions=p).schedule(8, depends_on=between).complete()
    Move(velocities=v, positions=q).schedule(8).complete()


def test_structs_are_memory_too() -> None:
    wind, (v,) = Wind(push=float3(1, 2, 3)), arrays("v")
    blowing = Blow(wind=wind, velocities=v).schedule(8)
    assert "writes `wind`" in message(lambda: Turn(wind=wind).schedule())
    assert gust(Wind()) == 0
    Turn(wind=wind).schedule(depends_on=blowing).complete()
    assert wind.push.x == -1


def test_kernels_may_not_touch_what_a_scheduled_job_writes() -> None:
    v, p = arrays("v", "p")
    handle = Move(velocities=v, positions=p).schedule(8)
    text = message(lambda: add(p, np.zeros((8, 3), np.float32)))
    assert text.startswith(
        "add(): parameter 'a' is memory that the scheduled job Move (test_job_safety.py:"
    )
    assert "writes, as its `positions`" in text
    assert "reads, as its `velocities`" in message(lambda: add(p * 0, v))
    add(v, np.zeros((8, 3), np.float32))
    text = message(lambda: Move(velocities=v, positions=p).run(8))
    assert text.startswith("Move(): parameter 'positions'")
    for call in (lambda: math.sin(p[3:5]), lambda: math.cos(v * 0, out=v)):
        assert "is memory that the scheduled job Move" in message(call)
    math.sin(v)
    math.sin(0.5)
    handle.complete()
    add(p, v)
    math.sin(p)


def test_a_job_is_not_scheduled_again_while_it_is() -> None:
    (v,) = arrays("v")
    job = Measure(points=v, heights=np.zeros(8, np.float32))
    handle = job.schedule(8)
    text = message(lambda: job.schedule(8))
    assert "is scheduled again, but Measure (" in text
    job.schedule(8, depends_on=handle).complete()
    job.schedule(8).complete()


def test_waiting_for_oneself_is_a_cyclic_dependency() -> None:
    class Length:
        handle: Any = None

        def __init__(self) -> None:
            self.has_handle = threading.Event()  # a worker may start the job at once

        def __len__(self) -> int:
            self.has_handle.wait()
            self.handle.complete()
            return 3

    v, p = arrays("v", "p")
    for workers in (1, 2):
        sb.set_workers(workers)
        length = Length()
        first = Move(velocities=v, positions=p).schedule(length)
        second = Move(velocities=v, positions=p).schedule(4, depends_on=first)
        length.handle = second
        length.has_handle.set()
        with pytest.raises(JobError, match="a cyclic dependency"):
            second.complete()
        with pytest.raises(JobError, match="a cyclic dependency"):
            first.complete()
    sb.set_workers(None)


def test_an_error_in_a_length_comes_out_of_complete() -> None:
    class Broken:
        def __len__(self) -> int:
            raise ZeroDivisionError("broken")

    v, p = arrays("v", "p")
    handle = Move(velocities=v, positions=p).schedule(Broken())
    with pytest.raises(ZeroDivisionError, match="broken"):
        handle.complete()
    Move(velocities=v, positions=p).schedule(8).complete()


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
        "'i' says which elements are this turn's own",
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


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_race_of_an_unsafe_job_is_found_in_debug(workers: int) -> None:
    @sb.job(debug=True)
    class Scatter(sb.ParallelFor):
        order: sb.ReadOnly[int32]
        out: sb.unsafe_parallel[sb.Array[int32]]

        def execute(self, index: int32):
            self.out[self.order[index]] = index

    sb.set_workers(workers)
    order, out = np.arange(9, dtype=np.int32)[::-1].copy(), np.zeros(9, np.int32)
    job = Scatter(order=order, out=out)
    n = np.array([9], np.int32)
    for length in (9, n):
        out[:] = 0
        job.schedule(length, batch=2).complete()
        assert np.array_equal(out, order)
    order[7] = order[2]
    calls = (job.run, lambda n: job.schedule(n, 1).complete(), job.check_races)
    for call in calls:
        for length in (9, n):
            with pytest.raises(sb.RaceError, match="turns 2 and 7 of a parallel range race for"):
                call(length)
    with pytest.raises(ArgumentError, match="debug is True or False, not 'yes'"):
        sb.job(debug="yes")  # type: ignore[call-overload]
    sb.set_workers(None)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 128])
def test_batches_of_their_own_cover_every_index_once(n: int) -> None:
    @sb.job
    class Mark(sb.ParallelForBatch):
        out: sb.Array[int64]

        def execute(self, start: int64, count: int64):
            for i in range(start, start + count):
                self.out[i] += int64(1)

    out = np.zeros(n, np.int64)
    Mark(out=out).schedule(n).complete()
    assert np.all(out == 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_handles_stay_with_their_process() -> None:
    script = """
import os, warnings
import numpy as np
warnings.simplefilter("ignore")
from tests.unit.jobs.test_job_safety import Move, sb
sb.set_workers(3)
v, p = np.ones((5000, 3), np.float32), np.zeros((5000, 3), np.float32)
job = Move(velocities=v, positions=p)
handle = job.schedule(5000, batch=10)
child = os.fork()
if not child:
    try:
        for call in (handle.complete, lambda: handle.is_completed,
                     lambda: job.schedule(5000, depends_on=handle)):
            try:
                call()
            except sb.JobError as error:
                assert "was scheduled by another process" in str(error), error
            else:
                os._exit(2)
        before = p.copy()
        job.schedule(5000, batch=10).complete()
        os._exit(0 if np.all(p == before + 1) else 1)
    except BaseException as error:
        print(error, flush=True)
        os._exit(3)
assert os.waitpid(child, 0)[1] == 0
handle.complete()
assert np.all(p == 1)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=HANG_SECONDS)


def test_the_process_ends_though_jobs_are_scheduled() -> None:
    script = """
import numpy as np
from tests.unit.jobs.test_job_safety import Move, sb
sb.set_workers(4)
v, p = np.ones((500000, 3), np.float32), np.zeros((500000, 3), np.float32)
handle = Move(velocities=v, positions=p).schedule(500000, batch=1)
for _ in range(10):
    handle = Move(velocities=v, positions=p).schedule(500000, batch=1, depends_on=handle)
print("end")
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=HANG_SECONDS,
        capture_output=True,
        text=True,
    )
    assert (run.stdout, run.stderr) == ("end\n", "")


@sb.job
class Smear(sb.ParallelFor):
    values: sb.Array[float32]
    step: int32

    def execute(self, index: int32):
        if index >= int32(40):
            self.values[index] = self.values[index + self.step]


@sb.job
class SmearRows(sb.ParallelFor):
    grid: sb.Array[float32, 2]

    def execute(self, index: int64):
        for j in range(3):
            self.grid[index, j] = float32(1)
        if index == int64(50):
            self.grid[index - int64(1), 2] = float32(2)


@sb.job
class SmearBatches(sb.ParallelForBatch):
    values: sb.Array[float32]

    def execute(self, start: int32, count: int32):
        for i in range(start, start + count):
            self.values[i] += float32(1)
        if start > int32(30):
            self.values[start - int32(1)] = float32(0)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("batch", [1, 8, 100])
def test_leaving_the_own_index_traps_with_the_index_and_the_range(workers: int, batch: int) -> None:
    sb.set_workers(workers)
    cases: list[tuple[Any, int, str]] = [
        (Smear(values=np.zeros(101, np.float32), step=1), batch,
         "index 41 of `self.values` is outside this turn's own range [40, 41)"),
        (Smear(values=np.zeros(101, np.float32), step=-2), batch,
         "index 38 of `self.values` is outside this turn's own range [40, 41)"),
        (SmearRows(grid=np.zeros((101, 3), np.float32)), batch,
         "index 49 of `self.grid` is outside this turn's own range [50, 51)"),
        (SmearBatches(values=np.zeros(101, np.float32)), 16,
         "index 31 of `self.values` is outside this turn's own range [32, 48)"),
    ]  # fmt: skip
    for job, size, expected in cases:
        for call in (job.managed_run, job.run, lambda n, b, job=job: job.schedule(n, b).complete()):
            text = message(lambda call=call, size=size: call(100, size))
            assert text.startswith(expected), text
    Smear(values=np.zeros(101, np.float32), step=0).schedule(100, batch).complete()
    sb.set_workers(None)


def test_completed_jobs_hold_no_memory() -> None:
    v, p = arrays("v", "p")
    handle = Move(velocities=v, positions=p).schedule(8)
    held = weakref.ref(p)
    del p
    gc.collect()
    assert held() is not None
    handle.complete()
    gc.collect()
    assert held() is None


def test_what_runs_here_and_now_waits_for_scheduled_jobs_too() -> None:
    v, p = arrays("v", "p")
    count = np.zeros(1, np.int32)
    moving = Move(velocities=v, positions=p).schedule(8)
    counting = Count(result=count).schedule()
    measure = Measure(points=p, heights=np.zeros(8, np.float32))
    other = Move(velocities=v, positions=np.zeros((8, 3), np.float32))
    for run in (
        lambda: measure.run(8),
        lambda: measure.managed_run(8),
        lambda: other.run(count),
        lambda: other.managed_run(count),
    ):
        with pytest.raises(ArgumentError, match="is memory that the scheduled job"):
            run()
    moving.complete()
    counting.complete()
    other.run(count)


def test_reductions_of_arrays_that_they_copy_wait_too() -> None:
    v, p = arrays("v", "p")
    moving = Move(velocities=v, positions=p).schedule(8)
    for x in (p, p[::2], p[:, 1]):
        with pytest.raises(ArgumentError, match="is memory that the scheduled job Move"):
            math.sum(x)
    moving.complete()
    assert math.sum(p[:, 1]) == 0


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


def test_managed_and_watched_calls_wait_too() -> None:
    v, p = arrays("v", "p")
    wind = Wind(push=float3(1, 2, 3))
    moving = Move(velocities=v, positions=p).schedule(8)
    turning = Turn(wind=wind).schedule()
    for call in (
        lambda: add.managed(p, v),
        lambda: add.managed(v, out=p),
        lambda: add.check_races(v, p),
        lambda: sb.assert_same_bits(add, v, p),
        lambda: gust.managed(wind),
    ):
        with pytest.raises(ArgumentError, match="is memory that the scheduled job"):
            call()
    moving.complete()
    turning.complete()
    add.managed(v, p)
    assert gust.managed(wind) == -1
