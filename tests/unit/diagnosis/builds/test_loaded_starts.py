"""A build that begins with a loaded state is found, and the line that makes its difference."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.folders import SIMULATIONS

from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.plans import STAGES
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.clock import spent
from samebits.export.plain_c.program import PlainC
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

LOADED = load_simulation(str(SIMULATIONS / "loaded_simulation.py"))
FRAMES = 60
SIDE = parse_side("", LOADED)
SOURCE = PlayerSource(LOADED, "sway", 5, FRAMES)
ROWS = InputStream(SOURCE).between(0, FRAMES)
OWN = record_report(SIDE, SOURCE, ReportRequest(None, None)).known
GCC = next((each for each in compilers() if each.family == "gcc"), None)
pytestmark = pytest.mark.skipif(GCC is None, reason="there is no gcc here")


def begun() -> bytes:
    """The state that side a's `init` leaves."""
    with closing(open_run(SIDE)) as run:
        run.start(SOURCE.seed)
        return run.save()


@pytest.fixture(scope="module")
def fused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built by gcc with products fused."""
    assert GCC is not None
    shop = Workshop(tmp_path_factory.mktemp("fused"), PlainC(LOADED.program, 1), GCC)
    flags = ("-O2", "-mfma")
    objects = [
        shop.object(shop.file_of("own", shop.plain.kernels), flags),
        shop.object(shop.file_of("library", shop.plain.library), STRICT),
        shop.object(shop.driver(), STRICT),
    ]
    return shop.program(objects, STRICT)


def run_of(fused: Path, begins: bytes | None) -> tuple[dict[int, int], bytes]:
    """Its hashes by frame, and its state after the first one that is not side a's."""
    with closing(BuiltExecution(LOADED.program, fused, 60, begins)) as built:
        built.start(SOURCE.seed)
        hashes = {-1: built.first_hash, **dict(enumerate(map(int, built.advance(ROWS).hashes)))}
        first = min(n for n in hashes if hashes[n] != OWN[n])
        built.start(SOURCE.seed)
        built.advance(ROWS[: first + 1])
        return hashes, built.save()


def searched(known: Mapping[int, int], wanted: bytes | None = None) -> CompilerSearch:
    frame = min(n for n in known if known[n] != OWN[n])
    return CompilerSearch(
        SIDE, InputStream(SOURCE), known, frame, spent() + 20, lambda text: None, "x86_64", wanted
    )


@pytest.mark.parametrize("knows_init", [False, True])
def test_a_build_that_begins_with_a_loaded_state_is_found(fused: Path, knows_init: bool) -> None:
    assert run_of(fused, None)[0][-1] != OWN[-1], "its init rounds otherwise"
    known, _ = run_of(fused, begun())
    assert known[-1] == OWN[-1]
    if not knows_init:
        del known[-1]
    with closing(searched(known)) as search:
        search.run()
        hit = search.hits[0]
        assert (hit.parting, hit.begins) == (None, begun())
        assert hit.words.endswith("-mfma -ffp-contract=fast, from frame 0 on")
        step = search.first_step(hit, within_loops=True)
    assert step is not None
    assert "state." in step.fact.place.source, "not the name that changes nothing"


def test_the_build_that_comes_nearest_to_a_state_is_kept(
    fused: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "compilers", lambda: (GCC,))
    known, state = run_of(fused, begun())
    strange = {n: value if value == OWN[n] else value ^ 1 for n, value in known.items()}
    with closing(searched(strange, state)) as search:
        search.run(STAGES[:1])
        assert search.hits == []
        near = search.nearest
    assert near is not None
    assert near.alike == near.differing
    assert "fma" in near.hit.hazards
