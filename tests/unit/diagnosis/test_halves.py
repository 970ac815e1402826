"""Halves in diagnosis: their fields, their distance in ULP, and hazards on either side of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

from samebits.bits import ulp_distance
from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.report.findings import Diagnosis
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

SIMULATION = load_simulation(str(SIMULATIONS / "halves_simulation.py"))
"""Loaded, so that its kernels' names, from which hazards draw, say nothing of where it lies."""
FRAMES = 300


def diagnosed(words: str, players: str = "random") -> Diagnosis:
    sides = [parse_side(text, SIMULATION) for text in ("evaluate", words)]
    source = PlayerSource(SIMULATION, players, 1, FRAMES)
    return diagnose(SIMULATION, source, *sides, lambda *_: None)


@pytest.fixture(scope="module")
def narrower() -> Diagnosis:
    return diagnosed("hazard=narrower@halves_simulation.py:37")


def test_a_hazard_before_a_rounding_to_half_is_found(narrower: Diagnosis) -> None:
    assert narrower.causes[0].hazard == "narrower"
    assert narrower.certainty == "certain"


def test_fields_of_half_are_reported_with_their_distance(narrower: Diagnosis) -> None:
    field = narrower.fields[0]
    assert field.a.type == "float16"
    a, b = (int(side.bits, 16) for side in (field.a, field.b))
    assert field.ulps == ulp_distance(a, b, 16)
    assert float(field.a.text) == pytest.approx(float(np.uint16(a).view(np.float16)), rel=1e-3)


def test_a_store_of_a_half_shows_the_number_and_not_its_integer() -> None:
    operation = diagnosed("hazard=lost-store@halves_simulation.py:38").operation
    assert operation is not None
    assert operation.opcode == "store"
    (stored,) = operation.operands
    assert stored.type == "float16"
    assert "." in stored.text


def test_garbage_in_a_half_is_an_ordinary_number() -> None:
    found = diagnosed("hazard=uninitialised")
    assert found.causes[0].hazard == "uninitialised"
    assert found.fields[0].a.type == "float16"
    assert 1.0 <= abs(float(found.fields[0].b.text)) <= 1000.0


def test_another_input_that_is_a_half_is_an_ordinary_number() -> None:
    found = diagnosed("hazard=changed-input", "steady")
    assert not found.same
    assert found.causes[0].hazard == "changed-input"
    assert found.operation is not None
    assert found.operation.b is not None
    assert found.operation.b.type == "float16"
    assert 1e-3 < abs(float(found.operation.b.text)) <= 1.0
