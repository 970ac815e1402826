"""What is misspelt is answered with what was probably meant."""

from __future__ import annotations

import pytest
from tests.support.runs.observed_frames import ARENA

from samebits.errors import HazardError, SideError, nearest
from samebits.hazards.catalogue import by_name
from samebits.hazards.injection import nothing_there
from samebits.hazards.locate import find
from samebits.sides.side import parse_side


@pytest.mark.parametrize(
    ("text", "meant"),
    [("fam", "fma"), ("minmax", "min-max"), ("FMA", "fma"), ("reassociate", None), ("", None)],
)
def test_the_nearest_name_is_found(text: str, meant: str | None) -> None:
    assert nearest(text, ["fma", "min-max", "order"]) == meant


def test_unknown_hazards_functions_and_sides_name_the_nearest() -> None:
    with pytest.raises(HazardError) as hazard:
        by_name("lanse")
    assert hazard.value.fix == "write lanes"
    with pytest.raises(HazardError) as function:
        find(ARENA.program.kernels, "bouncee")
    assert function.value.fix == "write arena.bounce"
    for text, meant in (("managd", "managed"), ("aarch65", "aarch64"), ("worker=3", "workers=3")):
        with pytest.raises(SideError) as side:
            parse_side(text, ARENA)
        assert side.value.fix == f"write {meant}"


def test_places_of_one_line_are_listed_once() -> None:
    note = nothing_there(ARENA.program.kernels, "fma", "there").note
    assert note is not None
    rows = note.removeprefix("it acts at ").split(" and ")[0].split(", ")
    assert len(set(rows)) == len(rows) > 1
