"""Of a port by hand some of whose floats have the other width, these are found by its hashes."""

from __future__ import annotations

import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

import samebits as sb
from samebits.bits import to_canonical, xxh64
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.builds.compilers.found import Compiler, compilers
from samebits.diagnosis.builds.compilers.plans import OWN, SOME, STAGES, Known, Plan, rows_for
from samebits.diagnosis.builds.compilers.rows import rows
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.clock import spent
from samebits.diagnosis.report.findings import Diagnosis
from samebits.export.plain_c.widths import Part, Widths
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource
from samebits.types import FLOAT32, FLOAT64

FRAMES = 60
GCC = next((each for each in compilers() if each.family == "gcc"), None)
STRICT = ("-O2", "-ffp-contract=off")


@dataclass(frozen=True)
class Port:
    """A simulation, its C by hand, and the inputs of both."""

    simulation: str
    file: str
    script: str


RING = Port("ported_simulation.py", "ring.c", "sway")
WEIGHTS = Port("wide_simulation.py", "weights.c", "gusts")


def told(port: Port, folder: Path, *flags: str) -> Diagnosis:
    """What the hashes of the port, built strictly with some macros, give."""
    assert GCC is not None
    game = load_simulation(str(SIMULATIONS / port.simulation))
    file = Path(__file__).with_name(port.file)
    GCC.run(folder, [*STRICT, *flags, str(file), "-o", "port", "-lm"], 60)
    inputs = InputStream(PlayerSource(game, port.script, 1, FRAMES)).between(0, FRAMES)
    done = subprocess.run(
        [folder / "port"], input=inputs.tobytes(), capture_output=True, check=True
    )
    states = np.frombuffer(done.stdout, game.state_type.dtype)
    hashes = [xxh64(to_canonical(game.state_type, state)) for state in states]
    theirs, replay = folder / "theirs.txt", folder / "game.mcap"
    lines = [f"{n - 1 if n else 'init'} {value:016x}\n" for n, value in enumerate(hashes)]
    theirs.write_text("".join(lines))
    with game.record(replay, seed=1) as recording:
        recording.run(inputs)
    return sb.diagnose(game, replay, b=theirs)


@pytest.mark.skipif(GCC is None, reason="there is no gcc here")
@pytest.mark.parametrize(
    ("port", "flags", "hazard", "line"),
    [
        (WEIGHTS, ["-DC_SWING(X)=X##f"], "constant", "fall = a - a * a * a * 0.16666"),
        (WEIGHTS, ["-DC_SWING(X)=X##f", "-DSWING=float"], "narrower", "a = state.angle[i]"),
        (RING, ["-DMEASURED=double"], "double-rounding",
         "middle += state.pos[i] * state.weight[i]"),
    ],
)  # fmt: skip
def test_one_function_in_the_other_width_is_told_with_its_line(
    port: Port, flags: list[str], hazard: str, line: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(search_module, "compilers", lambda: (GCC,))
    found = told(port, tmp_path, *flags)
    assert found.certainty == "certain"
    assert found.causes[0].hazard == hazard
    assert found.operation is not None
    assert found.operation.place.source.strip() == line


def test_widths_of_floats_that_a_program_does_not_compute_are_not_tried() -> None:
    compiler = Compiler("gcc", "gcc", ("gcc",))
    for floats, left in (
        ({FLOAT32}, {FLOAT64, None}),
        ({FLOAT64}, {FLOAT32, None}),
        ({FLOAT32, FLOAT64}, {FLOAT32, FLOAT64, None}),
    ):
        own, _ = rows_for(compiler, "x86_64", floats)
        assert {widths.to for row in own for widths in row.widths} == left


def test_some_functions_are_tried_in_widths_that_keep_their_signatures() -> None:
    row = next(row for row in rows() if Widths.DOUBLE_ALL in row.widths)
    known = Known([row], [], [row], calls_library=False)
    by_parts = {OWN: [*STAGES[0](known)], SOME: [p for p in STAGES[1](known) if p.parts is SOME]}
    assert [plan.widths for plan in by_parts[OWN]] == list(row.widths)
    some = {plan.widths for plan in by_parts[SOME]}
    assert some == {w for w in row.widths if Part.SIGNATURES not in w.parts}
    assert len(some) > 3


def test_one_compiler_alone_tries_what_all_make_the_same_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two = [Compiler("gcc", f"gcc {n}", ("gcc",)) for n in (1, 2)]
    tried: list[tuple[str, bool]] = []

    def is_able(self: CompilerSearch, compiler: Compiler) -> bool:
        return True

    def gives_all(self: CompilerSearch, compiler: Compiler, plan: Plan) -> bool:
        tried.append((compiler.title, plan.is_shared))
        return False

    monkeypatch.setattr(search_module, "compilers", lambda: two)
    monkeypatch.setattr(CompilerSearch, "_is_able", is_able)
    monkeypatch.setattr(CompilerSearch, "_gives_all", gives_all)
    ring = load_simulation(str(SIMULATIONS / RING.simulation))
    inputs = InputStream(PlayerSource(ring, RING.script, 1, 3))
    search = CompilerSearch(
        parse_side("", ring), inputs, {0: 1}, 0, spent() + 60, lambda text: None
    )
    with closing(search):
        search.run()
    assert {*tried} == {("gcc 1", True), ("gcc 1", False), ("gcc 2", False)}
