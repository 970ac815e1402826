"""Bits files: what is written is read, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.runs.bits_files import machine, run, trap, written

from samebits.ci.bits_file import BitsError, checksum, read_bits


def text_of(table: dict[str, Any]) -> str:
    """The file of a table, with its checksum made anew."""
    table["checksum"] = checksum({key: v for key, v in table.items() if key != "checksum"})
    return json.dumps(table)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    ended = run("b.mcap", "beef", end=trap(40), told="it trapped")
    (path,) = written(tmp_path, machine("ubuntu", run(), ended, shard=(1, 2)))
    return Path(path)


def test_what_is_written_is_read(file: Path) -> None:
    found = read_bits(str(file))
    assert (found.label, found.simulation, found.shard) == ("ubuntu", "small", (1, 2))
    one, two = found.runs
    assert one.hashes.tolist() == run().hashes.tolist()
    assert (one.end, two.end, two.told) == (None, trap(40), "it trapped")
    assert one.rows == run().rows


def test_every_flipped_bit_is_refused(file: Path) -> None:
    data, random = file.read_bytes(), Random(5)
    for _ in range(300):
        flipped = bytearray(data)
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        try:
            same = json.loads(flipped) == json.loads(data)
        except ValueError:
            same = False
        if same:  # white space
            continue
        file.write_bytes(flipped)
        with pytest.raises(BitsError):
            read_bits(str(file))


@pytest.mark.parametrize("end", [0, 1, 40, 400, -2])
def test_a_cut_file_is_refused(file: Path, end: int) -> None:
    file.write_bytes(file.read_bytes()[:end])
    with pytest.raises(BitsError, match=f"{file.name} is not a bits file"):
        read_bits(str(file))


CHANGES: list[tuple[str, Any, str]] = [
    ("label", 7, "label is 7, not a text of at most 300 characters"),
    ("label", "x" * 301, "label is 'xxx"),
    ("digest", "zz", "digest is 'zz', not 8 to 128 lowercase hex digits"),
    ("shard", [2, 1], "shard is [2, 1], not two whole numbers, i of n"),
    ("shard", [True, 1], "shard is [True, 1]"),
    ("machine", [], "machine is [], not an object"),
    ("machine", {}, "machine.architecture is 'missing', not a text"),
    ("runs", {}, "runs is {}, not a list"),
    ("runs", [3], "runs[0] is 3, not an object"),
    ("runs.seed", -1, "runs[0].seed is -1, not a whole number from 0"),
    ("runs.seed", 2**64, "runs[0].seed is 18446744073709551616, not"),
    ("runs.hashes", "AAAA", "runs[0].hashes is 'AAAA', not uint64s in base64"),
    ("runs.hashes", "?", "runs[0].hashes is '?', not uint64s in base64"),
    ("runs.start", "12", "runs[0].start is '12', not 16 hexadecimal digits or null"),
    ("runs.result", "fine", "runs[0].result is 'fine', not one of same, differs"),
    ("runs.end", {"frame": -2}, "runs[0].end.frame is -2, not a whole number from -1"),
    ("runs.rows", [{"name": 1}], "runs[0].rows[0].name is 1, not a text"),
    ("format", "samebits bits 9", "is of another format: 'samebits bits 9'"),
    ("format", "else", "is not a bits file"),
]


@pytest.mark.parametrize(("key", "value", "said"), CHANGES)
def test_a_wrong_value_is_named_by_its_place(file: Path, key: str, value: Any, said: str) -> None:
    table = json.loads(file.read_text())
    first, _, second = key.partition(".")
    if second:
        table[first][0][second] = value
    else:
        table[first] = value
    file.write_text(text_of(table))
    with pytest.raises(BitsError) as found:
        read_bits(str(file))
    assert said in str(found.value)


def test_hostile_json_is_refused(file: Path) -> None:
    table = json.loads(file.read_text())
    table["runs"].append(table["runs"][0])
    twice = text_of(table)
    for text in (
        "[" * 100_000, "9" * 100_000, "NaN", "1.5", '{"format": 1e999}', '{"a": 1, "a": 2}', "null",
        twice, "[]", '"samebits bits 1"',
    ):  # fmt: skip
        file.write_text(text)
        with pytest.raises(BitsError):
            read_bits(str(file))
    with pytest.raises(BitsError, match="is not a file"):
        read_bits(str(file.parent))
