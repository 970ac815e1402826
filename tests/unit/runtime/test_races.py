"""A race is found, and named by its iterations, memory and source; what is none is not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from tests.support.kernels import parallel_kernels as k
from tests.support.kernels import racing_kernels as r
from tests.support.kernels.parallel_calls import CALLS, IDS

import samebits as sb
from samebits.runtime.races import check_batches


@pytest.mark.parametrize(("kernel", "args"), CALLS, ids=IDS)
def test_kernels_without_a_race_give_their_result(kernel: Any, args: Any) -> None:
    if kernel is k.unsafe_scatter:
        args = (np.array([3, 1, 0, 8], np.int32), args[1])
    copies = [a.copy() if hasattr(a, "copy") else a for a in args]
    again = [a.copy() if hasattr(a, "copy") else a for a in args]
    assert repr(kernel.check_races(*copies)) == repr(kernel(*again))
    for a, b in zip(copies, again, strict=True):
        if isinstance(a, np.ndarray):
            assert a.tobytes() == b.tobytes()


def race(kernel: Any, *args: Any) -> sb.RaceError:
    with pytest.raises(sb.RaceError) as caught:
        kernel.check_races(*args)
    return caught.value


def test_two_writers_of_one_element_race() -> None:
    error = race(k.unsafe_scatter, np.array([3, 1, 3], np.int32), np.zeros(9, np.float32))
    assert (error.first.iteration, error.second.iteration) == (0, 2)
    assert error.second.place == "y[3]"
    line = k.unsafe_scatter.function.__code__.co_firstlineno + 3
    assert (error.first.span.line, error.second.span.line) == (line, line)


def test_a_reader_and_a_writer_race_in_either_order() -> None:
    world = r.Flock()
    earlier = race(r.reads_the_next, world)
    assert str(earlier.first).startswith("  iteration 0 reads flock.birds[1].pos.x at ")
    assert str(earlier.second).startswith("  iteration 1 writes flock.birds[1].pos.x at ")
    later = race(r.reads_the_one_before, world)
    assert str(later.first).startswith("  iteration 0 writes flock.birds[0].pos.x at ")
    assert str(later.second).startswith("  iteration 1 reads flock.birds[0].pos.x at ")
    assert later.message == "iterations 0 and 1 of a parallel range race for flock.birds[0].pos.x"


def test_a_writer_races_with_the_second_of_its_readers() -> None:
    error = race(r.reads_the_first, np.zeros((4, 3), np.float32))
    assert (error.first.iteration, error.second.iteration) == (1, 3)
    assert error.second.place == "a[3, 0]"


def test_one_array_under_two_names_races() -> None:
    x = np.zeros(8, np.float32)
    error = race(k.mirror, x, x)
    assert {error.first.place, error.second.place} == {"x[3]", "y[3]"}


def test_copies_of_structs_are_accesses_of_all_their_fields() -> None:
    error = race(r.copies_the_next, r.Flock())
    assert error.second.place.startswith("flock.birds[1].")


def test_iterations_of_different_ranges_do_not_race() -> None:
    r.one_after_the_other.check_races(np.zeros(8, np.float32))


def test_a_race_error_can_be_pickled() -> None:
    error = race(r.reads_the_next, r.Flock())
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)


def test_batches_of_a_job_are_iterations() -> None:
    y = np.zeros(9, np.float32)
    check_batches(r.batch, [(0, 3), (3, 6)], (np.arange(9, dtype=np.int32), y))
    assert y.tolist() == [1.0] * 6 + [0.0] * 3
    with pytest.raises(sb.RaceError) as caught:
        check_batches(r.batch, [(0, 3), (3, 6)], (np.array([0, 1, 2, 3, 2, 5], np.int32), y))
    assert (caught.value.first.iteration, caught.value.second.iteration) == (0, 3)
    assert caught.value.second.place == "y[2]"
