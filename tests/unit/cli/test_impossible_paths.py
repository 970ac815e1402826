"""A path that can be no file gets an error with what is wrong, in every command that takes one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.folders import SIMULATIONS

from samebits.cli import status

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and errors of POSIX")

SMALL = str(SIMULATIONS / "small_simulation.py")
PATHS = {
    "long name": "n" * 300,
    "long path": "n/" * 3000 + "a",
    "under a file": "file/a",
    "folder": "folder",
    "loop": "loop",
    "below a loop": "loop/a",
    "NUL": "a\0b",
    "surrogate": "a\ud800b",
    "empty": "",
    "device": "/dev/full",
    "no folder": "none/a",
}
COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "verify sim": lambda p: ["verify", p],
    "verify sim file": lambda p: ["verify", f"{p}.py"],
    "verify replay": lambda p: ["verify", SMALL, p],
    "verify golden": lambda p: ["verify", SMALL, "--frames", "2", "--target", "managed",
                                "--golden", p],
    "verify update": lambda p: ["verify", SMALL, "--frames", "2", "--target", "managed,evaluate",
                                "--golden", p, "--update-golden"],
    "record sim": lambda p: ["record", f"{p}.py:Name", "--out", "a.mcap"],
    "record out": lambda p: ["record", SMALL, "--frames", "2", "--out", p],
    "build sim": lambda p: ["build", p],
    "inspect": lambda p: ["inspect", f"{p}.py:k"],
    "inspect html": lambda p: ["inspect", f"{SMALL}:step", "--html", p],
    "lint": lambda p: ["lint", p],
    "lint file": lambda p: ["lint", f"{p}.py"],
    "report sim": lambda p: ["report", p, "a.mcap"],
    "report replay": lambda p: ["report", SMALL, p],
    "report out": lambda p: ["report", SMALL, "good.mcap", "-o", p],
    "report show": lambda p: ["report", "--show", p],
    "diagnose sim": lambda p: ["diagnose", p, "a.mcap"],
    "diagnose replay": lambda p: ["diagnose", SMALL, p],
    "diagnose reports": lambda p: ["diagnose", f"{p}.desync", f"{p}.desync"],
    "diagnose html": lambda p: ["diagnose", SMALL, "good.mcap", "--html", p],
    "diagnose source": lambda p: ["diagnose", SMALL, "good.mcap", "--b", f"source={p}"],
    "export replay": lambda p: ["replay", "export", p, "--out", "x"],
    "export out": lambda p: ["replay", "export", "good.mcap", "--out", p],
    "doctor": lambda p: ["doctor", f"{p}.py"],
}  # fmt: skip

REPLACE = {"diagnose html", "record out", "export out", "verify update", "inspect html"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paths")
    before = os.getcwd()
    os.chdir(folder)
    try:
        assert status(["record", SMALL, "--frames", "2", "--out", "good.mcap"]) == 0
    finally:
        os.chdir(before)
    (folder / "file").touch()
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    return folder


@pytest.mark.parametrize("what", PATHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_reported(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    what: str,
) -> None:
    monkeypatch.chdir(place)
    before = sorted(os.listdir())
    if what == "loop" and command in REPLACE:
        pytest.skip("a link is replaced")
    code = status(COMMANDS[command](PATHS[what]))
    out, err = capsys.readouterr()
    assert code == 2, (out, err)
    assert (out + err if command.startswith("lint") else err).strip()
    assert "Traceback" not in err
    assert "unexpected" not in err
    assert sorted(os.listdir()) == before
