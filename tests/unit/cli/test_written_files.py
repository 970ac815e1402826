"""Every file that a command or function writes: no link followed, no file of another touched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.cli.pages import write_page
from samebits.desync import writer as write
from samebits.errors import ReplayError, SimulationError
from samebits.export import output_folder
from samebits.export.inputs_file import export_inputs
from samebits.replay import ReplayHeader, ReplayWriter
from samebits.verify.golden import write_golden

HEADER = ReplayHeader("bounce", "01" * 16, "1", 1, 1, 1, 1, 60)

Write = Callable[[Path], None]


def replay(path: Path) -> None:
    with ReplayWriter(path, HEADER) as writer:
        writer.add(b"a", 1)


def golden(path: Path) -> None:
    write_golden(path, "bounce", "0123456789abcdef", [(0, 1)])


def inputs(path: Path) -> None:
    replay(path.with_name("replay"))
    export_inputs(path.with_name("replay"), path)


def page(path: Path) -> None:
    write_page(str(path), "<!doctype html>")


def report(path: Path) -> None:
    write.write_report(object.__new__(write.Report), path, force=True)


def library(path: Path) -> None:
    work = path.with_name("work")
    work.mkdir(exist_ok=True)
    (work / path.name).write_bytes(b"library")
    output_folder.move(work, [path.name], path.parent)


def readme(path: Path) -> None:
    output_folder.write(path.parent, {path.name: "text"})


EVERY: list[Write] = [replay, golden, inputs, page, report, library, readme]


@pytest.fixture(params=EVERY, ids=lambda write: write.__name__)
def writer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Write:
    def report_bytes(_: object) -> bytes:
        return b"report"

    monkeypatch.setattr(write, "report_bytes", report_bytes)
    return request.param


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_links_are_not_followed_and_partial_files_of_others_stay(
    writer: Write, tmp_path: Path
) -> None:
    path, victim = tmp_path / "a", tmp_path / "victim"
    victim.write_bytes(b"theirs")
    path.symlink_to(victim)
    partial = tmp_path / "a.partial"
    partial.symlink_to(victim)
    writer(path)
    assert victim.read_bytes() == b"theirs"
    assert partial.is_symlink()
    assert not path.is_symlink()
    first = path.read_bytes()
    partial.unlink()
    partial.write_bytes(b"theirs")
    writer(path)
    assert path.read_bytes() == first
    assert partial.read_bytes() == b"theirs"
    kept = {"a", "a.partial", "victim", "replay", "work"}
    assert set(os.listdir(tmp_path)) <= kept


def test_inputs_never_take_their_replays_place(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    replay(path)
    before = path.read_bytes()
    with pytest.raises(ReplayError) as caught:
        export_inputs(path, tmp_path / "." / "a.mcap")
    assert caught.value.message == f"{path} is the replay"
    assert path.read_bytes() == before


def test_folders_that_are_links_are_not_written_to(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    out = tmp_path / "out"
    out.mkdir()
    (out / "cargo").symlink_to(theirs)
    with pytest.raises(SimulationError, match="cargo is a link"):
        output_folder.write(out, {"cargo/src/lib.rs": "text"})
    assert not list(theirs.iterdir())
    output_folder.write(out, {"npm/src/index.mjs": "text"})
    assert (out / "npm" / "src" / "index.mjs").read_text() == "text"
