"""Generated programs of one form each agree in every execution, here and on emulated targets."""

from __future__ import annotations

import pytest
from tests.fuzz.check import check_programs
from tests.fuzz.execute import in_turns
from tests.fuzz.forms import FORMS, programs
from tools.prove_targets.programs import Batch

from samebits.runtime.emulation.calls import runners

SHARD = 10
ELSEWHERE = ("wasm32", "i686", "s390x")


@pytest.mark.parametrize("first", range(0, 2 * SHARD, SHARD))
@pytest.mark.parametrize("form", FORMS)
def test_generated_programs_agree_in_every_execution(form: str, first: int) -> None:
    seeds = range(first, first + SHARD)
    tally = check_programs(programs(form, seeds), compiled_at=in_turns(first // SHARD), texts=4)
    failures = [f"{form} {f.program.seed}: {f.text}" for f in tally.failures]
    assert not failures, "\n".join(failures)
    assert tally.traps["none"] > tally.calls // 4


@pytest.mark.parametrize("form", FORMS)
def test_generated_programs_agree_on_other_targets(form: str) -> None:
    there = [r.target for r in runners() if r.target.name in ELSEWHERE and r.reason is None]
    if not there:
        pytest.skip("no emulator is here")
    make = FORMS[form]
    with Batch(range(1000, 1000 + SHARD), make=lambda seed, _: make(seed)) as batch:
        assert batch.refused == []
        for target in there:
            found = batch.on(target)
            assert found.failure is None
            assert not found.differing, "\n".join(found.differing)
            assert found.count == SHARD
