"""FAST code that says it is cosmetic: operations beside it are traced, and what leaks is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.backend.llvm.engine import host_target
from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.report.findings import Diagnosis
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

SOURCE = """
import samebits as sb
from samebits import float32, uint64

@sb.struct
class State:
    heights: sb.FixedArray[float32, 6]

@sb.struct
class Input:
    push: float32

@sb.kernel(mode=sb.FAST, cosmetic=True)
def glow(x: float32, y: float32) -> float32:
    return x * y + x * 1.3 + y * 0.7

@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(6):
        state.heights[i] = float32(i) * 0.37 + float32(seed)

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(6):
        h = state.heights[i]
        h = h * 0.93 + inputs[0].push * 0.11
        SHOWN
        state.heights[i] = h

def push(frame, player, seed):
    return {"push": float32(0.1 * (frame % 7) + 0.03)}

GAME = sb.Simulation(
    name="glowing", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"push": push},
)
"""


def compared(folder: Path, shown: str, a: str, b: str) -> Diagnosis:
    path = folder / "glowing.py"
    path.write_text(SOURCE.replace("SHOWN", shown))
    game = load_simulation(str(path))
    source = PlayerSource(game, "push", 1, 60)
    return diagnose(game, source, parse_side(a, game), parse_side(b, game))


def test_operations_beside_cosmetic_code_are_traced(tmp_path: Path) -> None:
    found = compared(tmp_path, "glow(h, h)", "", "hazard=fma@step")
    assert found.operation is not None
    assert (found.operation.place.function, found.operation.opcode) == ("step", "add")
    assert found.causes[0].hazard == "fma"
    assert not found.notes


@pytest.mark.skipif(not host_target().has_fma, reason="this processor fuses nothing")
@pytest.mark.parametrize(
    ("a", "b", "letter"), [("", "evaluate", "a"), ("evaluate", "", "b"), ("", "x86-64-v1", "a")]
)
def test_cosmetic_code_that_the_state_depends_on_is_named(
    tmp_path: Path, a: str, b: str, letter: str
) -> None:
    found = compared(tmp_path, "h += glow(h, inputs[0].push)", a, b)
    assert found.operation is not None
    assert found.operation.place.function == "glow"
    assert f"side {letter} has no trace (FAST)" in found.operation.validation
    assert found.causes[0].hazard == "fma"
    assert any(note.startswith("glow is said to be cosmetic") for note in found.notes)
