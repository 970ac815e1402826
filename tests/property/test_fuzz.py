"""A thousand generated programs agree in every execution, in shards for parallel runs."""

from __future__ import annotations

import pytest
from tests.fuzz.check import check_seeds
from tests.fuzz.generator import generate

PROGRAMS = 1000
SHARD = 20


@pytest.mark.parametrize("first", range(0, PROGRAMS, SHARD))
def test_generated_programs_agree_in_every_execution(first: int) -> None:
    tally = check_seeds(range(first, first + SHARD))
    failures = [f"seed {f.program.seed}: {f.text}" for f in tally.failures]
    assert not failures, "\n".join(
        [*failures, "shrink one with: python -m tests.fuzz.run --programs 1 --seed SEED"]
    )


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7) == generate(7)
    assert generate(7) != generate(8)
