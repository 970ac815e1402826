"""Generated programs of one form each agree in every execution."""

from __future__ import annotations

import pytest
from tests.fuzz.check import check_programs
from tests.fuzz.execute import in_turns
from tests.fuzz.forms import FORMS, programs

SHARD = 20


@pytest.mark.parametrize("first", range(0, 60, SHARD))
@pytest.mark.parametrize("form", FORMS)
def test_generated_programs_agree_in_every_execution(form: str, first: int) -> None:
    seeds = range(first, first + SHARD)
    tally = check_programs(programs(form, seeds), compiled_at=in_turns(first // SHARD))
    failures = [f"{form} {f.program.seed}: {f.text}" for f in tally.failures]
    assert not failures, "\n".join(failures)
    assert tally.traps["none"] > tally.calls // 4
