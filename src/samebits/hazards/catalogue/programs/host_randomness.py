"""Host time or host randomness in a result, different in each run."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from samebits.bits import round_float
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.catalogue.perturb import mixed, noise, results
from samebits.hazards.edit.draft import Draft
from samebits.ir.grammar import Module, Op, Value
from samebits.ir.refs import OpRef
from samebits.types import UINT64, ScalarType

_BITS = (4, 2, 12)
_TIMING_ERROR = 0.02
"""Most relative error of a measured time step."""


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    yield _timed(module, place, draws), "scaled, as by a measured time step"
    for count in _BITS:
        draft = Draft(module, place.function)
        with draft.instead(place.op) as op:
            assert isinstance(op, Op)
            number = noise(module, place, draft, _scalars(op), draws)
            mixed(draft, op, draft.op("and", number, draft.const(UINT64, (1 << count) - 1)))
        yield draft.done(), f"random numbers in its lowest {count} bits"


def _scalars(op: Op) -> list[Value]:
    return [value for value in op.args if isinstance(value.type, ScalarType)]


def _timed(module: Module, place: OpRef, draws: Random) -> Module:
    draft = Draft(module, place.function)
    with draft.instead(place.op) as op:
        assert isinstance(op, Op)
        t = op.result.type
        assert isinstance(t, ScalarType)
        value = draft.again(op)
        if t.is_float:
            factor = round_float(
                1.0 + draws.choice((1, -1)) * draws.uniform(1e-4, _TIMING_ERROR), t.bits
            )
            draft.give(op.id, "mul", value, draft.const(t, factor), type=t)
        else:
            draft.give(op.id, "add", value, draft.const(t, draws.randrange(1, 100)), type=t)
    return draft.done()


HOST = ProgramHazard(
    "host",
    "host time or host randomness in a result",
    results,
    _changes,
    practice="clocks and measured frame times, rand(), addresses, random hash seeds",
    remedy="step by a constant, draw from a generator in the state, make both inputs",
    varies=True,
)
