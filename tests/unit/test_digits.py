"""A number that a user types has the digits 0 to 9 alone, wherever it stands."""

from __future__ import annotations

import pytest
from tests.support.folders import SIMULATIONS

from samebits.digits import whole
from samebits.errors import ArgumentError, HazardError
from samebits.fpmodel.parse import pattern
from samebits.fpmodel.softfloat import FLOAT32
from samebits.hazards.text import inject_texts
from samebits.sim.load import load_simulation

OTHER_DIGITS = ["\u0661", "\uff11", "1\u06f0", "\u00b2"]


@pytest.mark.parametrize("text", [*OTHER_DIGITS, "1_0", "", " 1", "+1", "-1", "1.0", "9" * 20])
def test_what_is_no_whole_number(text: str) -> None:
    assert whole(text) is None


def test_a_whole_number_of_up_to_nineteen_digits() -> None:
    assert [whole(text) for text in ("0", "007", "9" * 19)] == [0, 7, 10**19 - 1]


@pytest.mark.parametrize("digits", OTHER_DIGITS)
@pytest.mark.parametrize("form", ["{}", "0.{}", "1e{}", "0x1.8p{}"])
def test_a_float_with_digits_of_another_script_is_refused(form: str, digits: str) -> None:
    with pytest.raises(ArgumentError, match="a is not a number") as refused:
        pattern(form.format(digits), FLOAT32, "a")
    assert refused.value.note == "digits are 0 to 9; those of other scripts are not read"
    assert refused.value.fix is not None
    assert "0x and 8 hex digits" in refused.value.fix


@pytest.mark.parametrize("text", ["1_000", "0x3dcc_cccd", "0x1_0p3", "in_f"])
def test_a_float_with_underscores_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="a is not a number") as refused:
        pattern(text, FLOAT32, "a")
    assert refused.value.note == "a number has no underscores here"


@pytest.mark.parametrize("text", ["+-inf", "--nan", "-+infinity"])
def test_infinity_has_one_sign(text: str) -> None:
    with pytest.raises(ArgumentError, match="a is not a number"):
        pattern(text, FLOAT32, "a")


@pytest.mark.parametrize(
    "text", ["fma#\u0660", "fma@small_simulation.py:\u0661", "fma@step#\u0663"]
)
def test_a_place_with_digits_of_another_script_names_none(text: str) -> None:
    program = load_simulation(str(SIMULATIONS / "small_simulation.py")).program
    with pytest.raises(HazardError) as refused:
        inject_texts(program, [text])
    assert ("variants" in refused.value.message) is False
    assert "nearest lines" not in str(refused.value)
