"""Generated programs over containers agree in every execution."""

from __future__ import annotations

from tests.fuzz.containers import CHANGES_FROM, check, source_of
from tests.fuzz.loading import Workspace
from tests.support.levels import BEST, LEVELS

SEEDS = (*range(1000, 1012), *range(CHANGES_FROM, CHANGES_FROM + 12))


def levels_of(seed: int) -> tuple[str, ...]:
    """The host's best level, and another one in turn."""
    return tuple(dict.fromkeys((BEST, LEVELS[seed % len(LEVELS)])))


def test_each_level_takes_its_turn() -> None:
    assert {level for seed in SEEDS for level in levels_of(seed)} == {*LEVELS}


def test_generated_programs_over_containers_agree() -> None:
    with Workspace() as workspace:
        ends = {seed: check(seed, workspace, levels_of(seed)) for seed in SEEDS}
    assert any("result" in end for end in ends.values())


def test_programs_have_every_kind_of_container_and_loop() -> None:
    text = "\n".join(map(source_of, range(400)))
    for part in ("sb.List[", "sb.Map[", "sb.Heap[", "sb.BitSet[", ".items():", "reversed(", "del "):
        assert part in text
