"""Host time or host randomness in a result, different in each run."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from samebits.bits import round_float
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.catalogue.perturb import mixed, noise, results
from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.ir.grammar import Module, Op
from samebits.ir.refs import OpRef
from samebits.types import UINT64, ScalarType

_BITS = (4, 2, 12)
_TIMING_ERROR = 0.02
"""Most relative error of a measured time step."""


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    yield _timed(module, place, draws), "as by a measured time step"
    for count in _BITS:
        editor = FunctionEditor(module, place.function)
        with editor.instead(place.op) as op:
            assert isinstance(op, Op)
            scalars = [value for value in op.args if isinstance(value.type, ScalarType)]
            number = noise(module, place, editor, scalars, draws)
            mixed(editor, op, editor.op("and", number, editor.const(UINT64, (1 << count) - 1)))
        yield editor.done(), f"random numbers in its lowest {count} bits"


def _timed(module: Module, place: OpRef, draws: Random) -> Module:
    editor = FunctionEditor(module, place.function)
    with editor.instead(place.op) as op:
        assert isinstance(op, Op)
        t = op.result.type
        assert isinstance(t, ScalarType)
        value = editor.again(op)
        if t.is_float:
            factor = round_float(
                1.0 + draws.choice((1, -1)) * draws.uniform(1e-4, _TIMING_ERROR), t.bits
            )
            editor.give(op.id, "mul", value, editor.const(t, factor), type=t)
        else:
            editor.give(op.id, "add", value, editor.const(t, draws.randrange(1, 100)), type=t)
    return editor.done()


HOST = ProgramHazard(
    "host",
    "host time or host randomness in a result",
    results,
    _changes,
    practice="clocks and measured frame times, rand(), addresses, random hash seeds",
    remedy="step by a constant, draw from a generator in the state, make both inputs",
    varies=True,
)
