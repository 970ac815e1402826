"""The command's start: Ctrl-C ends it as quietly as later, and the commands are made once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.support.limits import HANG_SECONDS

from samebits.cli import status

HOOK = """
import os, signal, sys

def interrupt(event, given):
    if event == "import" and given[0] == os.environ["INTERRUPT_AT"]:
        signal.raise_signal(signal.SIGINT)

sys.addaudithook(interrupt)
"""
COMMAND = [sys.executable, "-c", "from samebits_command import main; main()"]
MODULE = [sys.executable, "-m", "samebits"]


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (COMMAND, "samebits"),
        (COMMAND, "samebits.cli.commands"),
        (MODULE, "samebits.importing"),
        (MODULE, "numpy"),
    ],
    ids=["first import", "commands", "package", "libraries"],
)
def test_ctrl_c_while_the_command_is_imported_ends_it_quietly(
    tmp_path: Path, command: list[str], place: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [*command, "targets"],
        env={**os.environ, "PYTHONPATH": path, "INTERRUPT_AT": place},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"{HOOK}signal.signal(2, signal.SIG_IGN)\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [*MODULE, "--version"],
        env={**os.environ, "PYTHONPATH": path, "INTERRUPT_AT": "samebits.errors"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_is_made_once_for_all_its_command_lines_in_a_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["replay", "--help"]) == 0
    monkeypatch.setattr(typer.main, "get_command_from_info", None)
    assert status(["replay", "export", "--help"]) == 0
    assert "Usage: samebits replay export" in capsys.readouterr().out
