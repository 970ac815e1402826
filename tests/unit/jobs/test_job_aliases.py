"""Two fields of one job over the same memory: the own element by two names, or a refusal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import samebits as sb
from samebits import FixedArray, float32, int32


@sb.job
class Shift(sb.ParallelFor):
    source: sb.ReadOnly[float32]
    out: sb.Array[float32]

    def execute(self, index: int32):
        if index + 1 < len(self.source):
            self.out[index] = self.source[index + 1] * 0.5


@sb.job
class Scale(sb.ParallelFor):
    source: sb.ReadOnly[float32]
    out: sb.Array[float32]

    def execute(self, index: int32):
        if self.source[index] < 0:
            return
        self.out[index] = self.source[index] * 2


@sb.job
class Blocks(sb.ParallelForBatch):
    source: sb.ReadOnly[float32]
    out: sb.Array[float32]

    def execute(self, start: int32, count: int32):
        for i in range(start, start + count):
            self.out[i] = self.source[i] + 1


@sb.job
class Total(sb.ParallelFor):
    source: sb.ReadOnly[float32]
    out: sb.Array[float32]

    def execute(self, index: int32):
        self.out[index] = sb.math.sum(self.source)


@sb.job
class Swap(sb.ParallelFor):
    a: sb.Array[float32]
    b: sb.Array[float32]

    def execute(self, index: int32):
        self.a[index] += 1
        self.b[index] *= 2


@sb.job
class Free(sb.ParallelFor):
    source: sb.ReadOnly[float32]
    out: sb.unsafe_parallel[sb.Array[float32]]

    def execute(self, index: int32):
        self.out[2 * index] = self.source[2 * index + 1]


@sb.job
class InOrder(sb.For):
    source: sb.ReadOnly[float32]
    out: sb.Array[float32]

    def execute(self, index: int32):
        if index > 0:
            self.out[index] = self.source[index - 1] + 1


@sb.struct
class Weights:
    each: FixedArray[float32, 8]


@sb.job
class Weigh(sb.ParallelFor):
    weights: Weights
    out: sb.Array[float32]

    def execute(self, index: int32):
        self.out[index] = self.weights.each[7 - index]


def message(run: Callable[[], object]) -> str:
    with pytest.raises(sb.JobError) as info:
        run()
    return str(info.value)


def test_reading_elsewhere_what_another_field_writes_is_refused() -> None:
    x = np.ones(8, np.float32)
    expected = (
        "Shift writes `out`, which shares memory with its `source`\n"
        "  note: an index accesses elements of `source` that belong to other indices, which may or "
        "may not have run\n"
        "  fix: give the job a copy: source=array.copy()"
    )
    shift = Shift(source=x, out=x)
    assert message(lambda: shift.schedule(8)) == expected
    assert message(lambda: shift.run(8)) == expected
    assert message(lambda: shift.managed_run(8)) == expected
    Shift(source=x.copy(), out=x).schedule(8).complete()
    assert x[0] == 0.5
    with pytest.raises(sb.RaceError):
        shift.check_races(8)


def test_the_own_element_of_one_array_by_two_names_is_allowed() -> None:
    x = np.arange(8, dtype=np.float32)
    Scale(source=x, out=x).schedule(8, batch=1).complete()
    Swap(a=x, b=x).schedule(8, batch=1).complete()
    assert x.tolist() == [(2 * i + 1) * 2 for i in range(8)]


def test_arrays_that_overlap_out_of_step_are_refused() -> None:
    x = np.zeros(9, np.float32)
    text = message(lambda: Swap(a=x[1:], b=x[:-1]).schedule(8))
    assert "an element of one array is another index's element of the other" in text
    assert "fix: give the fields arrays that do not overlap" in text
    Swap(a=x[:4], b=x[4:8]).schedule(4).complete()


def test_whole_arrays_structs_and_batches_count_as_elsewhere() -> None:
    x = np.zeros(8, np.float32)
    weights = Weights()
    assert "accesses elements of `source`" in message(lambda: Total(source=x, out=x).schedule(8))
    assert "accesses elements of `source`" in message(lambda: Blocks(source=x, out=x).schedule(8))
    each = weights.memory["each"]
    assert "accesses elements of `weights`" in message(
        lambda: Weigh(weights=weights, out=each).schedule(8)
    )


def test_what_runs_in_order_or_is_declared_unsafe_may_share() -> None:
    x = np.zeros(8, np.float32)
    InOrder(source=x, out=x).schedule(8).complete()
    assert x.tolist() == list(range(8))
    Free(source=x, out=x).schedule(4).complete()
    assert x[::2].tolist() == [1, 3, 5, 7]
