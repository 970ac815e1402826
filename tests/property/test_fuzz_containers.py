"""Generated programs over containers agree in every execution."""

from __future__ import annotations

from tests.fuzz.containers import CHANGES_FROM, check, source_of
from tests.fuzz.loading import Workspace

SEEDS = (*range(1000, 1012), *range(CHANGES_FROM, CHANGES_FROM + 12))


def test_generated_programs_over_containers_agree() -> None:
    with Workspace() as workspace:
        ends = {seed: check(seed, workspace) for seed in SEEDS}
    assert any("result" in end for end in ends.values())


def test_programs_have_every_kind_of_container_and_loop() -> None:
    text = "\n".join(map(source_of, range(400)))
    for part in ("sb.List[", "sb.Map[", "sb.Heap[", "sb.BitSet[", ".items():", "reversed(", "del "):
        assert part in text
