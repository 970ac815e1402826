"""What a page shows of a command is compared without what another run may say otherwise."""

from __future__ import annotations

import pytest
from tools.prove_day.steps import missing


@pytest.mark.parametrize(
    "said",
    ["2 passed in 80.49s (0:01:20)", "before\n2 passed in 0.12s\nafter", "2  passed in 5s"],
)
def test_a_slower_machine_says_the_same(said: str) -> None:
    """pytest says minutes too where it took more than one."""
    assert missing(("…", "2 passed in 5.21s"), said, numbers=True) is None


def test_other_numbers_and_lines_are_others() -> None:
    assert missing(("2 passed in 5.21s",), "3 passed in 5.21s", numbers=True) == "2 passed in 5.21s"
    assert missing(("2 passed in 5.21s",), "3 passed in 5.21s", numbers=False) is None
    assert missing(("a", "b"), "b\na", numbers=True) == "b"
