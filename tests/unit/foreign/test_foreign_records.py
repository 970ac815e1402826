"""Records of other programs: what is whole is read, what is claimed is not believed."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.support.foreign_records import HEAD, begin, done, record, run_record, text

from samebits.bits import xxh64
from samebits.desync.reader import report_from_bytes
from samebits.desync.writer import report_bytes
from samebits.diagnosis.driver import diagnose_reports
from samebits.errors import ReportError
from samebits.foreign.pair import reports_of
from samebits.foreign.records import ForeignRun, read_record
from samebits.foreign.report import report_of_run

BALLS = [(0, "x", "f32[2]")]
HEAP = [(3, "sparks", "{id:u16 heat:f32}")]


def state(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def of(tmp_path: Path, *records: bytes) -> ForeignRun:
    path = tmp_path / "run.sbt"
    path.write_bytes(HEAD + b"".join(records))
    return read_record(str(path))


def whole(frames: int, *, other: int | None = None, word: bytes = b"") -> list[bytes]:
    """A run in which x[1] is another after frame `other`."""
    found = [run_record(BALLS), word, begin(-1), done(-1, state(0, 0))]
    for n in range(frames):
        found += [begin(n, struct.pack("<i", n)), done(n, state(n, n + 0.5 * (n == other)))]
    return found


def test_a_run_is_read_whole(tmp_path: Path) -> None:
    run = of(tmp_path, *whole(3), record(b"ends", struct.pack("<q", 2)))
    assert (run.first, run.last, run.is_ended, run.damage) == (-1, 2, True, None)
    assert [run.state_after(n) for n in (-1, 0, 1, 2)] == [state(n, n) for n in (0, 0, 1, 2)]


@pytest.mark.parametrize("cut", [1, 7, 9, 30, 47])
def test_a_cut_tail_leaves_every_whole_frame(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "run.sbt"
    path.write_bytes((HEAD + b"".join(whole(3)))[:-cut])
    run = read_record(str(path))
    assert run.last == 1
    assert run.damage is not None
    assert run.damage.endswith("the file ends in a record")
    report = report_of_run(run)
    assert report.damage == (run.damage,)
    assert report.frames == 2


def test_room_behind_the_last_record_is_no_damage(tmp_path: Path) -> None:
    assert of(tmp_path, *whole(2), bytes(1 << 16)).damage is None


def test_a_last_state_that_was_not_written_whole_is_not_believed(tmp_path: Path) -> None:
    half = done(2, state(2, 2))[:-8] + bytes(8)
    run = of(tmp_path, *whole(2), begin(2), half)
    assert (run.last, run.unfinished) == (1, 2)
    assert run.damage == "the state after frame 2 is not whole"


FLIPPED = {
    "a checksum": (bytes([1]), 8, "a record's checksum does not hold"),
    "a kind": (b"what", 0, "there is no record, but b'what'"),
    "a length": (struct.pack("<I", 1 << 31), 4, "the file ends in a record"),
}


@pytest.mark.parametrize("what", FLIPPED)
def test_damage_ends_what_is_read_and_says_where(what: str, tmp_path: Path) -> None:
    new, at, said = FLIPPED[what]
    before, after = whole(2), whole(3)[-2:]
    bad = after[0][:at] + new + after[0][at + len(new) :]
    run = of(tmp_path, *before, bad, after[1])
    assert run.last == 1
    assert run.damage == f"at byte {len(HEAD + b''.join(before)):,}, {said}"


HOSTILE: dict[str, tuple[list[bytes], str]] = {
    "no record at all": ([], "its first record is not there"),
    "a region twice": ([run_record([*BALLS, *BALLS])], "the region 'x' twice"),
    "no region": ([run_record([])], "0 regions"),
    "many regions": ([run_record([(0, f"r{n}", "u8") for n in range(1025)])], "1025 regions"),
    "a name of no field": ([run_record([(0, "a b", "u8")])], "a region named 'a b'"),
    "a state without end": ([run_record([(0, "x", "u8[99999999,9]")])], "has more than"),
    "two large regions": (
        [run_record([(0, "x", "u8[200000000]"), (0, "y", "u8[200000000]")])],
        "a state of more than",
    ),
    "a heap without end": ([run_record([(1 << 31, "x", "f64")])], "2,147,483,648 items of 8 bytes"),
    "inputs without end": ([run_record(BALLS, players=1024, layout="f64[9]")], "more than 60 KiB"),
    "players without end": (
        [run_record(BALLS, players=1 << 30, layout="u8")],
        "1073741824 players",
    ),
    "no rate": ([run_record(BALLS, rate=0)], "a rate of 0"),
    "nested structs": ([run_record([(0, "x", "{a:" * 40 + "u8" + "}" * 40)])], "nests structs"),
    "a name with controls": ([run_record(BALLS, name="")], "'' as a name"),
    "no whole frame": ([run_record(BALLS), begin(-1)], "has not one whole frame"),
    "a frame before all": ([run_record(BALLS), begin(-2)], "has not one whole frame"),
    "another format": ([], "is a record of format 9"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_cannot_be_is_refused(what: str, tmp_path: Path) -> None:
    records, said = HOSTILE[what]
    path = tmp_path / "run.sbt"
    head = HEAD if what != "another format" else HEAD[:8] + struct.pack("<II", 9, 0)
    path.write_bytes(head + b"".join(records))
    with pytest.raises(ReportError) as caught:
        read_record(str(path))
    assert said in caught.value.message


LATER = {
    "a gap": ([begin(5)], "frame 5 begins behind frame 1"),
    "an end without a begin": ([done(2, state(0, 0))], "frame 2 ends, and has not begun"),
    "a long state": (
        [begin(2), done(2, state(0, 0, 0))],
        "a state after frame 2 of another length",
    ),
    "a second run": ([run_record(BALLS)], "a second run begins"),
    "a frame of no run": ([begin(1 << 40)], "a frame 1,099,511,627,776"),
    "a long input": ([begin(2, bytes(65))], "an input of 65 bytes"),
    "a word of nothing": (
        [record(b"word", struct.pack("<qQI", 0, 0, 9) + text("mxcsr") + text(""))],
        "a control register 'mxcsr' that was read at 9",
    ),
    "a short word": ([record(b"word", b"abc")], "a record that is too short"),
}


@pytest.mark.parametrize("what", LATER)
def test_what_cannot_follow_ends_the_run(what: str, tmp_path: Path) -> None:
    records, said = LATER[what]
    run = of(tmp_path, *whole(2), *records, *whole(9)[-2:])
    assert run.last == 1
    assert run.damage is not None
    assert said in run.damage


def test_a_heap_is_made_as_large_as_its_capacity(tmp_path: Path) -> None:
    item = struct.pack("<Hf", 7, 0.5)
    full = struct.pack("<I", 1) + item + bytes(2 * len(item))
    path = tmp_path / "run.sbt"
    body = struct.pack("<I", 1) + item
    path.write_bytes(HEAD + run_record(HEAP) + begin(-1) + done(-1, body, hash_=xxh64(full)))
    run = read_record(str(path))
    assert run.state_after(-1) == full
    assert [name for name, _ in run.state.fields] == ["sparks"]


def test_two_records_give_frame_field_bits_and_nothing_invented(tmp_path: Path) -> None:
    one = tmp_path / "a"
    other = tmp_path / "b"
    one.mkdir()
    other.mkdir()
    found = diagnose_reports(*reports_of(of(one, *whole(20)), of(other, *whole(20, other=12))))
    assert found.frame == 12
    (field,) = found.fields
    assert (field.path, field.a.bits, field.b.bits) == ("x[1]", "0x41400000", "0x41480000")
    assert field.ulps == 1 << 19
    assert not found.causes
    assert found.certainty == "unknown"
    assert any("states and inputs of a program, and no operations" in note for note in found.notes)


def test_a_differing_environment_is_the_first_suspect(tmp_path: Path) -> None:
    def word(value: int) -> bytes:
        return record(b"word", struct.pack("<qQI", -1, value, 0) + text("mxcsr") + text(""))

    one, other = tmp_path / "a", tmp_path / "b"
    one.mkdir()
    other.mkdir()
    a = of(one, *whole(9, word=word(0x1F80)))
    b = of(other, *whole(9, other=3, word=word(0x9FC0)))
    found = diagnose_reports(*reports_of(a, b))
    first = found.headers[0]
    assert (first.name, first.a) == ("floating-point environment", "default")
    assert first.b == "flushes subnormal results (FTZ), flushes subnormal operands (DAZ)"


def test_a_report_of_a_record_survives_its_file(tmp_path: Path) -> None:
    report = report_of_run(of(tmp_path, *whole(20)), range(10, 13))
    again = report_from_bytes(report_bytes(report))
    assert not again.damage
    assert again.states == [10, 11, 12, 13]
    assert again.is_foreign
    assert again.machine == report.machine
    assert diagnose_reports(report, again).same


def test_frames_that_the_record_lacks_are_refused_with_those_it_has(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="has frames 0 to 4, none of 7 to 8"):
        report_of_run(of(tmp_path, *whole(5)), range(7, 9))
