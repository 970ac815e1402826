"""Of the hashes of a port by hand that a compiler built in its own way, the way is found."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

import samebits as sb
from samebits.bits import to_canonical, xxh64
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import compilers, makes_32_bits
from samebits.diagnosis.builds.compilers.hits import Hit
from samebits.diagnosis.builds.compilers.plans import OWN, WITH_LIBRARY, Parts
from samebits.diagnosis.builds.compilers.rows import rows
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.builds.compilers.steps import FirstStep
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.report.findings import Diagnosis
from samebits.export.plain_c.program import PlainC
from samebits.hazards.catalogue import by_name
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

RING = load_simulation(str(SIMULATIONS / "ported_simulation.py"))
PORT = Path(__file__).with_name("ring.c")
FRAMES = 60
GCC = next((each for each in compilers() if each.family == "gcc"), None)
needs_gcc = pytest.mark.skipif(GCC is None, reason="there is no gcc here")


def source() -> PlayerSource:
    return PlayerSource(RING, "sway", 1, FRAMES)


def hashes_of_port(folder: Path, *flags: str) -> Mapping[int, int]:
    """What the port's states hash to, built by some flags."""
    assert GCC is not None
    GCC.run(folder, [*flags, str(PORT), "-o", "port", "-lm"], 60)
    rows = InputStream(source()).between(0, FRAMES)
    done = subprocess.run([folder / "port"], input=rows.tobytes(), capture_output=True, check=True)
    states = np.frombuffer(done.stdout, RING.state_type.dtype)
    return {n - 1: xxh64(to_canonical(RING.state_type, state)) for n, state in enumerate(states)}


def told(known: Mapping[int, int], folder: Path) -> Diagnosis:
    """What a bare list of hashes gives."""
    theirs, replay = folder / "theirs.txt", folder / "ring.mcap"
    lines = [f"{'init' if n < 0 else n} {value:016x}\n" for n, value in known.items()]
    theirs.write_text("".join(lines))
    with RING.record(replay, seed=1) as recording:
        recording.run(InputStream(source()).between(0, FRAMES))
    return sb.diagnose(RING, replay, b=theirs)


def searched(known: Mapping[int, int]) -> CompilerSearch:
    """A search that has ended."""
    found = search_of(known)
    with closing(found):
        found.run()
    return found


def search_of(known: Mapping[int, int], seconds: float = 60) -> CompilerSearch:
    own = record_report(parse_side("", RING), source(), ReportRequest(None, None)).known
    frame = min(n for n in known if known[n] != own[n])
    return CompilerSearch(
        parse_side("", RING),
        InputStream(source()),
        known,
        frame,
        spent() + seconds,
        lambda text: None,
    )


@needs_gcc
def test_a_port_built_strictly_has_the_bits(tmp_path: Path) -> None:
    own = record_report(parse_side("", RING), source(), ReportRequest(None, None)).known
    assert dict(hashes_of_port(tmp_path, "-O2", "-ffp-contract=off")) == dict(own)


@needs_gcc
@pytest.mark.parametrize(
    ("flags", "hazards"),
    [
        (["-Ofast"], {"order", "reciprocal"}),
        (["-Ofast", "-mfma"], {"order", "fma", "reciprocal"}),
        (["-O2", "-m32", "-mfpmath=387"], {"x87"}),
        (["-O2", "-ffp-contract=off", "-DFLOAT=double"], {"double-rounding"}),
    ],
)
def test_the_build_of_a_port_is_found(flags: list[str], hazards: set[str], tmp_path: Path) -> None:
    assert GCC is not None
    if "-m32" in flags and not makes_32_bits(GCC):
        pytest.skip("gcc builds no 32-bit programs here")
    hit = searched(hashes_of_port(tmp_path, *flags)).hits[0]
    assert hit.parting is None
    assert set(hit.hazards) & hazards
    assert set(hit.hazards) <= hazards | {"algebra"}
    assert GCC.title in hit.words


@needs_gcc
def test_a_build_is_told_with_fields_and_what_was_done(tmp_path: Path) -> None:
    found = told(hashes_of_port(tmp_path, "-Ofast", "-mfma"), tmp_path)
    first = found.causes[0]
    assert found.certainty == "certain"
    assert first.holds
    assert first.evidence[0].startswith(f"side a's program as C, built by {GCC and GCC.title} -O")
    assert f"gives all {FRAMES} hashes" in first.evidence[0]
    assert found.fields
    assert found.operation is not None
    assert "force = d / (1.0 + d * d)" in found.operation.place.source


@needs_gcc
@pytest.mark.parametrize(("is_sure", "certainty"), [(True, "certain"), (False, "likely")])
def test_an_answer_is_as_sure_as_its_line(
    is_sure: bool, certainty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = CompilerSearch.first_step

    def told_so(self: CompilerSearch, hit: Hit, within_loops: bool) -> FirstStep | None:
        found = first(self, hit, within_loops)
        return None if found is None else replace(found, sure=is_sure)

    monkeypatch.setattr(CompilerSearch, "first_step", told_so)
    for name in ("first_statement", "first_function"):
        monkeypatch.setattr(CompilerSearch, name, lambda self, hit: None)
    flags = "-Ofast", "-ffp-contract=off", "-fno-reciprocal-math"
    found = told(hashes_of_port(tmp_path, *flags), tmp_path)
    assert found.operation is not None
    assert found.operation.place.source.strip() == "middle += state.pos[i] * state.weight[i]"
    assert found.certainty == certainty


@needs_gcc
def test_the_first_statement_that_differs_is_logged(tmp_path: Path) -> None:
    known = hashes_of_port(tmp_path, "-Ofast", "-ffp-contract=off", "-fno-reciprocal-math")
    with closing(search_of(known)) as search:
        search.run()
        assert search.hits[0].parting is None
        assert search.first_step(search.hits[0], within_loops=True) is None, "no vectors then"
        step = search.first_step(search.hits[0], within_loops=False)
    assert step is not None
    step = step.fact
    assert step.place.source.strip() == "middle += state.pos[i] * state.weight[i]"
    assert step.a is not None
    assert step.b is not None
    assert step.a.bits != step.b.bits


@needs_gcc
def test_functions_that_alone_are_built_so_are_found(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, PlainC(RING.program, 1), GCC or compilers()[0])
    flags = [STRICT, ("-Ofast", "-mfma")]
    objects = [
        shop.object(shop.file_of(name, [name]), flags["measure" in name])
        for name in (*shop.plain.library, *shop.plain.kernels)
    ]
    file = shop.program([*objects, shop.object(shop.driver(), STRICT)], STRICT)
    rows = InputStream(source()).between(0, FRAMES)
    with closing(BuiltExecution(RING.program, file, 60)) as built:
        built.start(1)
        known = {-1: built.first_hash, **dict(enumerate(map(int, built.advance(rows).hashes)))}
    hit = searched(known).hits[0]
    assert hit.parting is None
    assert [name.rpartition(".")[2] for name in hit.functions] == ["measure"]
    assert "measure alone" in hit.words


@needs_gcc
@pytest.mark.parametrize("parts", [OWN, WITH_LIBRARY])
def test_the_statement_that_alone_gives_the_hash_is_told(parts: Parts, tmp_path: Path) -> None:
    known = hashes_of_port(tmp_path, "-O2", "-ffp-contract=off", "-freciprocal-math")
    with closing(search_of(known)) as search:
        search.run()
        found = search.first_statement(replace(search.hits[0], parts=parts))
    assert found is not None
    assert found.place.source.strip() == "state.middle = middle / 30.5"
    assert found.validation == "built so, it alone gives b's hash of that frame"


@needs_gcc
def test_hashes_of_no_build_end_the_search(tmp_path: Path) -> None:
    known = {frame: value ^ 1 for frame, value in hashes_of_port(tmp_path, "-O2").items()}
    with closing(search_of(known, seconds=4)) as search:
        with suppress(OutOfTime):
            search.run()
        assert search.tried > 3
        assert search.hits == []


def test_without_a_compiler_there_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "compilers", lambda: ())
    found = searched({0: 1})
    assert (found.hits, found.tried) == ([], 0)
    assert "no C compiler is here" in found.notes[0]


def test_rows_name_hazards_that_there_are() -> None:
    assert rows()
    for row in rows():
        assert set(row.families) <= {"gcc", "clang"}
        for each in (row, *row.narrower):
            assert all(by_name(name) for name in each.hazards)
