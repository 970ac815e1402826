"""The words of a planted hazard that acts for some frames."""

from __future__ import annotations

import pytest
from tests.support.folders import EXAMPLES

from samebits.errors import SideError
from samebits.sides.planted import planted
from samebits.sim.load import load_simulation

ARENA = load_simulation(str(EXAMPLES / "arena" / "arena.py"))


@pytest.mark.parametrize(
    ("words", "acts", "frames"),
    [
        ("hazard=fma@bounce", None, (0, None)),
        ("hazard=fma@bounce,from=200", None, (200, None)),
        ("hazard=fma@bounce,from=200", 60, (200, 260)),
        ("hazard=fma@bounce,from=200,until=230", 60, (200, 230)),
        ("until=9,hazard=fma@bounce", None, (0, 9)),
    ],
)
def test_a_hazard_acts_from_one_frame_to_another(
    words: str, acts: int | None, frames: tuple[int, int | None]
) -> None:
    found = planted(ARENA, words, acts)
    assert (found.from_frame, found.until_frame) == frames


@pytest.mark.parametrize("end", ["until=200", "until=x", "until=", "until=300,until=400"])
def test_an_end_before_the_beginning_is_none(end: str) -> None:
    with pytest.raises(SideError, match="is no frame after 200"):
        planted(ARENA, f"hazard=fma@bounce,from=200,{end}")
