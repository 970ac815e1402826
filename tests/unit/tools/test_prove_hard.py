"""The search of inputs that are hard to round finds all that a look at every input finds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.prove import inputs
from tools.prove.functions import FORMATS, NAMED
from tools.prove.hard import __main__ as command
from tools.prove.hard import cases
from tools.prove.hard.search import SEARCHED, Block, Searcher, Slice, block, distance

EVERY = 1 << 11
"""Inputs of a block that are looked at one by one, at its start, its end and between."""


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    return Searcher()


def drawn(name: str, **how: Any) -> tuple[Slice, Block]:
    rng = random.Random(name)
    while True:
        it = SEARCHED[name](rng)
        made = block(it, **how)
        if made is not None:
            return it, made


@pytest.mark.parametrize("name", SEARCHED)
def test_every_near_input_is_found(name: str, searcher: Searcher) -> None:
    near = 2.0**-9
    it, made = drawn(name, near=near, pieces=8)
    places = set(searcher.places(made))
    assert places
    last = made.length * made.pieces
    for first in {0, max(0, last // 3 - EVERY), max(0, last - EVERY)}:
        window = range(first, min(first + EVERY, last))
        near_ones = {
            i for i in window if distance(name, it.arguments(made.start + i * made.spacing)) <= near
        }

        assert near_ones <= places
        # What is found besides is as near as a piece may be off its line.
        assert len(places.intersection(window)) <= 3 * len(near_ones) + 10


@pytest.mark.parametrize("name", ["exp2m1", "lgamma", "rootn"])
def test_a_search_for_less_finds_less_and_the_nearest(name: str, searcher: Searcher) -> None:
    it, made = drawn(name)
    found = searcher.places(made)
    assert found == sorted(set(found))
    near = [i for i in found if distance(name, it.arguments(made.start + i * made.spacing))
            <= 2.0**-28]  # fmt: skip
    by_chance = made.length * made.pieces * 2.0**-27
    assert by_chance / 2 <= len(near) + 3 * by_chance**0.5
    assert len(near) <= by_chance * 2 + 10


@pytest.mark.parametrize("name", SEARCHED)
def test_what_is_kept_is_hard_and_is_compared(name: str) -> None:
    kept = cases.read(name)
    assert len(kept) >= 50
    for arguments in random.Random(1).sample(kept, 20):
        assert distance(name, arguments) <= 2.0**-28
    function = NAMED[name]
    hard = inputs.hard_cases(function, FORMATS["float64"], Path("nowhere"))
    assert hard is not None
    assert hard[-1].dtype == (np.int32 if function.integer else np.float64)
    assert {*zip(*(column.tolist() for column in hard), strict=True)} >= {*kept}
    assert inputs.hard_cases(function, FORMATS["float32"], Path("nowhere")) is None


def test_a_wrong_result_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys
) -> None:
    monkeypatch.setattr(cases.write, "__defaults__", (tmp_path,))
    monkeypatch.setattr(cases.read, "__defaults__", (tmp_path,))
    before = cases.read("exp2m1", cases.KEPT)[:300]
    cases.write("exp2m1", before)
    arguments = ["hard", "--only", "exp2m1", "--blocks", "3"]
    monkeypatch.setattr("sys.argv", arguments)
    assert command.main() == 0
    assert ", 0 wrong" in capsys.readouterr().out.replace("\n", " ").replace(";", ",")
    assert {*cases.read("exp2m1")} > {*before}
    monkeypatch.setattr(command, "rounded", lambda *_: 0.0)
    assert command.main() == 1
    assert "wrong: exp2m1(" in capsys.readouterr().out


def test_a_search_of_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["hard", "--only", "tgamma", "--blocks", "0"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
