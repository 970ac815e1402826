"""Where two causes fit all evidence, the hash or the operands are told that decide between them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import samebits as sb
from samebits import float32, int8, uint64
from samebits.diagnosis.builds.build import Build
from samebits.diagnosis.builds.hypotheses import story_of
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.driver import run_and_report
from samebits.diagnosis.explain import explain
from samebits.diagnosis.report.findings import CauseFact, Diagnosis, OperationFact, Place
from samebits.diagnosis.report.text import as_lines
from samebits.diagnosis.telling_apart import hash_apart, tell_apart
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource


@sb.struct
class State:
    x: float32


@sb.struct
class Input:
    push: int8


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = float32(seed) * 0.3


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x = state.x * 0.3 - float32(inputs[0].push) * 0.7 + 0.1


def sway(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"push": (frame * 7 + seed) % 50 - 25}


GAME = sb.Simulation(
    name="apart", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"sway": sway},
)  # fmt: skip
FRAMES = 200
SOURCE = PlayerSource(GAME, "sway", 5, FRAMES)
FUSED, DOUBLED = (parse_side(f"hazard={name}", GAME) for name in ("fma", "double-rounding"))


def hashes(words: str) -> list[str]:
    with closing(open_run(parse_side(words, GAME))) as run:
        run.start(SOURCE.seed)
        return [
            f"{int(h):016x}" for h in run.advance(InputStream(SOURCE).between(0, FRAMES)).hashes
        ]


def parting(one: Sequence[str], other: Sequence[str]) -> int:
    return next(n for n, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])


def test_the_first_hash_that_two_builds_do_not_share_is_told() -> None:
    a, b = hashes("hazard=fma"), hashes("hazard=double-rounding")
    found = hash_apart((FUSED, DOUBLED), SOURCE)
    assert found is not None
    assert found.frame == parting(a, b)
    assert found.results == (a[found.frame], b[found.frame])
    assert hash_apart((FUSED, FUSED), SOURCE) is None


def test_a_list_that_two_builds_give_names_the_hash_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: BuildSearch) -> None:
        self.whole = [
            Build(story_of((name,)), (name,), side, Agreement(1, 1), True, 1)
            for name, side in (("fma", FUSED), ("double-rounding", rival))
        ]
        self.best, self.finished = self.whole[0], True

    monkeypatch.setattr(run_and_report, "SECONDS", 30.0)
    monkeypatch.setattr(BuildSearch, "run", run)
    own, fused, doubled = hashes(""), hashes("hazard=fma"), hashes("hazard=double-rounding")
    last, decides = parting(own, fused), parting(fused, doubled)
    assert last < decides, "for this the test needs a frame in which both differ alike"
    theirs, replay = tmp_path / "theirs.txt", tmp_path / "apart.mcap"
    theirs.write_text("".join(f"{n} {fused[n]}\n" for n in range(last + 1)))
    with GAME.record(replay, seed=SOURCE.seed) as recording:
        recording.run(InputStream(SOURCE).between(0, FRAMES))
    rival = DOUBLED
    found = sb.diagnose(GAME, replay, b=theirs)
    assert found.certainty == "likely"
    assert [cause.hazard for cause in found.causes[:2]] == ["fma", "double-rounding"]
    assert found.apart is not None
    assert found.apart.frame is not None
    assert found.apart.frame > last
    assert found.apart.frame == decides
    assert found.apart.results == (fused[decides], doubled[decides])
    assert f"  the hash of frame {decides:,} would tell the two apart:" in [
        text for _, text in as_lines(found)
    ]
    rival = FUSED  # which parts from it in no frame
    found = sb.diagnose(GAME, replay, b=theirs)
    assert found.apart is None
    assert any(
        note.startswith("no frame of this run tells fused multiply-add") for note in found.notes
    )


def cause(hazard: str, title: str) -> CauseFact:
    return CauseFact(hazard, title, "", "", "", "", 9, 9)


def asked_about(ask: str, *causes: CauseFact) -> Diagnosis:
    place = Place("game.py", 1, 0, 1, "step", "")
    operation = OperationFact("result", "add", place, (), (), (), None, None, 1, "", ask=ask)
    return Diagnosis(
        simulation="game", version="1", seed=1, a="a", b="b", frames=9, frame=0,
        operation=operation, causes=causes, certainty="likely",
    )  # fmt: skip


ASK = (
    'samebits explain "x0 + (x1 - x0) * (x2 * 5.9604645e-08)" x0=0xc0490fdb x1=0x40490fdb '
    "x2=0x4b65f2b3 --got 0x402023be"
)
FMA, DOUBLE = cause("fma", "fused"), cause("double-rounding", "in float64")


def test_operands_are_told_for_which_an_operation_is_another_by_either_cause() -> None:
    out = asked_about(ASK, FMA, DOUBLE)
    tell_apart(out)
    assert out.apart is not None
    assert (out.apart.frame, out.apart.titles) == (None, ("fused", "in float64"))
    for hazard, result in zip(("fma", "double-rounding"), out.apart.results, strict=True):
        found = explain(out.apart.expression, dict(out.apart.operands), result)
        assert hazard in [each.name for cause in found.causes for each in cause.hazards]
    assert len({*out.apart.results}) == 2
    text = "\n".join(text for _, text in as_lines(out))
    assert f"would be told apart by `{out.apart.expression}` of x0 = 0x" in text
    assert f"{out.apart.results[1]}  in float64" in text


@pytest.mark.parametrize(
    "causes", [(), (FMA,), (FMA, replace(DOUBLE, frames_same=8)), (FMA, cause("libm", "a libm"))]
)
def test_nothing_is_told_where_one_cause_fits_or_nothing_decides(
    causes: tuple[CauseFact, ...],
) -> None:
    out = asked_about(ASK, *causes)
    tell_apart(out)
    assert out.apart is None
    assert "told apart" not in "\n".join(text for _, text in as_lines(out))
