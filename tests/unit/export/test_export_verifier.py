"""The standalone verifier repeats a replay's hashes, and no file of inputs makes it crash."""

from __future__ import annotations

import io
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import (
    DUEL,
    arena,
    host_folder,
    leave_out_shared_libraries,
    made,
    needs_zig,
    small,
)
from tests.support.simulations.swaying_simulation import SWAYING

from samebits.backend.targets.table import QEMU_PACKAGE, TARGETS, Target
from samebits.desync.reader import read_report
from samebits.errors import ReplayError
from samebits.export.inputs_file import HEAD, export_inputs
from samebits.replay import read_replay
from samebits.sim.players import player

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(small(), tmp_path_factory.mktemp("small"))
    return host_folder(folder) / "small-verify"


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "push.mcap"
    with small().record(path, seed=5) as recording:
        recording.run(player(small(), "push", 5)(0, 40))
    return path


@pytest.fixture(scope="module")
def swayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of a run whose loops call cold functions."""
    folder = tmp_path_factory.mktemp("swayed")
    with SWAYING.record(folder / "push.mcap", seed=5) as recording:
        recording.run(player(SWAYING, "push", 5)(0, 40))
    export_inputs(folder / "push.mcap", folder / "push.inputs")
    return folder / "push.inputs"


@pytest.fixture(scope="module")
def exported(replay: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inputs") / "push.inputs"
    assert export_inputs(replay, path).frames == 40
    return path


def run(verifier: Path, *arguments: object) -> tuple[int, str, str]:
    done = subprocess.run(
        [verifier, *map(str, arguments)], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    return done.returncode, done.stdout, done.stderr


def test_every_frame_of_a_replay_has_its_recorded_hash(
    verifier: Path, replay: Path, exported: Path
) -> None:
    hashes = read_replay(replay).hashes
    assert hashes is not None
    code, out, err = run(verifier, exported)
    expected = [f"{frame} {int(value):016x}" for frame, value in enumerate(hashes)]
    expected.append(f"final {int(hashes[-1]):016x} after 40 frames: same as the replay")
    assert (code, out.splitlines(), err) == (0, expected, "")
    assert run(verifier, exported, "--final") == (0, expected[-1] + "\n", "")


def test_the_arenas_verifier_is_small_and_gives_the_same(tmp_path: Path) -> None:
    program = host_folder(made(arena(), tmp_path)) / "arena-verify"
    assert program.stat().st_size <= 300 * 1024
    done = export_inputs(DUEL, tmp_path / "duel.inputs")
    code, out, _ = run(program, tmp_path / "duel.inputs", "--final")
    assert code == 0
    assert out.endswith(f"after {done.frames} frames: same as the replay\n")


def test_loops_that_call_the_librarys_cold_functions_are_whole(
    swayed: Path, tmp_path: Path
) -> None:
    program = host_folder(made(SWAYING, tmp_path)) / "swaying-verify"
    code, out, err = run(program, swayed, "--final")
    assert (code, err) == (0, "")
    assert out.endswith(" after 40 frames: same as the replay\n")


def test_another_hash_is_a_difference_in_its_frame(
    verifier: Path, exported: Path, tmp_path: Path
) -> None:
    data = bytearray(exported.read_bytes())
    size = (len(data) - HEAD.size) // 40
    data[HEAD.size + 18 * size - 1] ^= 1
    (tmp_path / "altered").write_bytes(data)
    code, out, _ = run(verifier, tmp_path / "altered", "--final")
    assert code == 1
    assert out.endswith("after 40 frames: differs from the replay, first in frame 17\n")


@pytest.mark.parametrize("lacks", ["hashes", "frames"])
def test_nothing_to_compare_is_not_the_same(
    verifier: Path, exported: Path, tmp_path: Path, lacks: str
) -> None:
    data = exported.read_bytes()
    size = (len(data) - HEAD.size) // 40
    head = bytearray(data[: HEAD.size])
    if lacks == "hashes":
        head[48] = 0
        rows = [data[HEAD.size + k * size : HEAD.size + (k + 1) * size - 8] for k in range(40)]
        data = bytes(head) + b"".join(rows)
    else:
        head[32:40] = bytes(8)
        data = bytes(head)
    (tmp_path / "bare").write_bytes(data)
    code, out, _ = run(verifier, tmp_path / "bare", "--final")
    assert code == 2
    assert out.endswith(f": nothing was compared, the replay has no {lacks}\n")


def test_a_trap_is_reported_with_its_line(verifier: Path, exported: Path, tmp_path: Path) -> None:
    data = bytearray(exported.read_bytes())
    frame = (len(data) - HEAD.size) // 40
    at = HEAD.size + 3 * frame  # player 0 in frame 3: push, turn, fire, at
    data[at + 5 : at + 10] = b"\x01" + (77).to_bytes(4, "little")
    (tmp_path / "trap").write_bytes(data)
    code, out, err = run(verifier, tmp_path / "trap")
    assert (code, len(out.splitlines())) == (1, 3)
    assert err.startswith(
        "small-verify: trap in frame 3: index out of range, at small_simulation.py:"
    )
    assert err.endswith(" in step\n")


def test_every_truncation_and_addition_is_refused(
    verifier: Path, exported: Path, tmp_path: Path
) -> None:
    data = exported.read_bytes()
    cut = tmp_path / "cut"
    for length in [*range(0, HEAD.size + 40, 5), len(data) // 2, len(data) - 1, len(data) + 1]:
        cut.write_bytes((data + b"\0")[:length])
        code, _, err = run(verifier, cut, "--final")
        assert code == 2, length
        assert err.startswith(f"small-verify: {cut} "), length


def test_no_damage_ends_the_verifier_by_a_signal(
    verifier: Path, exported: Path, tmp_path: Path
) -> None:
    data, choose = exported.read_bytes(), random.Random(11)
    path = tmp_path / "damaged"
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(choose.choice([1, 1, 3, 20])):
            place = choose.randrange(24 if choose.random() < 0.5 else len(data) - 1, len(data))
            damaged[choose.choice([place, choose.randrange(24, 64)])] = choose.randrange(256)
        path.write_bytes(damaged)
        assert run(verifier, path, "--final")[0] in (0, 1, 2)


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (0, b"sbinput2", "is no file of inputs: write one with samebits replay export"),
        (8, bytes(16), "was recorded from other code"),
        (40, b"\x03", "has a damaged head: export it again"),
        (44, b"\xff\xff\xff\xff", "has a damaged head: export it again"),
        (48, b"\x02", "has a damaged head: export it again"),
        (32, b"\xff" * 8, "is cut short"),
    ],
)
def test_a_head_is_not_believed(
    verifier: Path, exported: Path, tmp_path: Path, offset: int, value: bytes, message: str
) -> None:
    data = bytearray(exported.read_bytes())
    data[offset : offset + len(value)] = value
    (tmp_path / "head").write_bytes(data)
    code, _, err = run(verifier, tmp_path / "head", "--final")
    assert code == 2
    assert err.splitlines()[0] == f"small-verify: {tmp_path / 'head'} {message}"


@pytest.mark.parametrize(
    "target", [t for t in TARGETS.values() if t.runner == "qemu"], ids=lambda t: t.name
)
def test_every_machine_repeats_the_replay(
    target: Target, tmp_path: Path, swayed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qemu = shutil.which(target.qemu)
    if qemu is None:
        pytest.skip(f"{target.qemu} is not installed: apt-get install {QEMU_PACKAGE}")
    if target.name == "x86-64-v4":
        pytest.skip("qemu-x86_64 knows no AVX-512")
    if target.name in ("x86-64-v1", "x86-64-v2"):  # whose shared libraries are as level 3 has one
        leave_out_shared_libraries(monkeypatch)
    program = made(SWAYING, tmp_path, target.name) / target.name / "swaying-verify"
    cpu = ["-cpu", target.qemu_cpu] if target.qemu_cpu else []
    code, out, err = run(Path(qemu), *cpu, program, swayed, "--final")
    assert (code, err) == (0, "")
    assert out.endswith(" after 40 frames: same as the replay\n")
    told = subprocess.run(
        [qemu, *cpu, program, swayed, "--report"], capture_output=True, timeout=HANG_SECONDS
    )
    report = read_report(io.BytesIO(told.stdout))
    assert (report.damage, report.frames) == ((), 40)
    hashes = read_replay(swayed.with_suffix(".mcap")).hashes
    assert hashes is not None
    assert [report.hash_after(frame) for frame in range(40)] == hashes.tolist()
    assert report.states == [39, 40]
    assert report.machine.architecture == target.architecture


def test_usage_and_missing_files_are_reported(verifier: Path, tmp_path: Path) -> None:
    assert run(verifier)[0] == 2
    assert run(verifier, tmp_path / "none", "--what")[0] == 2
    code, out, err = run(verifier, tmp_path / "none")
    assert (code, out) == (2, "")
    assert err == f"small-verify: {tmp_path / 'none'} cannot be opened\n"


def test_a_damaged_replay_without_a_whole_frame_is_not_exported(
    replay: Path, tmp_path: Path
) -> None:
    (tmp_path / "cut.mcap").write_bytes(replay.read_bytes()[:-700])
    with pytest.raises(ReplayError, match="is damaged: no frame of it can be read") as caught:
        export_inputs(tmp_path / "cut.mcap", tmp_path / "cut.inputs")
    assert caught.value.note is not None
    assert caught.value.note.startswith("damaged at byte ")
    assert [file.name for file in tmp_path.iterdir()] == ["cut.mcap"]


def test_a_place_that_cannot_be_written_is_reported(replay: Path, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="cannot write"):
        export_inputs(replay, tmp_path / "none" / "x")
    assert list(tmp_path.iterdir()) == []
