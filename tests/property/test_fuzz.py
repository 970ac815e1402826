"""A thousand generated programs agree in every execution, in shards for parallel runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.check import check_seeds
from tests.fuzz.execute import in_turns, levels
from tests.fuzz.generator import generate

PROGRAMS = 1000
SHARD = 20


@pytest.mark.parametrize("first", range(0, PROGRAMS, SHARD))
def test_generated_programs_agree_in_every_execution(first: int) -> None:
    seeds = range(first, first + SHARD)
    tally = check_seeds(seeds, compiled_at=in_turns(first // SHARD))
    failures = [f"seed {f.program.seed}: {f.text}" for f in tally.failures]
    assert not failures, "\n".join(
        [*failures, "shrink one with: python -m tests.fuzz.run --programs 1 --seed SEED"]
    )


def test_each_level_takes_its_turn_without_optimisation() -> None:
    taken = [in_turns(n) for n in range(PROGRAMS // SHARD)]
    assert set().union(*taken) == set(levels())
    for given in taken:
        assert [level for level in given if level.opt] == [x for x in levels() if x.opt]
        assert sum(not level.opt for level in given) == 1


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7) == generate(7)
    assert generate(7) != generate(8)


def test_a_seed_gives_the_same_program_in_every_process() -> None:
    # CPython orders sets of text differently in each process: no choice may depend on that.
    script = (
        "import hashlib; from tests.fuzz.generator import generate;"
        "print(hashlib.sha256(repr([generate(s) for s in range(5000, 5020)]).encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1
