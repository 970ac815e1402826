"""A report names files and functions alike on every machine, and tells nothing about its maker."""

from __future__ import annotations

import getpass
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.dom import minidom

import pytest
from tests.support.folders import ROOT, SIMULATIONS
from tests.support.runs.desync_files import SMALL, evaluated, small

from samebits.desync.format import PROGRAM, Key
from samebits.desync.machine import machine_from_json, this_machine
from samebits.desync.portable import PortableNames, portable, without_paths
from samebits.desync.reader import report_from_bytes
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.summary import disclosure_text
from samebits.desync.writer import report_bytes
from samebits.errors import ReportError
from samebits.ir.grammar import Op, walk
from samebits.ir.text import print_module
from samebits.ir.verify import verify
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.sim.load import load_simulation
from samebits.sim.outcome import TrapFact
from samebits.sim.sources import PlayerSource

OWNER = "zebra-owner"
TRUE_NAMES = [name for name in (platform.node(), getpass.getuser()) if len(name) > 4]
"""Shorter ones may be in a report by chance."""


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The tour of simulations in a folder of someone's, under the name of a library's module."""
    folder = tmp_path / OWNER / "project"
    (folder / "parts").mkdir(parents=True)
    shutil.copy(SIMULATIONS / "small_simulation.py", folder / "parts" / "inner.py")
    (folder / "calendar.py").write_text(
        "import samebits as sb\n"
        "from samebits import math, float32, uint64\n"
        "from parts.inner import Input, State, crash, init as start, step as one\n"
        "@sb.kernel\n"
        "def init(state: State, seed: uint64) -> None:\n"
        "    start(state, seed)\n"
        "@sb.kernel\n"
        "def step(state: State, inputs: sb.ReadOnly[Input]) -> None:\n"
        "    one(state, inputs)\n"
        "    state.bodies[0].pos = state.bodies[0].pos * math.sin(float32(0.5))\n"
        "GAME = sb.Simulation(name='game', version='1', state=State, input=Input, players=2,\n"
        "                     init=init, step=step, scripts={'crash': crash})\n"
    )
    import calendar  # so that the file cannot go by its own name

    assert "calendar" in sys.modules, calendar
    for name in ("USER", "LOGNAME", "USERNAME", "HOSTNAME"):
        monkeypatch.setenv(name, OWNER)
    for function in ("platform.node", "socket.gethostname", "getpass.getuser"):
        monkeypatch.setattr(function, lambda: OWNER)
    monkeypatch.setenv("HOME", str(tmp_path / OWNER))
    monkeypatch.chdir(folder)
    before = set(sys.modules)
    yield folder / "calendar.py"
    for name in set(sys.modules) - before:
        del sys.modules[name]
    sys.path.remove(str(folder))


def test_nothing_in_a_report_identifies_its_maker(away: Path, tmp_path: Path) -> None:
    game = load_simulation(str(away))
    source = PlayerSource(game, "crash", 1, 20)
    side = evaluated(game, f"hazard=fma@{away}:10:4")
    report = record_report(side, source, ReportRequest(range(10, 20)))
    data = report_bytes(report)
    again = report_from_bytes(data)
    everything = data + b"".join(again.parts.values())
    needles = [OWNER, str(tmp_path), str(away.parent), str(SIMULATIONS), str(ROOT), *TRUE_NAMES]
    for needle in needles:
        assert needle.encode() not in everything
    assert again.contents.side == "hazard=fma@calendar.py:10:4"
    assert again.contents.trap is not None
    assert again.contents.trap.place == "parts/inner.py:55:13"
    shown = "\n".join(disclosure_text(again, "f", len(data)))
    assert "files         calendar.py, parts/inner.py, samebits/mathlib/" in shown
    assert (again.contents.init, again.contents.step) == ("calendar.init", "calendar.step")
    program = again.program
    assert program is not None
    own = [name for name in program.kernels.functions if not name.startswith("samebits.")]
    assert own == ["parts.inner.init", "calendar.init", "parts.inner.step", "calendar.step"]


def test_every_span_has_a_portable_file_and_nothing_else_changes() -> None:
    kernels, names = SMALL.program.kernels, PortableNames(SMALL)
    module = portable(SMALL.program.kernels, names)
    verify(module)
    files: set[str] = set()
    for name, function in kernels.functions.items():
        other = module.functions[names.function(name)]
        files.add(other.span.file)
        for one, two in zip(walk(function.body), walk(other.body), strict=True):
            files.add(two.span.file)
            assert type(one) is type(two)
            if isinstance(one, Op):
                assert isinstance(two, Op)
                assert (one.id, one.opcode, one.args) == (two.id, two.opcode, two.args)
    assert files == {"small_simulation.py"}
    folder = str(SIMULATIONS)
    assert print_module(module) == print_module(kernels).replace(f"{folder}/", "")


def test_a_simulation_loaded_twice_has_the_same_names(tmp_path: Path) -> None:
    texts: list[bytes] = []
    for place in ("one", "two"):
        folder = tmp_path / place
        folder.mkdir()
        path = folder / "sixteen_bodies.py"
        shutil.copy(SIMULATIONS / "small_simulation.py", path)
        simulation = load_simulation(str(path))
        source = PlayerSource(simulation, "push", 1, 4)
        report = record_report(evaluated(simulation), source, ReportRequest(range(1)))
        texts.append(report.parts[Key(PROGRAM, 0)])
    assert texts[0] == texts[1]
    assert b"sixteen_bodies.step" in texts[0]


def test_numbers_behind_names_stay_where_they_tell_functions_apart() -> None:
    names = PortableNames(SMALL)
    given = ["game.f#3", "game.f#4", "game.g", "game.g#2", "game.f#3"]
    assert [*map(names.function, given)] == [
        "game.f", "game.f#4", "game.g", "game.g#2", "game.f",
    ]  # fmt: skip


def test_a_file_that_is_here_is_found_by_its_portable_name() -> None:
    names = PortableNames(SMALL)
    assert names.local("small_simulation.py") == str(SIMULATIONS / "small_simulation.py")
    library = names.local("samebits/mathlib/float32/roots_f32.py")
    assert library is not None
    assert names.file(library) == "samebits/mathlib/float32/roots_f32.py"
    for file in ("nothing.py", "../simulations/small_simulation.py", "/etc/hostname", "", "."):
        assert names.local(file) is None


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (str(SIMULATIONS / "small_simulation.py"), "small_simulation.py"),
        (str(SIMULATIONS / "parts" / "more.py"), "parts/more.py"),
        (str(SIMULATIONS.parent / "elsewhere.py"), "elsewhere.py"),
        (r"C:\Users\somebody\game.py", "game.py"),
        ("/home/somebody/.local/notebook", "notebook"),
        ("<stdin>", "<stdin>"),
        (str(minidom.__file__), "xml/dom/minidom.py"),
        (str(SIMULATIONS / "env" / "site-packages" / "a.py"), "a.py"),
    ],
)
def test_files_are_named_from_the_simulation_or_from_their_package(file: str, name: str) -> None:
    assert PortableNames(SMALL).file(file) == name


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("x86-64-v3-O3", "x86-64-v3-O3"),
        ("source=/home/me/old/game.py,opt=3", "source=game.py,opt=3"),
        (r"source=C:\Users\me\game.py", "source=game.py"),
        ("hazard=fma@../a/b.py:10:4", "hazard=fma@b.py:10:4"),
        ("~/x/game.py:GAME", "game.py:GAME"),
        ("/home/me/", ""),
        ("source=/home/Jane Doe/old/my game.py,opt=3", "source=my game.py,opt=3"),
    ],
)
def test_paths_in_a_text_are_cut_to_their_last_part(text: str, clean: str) -> None:
    assert without_paths(text) == clean


def test_a_trap_with_a_long_message_of_several_lines_is_reported_on_one(tmp_path: Path) -> None:
    path = tmp_path / "lines.py"
    text = (SIMULATIONS / "small_simulation.py").read_text()
    text = text.replace('"nobody is at 99"', f'"two\\nlines{"x" * 2000}"').replace(
        'at": 5', 'at": 99'
    )
    path.write_text(text)
    simulation = load_simulation(str(path))
    source = PlayerSource(simulation, "crash", 1, 20)
    report = record_report(evaluated(simulation), source, ReportRequest(range(1)))
    again = report_from_bytes(report_bytes(report)).contents.trap
    assert again == report.contents.trap
    assert again is not None
    assert again.message.startswith(r"assertion failed: two\nlinesxxx")
    assert len(again.message) == 1000


def test_a_trap_is_reported_at_a_portable_place() -> None:
    place = f"{SIMULATIONS / 'small_simulation.py'}:55:13"
    found = PortableNames(SMALL).trap(TrapFact("index", "index out of range", place))
    assert found.place == "small_simulation.py:55:13"
    assert PortableNames(SMALL).trap(TrapFact("index", "m", "")).place == ""


def test_a_machine_is_what_it_is_now() -> None:
    machine = this_machine()
    assert machine == this_machine()
    assert machine_from_json(machine.to_json()) == machine
    assert machine.architecture == platform.machine()
    assert machine.system.split()[0] == platform.system()
    name, word = machine.registers[0]
    assert name == fpenv.register_name()
    before = fpenv.read()
    try:
        fpenv.write(before | REGISTERS[name].flush_results)
        flushing = this_machine()
    finally:
        fpenv.write(before)
    assert flushing.registers[0] == (name, word | REGISTERS[name].flush_results)
    assert (machine.environment, "FTZ" in flushing.environment) == ("default", True)


def test_sticky_flags_are_not_reported() -> None:
    machine = this_machine()
    before = fpenv.read()
    try:
        fpenv.write(before | REGISTERS[fpenv.register_name()].sticky)
        assert this_machine() == machine
    finally:
        fpenv.write(before)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("architecture", None),
        ("system", 3),
        ("processor", "a\nb"),
        ("numpy", "x" * 201),
        ("features", "avx"),
        ("features", ["a"] * 1001),
        ("features", [1]),
        ("registers", [["mxcsr"]]),
        ("registers", [["mxcsr", -1]]),
        ("registers", [["a", 1]] * 4),
        ("workers", True),
        ("workers", -1),
    ],
)
def test_an_environment_that_is_none_is_refused(name: str, value: object) -> None:
    facts = small().machine.to_json() | {name: value}
    with pytest.raises(ReportError, match=f"as {name}"):
        machine_from_json(facts)
    with pytest.raises(ReportError, match=f"None as {name}"):
        machine_from_json({k: v for k, v in facts.items() if k != name})
