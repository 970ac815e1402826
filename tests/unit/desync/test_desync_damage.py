"""A damaged report gives every whole part, before and behind the damage, and says what is left."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from mcap.opcode import Opcode
from tests.support.runs.desync_files import (
    MAGIC,
    SMALL,
    flipped,
    keys_in,
    made,
    records,
    small,
)

from samebits.desync.format import HASHES, PROGRAM, STATES, TRACE, Key
from samebits.desync.reader import read_report, report_from_bytes
from samebits.desync.record import ReportRequest
from samebits.desync.report import Report
from samebits.desync.summary import summary
from samebits.desync.writer import report_bytes
from samebits.errors import ReportError
from samebits.replay.mcap_records import NAMES
from samebits.sim.sources import PlayerSource

WHOLE = small()
DATA = report_bytes(WHOLE)
RECORDS = list(records(DATA))


def read(data: bytes) -> Report:
    """A damaged report, none of whose parts is another than it was."""
    report = report_from_bytes(data)
    assert report.damage
    assert report.parts.items() <= WHOLE.parts.items()
    assert (report.machine, report.header) == (WHOLE.machine, WHOLE.header)
    return report


def test_the_file_has_every_kind_of_record() -> None:
    kinds = {record.opcode for record in RECORDS}
    assert kinds == set(NAMES) - {
        Opcode.SCHEMA, Opcode.ATTACHMENT, Opcode.ATTACHMENT_INDEX, Opcode.MESSAGE,
    }  # fmt: skip
    assert {key for record in RECORDS if record.opcode == Opcode.CHUNK
            for key in keys_in(DATA, record)} == set(WHOLE.parts)  # fmt: skip


@pytest.mark.parametrize("place", ["kind", "length", "long length", "first", "middle", "last"])
def test_a_flip_in_any_record_costs_what_that_record_held(place: str) -> None:
    for record in RECORDS:
        if record.body == record.end and place in ("first", "middle", "last"):
            continue
        at = {
            "kind": record.start,
            "length": record.start + 1,
            "long length": record.start + 6,
            "first": record.body,
            "middle": (record.body + record.end) // 2,
            "last": record.end - 1,
        }[place]
        report = read(flipped(DATA, at, 3))
        lost = keys_in(DATA, record) if record.opcode == Opcode.CHUNK else []
        # A chunk's times of its first and last message are under no checksum but that of all data.
        assert report.missing in (lost, [])
        if place in ("middle", "last"):
            assert report.missing == lost


def test_a_cut_costs_what_stood_behind_it() -> None:
    for record in RECORDS:
        for cut in (record.start, record.start + 4, (record.body + record.end) // 2):
            if cut <= RECORDS[1].end:  # inside the first description
                continue
            lost = [
                key
                for other in RECORDS
                if other.opcode == Opcode.CHUNK and other.end > cut
                for key in keys_in(DATA, other)
            ]
            assert read(DATA[:cut]).missing == lost


def test_either_description_will_do() -> None:
    first, second = [r for r in RECORDS if r.opcode == Opcode.METADATA]
    for record in (first, second):
        report = read(flipped(DATA, record.end - 5))
        assert report.missing == []
        assert summary(report) == "everything in it is usable"
    assert read(DATA[first.end :]).missing == []
    assert read(b"\0" * first.end + DATA[first.end :]).missing == []


def test_without_a_description_nothing_is_usable() -> None:
    data = DATA
    for record in RECORDS:
        if record.opcode == Opcode.METADATA:
            data = flipped(data, record.end - 5)
    with pytest.raises(ReportError) as caught:
        report_from_bytes(data, "a.desync")
    assert re.fullmatch(
        r"nothing in a\.desync is usable: its description of itself is not there\n"
        r"  note: at byte \d+, .*\n"
        r"  fix: ask for it again, as a file and not as text, or write it again with "
        r"`samebits report`",
        str(caught.value),
    )


def test_parts_of_a_file_are_found_wherever_they_are() -> None:
    record = next(r for r in RECORDS if r.opcode == Opcode.CHUNK and keys_in(DATA, r))
    moved = DATA[: record.start] + b"some rubbish" + DATA[record.start :]
    assert read(moved).missing == []
    assert read(DATA[: record.start] + DATA[record.end :]).missing == keys_in(DATA, record)


def test_what_is_left_is_reported_in_one_sentence() -> None:
    frames = 1200
    whole = made(PlayerSource(SMALL, "push", 1, frames), ReportRequest(range(1100, 1110), 1105))
    data = report_bytes(whole)
    hit = {Key(HASHES, 512), Key(STATES, 1100), Key(TRACE, 1105)}
    for record in records(data):
        if record.opcode == Opcode.CHUNK and hit.intersection(keys_in(data, record)):
            data = flipped(data, record.end - 1)
    report = report_from_bytes(data)
    assert set(report.missing) == hit
    assert summary(report) == (
        "hashes of frames 0-510, 1023-1109, hashes of the inputs of frames 0-1109, inputs of "
        "frames 1100-1109, states before frames 1101-1110, Merkle trees after frames 1100-1109, "
        "the program and the environment are usable; "
        "hashes of frames 511-1022, the state before frame 1100 and the trace of frame 1105 are not"
    )
    assert report.hash_after(510) == whole.hash_after(510)
    assert report.hash_after(511) is None
    assert report.hash_after(1023) == whole.hash_after(1023)
    assert report.hashes.ranges() == [range(512), range(1024, 1111)]


def test_what_one_part_alone_lost_is_reported() -> None:
    for key, told in (
        (Key(PROGRAM, 0), "the program is not"),
        (Key(TRACE, 12), "the trace of frame 12 is not"),
        (Key(STATES, 12), "the state before frame 12 is not"),
    ):
        parts = {k: v for k, v in WHOLE.parts.items() if k != key}
        assert summary(replace(WHOLE, parts=parts)).endswith(f"usable; {told}")
    none = replace(WHOLE, parts={})
    assert summary(none).startswith("the environment is usable; hashes of frames 0-13, ")


def test_a_whole_file_with_other_bytes_behind_it_is_reported() -> None:
    report = read(DATA + b"x")
    assert report.damage == (f"at byte {len(DATA)}, bytes after the file's closing mark",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "f is empty"),
        (b"hello", "f is no desync report"),
        (bytes(1000), "f is no desync report"),
        (MAGIC, "nothing in f is usable: its description of itself is not there"),
        (DATA[:100], "nothing in f is usable: its description of itself is not there"),
    ],
)
def test_what_is_no_report_is_reported(data: bytes, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        report_from_bytes(data, "f")
    assert caught.value.message == message
    assert caught.value.fix


def test_another_mcap_file_is_no_report() -> None:
    from mcap.writer import Writer

    for profile, message in (
        ("ros2", "f is an MCAP file of profile 'ros2', not 'samebits-report'"),
        ("samebits", "f is a replay, not a desync report"),
    ):
        file = io.BytesIO()
        writer = Writer(file)
        writer.start(profile=profile)
        writer.finish()
        with pytest.raises(ReportError) as caught:
            report_from_bytes(file.getvalue(), "f")
        assert caught.value.message == message


def test_a_file_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samebits.desync.reader.MAX_FILE", len(DATA) - 1)
    with pytest.raises(ReportError, match="the stream has more than"):
        read_report(io.BytesIO(DATA))
