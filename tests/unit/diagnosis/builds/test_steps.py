"""Of the statements whose values differ, the first that matters is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

from samebits.diagnosis.builds.compilers import steps
from samebits.diagnosis.builds.compilers.steps import FirstStep, LoggedRuns
from samebits.export.plain_c.waiting import Step
from samebits.ir.grammar import Op, walk
from samebits.sim.load import load_simulation
from samebits.types import ScalarType

RING = load_simulation(str(SIMULATIONS / "ported_simulation.py"))
Given = Mapping[int, int]
Program = Callable[[Given], tuple[list[float], float]]
"""What its three steps give, with other values given to some, and its state."""


def program(first: float, second: float, broken: bool = False, hidden: float = 0.0) -> Program:
    """Steps of which the first is rounded away, unless the second one is another; and something
    `hidden` that none of them tells."""

    def run(given: Given) -> tuple[list[float], float]:
        def step(place: int, value: float) -> float:
            computed.append(value)
            return float(np.uint64(given[place]).view(np.float64)) if place in given else value

        computed: list[float] = []
        a = step(0, first)
        b = step(1, second)
        c = step(2, float(np.floor(a)) + b * 8.0 + broken)
        return computed, c + hidden

    return run


def first_of(
    monkeypatch: pytest.MonkeyPatch, a: Program, b: Program, b_forced: Program
) -> tuple[int, bool] | None:
    stores = [
        s
        for s in walk(RING.program.kernels.functions["ported_simulation.measure"].body)
        if isinstance(s, Op) and s.opcode in ("set", "store")
    ]
    every = [(s.args[-1].type, s.span) for s in stores]
    floats = [Step(t, at) for t, at in every if isinstance(t, ScalarType) and t.is_float][:3]
    programs = {"a": a, "b": b, "b forced": b_forced}

    class Frames:
        def __init__(self, built: str, *_: object) -> None:
            self.program = programs[built]

        def logged(self, given: Given) -> steps._Log:  # pyright: ignore[reportPrivateUsage]
            values, state = self.program(given)
            bits = np.array(values).view(np.uint64)
            rows = np.stack([np.arange(3, dtype=np.uint64), bits], axis=1)
            return steps._Log(rows, hash(state))  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr(steps, "_Frames", Frames)

    def run_of(self: LoggedRuns, file: Path, *_: bytes | None) -> nullcontext[str]:
        return nullcontext(str(file))

    monkeypatch.setattr(LoggedRuns, "_run", run_of)
    runs = LoggedRuns(
        RING.program, lambda: Path("a"), lambda: Path("b"), lambda: Path("b forced"), floats, 1,
        np.zeros((1, 1), RING.input_type.dtype), {0: hash(b({})[1])}, 1.0,
    )  # fmt: skip
    found: FirstStep | None = runs.first(0)
    return None if found is None else (floats.index(_op_at(found, floats)), found.sure)


def _op_at(found: FirstStep, floats: list[Step]) -> Step:
    place = found.fact.place
    at = [op for op in floats if (op.span.line, op.span.column) == (place.line, place.column)]
    return at[0]


def test_a_step_matters_whose_own_value_gives_b_another_hash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = program(2.25, 1.0), program(3.5, 1.5)
    assert first_of(monkeypatch, a, b, b) == (0, True)
    a = program(3.25, 1.0)
    assert first_of(monkeypatch, a, b, b) == (1, True), "the first is rounded away"


def test_where_steps_that_can_be_forced_change_the_build_the_step_is_not_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = program(3.25, 1.0), program(3.5, 1.5, hidden=0.25)
    assert first_of(monkeypatch, a, b, program(3.5, 1.5, broken=True)) == (1, False)


def test_a_step_is_sure_whose_values_give_side_a_the_hash_of_b(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = program(3.25, 1.0), program(3.5, 1.5)
    assert first_of(monkeypatch, a, b, program(3.5, 1.5, broken=True)) == (1, True)


def test_a_step_that_both_sides_round_away_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = program(3.25, 1.0), program(3.5, 1.0)
    assert first_of(monkeypatch, a, b, b) is None
