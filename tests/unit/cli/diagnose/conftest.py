"""The command line in a folder of replays and reports."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.command_line import Run, called
from tests.support.runs.compared import FRAMES, FUSED, OTHER, PLAIN, SMALL

from samebits.cli import status


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of replays and reports, made once by the commands that users have."""
    folder = tmp_path_factory.mktemp("made")
    second = folder / "second" / "small_simulation.py"
    second.parent.mkdir()
    second.write_text(Path(SMALL).read_text().replace('version="1"', 'version="2"'))
    for sim, players, seed, name in (
        (SMALL, "push", 1, "push"),
        (SMALL, "push", 2, "seed2"),
        (SMALL, "crash", 1, "crash"),
        (OTHER, "push", 1, "other"),
        (str(second), "push", 1, "second"),
    ):
        replay = folder / f"{name}.mcap"
        given = ("--players", players, "--seed", seed, "--frames", FRAMES, "--out", replay)
        assert called("record", sim, *given) == (1 if players == "crash" else 0)
        report = ("report", sim, replay, "--frames", "8:14", "-o", folder / f"{name}.desync")
        assert players == "crash" or called(*report, "--a", PLAIN) == 0
    report = ("report", SMALL, folder / "push.mcap", "--a", FUSED)
    assert called(*report, "--trace", 10, "--frames", "8:14", "-o", folder / "fused.desync") == 1
    assert called(*report, "-o", folder / "hashes.desync") == 1  # other bits than were recorded
    data = (folder / "fused.desync").read_bytes()
    (folder / "cut.desync").write_bytes(data[: len(data) // 2])
    (folder / "stump.desync").write_bytes(data[: len(data) // 8])
    (folder / "junk").write_bytes(bytes(range(1, 256)) * 9)
    (folder / "folder.desync").mkdir()
    return folder


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """The command line in a copy of the folder: status, stdout, stderr."""
    shutil.copytree(made, tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run")
    capsys.readouterr()

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status(["diagnose", *[str(a) for a in arguments]])
        out, err = capsys.readouterr()
        return code, out, err

    return run
