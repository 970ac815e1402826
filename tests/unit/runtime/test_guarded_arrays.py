"""Guarded arrays: whatever Python does with memory that a scheduled job writes is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, int32, uint64
from samebits.errors import ArgumentError


@sb.job
class Double(sb.ParallelFor):
    source: sb.ReadOnly[float32]
    out: sb.WriteOnly[float32]

    def execute(self, index: int32):
        self.out[index] = self.source[index] * 2.0


Array = Any


@pytest.fixture
def pending() -> Iterator[tuple[Array, Array]]:
    source = sb.guarded(np.arange(8, dtype=np.float32))
    out = sb.guarded(np.zeros(8, np.float32))
    handle = Double(source=source, out=out).schedule(8)
    yield source, out
    handle.complete()
    assert out[3] == 6.0  # and now it may be used
    out[3] = 1.0
    assert source.sum() == 28.0


READS: dict[str, Callable[[Array], Any]] = {
    "an element": lambda a: a[3],
    "elements by a mask": lambda a: a[np.array([True] * 8)],
    "a ufunc": lambda a: a + 1,
    "a comparison": lambda a: a == a,
    "a reduction": lambda a: a.sum(),
    "a method": lambda a: a.mean(),
    "a function": lambda a: np.concatenate([a, a]),
    "a loop": lambda a: list(a),
    "a list": lambda a: a.tolist(),
    "bytes": lambda a: a.tobytes(),
    "a copy": lambda a: a.copy(),
    "another type": lambda a: a.astype(np.float64),
    "an item": lambda a: a[:1].item(),
    "a view's element": lambda a: a[2:5][0],
}
WRITES: dict[str, Callable[[Array], Any]] = {
    "an element": lambda a: a.__setitem__(3, 1.0),
    "a slice": lambda a: a[1:].__setitem__(slice(None), 1.0),
    "in place": lambda a: a.__iadd__(1),
    "out": lambda a: np.add(1.0, 2.0, out=a),
    "fill": lambda a: a.fill(0),
    "sort": lambda a: a.sort(),
    "copyto": lambda a: np.copyto(a, 0),
    "at": lambda a: np.add.at(a, [0], 1.0),
}


@pytest.mark.parametrize("what", READS)
def test_what_a_job_writes_cannot_be_read(pending: tuple[Array, Array], what: str) -> None:
    with pytest.raises(
        ArgumentError, match=r"the scheduled job Double \(.*\) writes, as its `out`"
    ):
        READS[what](pending[1])


@pytest.mark.parametrize("what", READS)
def test_what_a_job_only_reads_can_be_read(pending: tuple[Array, Array], what: str) -> None:
    READS[what](pending[0])


@pytest.mark.parametrize("what", WRITES)
@pytest.mark.parametrize("which", [0, 1])
def test_what_a_job_uses_cannot_be_written(
    pending: tuple[Array, Array], what: str, which: int
) -> None:
    before = np.asarray(pending[0]).copy()
    with pytest.raises(ArgumentError, match="scheduled job Double"):
        WRITES[what](pending[which])
    assert np.array_equal(np.asarray(pending[0]), before)


def test_shapes_views_and_repr_are_free(pending: tuple[Array, Array]) -> None:
    _, out = pending
    assert (out.shape, out[2:].size, out.reshape(2, 4).ndim) == ((8,), 6, 2)
    assert "in use by a scheduled job" in repr(out)


def test_a_guarded_array_behaves_as_its_memory() -> None:
    plain = np.arange(6, dtype=np.float32)
    array = sb.guarded(plain)
    array += 1
    assert array is not plain
    assert plain[0] == 1.0
    assert isinstance(array, sb.GuardedArray)
    assert type(array * 2) is np.ndarray
    assert "guarded(" in repr(array)
    with pytest.raises(ArgumentError, match="guarded"):
        sb.guarded([1, 2])


@sb.struct
class State:
    x: sb.FixedArray[float32, 8]


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x[0] = 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x[0] += inputs[0].push


SMALL = sb.Simulation(
    name="small", version="1", state=State, input=Input, players=1, init=init, step=step
)


@pytest.mark.parametrize("what", ["step", "run", "hash", "save", "canonical_state", "restore"])
def test_a_session_is_not_used_while_a_job_writes_its_state(what: str) -> None:
    session = SMALL.start()
    saved = session.save()
    memory = session.state.memory.reshape(1).view(np.float32)
    handle = Double(source=np.ones(8, np.float32), out=memory).schedule(8)
    arguments: dict[str, tuple[Any, ...]] = {
        "step": ([{}],),
        "run": (np.zeros((2, 1), SMALL.input_type.dtype),),
        "restore": (saved,),
    }
    with pytest.raises(ArgumentError, match=rf"session.{what}\(\).*'state' is memory"):
        getattr(session, what)(*arguments.get(what, ()))
    handle.complete()
    assert session.hash() != SMALL.start().hash()
