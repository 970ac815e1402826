"""A build is named by what makes its first difference, also where no hash tells of that one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import SIMULATIONS

import samebits as sb
from samebits.bits import from_canonical
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.built_by import CompiledSide
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.hits import Hit
from samebits.diagnosis.builds.compilers.plans import OWN, SOME, STAGES, Parts, Plan
from samebits.diagnosis.builds.compilers.rows import rows
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.builds.compilers.steps import FirstStep
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.cause.proxy import Proxy
from samebits.diagnosis.clock import spent
from samebits.diagnosis.driver import steps
from samebits.diagnosis.driver.two_runs import diagnose
from samebits.diagnosis.fast.findings import FastFindings
from samebits.diagnosis.narrow import KnownCause
from samebits.diagnosis.report.findings import CauseFact
from samebits.export.plain_c.program import PlainC
from samebits.frame_trace.record import Trace
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

LOADED = load_simulation(str(SIMULATIONS / "loaded_simulation.py"))
FRAMES = 40
SIDE = parse_side("", LOADED)
SOURCE = PlayerSource(LOADED, "sway", 5, FRAMES)
ROWS = InputStream(SOURCE).between(0, FRAMES)
OWN_HASHES = record_report(SIDE, SOURCE, ReportRequest(None, None)).known
GCC = next((each for each in compilers() if each.family == "gcc"), None)
FAST = next(row for row in rows() if tuple(row.flags) == ("-Ofast", "-mfma"))
pytestmark = pytest.mark.skipif(GCC is None, reason="there is no gcc here")


def built(folder: Path, *flags: str) -> Path:
    """The program, its own functions built by some flags."""
    assert GCC is not None
    shop = Workshop(folder, PlainC(LOADED.program, 1), GCC)
    objects = [
        shop.object(shop.file_of("own", shop.plain.kernels), flags),
        shop.object(shop.file_of("library", shop.plain.library), STRICT),
        shop.object(shop.driver(), STRICT),
    ]
    return shop.program(objects, STRICT)


def hashes_of(file: Path) -> dict[int, int]:
    with closing(BuiltExecution(LOADED.program, file, 60)) as run:
        run.start(SOURCE.seed)
        return {-1: run.first_hash, **dict(enumerate(map(int, run.advance(ROWS).hashes)))}


def differing_after_frame_0(file: Path) -> set[str]:
    left: list[Any] = []
    for run in (BuiltExecution(LOADED.program, file, 60), open_run(SIDE)):
        with closing(run):
            run.start(SOURCE.seed)
            run.advance(ROWS[:1])
            left.append(from_canonical(LOADED.state_type, run.save())[0])
    return {name for name in ("x", "y", "z", "w") if left[0][name] != left[1][name]}


def searched(known: dict[int, int]) -> CompilerSearch:
    first = min(n for n in known if known[n] != OWN_HASHES[n])
    return CompilerSearch(SIDE, InputStream(SOURCE), known, first, spent() + 60, lambda text: None)


@pytest.mark.parametrize("parts", [OWN, SOME])
def test_what_differs_before_the_first_hash_is_named_first(parts: Parts, tmp_path: Path) -> None:
    assert GCC is not None
    known = hashes_of(built(tmp_path, *FAST.flags))
    assert known[-1] == hashes_of(built(tmp_path, "-O2", "-mfma"))[-1] != OWN_HASHES[-1]
    del known[-1]
    with closing(searched(known)) as search:
        search._gives_all(GCC, Plan(replace(FAST, narrower=()), parts))  # pyright: ignore[reportPrivateUsage]
        hit = search.hits[0] = replace(search.hits[0], row=FAST)
        assert hit.hazards[0] != "fma"
        assert search.name_first(hit).hazards[0] == "fma"


@pytest.mark.parametrize("parts", [OWN, SOME])
def test_a_build_that_gives_the_first_hashes_alone_has_no_more_flags_than_that_takes(
    parts: Parts, tmp_path: Path
) -> None:
    assert GCC is not None
    known = hashes_of(built(tmp_path, "-O2", "-mfma"))
    known = {n: value ^ (n > 20) for n, value in known.items()}
    with closing(searched(known)) as search:
        search._gives_all(GCC, Plan(FAST, parts))  # pyright: ignore[reportPrivateUsage]
        (hit,) = search.hits
        assert hit.parting == 21
        assert len(hit.hazards) > 1
        named = search.name_first(hit)
    assert (named.hazards, named.parting) == (("fma",), 21)
    assert search.hits == [named]


def test_fields_after_a_hidden_difference_are_those_of_a_build_with_the_first_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: BuildSearch) -> None:
        self._end = spent() + 60
        self._compiled(STAGES[:1])

    monkeypatch.setattr(BuildSearch, "run", run)
    file = built(tmp_path, "-O2", "-mfma")
    known = hashes_of(file)
    lines = [f"{n} {value ^ (n > 20):016x}\n" for n, value in known.items() if n >= 0]
    theirs, replay = tmp_path / "theirs.txt", tmp_path / "loaded.mcap"
    theirs.write_text("".join(lines))
    with LOADED.record(replay, seed=SOURCE.seed) as recording:
        recording.run(ROWS)
    found = sb.diagnose(LOADED, replay, b=theirs)
    assert (found.frame, found.certainty) == (0, "possible")
    assert (found.causes[0].hazard, found.causes[0].frames_same) == ("fma", 21)
    assert {field.path for field in found.fields} == differing_after_frame_0(file)
    assert "side a built so differs from init on" in found.notes


@pytest.mark.parametrize(("explained", "is_proxy"), [(1, False), (2, True)])
def test_a_proxy_that_gives_a_part_of_what_differs_stands_for_no_build(
    explained: int, is_proxy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def proxy(a: Trace, after: bytes, progress: object, among: object) -> Proxy:
        return Proxy(a, explained, 2)

    monkeypatch.setattr(steps, "proxy_trace", proxy)
    theirs = CompiledSide("theirs", LOADED, SIDE.spec, file=built(tmp_path, "-O2", "-mfma"))
    fact = CauseFact("fma", "", "", "", "", "", FRAMES, FRAMES, ())
    found = diagnose(LOADED, SOURCE, SIDE, theirs, known=KnownCause(fact, ()))
    assert any("serves as proxy" in note for note in found.notes) == is_proxy


@pytest.mark.parametrize("proxies", [None, (), ("fma", "order")])
def test_what_may_stand_for_a_build_is_what_gives_the_first_hashes(
    proxies: tuple[str, ...] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def proxy(a: Trace, after: bytes, progress: object, among: object) -> None:
        tried.append(among)

    def flags(self: FastFindings, *_: object) -> bool:
        tried.append("flags")
        return False

    monkeypatch.setattr(steps, "proxy_trace", proxy)
    monkeypatch.setattr(FastFindings, "tell", flags)
    theirs = CompiledSide("theirs", LOADED, SIDE.spec, file=built(tmp_path, "-O2", "-mfma"))
    fact = CauseFact("fma", "", "", "", "", "", FRAMES, FRAMES, ())
    diagnose(LOADED, SOURCE, SIDE, theirs, known=KnownCause(fact, (), proxies=proxies))
    assert tried == ([] if proxies == () else ["flags", proxies])


@pytest.mark.parametrize("calls", [False, True])
def test_a_statement_that_calls_functions_is_not_sure_where_none_of_theirs_is(
    calls: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = hashes_of(built(tmp_path, "-O2", "-mfma"))
    with closing(searched(known)) as search:
        search.run(STAGES[:1])
        hit = search.hits[0]
        sure = search.first_step(hit, within_loops=True)
        assert sure is not None
        assert sure.sure

        def first(self: CompilerSearch, hit: Hit, within: bool, returns: bool) -> FirstStep | None:
            return None if returns else sure

        monkeypatch.setattr(CompilerSearch, "_first_step", first)
        monkeypatch.setattr(CompilerSearch, "_is_of_others", lambda self, place: calls)
        found = search.first_step(hit, within_loops=True)
    assert found == replace(sure, sure=not calls)
