"""Values that an input may have had, of which a hash alone is known."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from tests.unit.diagnosis.before.test_inputs import as_lines, beside, one, report

from samebits.diagnosis.before.input_values import SMALL, plausible
from samebits.types import FLOAT16, SCALARS, ScalarType


@pytest.mark.parametrize("t", SCALARS.values(), ids=str)
def test_each_is_told_once_and_is_a_pattern_of_its_type(t: ScalarType) -> None:
    own = 1
    found = list(plausible(t, own))
    assert own not in found
    assert len(found) == len(set(found)) < 1 << 16
    assert all(0 <= each < 1 << t.bits for each in found)
    flips = {own ^ 1 << bit for bit in range(t.bits)}
    assert flips <= {*found}


@pytest.mark.parametrize("name", ["float32", "float64", "int32", "uint64", "fix16"])
def test_round_numbers_and_other_units_are_among_them(name: str) -> None:
    t = SCALARS[name]
    unit = 1 << getattr(t, "fraction", 0)

    def pattern(value: float) -> int:
        if t.is_ieee:
            return int(np.array(value, t.dtype).view(f"u{t.size}"))
        return int(value * unit) & ((1 << t.bits) - 1)

    found = {*plausible(t, pattern(7))}
    wanted = [0, -7, 70, 14, 700, SMALL, -1 if t.is_signed or t.is_ieee else 1, 10**4, 2**14]
    wanted += [0.5, 0.25, 1e30, 2.0**100, 12.3, -0.07] if t.is_ieee else []
    assert {value: pattern(value) in found for value in wanted} == dict.fromkeys(wanted, True)


def test_all_of_a_half_are_tried() -> None:
    assert len({*plausible(FLOAT16, 0)}) == (1 << 16) - 1
    assert [*islice(plausible(FLOAT16, 1), 3)] == [0, 2, 3]


@pytest.mark.parametrize(
    ("name", "value", "shape"),
    [("push", 900.0, "range"), ("push", -1e6, "range"), ("push", 0.25, "changed"),
     ("push", float.fromhex("0x1.0p+40"), "range")],
)  # fmt: skip
def test_a_value_that_no_input_has_is_found_of_hashes_alone(
    name: str, value: float, shape: str
) -> None:
    found = beside(report(one(33, 1, name, value)))
    fact = found.inputs[0]
    assert (fact.frame, fact.players, fact.shape) == (33, (1,), shape)
    assert np.float32(fact.fields[0].b.text) == np.float32(value)
    assert (found.frame, found.certainty) == (33, "certain")
    assert found.fields
    assert any(f"player 1's {name} is" in text for _, text in as_lines(found))
