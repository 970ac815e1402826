"""Corpora come from anywhere: what can't be read is told, and stops nothing."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from samebits.farm.entries import content_of, read_entries
from samebits.farm.errors import FarmError
from samebits.replay.header import ReplayHeader
from samebits.replay.writer import ReplayWriter


def header(seed: int = 1, name: str = "game") -> ReplayHeader:
    return ReplayHeader(
        simulation=name, digest="0" * 32, version="1", seed=seed, players=1, input_size=1,
        state_size=8, tick_rate=60, mode="STRICT", precision="HIGH",
        schema={"state": {}, "input": {}},
    )  # fmt: skip


def replay(path: Path, seed: int = 1, name: str = "game") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with ReplayWriter(path, header(seed, name)) as writer:
        writer.add(b"\1")
    return path


def test_a_folder_gives_its_replays_in_the_order_of_their_names(tmp_path: Path) -> None:
    for n, name in enumerate(("b.mcap", "a/z.mcap", "c.sbreplay"), 1):
        replay(tmp_path / name, n)
    (tmp_path / "notes.txt").write_text("no replay")
    shown: list[int] = []
    found = read_entries(str(tmp_path), shown.append)
    assert [os.path.relpath(each.path, tmp_path) for each in found.replays] == [
        "a/z.mcap", "b.mcap", "c.sbreplay",
    ]  # fmt: skip
    assert shown == [1, 2, 3]
    assert found.unread == []


def test_the_same_bytes_twice_are_one_replay(tmp_path: Path) -> None:
    one = replay(tmp_path / "one.mcap")
    (tmp_path / "two.mcap").write_bytes(one.read_bytes())
    (tmp_path / "three.mcap").symlink_to(one)
    replay(tmp_path / "zero.mcap", seed=2)
    found = read_entries(str(tmp_path))
    assert [len(each.copies) for each in found.replays] == [2, 0]
    assert found.files == 4


def test_what_cannot_be_read_is_told_and_the_rest_is_there(tmp_path: Path) -> None:
    replay(tmp_path / "good.mcap")
    (tmp_path / "empty.mcap").write_bytes(b"")
    (tmp_path / "text.mcap").write_text("hello")
    (tmp_path / "cut.mcap").write_bytes((tmp_path / "good.mcap").read_bytes()[:40])
    (tmp_path / "dangling.mcap").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop.mcap").symlink_to(tmp_path / "loop.mcap")
    (tmp_path / "folder").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.mcap")
    found = read_entries(str(tmp_path))
    assert [Path(each.path).name for each in found.replays] == ["good.mcap"]
    assert [Path(path).name for path, _ in found.unread] == [
        "cut.mcap", "dangling.mcap", "empty.mcap", "loop.mcap", "pipe.mcap", "text.mcap",
    ]  # fmt: skip
    assert found.files == 7


def test_a_list_names_replays_relative_to_itself(tmp_path: Path) -> None:
    replay(tmp_path / "deep" / "a.mcap")
    listed = tmp_path / "list.txt"
    listed.write_text("# a comment\n\n  deep/a.mcap\ndeep/missing.mcap\r\n")
    found = read_entries(str(listed))
    assert [each.simulation for each in found.replays] == ["game"]
    assert [path for path, _ in found.unread] == [str(tmp_path / "deep" / "missing.mcap")]


def test_a_list_has_comments_behind_paths_and_may_begin_with_a_mark(tmp_path: Path) -> None:
    for seed, name in enumerate(("a.mcap", "b#1.mcap", "c d.mcap"), 1):
        replay(tmp_path / name, seed)
    listed = tmp_path / "list.txt"
    listed.write_bytes(
        b"\xef\xbb\xbfa.mcap\r\n  # more\nb#1.mcap # of match #1\nc d.mcap\t# last\n"
    )
    found = read_entries(str(listed))
    assert [Path(each.path).name for each in found.replays] == ["a.mcap", "b#1.mcap", "c d.mcap"]
    assert found.unread == []


def test_a_corpus_without_replays_is_told_what_to_do_there(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "list.txt").write_text("# none\n")
    fixes: list[str | None] = []
    for name in ("a b", "list.txt"):
        with pytest.raises(FarmError) as caught:
            read_entries(str(tmp_path / name))
        fixes.append(caught.value.fix)
    path = shlex.quote(str(tmp_path / "a b" / "first.mcap"))
    assert fixes[0] == f"samebits record SIM --out {path}"
    assert fixes[1] == "write one path a line, relative to the list, or name a folder"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("nothing", None, "cannot read"),
        ("list.txt", b"\xff\xfe", "is not UTF-8"),
        ("list.txt", b"# none\n", "has no replay"),
    ],
)
def test_a_corpus_without_replays_is_refused(
    tmp_path: Path, name: str, data: bytes | None, said: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(FarmError, match=said) as caught:
        read_entries(str(tmp_path / name))
    assert caught.value.fix


def test_a_replay_is_known_by_all_of_its_bytes(tmp_path: Path) -> None:
    path = replay(tmp_path / "a.mcap")
    before = content_of(str(path))
    path.write_bytes(path.read_bytes() + b"\0")
    assert content_of(str(path)) != before
