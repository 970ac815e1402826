"""The proof of the farm through `kill -9`: what it would see, and it itself at a small size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tools.prove_farm.killed import Found, judge, killed

from samebits.farm.rows import LOST, SAME, Key, Row, Task
from samebits.farm.store import Store


def row(number: int, result: str = SAME) -> Row:
    key = Key(f"{number:032x}", "p", "t", "f", 0)
    return Task(key, f"{number}.mcap", "game.py", "game", "1").row(result)


def stored(folder: Path, *parts: Sequence[Row]) -> Path:
    with Store(str(folder)) as store:
        for rows in parts:
            store.add(rows)
    return folder


def test_a_lost_a_doubled_and_a_repeated_row_would_be_seen(tmp_path: Path) -> None:
    store = stored(tmp_path / "s", [row(1), row(2, LOST)], [row(1), row(3)])
    known = {row(n).replay for n in (1, 3, 4)}
    found = Found()
    judge(found, store, known, {row(n).replay for n in (2, 3)})
    assert (found.lost, found.doubled, found.again) == (1, 1, 1)
    found = Found()
    judge(found, stored(tmp_path / "t", [row(1)], [row(2)]), {row(1).replay}, {row(2).replay})
    assert (found.lost, found.doubled, found.again) == (0, 0, 0)


@pytest.mark.proof
def test_nothing_is_lost_doubled_or_run_again_after_kills(tmp_path: Path) -> None:
    found = killed(tmp_path, 60, 3, 0.1, (0.5, 4.0))
    assert found.wrong == []
    assert (found.rows, found.same) == (60, 60)
    assert (found.lost, found.doubled, found.again, found.left) == (0, 0, 0, 0)
    assert sorted(found.kills) == ["client", "scheduler", "worker"]
