"""What running a side again tells: a table of facts and of what they point to."""

from __future__ import annotations

from typing import Any

import pytest

from samebits.diagnosis.cause.nondeterminism import RerunFacts
from samebits.diagnosis.cause.nondeterminism import nondeterministic_cause as told
from samebits.diagnosis.operation.first_difference import Kind, OperationDifference
from samebits.errors import Span
from samebits.ir.grammar import Op
from samebits.ir.refs import OpRef

SPAN = Span("game.py", "step", 1, 0, 1, 1)
STORE = Op(1, "store", (), None, (), SPAN)
LOAD = Op(3, "load", (), None, (), SPAN)
ADD = Op(2, "add", (), None, (), SPAN)

ROWS: list[tuple[Kind, Op, RerunFacts, tuple[int, int], str | None]] = [
    ("result", ADD, RerunFacts(True, True), (4, 4), None),
    ("result", ADD, RerunFacts(), (4, 4), None),
    ("result", ADD, RerunFacts(repeats=False), (4, 4), "host"),
    ("result", ADD, RerunFacts(repeats=False, one_worker=True), (4, 4), "lost-store"),
    ("result", ADD, RerunFacts(True, follows=False), (4, 4), "unhashed"),
    ("result", LOAD, RerunFacts(True, True), (4, 4), "unhashed"),
    ("result", LOAD, RerunFacts(repeats=False), (4, 4), "host"),
    ("result", LOAD, RerunFacts(), (4, 4), None),
    ("path", STORE, RerunFacts(True, True), (4, 3), "lost-store"),
    ("path", STORE, RerunFacts(repeats=False), (4, 3), "lost-store"),
    ("path", STORE, RerunFacts(True, True), (3, 4), None),
    ("memory", ADD, RerunFacts(True, True), (4, 4), "uninitialised"),
    ("memory", ADD, RerunFacts(repeats=False), (4, 4), "uninitialised"),
    ("input", ADD, RerunFacts(True, True), (4, 4), "changed-input"),
]


@pytest.mark.parametrize(("kind", "op", "facts", "times", "expected"), ROWS)
def test_facts_point_to_a_hazard(
    kind: Kind, op: Op, facts: RerunFacts, times: tuple[int, int], expected: str | None
) -> None:
    difference: Any = OperationDifference(kind, OpRef("step", op.id), SPAN, op)
    found = told(difference, facts, times)
    assert (None if found is None else found[0]) == expected
    assert found is None or all(found[1])


def test_what_differs_from_run_to_run_is_outside_of_state_and_inputs() -> None:
    assert RerunFacts(repeats=False).is_outside
    assert RerunFacts(follows=False).is_outside
    assert not RerunFacts(True, True).is_outside
    assert not RerunFacts().is_outside
