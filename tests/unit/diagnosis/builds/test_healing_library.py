"""A result of a math library that is off, and forgotten in the next frame, is no changed state."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import samebits as sb
from samebits import float32, math, uint64
from samebits.desync.format import PROGRAM
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.driver import diagnose_report
from samebits.hazards.edit.other_results import OtherResult, functions_called, with_other_results
from samebits.sides.side import parse_side
from samebits.sides.words import read_words
from samebits.sim.sources import PlayerSource


@sb.struct
class State:
    phase: float32
    wave: float32


@sb.struct
class Input:
    by: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.phase = float32(0.5)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.phase += inputs[0].by
    state.wave = math.sin(state.phase)


def forth(frame: int, player: int, seed: int) -> dict[str, float]:
    """On and on."""
    return {"by": 0.125}


WAVE = sb.Simulation(
    name="wave",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    scripts={"forth": forth},
)


def test_a_result_that_is_off_in_one_frame_is_told_where_a_change_of_the_state_heals_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_module, "compilers", lambda: ())
    source = PlayerSource(WAVE, "forth", 1, 60)
    (name,) = functions_called(WAVE.program.kernels)
    phase = np.float32(0.5 + 0.125 * 21)
    off = OtherResult(name, (int(phase.view(np.uint32)),), 1)
    rewrite = partial(with_other_results, results=(off,))
    built = BuiltSide("theirs", WAVE, read_words("opt=0"), rewrite=rewrite)
    theirs = record_report(built, source, ReportRequest(None, None))
    parts = {key: data for key, data in theirs.parts.items() if key.topic != PROGRAM}
    found = diagnose_report(source, parse_side("", WAVE), replace(theirs, parts=parts))
    assert found.frame == 20
    assert found.causes[0].hazard in ("libm", "libm-ulp")
    assert found.certainty == "likely"
    assert [field.path for field in found.fields] == ["wave"]
    assert found.operation is not None
    assert found.operation.place.source.strip() == "state.wave = math.sin(state.phase)"
