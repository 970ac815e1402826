"""Inputs that differ are told by player, field, frame and shape, of a report's hashes alone as of
its inputs; then they are the cause, and give the fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.support.runs.compared import SMALL

from samebits.bits import xxh64
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.diagnosis.before.input_rows import InputRows
from samebits.diagnosis.before.inputs import other_inputs
from samebits.diagnosis.driver import diagnose_report, diagnose_reports
from samebits.diagnosis.report.findings import INPUT_SHAPES, Diagnosis
from samebits.diagnosis.report.text import as_lines
from samebits.sides.side import parse_side
from samebits.sim.inputs import Inputs
from samebits.sim.load import load_simulation
from samebits.sim.sources import InputBlock, PlayerSource
from samebits.types import INT32, StructType

FRAMES = 120
SIMULATION = load_simulation(SMALL)
Change = Callable[[Inputs, Inputs], None]
"""Changes the first inputs, of shape (frames, players), of which the second are a copy."""


class ChangedSource(PlayerSource):
    """The script's inputs, changed."""

    change: Change

    def blocks(self) -> Iterator[InputBlock]:
        for block in super().blocks():
            self.change(block.inputs, block.inputs.copy())
            yield block


def source(change: Change = lambda inputs, plain: None) -> ChangedSource:
    found = ChangedSource(SIMULATION, "push", 1, FRAMES)
    found.change = change
    return found


def report(change: Change, frames: range | None = None) -> Report:
    side = parse_side("opt=0", SIMULATION)
    made = record_report(side, source(change), ReportRequest(frames))
    return replace(made, name="theirs")


@cache
def ours(first: int, stop: int) -> Report:
    return replace(report(lambda inputs, plain: None, range(first, stop)), name="ours")


def beside(b: Report) -> Diagnosis:
    return diagnose_report(source(), parse_side("opt=0", SIMULATION), b)


def whole(frames: slice, player: int, made: Callable[[Inputs], Inputs]) -> Change:
    def change(inputs: Inputs, plain: Inputs) -> None:
        inputs[frames, player] = made(plain)

    return change


def one(frame: int, player: int, name: str, value: Any) -> Change:
    def change(inputs: Inputs, plain: Inputs) -> None:
        inputs[name][frame, player] = value

    return change


def exchanged(inputs: Inputs, plain: Inputs) -> None:
    inputs[40:, 0], inputs[40:, 1] = plain[40:, 1], plain[40:, 0]


NOTHING = np.zeros((), SIMULATION.input_type.dtype)
CASES: dict[str, tuple[Change, str]] = {
    "dropped": (
        whole(slice(70, 71), 0, lambda plain: NOTHING), "player 0's input is dropped in frame 70"
    ),
    "repeated": (
        whole(slice(50, 58), 1, lambda plain: plain[49, 1]),
        "player 1's inputs are repeated from frame 50 to 57",
    ),
    "late": (
        whole(slice(60, 80), 1, lambda plain: plain[57:77, 1]),
        "player 1's inputs are 3 frames late from frame 60 to 79",
    ),
    "early": (
        whole(slice(60, 80), 0, lambda plain: plain[61:81, 0]),
        "player 0's inputs are 1 frame early from frame 60 to 79",
    ),
    "another's": (
        whole(slice(40, 60), 0, lambda plain: plain[40:60, 1]),
        "player 0's inputs are player 1's from frame 40 to 59",
    ),
    "exchanged": (exchanged, "players 0 and 1's inputs are exchanged from frame 40 to 119"),
    "left": (
        whole(slice(80, FRAMES), 1, lambda plain: NOTHING),
        "player 1 left: nothing new from frame 80 on",
    ),
    "nan": (
        one(33, 0, "push", np.nan), "player 0's push is nan on side b, and 0.33 on side a, in "
        "frame 33",
    ),
    "infinite": (
        one(33, 0, "push", -np.inf), "player 0's push is -inf on side b, and 0.33 on side a, in "
        "frame 33",
    ),
    "changed": (
        one(33, 1, "turn", 7), "player 1's turn is 7 on side b, and 14 on side a, in frame 33"
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", CASES)
def test_the_shape_is_found_of_hashes_alone(shape: str) -> None:
    change, said = CASES[shape]
    found = beside(report(change))
    first = found.inputs[0]
    assert first.shape == shape
    assert f"inputs: {said}" in [text.partition("; those")[0] for _, text in as_lines(found)]
    assert (found.frame, found.certainty) == (first.frame, "certain")
    assert found.notes == []
    cause = found.causes[0]
    assert (cause.hazard, cause.evidence[0]) == ("changed-input", said)
    assert (cause.remedy, cause.holds) == (INPUT_SHAPES[shape], True)
    assert found.fields  # of a state that no report holds
    assert found.operation is not None


@pytest.mark.parametrize("shape", CASES)
def test_the_shape_is_found_in_two_reports(shape: str) -> None:
    change, said = CASES[shape]
    first = {"exchanged": 40, "another's": 40}.get(shape) or int(
        said.split("frame ")[-1].split()[0]
    )
    first = {"repeated": 50, "late": 60, "early": 60}.get(shape, first)
    theirs = report(change, range(first - 6, first + 40))
    found = diagnose_reports(ours(first - 6, first + 40), theirs)
    assert [fact.shape for fact in found.inputs][:1] == [shape]
    assert found.causes[0].hazard == "changed-input"


def test_a_value_outside_of_all_others_is_told_with_their_range() -> None:
    found = beside(report(one(33, 0, "push", 900.0), range(30, 45)))
    fact = found.inputs[0]
    assert (fact.shape, fact.least, fact.most) == ("range", "-1.0", "0.44")
    assert any("out of the range -1.0 to 0.44 of all other frames" in t for _, t in as_lines(found))


def test_of_several_stretches_each_is_told() -> None:
    late, dropped = CASES["late"][0], CASES["dropped"][0]

    def change(inputs: Inputs, plain: Inputs) -> None:
        late(inputs, plain)
        inputs[90, 0] = NOTHING

    found = beside(report(change))
    assert [(f.shape, f.frame, f.players) for f in found.inputs] == [
        ("late", 60, (1,)), ("dropped", 90, (0,)),
    ]  # fmt: skip
    assert found.inputs_differing == 21
    assert dropped is not late


def test_inputs_of_which_nothing_is_known_but_that_they_differ_are_one_stretch() -> None:
    change = whole(slice(20, 26), 1, lambda plain: plain[20:26, 1])

    def odd(inputs: Inputs, plain: Inputs) -> None:
        change(inputs, plain)
        inputs["push"][20:26, 1] = np.float32(0.123456)

    found = beside(report(odd))
    (fact,) = found.inputs
    assert (fact.shape, fact.frame, fact.last, fact.players) == ("unknown", 20, 25, ())
    assert found.certainty == "likely"


def test_where_no_input_differs_nothing_is_said_of_them() -> None:
    found = beside(report(lambda inputs, plain: None))
    assert (found.inputs, found.inputs_differing, found.same) == ((), 0, True)


def test_an_input_dropped_among_many_that_are_alike_is_not_late() -> None:
    t = StructType("Input", (("aim", INT32),))
    held: Inputs = np.full((40, 2), 7, np.int32).view(t.dtype)
    theirs = held.copy()
    theirs["aim"][20, 1] = 0
    a = InputRows(t, held.__getitem__, lambda n: None)
    b = InputRows(t, theirs.__getitem__, lambda n: None)
    (fact,) = other_inputs(a, b, 39).facts
    assert (fact.frame, fact.last, fact.players, fact.shape) == (20, 20, (1,), "dropped")


@pytest.mark.parametrize("knows_rows", [True, False])
@pytest.mark.parametrize(("frames", "shape"), [(1, "changed"), (2, "late")])
def test_one_value_of_seconds_before_is_a_changed_one_and_two_are_late(
    frames: int, shape: str, knows_rows: bool
) -> None:
    t = StructType("Input", (("aim", INT32),))
    mine: Inputs = np.arange(200, dtype=np.int32).reshape(100, 2).view(t.dtype)
    theirs = mine.copy()
    theirs[70 : 70 + frames, 1] = mine[10 : 10 + frames, 1]
    a = InputRows(t, mine.__getitem__, lambda n: None)
    b = InputRows(
        t,
        theirs.__getitem__ if knows_rows else lambda n: None,
        lambda n: xxh64(theirs[n].tobytes()),
    )
    found = other_inputs(a, b, 99)
    (fact,) = found.facts
    assert (fact.frame, fact.last, fact.players) == (70, 69 + frames, (1,))
    assert (fact.shape, fact.frames) == (shape, 60 * (frames > 1))
    assert [field.path for field in fact.fields] == ["aim"]
    assert knows_rows or (found.found[70] == theirs[70]).all()
