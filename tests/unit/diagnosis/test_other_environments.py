"""A side in another floating-point environment: directions are traced, and run in whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.report.findings import THROUGHOUT, Diagnosis
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

SOURCE = """
import samebits as sb
from samebits import float32, math, uint64

@sb.struct
class State:
    angle: float32
    height: float32

@sb.struct
class Input:
    push: float32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.angle = float32(seed)

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    push = inputs[0].push
    STEP

def play(frame, player, seed):
    return {"push": (frame * 37 % 19) / 16 + 0.25}

GAME = sb.Simulation(name="GAME", version="1", state=State, input=Input, players=1,
                     init=init, step=step, scripts={"play": play})
"""
OWN = "state.angle = state.angle * 0.93 + push"
LIBRARY = """up, along = math.sincos(push)
    state.angle = along
    state.height = up * 0.7"""
FAINT = "state.angle = push * 1e-39"


def compared(folder: Path, step: str, b: str) -> Diagnosis:
    path = folder / "game.py"
    path.write_text(SOURCE.replace("STEP", step))
    game = load_simulation(str(path))
    source = PlayerSource(game, "play", 3, 60)
    return diagnose(game, source, parse_side("", game), parse_side(b, game))


@pytest.mark.parametrize("b", ["fpenv=up,from=5", "opt=0,fpenv=down", "fpenv=toward-zero,from=2"])
def test_another_direction_is_traced_and_its_operation_found(tmp_path: Path, b: str) -> None:
    found = compared(tmp_path, OWN, b)
    assert found.operation is not None
    assert found.operation.validation == "trace validated: it reproduces the run's bits"
    assert found.causes[0].hazard == "rounding"
    assert found.certainty == "certain"


def test_a_direction_acts_in_the_library_too(tmp_path: Path) -> None:
    found = compared(tmp_path, LIBRARY, "fpenv=up")
    assert found.operation is not None
    assert found.operation.opcode.startswith("call")
    assert found.operation.a != found.operation.b
    cause = found.causes[0]
    assert (cause.hazard, cause.scope, cause.holds) == ("rounding", THROUGHOUT, True)
    assert found.certainty == "certain"


def test_flushing_is_found_without_a_trace(tmp_path: Path) -> None:
    found = compared(tmp_path, FAINT, "fpenv=flush")
    assert found.causes[0].hazard == "flush"
    assert any("serves as proxy for side b" in note for note in found.notes)
