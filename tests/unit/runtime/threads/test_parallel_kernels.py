"""What a parallel range gives does not depend on how many threads run it, nor on their batches."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.support.kernels import batched_kernels as b
from tests.support.kernels import parallel_kernels as k
from tests.support.shared_ranges import ranges_shared

import samebits as sb
from samebits.lang.kernel import Kernel
from samebits.runtime.threads.pool import set_workers

WORKERS = (1, 2, 3, 7)
N = 5000


@pytest.fixture(autouse=True)
def _own_number_of_workers() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    set_workers(None)


@pytest.fixture
def shared() -> Callable[[], int]:
    """How many parallel ranges ran on several threads since the test began."""
    before = ranges_shared()
    return lambda: ranges_shared() - before


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).uniform(-3, 3, shape).astype(np.float32)


def results(kernel: Kernel, make: Callable[[], tuple[Any, ...]]) -> set[bytes]:
    """The memory that `kernel` leaves, for each number of workers."""
    found: set[bytes] = set()
    for workers in WORKERS:
        set_workers(workers)
        args = make()
        value = kernel(*args)
        found.add(b"".join([*(np.asarray(a).tobytes() for a in args), repr(value).encode()]))
    return found


@pytest.mark.parametrize("batch", b.BATCHES)
def test_results_do_not_depend_on_workers_or_batches(batch: int, shared: Callable[[], int]) -> None:
    kernel = b.with_batch(batch)
    found = results(kernel, lambda: (floats(N), floats(N, 3)))
    plain = floats(N), floats(N, 3)
    b.in_order(*plain)
    assert found == {b"".join([*(a.tobytes() for a in plain), b"None"])}
    assert shared() == 3


def test_a_start_other_than_0_is_the_first_batchs_first_iteration(
    shared: Callable[[], int],
) -> None:
    found = results(k.between, lambda: (np.int64(100), np.int64(N), floats(N)))
    assert len(found) == 1
    assert shared() == 3
    set_workers(3)
    y = np.zeros(N, np.float32)
    k.between(100, N, y)
    assert y.tolist() == [0] * 100 + list(range(100, N))


def test_a_large_range_is_handed_out_without_a_batch(
    shared: Callable[[], int],
) -> None:
    n = 1 << 20
    found = results(k.saxpy, lambda: (np.float32(2), floats(n), floats(n)))
    assert len(found) == 1
    assert shared() == 3


def test_a_small_range_runs_in_line(shared: Callable[[], int]) -> None:
    set_workers(3)
    k.saxpy(np.float32(2), floats(1000), floats(1000))
    assert shared() == 0


def test_captured_values_of_every_type_reach_the_iterations() -> None:
    found = results(b.every_type, lambda: (*b.VALUES, np.zeros((300, 8), np.float64)))
    assert len(found) == 1
    set_workers(3)
    out = np.zeros((300, 8), np.float64)
    b.every_type(*b.VALUES, out)
    assert out[299].tolist() == [299 + float(v) for v in b.AS_FLOATS]


@pytest.mark.parametrize("workers", WORKERS)
def test_the_lowest_index_traps_always(workers: int) -> None:
    set_workers(workers)
    odd = k.inverse.function.__code__.co_firstlineno + 5
    for repetition in range(100):
        y = np.full(400, 3, np.int32)
        zeros = 37 + repetition, 38 + repetition, 150, 151, 398
        y[list(zeros)] = 0
        with pytest.raises(sb.Trap) as caught:
            k.inverse(y)
        assert caught.value.kind == "zero"
        span = caught.value.span
        assert span is not None
        assert span.line == (odd if zeros[0] % 2 else odd + 2)
        assert (y[: zeros[0]] != 3).all()


@pytest.mark.parametrize("workers", WORKERS)
def test_the_numbers_of_an_own_index_trap_are_those_of_the_lowest_iteration(workers: int) -> None:
    set_workers(workers)
    for repetition in range(100):
        at = np.arange(300, dtype=np.int32)
        at[20 + repetition :] = 299 - at[20 + repetition :]
        with pytest.raises(sb.Trap) as caught:
            k.scatter(at, floats(300))
        iteration = 20 + repetition
        assert caught.value.own == (299 - iteration, iteration, iteration + 1)


def test_one_array_by_two_names_gives_what_the_plain_loop_gives(
    shared: Callable[[], int],
) -> None:
    def both() -> tuple[Any, ...]:
        x = floats(1 << 20)
        return x, x

    found = results(k.mirror, both)
    assert len(found) == 1
    assert (
        shared() == 0
    )  # the order of the iterations makes a difference: nothing else may run them
    expected = floats(1 << 20)
    k.mirror.managed(expected[:64], expected[:64])
    x = floats(1 << 20)[:64].copy()
    k.mirror(x, x)
    assert x.tobytes() == expected[:64].tobytes()


def test_overlapping_arrays_give_what_the_plain_loop_gives(shared: Callable[[], int]) -> None:
    def overlapping() -> tuple[Any, ...]:
        x = floats((1 << 20) + 1)
        return np.float32(2), x[:-1], x[1:]

    assert len(results(k.saxpy, overlapping)) == 1
    assert shared() == 0


def test_one_array_for_input_and_output_is_shared_all_the_same(
    shared: Callable[[], int],
) -> None:
    def both() -> tuple[Any, ...]:
        x = floats(1 << 20)
        return np.float32(2), x, x

    assert len(results(k.saxpy, both)) == 1
    assert shared() == 3


def test_a_parallel_range_in_what_an_iteration_calls_runs_in_its_own_thread() -> None:
    found = results(b.outer_rows, lambda: (floats(40, 64),))
    assert len(found) == 1


def test_arrays_of_the_kernels_own_are_shared_by_the_iterations() -> None:
    found = results(b.local_partials, lambda: (floats(64),))
    assert len(found) == 1


def test_kernels_of_several_threads_share_the_workers() -> None:
    set_workers(3)
    expected = floats(N), floats(N, 3)
    b.in_order(*expected)
    kernel = b.with_batch(7)
    kernel(floats(N), floats(N, 3))
    bad: list[int] = []

    def run(number: int) -> None:
        for _ in range(20):
            args = floats(N), floats(N, 3)
            kernel(*args)
            if any(a.tobytes() != e.tobytes() for a, e in zip(args, expected, strict=True)):
                bad.append(number)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bad == []


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="the system has no such signals")
def test_an_interrupted_kernel_ends_and_leaves_the_pool_working() -> None:
    set_workers(2)
    b.long_iterations(floats(4))
    before = ranges_shared()

    def interrupt() -> None:
        while ranges_shared() == before:
            time.sleep(0.0005)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt, daemon=True)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        b.long_iterations(floats(2_000_000))  # minutes, were it not left
    sender.join()
    y = floats(64)
    b.long_iterations(y)
    again = floats(64)
    set_workers(1)
    b.long_iterations(again)
    assert y.tobytes() == again.tobytes()


@sb.kernel
def moved(p: sb.Array[sb.float3], v: sb.Array[sb.float3], dt: sb.float32) -> None:
    for i in sb.prange(len(p)):
        p[i] += v[i] * dt


@pytest.mark.parametrize("is_one", [False, True])
def test_ranges_over_vectors_are_shared_as_soon_as_others(
    is_one: bool, shared: Callable[[], int]
) -> None:
    """What runs over components is another copy of the loop, no loop of iterations that cost less;
    each iteration keeps to its own element of both arrays, which may be one."""
    set_workers(2)
    places, speeds = floats(30_000, 3), floats(30_000, 3)
    if is_one:
        speeds = places
    wanted = places + speeds * np.float32(0.5)
    moved(places, speeds, 0.5)
    assert shared() == 1
    assert places.tobytes() == wanted.tobytes()
