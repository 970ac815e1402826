"""What makes the same program again is not tried again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import samebits as sb
from samebits import float32, uint64
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.plans import CAREFUL, OWN, Known, Plan
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.clock import spent
from samebits.export.plain_c.program import PlainC
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource


@sb.struct
class State:
    x: float32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = 0.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x = state.x * 0.7 + inputs[0].push * 0.3


def sway(frame: int, player: int, seed: int) -> dict[str, float]:
    return {"push": (frame * 7 + seed) % 50 / 7.0}


GAME = sb.Simulation(
    name="plain", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"sway": sway},
)  # fmt: skip
SOURCE = PlayerSource(GAME, "sway", 5, 10)
SIDE = parse_side("", GAME)
GCC = next((each for each in compilers() if each.family == "gcc"), None)
needs_gcc = pytest.mark.skipif(GCC is None, reason="there is no gcc here")
MANY = 8


def with_more_flags(known: Known) -> Iterator[Plan]:
    """Rows, then the same with flags that change nothing of this simulation."""
    some = [row for row in known.rows if row.makes_vectors and row.bits == 64][:MANY]
    for parts in (OWN, CAREFUL):
        yield from (Plan(row, parts) for row in some)


@needs_gcc
def test_objects_that_are_the_same_make_one_program(tmp_path: Path) -> None:
    assert GCC is not None
    shop = Workshop(tmp_path, PlainC(GAME.program, 1), GCC)
    files = [shop.file_of("own", shop.plain.kernels), shop.file_of("library", shop.plain.library)]
    made = [
        [shop.object(file, flags) for file in (*files, shop.driver())]
        for flags in (STRICT, (*STRICT, "-fwrapv"), ("-O2", "-mfma"))
    ]
    assert made[0] == made[1] != made[2]
    usual = shop.program(made[0], ("-O2", "-fwrapv"))
    assert usual == shop.program(made[0], ("-O3",))
    assert usual != shop.program(made[0], ("-Ofast",)), "it has other start code"


@needs_gcc
def test_flags_that_make_nothing_else_again_and_again_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_module, "compilers", lambda: (GCC,))
    said: list[str] = []
    known = dict.fromkeys(range(-1, 10), 1)
    search = CompilerSearch(SIDE, InputStream(SOURCE), known, -1, spent() + 60, said.append)
    with closing(search):
        search.run((with_more_flags,))
    tried = [text for text in said if text.startswith("trying")]
    assert len(tried) > MANY
    assert len([text for text in tried if "-fwrapv" in text]) == 4


def test_x87_is_not_tried_where_doubles_give_nothing_and_are_all_the_same() -> None:
    search = BuildSearch(SIDE, SOURCE, Theirs({0: 1}), 0)
    assert not search._is_told("x87")  # pyright: ignore[reportPrivateUsage]
    search._tried.add("double-rounding")  # pyright: ignore[reportPrivateUsage]
    assert search._is_told("x87")  # pyright: ignore[reportPrivateUsage]
