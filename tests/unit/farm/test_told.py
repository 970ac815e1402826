"""The farm's answer in a line: what is wrong, and of how many replays."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.farm.test_farm_stores import row

from samebits.farm.rows import CRASHED, DIFFERS, FAILED, HUNG, MEMORY, SAME
from samebits.farm.store import Store
from samebits.farm.summary import summarise
from samebits.farm.told import headline


@pytest.mark.parametrize(
    ("results", "result", "said"),
    [
        ([SAME, SAME], "same", "the same bits: 2 replays on 1 target"),
        ([SAME, CRASHED], "crashed", "crashed: 1 of 2 replays on 1 target"),
        ([HUNG, FAILED, SAME], "failed", "failed: 1 of 3 replays on 1 target; 1 hung"),
        ([CRASHED, DIFFERS, HUNG, SAME], "differs",
         "different bits: 1 of 4 replays on 1 target; 1 crashed, 1 hung"),
        ([HUNG, HUNG, MEMORY, SAME], "incomplete",
         "not proven: 3 of 4 replays on 1 target; 2 hung, 1 out of memory"),
    ],
)  # fmt: skip
def test_a_crash_is_not_called_different_bits(
    tmp_path: Path, results: list[str], result: str, said: str
) -> None:
    outcome: Any = SimpleNamespace(
        entries=SimpleNamespace(unread=()), targets=["x86-64-v3-O3"], stopped=""
    )
    with Store(str(tmp_path)) as store:
        store.add([row(n, each) for n, each in enumerate(results)])
        summary = summarise(store)
    assert (summary.result, headline(outcome, summary)) == (result, said)
