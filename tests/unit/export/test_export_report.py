"""Exported libraries write desync reports, which tell what Python's own do of the same run."""

from __future__ import annotations

import ctypes
import io
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import DUEL, arena, host_folder, made, needs_zig, small

from samebits.bits import from_canonical, to_canonical, xxh64
from samebits.desync.portable import PortableNames
from samebits.desync.reader import read_report
from samebits.desync.report import Report
from samebits.diagnosis.driver.run_and_report import diagnose_report
from samebits.errors import Trap
from samebits.export.inputs_file import HEAD, export_inputs
from samebits.replay import read_replay
from samebits.sides.side import parse_side
from samebits.sim.outcome import TrapFact
from samebits.sim.simulation import Simulation
from samebits.sim.sources import ReplaySource

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]
FRAMES = 1100
PLAYERS = 2
NODE = shutil.which("node")


class History(ctypes.Structure):
    """`small_history` of the header."""

    _fields_ = (
        ("seed", ctypes.c_uint64), ("first", ctypes.c_uint64), ("frames", ctypes.c_size_t),
        ("inputs", ctypes.c_void_p), ("hashes", ctypes.c_void_p), ("states", ctypes.c_size_t),
        ("numbers", ctypes.c_void_p), ("kept", ctypes.c_void_p), ("trap", ctypes.c_int32),
        ("machine", ctypes.c_char_p),
    )  # fmt: skip


class Run:
    """A run of the small simulation in Python, and the library that tells of it."""

    def __init__(self, folder: Path) -> None:
        self.library = ctypes.CDLL(str(host_folder(folder) / "libsmall.so"))
        self.write = self.library.small_report
        self.write.restype = ctypes.c_size_t
        self.inputs = np.zeros((FRAMES + 1, PLAYERS), small().input_type.dtype)
        self.inputs["push"] = np.random.default_rng(3).normal(size=(FRAMES + 1, PLAYERS))
        self.inputs["turn"] = np.arange(PLAYERS * (FRAMES + 1)).reshape(-1, PLAYERS) % 7
        session = small().start(11)
        self.states = [session.canonical_state()]
        for row in self.inputs[:FRAMES]:
            session.step(row)
            self.states.append(session.canonical_state())
        self.hashes = np.array([xxh64(state) for state in self.states], np.uint64)
        t = small().state_type
        self.memory = np.zeros(FRAMES + 1, t.dtype)  # np.stack would drop the padding
        for n, state in enumerate(self.states):
            self.memory[n] = from_canonical(t, state)
        header = (folder / "small.h").read_text()
        (macro,) = (part for part in header.split("#define ") if part.startswith("SMALL_REPORT_BY"))
        self._bytes = macro.split("\n\n")[0].split(")", 1)[1].replace("\\\n", "")

    def room(self, frames: int, states: int) -> int:
        """SMALL_REPORT_BYTES."""
        text = self._bytes.replace("(size_t)", "").replace("/", "//")
        return int(eval(text, {"frames": frames, "states": states}))

    def history(
        self,
        first: int,
        frames: int,
        numbers: list[int],
        trap: int = 0,
        machine: bytes | None = None,
    ) -> tuple[History, Any]:
        """A history, and what it points to."""
        held = (
            np.ascontiguousarray(self.inputs[first:]), np.ascontiguousarray(self.hashes[first:]),
            np.array(numbers, np.uint64), np.ascontiguousarray(self.memory[numbers]),
        )  # fmt: skip
        at = [array.ctypes.data for array in held]
        return History(
            11, first, frames, at[0], at[1], len(numbers), at[2], at[3], trap, machine
        ), held

    def report(self, first: int, frames: int, numbers: list[int], **more: Any) -> bytes:
        """The bytes of a report in exactly the room that the header says, with nothing behind."""
        history, held = self.history(first, frames, numbers, **more)
        room = self.room(frames, len(numbers))
        memory = np.full(room + 64, 0xA5, np.uint8)
        size = self.write(
            ctypes.byref(history), ctypes.c_void_p(memory.ctypes.data), ctypes.c_size_t(room)
        )
        del held
        assert (memory[room:] == 0xA5).all()
        return memory[:size].tobytes()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(made(small(), tmp_path_factory.mktemp("small")))


def read(data: bytes) -> Report:
    report = read_report(io.BytesIO(data))
    assert report.damage == ()
    return report


def test_a_report_tells_the_run_and_nothing_else(run: Run) -> None:
    report = read(run.report(100, 700, [100, 650, 651], machine=b"console 7"))
    assert report.header == small().header(11)
    assert (report.frames, report.asked, report.contents.first) == (800, range(100, 800), 100)
    assert report.known == {n - 1: int(run.hashes[n]) for n in range(100, 801)}
    for frame in range(100, 800):
        expected = to_canonical(small().input_type, run.inputs[frame])
        assert report.inputs(frame) == expected
        assert report.input_hashes[frame] == xxh64(expected)
    assert {n: report.state(n) for n in report.states} == {
        n: run.states[n] for n in (100, 650, 651)
    }
    assert report.is_of_library
    assert (report.machine.processor, report.machine.system) == ("console 7", "Linux")
    assert dict(report.machine.registers).get("mxcsr", 0x1F80) == 0x1F80


def test_any_history_fits_the_room_that_the_header_names(run: Run) -> None:
    draw = random.Random(5)
    sizes = [0, 1, 2, 255, 511, 512, 513, 1023, 1024, 1025, FRAMES]
    for _ in range(120):
        frames = draw.choice([*sizes, draw.randrange(FRAMES)])
        first = draw.randrange(FRAMES - frames + 1)
        kept = sorted(
            draw.sample(range(first, first + frames + 1), draw.randint(0, min(9, frames + 1)))
        )
        name = bytes(draw.choice(b"abc XYZ-+.()~") for _ in range(draw.choice([0, 7, 200])))
        report = read(run.report(first, frames, kept, machine=name))
        assert (report.contents.first, report.frames, report.states) == (
            first,
            first + frames,
            kept,
        )
        assert report.machine.processor == name.decode()


def test_a_trap_is_told_as_python_tells_it(run: Run) -> None:
    session = small().start(11)
    inputs = run.inputs.copy()
    inputs["fire"][5], inputs["at"][5] = True, 77
    for row in inputs[:5]:
        session.step(row)
    with pytest.raises(Trap) as caught:
        session.step(inputs[5])
    expected = PortableNames(small()).trap(TrapFact.of(caught.value))
    message = run.library.small_trap_message
    message.restype = ctypes.c_char_p
    run.library.small_trap_line.restype = ctypes.c_int32
    assert caught.value.span is not None
    (code,) = (
        code
        for code in range(1, 50)
        if run.library.small_trap_line(code) == caught.value.span.line
        and message(code).decode() == expected.message
    )
    report = read(run.report(0, 5, [5], trap=code))
    assert report.contents.trap == expected
    assert (report.frames, report.contents.begun, report.asked) == (5, 6, range(6))


def refused(run: Run, history: History, room: int) -> bool:
    memory = np.full(room, 0xA5, np.uint8)
    at = ctypes.c_void_p(memory.ctypes.data)
    size = run.write(ctypes.byref(history), at, ctypes.c_size_t(room))
    return size == 0 and bool((memory == 0xA5).all())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("frames", 36_000), ("frames", 2**64 - 1), ("first", 2**22), ("first", 2**64 - 5),
        ("trap", -1), ("trap", 1000), ("hashes", None), ("inputs", None), ("numbers", None),
        ("kept", None), ("states", 2**40), ("machine", b'a "quoted" name'),
        ("machine", b"back\\slash"), ("machine", "ü".encode()), ("machine", b"line\n"),
        ("machine", b"x" * 201),
    ],
)  # fmt: skip
def test_a_history_that_cannot_be_is_refused(run: Run, name: str, value: Any) -> None:
    history, held = run.history(0, 20, [4, 5])
    assert not refused(run, history, run.room(20, 2))
    setattr(history, name, value)
    assert refused(run, history, 1 << 22)
    del held


@pytest.mark.parametrize("numbers", [[5, 4], [4, 4], [3, 21], [1, 5]])
def test_states_that_are_not_of_the_history_are_refused(run: Run, numbers: list[int]) -> None:
    history, held = run.history(2, 18, numbers)
    assert refused(run, history, 1 << 22)
    del held


def test_less_room_than_the_header_names_is_refused(run: Run) -> None:
    history, held = run.history(0, 20, [4, 5])
    assert refused(run, history, run.room(20, 2) - 1)
    assert run.write(ctypes.byref(history), None, ctypes.c_size_t(1 << 22)) == 0
    assert run.write(None, ctypes.c_void_p(held[0].ctypes.data), ctypes.c_size_t(1 << 22)) == 0


def verified(program: Path, inputs: Path) -> tuple[int, bytes, str]:
    done = subprocess.run([program, inputs, "--report"], capture_output=True, timeout=HANG_SECONDS)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture(scope="module")
def arena_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(arena(), tmp_path_factory.mktemp("arena"))


def duel(folder: Path) -> bytearray:
    export_inputs(DUEL, folder / "duel.inputs")
    return bytearray((folder / "duel.inputs").read_bytes())


def found(folder: Path, data: bytes, program: Path) -> tuple[int, bytes, str]:
    (folder / "given").write_bytes(data)
    return verified(program, folder / "given")


def test_a_verifier_reports_the_last_frames_of_what_is_the_same(
    arena_folder: Path, tmp_path: Path
) -> None:
    program = host_folder(arena_folder) / "arena-verify"
    status, data, said = found(tmp_path, duel(tmp_path), program)
    report, replay = read(data), read_replay(DUEL)
    assert status == 0
    assert said.endswith("after 3600 frames: same as the replay\n")
    assert replay.hashes is not None
    told = {n: hash_ for n, hash_ in report.known.items()}
    assert told == {n: int(replay.hashes[n]) for n in range(min(told), 3600)}
    assert len(told) >= 128
    assert report.states == [3599, 3600]


def test_a_verifier_reports_the_frame_that_differs_and_diagnose_names_the_input(
    arena_folder: Path, tmp_path: Path
) -> None:
    data = duel(tmp_path)
    size = (len(data) - HEAD.size) // 3600
    data[HEAD.size + 1500 * size] ^= 5  # player 0's thrust
    status, told, said = found(tmp_path, data, host_folder(arena_folder) / "arena-verify")
    assert status == 1
    assert "differs from the replay, first in frame 1500\n" in said
    report = read(told)
    assert (report.frames, report.states) == (1533, [1500, 1501])
    a = parse_side("x86-64-v2", arena())
    answer = diagnose_report(ReplaySource(arena(), str(DUEL)), a, report)
    assert answer.frame == 1500
    (cause,) = answer.causes
    assert (cause.hazard, answer.certainty) == ("changed-input", "certain")


def test_a_verifier_reports_a_trap(tmp_path: Path, run: Run) -> None:
    folder = made(small(), tmp_path / "built")
    with small().record(tmp_path / "r.mcap", seed=5) as recording:
        recording.run(run.inputs[:40])
    export_inputs(tmp_path / "r.mcap", tmp_path / "r.inputs")
    data = bytearray((tmp_path / "r.inputs").read_bytes())
    size = (len(data) - HEAD.size) // 40
    at = HEAD.size + 3 * size
    data[at + 5 : at + 10] = b"\x01" + (77).to_bytes(4, "little")
    status, told, said = found(tmp_path, data, host_folder(folder) / "small-verify")
    report = read(told)
    assert status == 1
    assert "trap in frame 3" in said
    assert report.contents.trap is not None
    assert report.contents.trap.kind == "index"
    assert (report.frames, report.contents.begun, report.states) == (3, 4, [3])


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(small(), tmp_path_factory.mktemp("module"), "wasm32")


def in_node(folder: Path, script: str) -> tuple[Report, Any]:
    """The report that a script leaves in `report`, and what it leaves in `said`."""
    (folder / "client.mjs").write_text(
        'import { writeFile } from "node:fs/promises";\n'
        'import { load } from "./wasm32/small.mjs";\n'
        "const small = await load();\nlet report, said;\n"
        f"{script}\n"
        'await writeFile("report.desync", report);\nconsole.log(JSON.stringify(said ?? null));\n'
    )
    done = subprocess.run(
        [str(NODE), "client.mjs"], cwd=folder, capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return read((folder / "report.desync").read_bytes()), json.loads(done.stdout)


STEP = "const step = (push) => { game.inputs[0].push = push; game.step(); };\n"


def hashes_of(simulation: Simulation, pushes: list[float]) -> list[int]:
    session = simulation.start(4)
    found = [session.hash()]
    for push in pushes:
        session.step([{"push": push}, {}])
        found.append(session.hash())
    return found


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_game_in_javascript_reports_the_frames_that_it_keeps(module_folder: Path) -> None:
    report, _ = in_node(
        module_folder,
        f"const game = small.start(4n, {{ keep: 10 }});\n{STEP}"
        "for (let k = 0; k < 25; k++) step(k / 4);\nreport = game.report();",
    )
    hashes = hashes_of(small(), [k / 4 for k in range(25)])
    assert report.known == {n - 1: hashes[n] for n in range(15, 26)}
    assert (report.states, report.asked) == (list(range(15, 26)), range(15, 25))
    assert report.machine.architecture == "wasm32"
    assert report.machine.processor.startswith("Node ")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_rollback_in_javascript_takes_frames_back_from_the_report(module_folder: Path) -> None:
    report, said = in_node(
        module_folder,
        f"const game = small.start(4n, {{ keep: 50 }});\n{STEP}let saved;\n"
        "for (let k = 0; k < 20; k++) { if (k == 12) saved = game.save(); step(1); }\n"
        "game.restore(saved, 12);\nfor (let k = 0; k < 5; k++) step(2);\n"
        "const other = small.start(4n, { keep: 50 });\nother.restore(saved, 400);\n"
        'said = [String(game.hash()), other.report("x").length > 0];\nreport = game.report();',
    )
    hashes = hashes_of(small(), [1.0] * 12 + [2.0] * 5)
    assert report.known == {n - 1: hash_ for n, hash_ in enumerate(hashes)}
    assert said == [str(hashes[-1]), True]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_blocks_traps_and_games_that_keep_nothing_in_javascript(module_folder: Path) -> None:
    report, said = in_node(
        module_folder,
        "const game = small.start(4n, { keep: 50 });\n"
        "const plain = small.start(4n);\n"
        "game.inputs[1].push = 3; game.inputs[1].turn = 2;\n"
        "const frame = game.saveInputs(), bytes = new Uint8Array(30 * frame.length);\n"
        "for (let k = 0; k < 30; k++) bytes.set(frame, k * frame.length);\n"
        "game.inputs[1].push = 0;\n"
        "const one = game.run(bytes), other = plain.run(bytes);\n"
        "said = [one.every((hash, k) => hash === other[k]), game.inputs[1].push];\n"
        "for (const call of [() => plain.report(), () => small.start(0, { keep: -1 }),\n"
        "  () => small.start(0, { keep: 36000 })])\n"
        "  try { call(); } catch (error) { said.push(error.message); }\n"
        "game.inputs[0].fire = true; game.inputs[0].at = 77;\n"
        "try { game.step(); } catch (error) { said.push(error.name); }\n"
        'report = game.report("a \\"tablet\\" é");',
    )
    assert said == [
        True, 0,
        "nothing is kept: start the game with { keep: 600 }, or more frames",
        "keep is -1, not a whole number from 0 to 35999",
        "keep is 36000, not a whole number from 0 to 35999",
        "SimulationTrap",
    ]  # fmt: skip
    assert (report.frames, report.contents.begun) == (30, 31)
    assert report.contents.trap is not None
    assert report.contents.trap.kind == "index"
    assert report.machine.processor == "a tablet "
