"""Heaps: Python's heapq as the model, in every execution; what Python itself does with them."""

from __future__ import annotations

import heapq
import pickle
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.containers import check, need, operations

import samebits as sb
from samebits import double2, float32, float64, int32, int64

Queue = sb.Heap[int64, int64, 6]
Model = list[tuple[int, int, int]]
"""As heapq's users have it: priority, a number that counts up, value."""


@sb.kernel
def run(h: Queue, ops: sb.ReadOnly[int64, 2], out: sb.Array[float64]) -> None:
    for i in range(ops.shape[0]):
        a, b = ops[i, 1], ops[i, 2]
        r = int64(0)
        match ops[i, 0]:
            case 0 | 1:
                h.push(a, b)
            case 2 | 3:
                r = int64(1) if h.try_push(a, b) else int64(0)
            case 4 | 5:
                if len(h) > 0:
                    p, v = h.pop()
                    r = p * 7 + v
            case 6:
                p, v = h.pop()
                r = p * 7 + v
            case 7:
                p, v = h.peek()
                r = p * 7 + v
            case 8:
                for p, v in h:
                    r = r * 3 + p * 7 + v
            case 9:
                if b == 0:
                    h.clear()
            case _:
                r = int64(len(h))
        out[i] = float64(r)


count = 0


def push(h: Model, a: int, b: int) -> None:
    global count
    count += 1
    heapq.heappush(h, (a, count, b))


def step(h: Model, code: int, a: int, b: int) -> float:
    match code:
        case 0 | 1 | 2 | 3:
            fits = len(h) < 6
            need(fits or code > 1)
            if fits:
                push(h, a, b)
            return fits and code > 1
        case 4 | 5 | 6 | 7:
            need(len(h) > 0 or code < 6)
            if h:
                p, _, v = h[0] if code == 7 else heapq.heappop(h)
                return p * 7 + v
        case 8:
            r = 0
            for p, _, v in sorted(h):
                r = r * 3 + p * 7 + v
            return r
        case 9:
            if b == 0:
                h.clear()
        case _:
            return len(h)
    return 0


def contents(h: Any) -> list[tuple[int, int]]:
    if isinstance(h, list):
        return [(p, v) for p, _, v in sorted(h)]
    return [(int(p), int(v)) for p, v in h]


def test_a_heap_is_heapq_with_ties_in_order_in_every_execution() -> None:
    rng = Random(5)
    whole = 0
    for case in range(120):
        given = [(rng.randrange(4), rng.randrange(5)) for _ in range(rng.randrange(7))]
        model: Model = []
        for a, b in given:
            push(model, a, b)
        ops = operations(rng, 11, 1 + case % 14, 4)
        whole += check(run, Queue(given), model, step, ops, contents)
    assert 20 < whole < 110


@sb.struct
class Event:
    time: float64
    what: int32

    def __lt__(self, other: Event) -> bool:
        return self.time < other.time

    def __eq__(self, other: Event) -> bool:
        return self.time == other.time and self.what == other.what


@sb.kernel
def simulate(events: sb.Heap[Event, 16], times: sb.Heap[float32, 4]) -> float64:
    for i in range(10):
        events.push(Event(float64(i * 7 % 5), i))
    total = 0.0
    while len(events) > 3:
        event = events.pop()
        total = total * 1.5 + event.time + float64(event.what)
        if event.time < 1:
            events.push(Event(event.time + 2.5, event.what + 100))
    times.push(1.5)
    times.push(-0.0)
    times.push(0.0)
    return total + float64(times.peek()) + float64(times.get(3))


def test_items_are_structs_with_an_order_or_numbers() -> None:
    given = (sb.Heap[Event, 16](), sb.Heap[float32, 4]())
    sb.assert_same_bits(simulate, *given)
    simulate(*given)
    assert [e.what for e in given[0]] == [9, 2, 7]
    assert repr(given[1]) == "Heap[float32, 4]([-0.0, 0.0, 1.5])"


@sb.kernel
def nan(h: sb.Heap[float64, double2, 2]) -> None:
    h.push(1, double2(0))
    h.push(math_nan, double2(0))


math_nan = float("nan")


def test_a_nan_has_no_place_in_a_heap() -> None:
    with pytest.raises(sb.Trap, match="a NaN has no place in a heap"):
        sb.assert_same_bits(nan, sb.Heap[float64, double2, 2]())


def test_python_uses_a_heap() -> None:
    h = sb.Heap[float64, int32, 4]([(2, 7), (1, 8)])
    assert repr(h) == "Heap[float64, int32, 4]([(1.0, 8), (2.0, 7)])"
    assert h.pop() == (1, 8)
    assert h == sb.Heap[float64, int32, 4]([(2, 7)])
    assert h == [(2, 7)]
    assert list(pickle.loads(pickle.dumps(h))) == [(2, 7)]
    with pytest.raises(sb.ArgumentError, match="holds 4 items; got 5"):
        sb.Heap[float64, 4](range(5))


@pytest.mark.parametrize("size", [-1, 7, 1 << 62, -(1 << 63)])
def test_a_length_that_memory_makes_up_reaches_no_other_memory(size: int) -> None:
    for code in range(11):
        h = Queue([(1, 2)])
        h.size = size
        with suppress(sb.Trap):
            sb.assert_same_bits(run, h, np.array([[code, 1, 1]]), np.zeros(1))


def test_what_has_no_order_is_refused() -> None:
    with pytest.raises(sb.CompileError, match="double2 has no order for Heap"):
        sb.Heap[double2, 4]
    with pytest.raises(sb.CompileError, match="bool has no order for Heap"):
        sb.Heap[bool, int32, 4]
    with pytest.raises(sb.CompileError, match="Event has no order for Heap"):
        sb.Heap[Event, int32, 4]
