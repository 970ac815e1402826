"""A value that a statement computes for a callee is that statement's, not the callee's."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

import samebits as sb
from samebits import float32, int8, uint64
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.plans import STAGES
from samebits.diagnosis.builds.compilers.search import CompilerSearch
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
    push: int8


@sb.kernel
def lean(state: State, push: float32) -> None:
    state.x = state.x * 0.5 + push * 0.25


@sb.kernel
def shorter(v: float32) -> float32:
    return v / 2.5


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = 0.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x = shorter(state.x * 0.3 - float32(inputs[0].push) * 0.7)


@sb.kernel
def step_by_share(state: State, inputs: sb.ReadOnly[Input]) -> None:
    lean(state, float32(inputs[0].push) / 1.7)


def sway(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"push": (frame * 7 + seed) % 50 - 25}


GAME, SHARE = (
    sb.Simulation(
        name="given", version="1", state=State, input=Input, players=1, init=init, step=each,
        scripts={"sway": sway},
    )
    for each in (step, step_by_share)
)  # fmt: skip
FRAMES = 30
GCC = next((each for each in compilers() if each.family == "gcc"), None)


@pytest.mark.skipif(GCC is None, reason="there is no gcc here")
@pytest.mark.parametrize(
    ("game", "flags", "line"),
    [
        (GAME, ("-O2", "-mfma", "-fno-inline"), "shorter(state.x"),
        (SHARE, ("-O3", "-ffp-contract=off", "-freciprocal-math"), "lean(state, float32("),
    ],
)
def test_the_line_is_told_that_computes_what_a_function_is_given(
    game: sb.Simulation, flags: tuple[str, ...], line: str, tmp_path: Path
) -> None:
    assert GCC is not None
    source = PlayerSource(game, "sway", 5, FRAMES)
    shop = Workshop(tmp_path, PlainC(game.program, 1), GCC)
    objects = [
        shop.object(shop.file_of("own", shop.plain.kernels), flags),
        shop.object(shop.driver(), STRICT),
    ]
    inputs, side = InputStream(source), parse_side("", game)
    with closing(BuiltExecution(game.program, shop.program(objects, STRICT), 60)) as run:
        run.start(source.seed)
        hashes = run.advance(inputs.between(0, FRAMES)).hashes
        known = {-1: run.first_hash, **dict(enumerate(map(int, hashes)))}
    own = record_report(side, source, ReportRequest(None, None)).known
    frame = min(n for n in known if known[n] != own[n])
    search = CompilerSearch(side, inputs, known, frame, spent() + 60, lambda text: None)
    with closing(search):
        search.run(STAGES[:3])
        assert search.hits[0].parting is None
        found = search.first_step(search.hits[0], within_loops=True)
    assert found is not None
    assert found.sure
    assert line in found.fact.place.source
