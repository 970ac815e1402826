"""Generated programs whose loops call kernels of arrays and structs agree in every execution."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.fuzz.called_in_loops import generate
from tests.fuzz.check import check_programs
from tests.fuzz.execute import in_turns

from samebits.passes import inline

PROGRAMS, SHARD = 40, 10


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each kernel was inlined."""
    found: Counter[str] = Counter()
    fits = inline.inlined

    def counted(function: inline.Function, *given: object) -> inline.Function:
        made = fits(function, *given)  # type: ignore[arg-type]
        found[function.name] += made is not function
        return made

    monkeypatch.setattr("samebits.passes.pipeline.inlined", counted)
    return found


@pytest.mark.parametrize("first", range(0, PROGRAMS, SHARD))
def test_programs_that_call_kernels_in_loops_agree(first: int, copies: Counter[str]) -> None:
    programs = [generate(seed) for seed in range(first, first + SHARD)]
    tally = check_programs(programs, compiled_at=in_turns(first // SHARD), texts=4)
    assert not tally.failures, tally.failures[0]
    assert tally.programs == SHARD
    assert tally.traps["none"] >= SHARD
    assert sum(map(bool, copies.values())) >= SHARD // 2
