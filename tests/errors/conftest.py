"""The command line, and replays that it recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.cli import status
from tests.support.command_line import Run
from tests.support.runs.verified import SMALL


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def replay(tmp_path: Path, run: Run) -> Path:
    path = tmp_path / "push.mcap"
    assert run("record", SMALL, "--players", "push", "--frames", 40, "--out", path)[0] == 0
    return path


@pytest.fixture
def cut(run: Run, tmp_path: Path) -> Path:
    """A replay of 2,000 frames without its end."""
    path = tmp_path / "cut.mcap"
    run("record", SMALL, "--players", "push", "--frames", 2000, "--out", path)
    path.write_bytes(path.read_bytes()[:-20_000])
    return path
