"""Golden files: written the same everywhere, read with the line that is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samebits.bits import xxh64
from samebits.errors import ReplayError
from samebits.verify import golden
from samebits.verify.golden import MAX_LINE, Golden, read_golden, write_golden

HEAD = "# samebits golden 2\n# simulation: bounce\n# digest: 0123456789abcdef\n"
ROW = "0 0000000000000001\n"


def checked(text: str) -> str:
    """The lines of a file without comments, with their count and their checksum."""
    return f"{text}# hashes: {text.count(chr(10)) - 3}\n# checksum: {xxh64(text.encode()):016x}\n"


def test_the_text_is_exactly_this(tmp_path: Path) -> None:
    path = tmp_path / "a.golden"
    hashes = [(frame, frame * 0x1111) for frame in range(8)]
    write_golden(path, "bounce", "0123456789abcdef", hashes, every=3)
    assert path.read_bytes().decode() == (
        HEAD
        + "0 0000000000000000\n"
        + "3 0000000000003333\n"
        + "6 0000000000006666\n"
        + "7 0000000000007777\n"
        + "# hashes: 4\n"
        + "# checksum: 3ffadd4479b5b87a\n"
    )
    assert os.listdir(tmp_path) == ["a.golden"]


def test_the_last_frame_is_written_once_where_it_is_an_nth(tmp_path: Path) -> None:
    path = tmp_path / "a.golden"
    write_golden(path, "bounce", "0123456789abcdef", [(f, 5) for f in range(7)], every=3)
    assert [frame for frame, _ in read_golden(path).hashes] == [0, 3, 6]


@given(
    frames=st.sets(st.integers(0, 2**64 - 1), min_size=1, max_size=30),
    value=st.integers(0, 2**64 - 1),
    name=st.text(min_size=1, max_size=200).filter(str.isprintable),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, frames: set[int], value: int, name: str
) -> None:
    path = tmp_path_factory.mktemp("golden") / "a.golden"
    rows = tuple((frame, value ^ (frame >> 1)) for frame in sorted(frames))
    write_golden(path, name, "00" * 8, rows)
    assert read_golden(path) == Golden(name, "00" * 8, rows)


def test_comments_and_crlf_line_ends_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.golden"
    said = Golden("bounce", "0123456789abcdef", ((0, 1), (9, 255)))
    whole = checked(HEAD + ROW + "9 00000000000000ff\n")
    path.write_text(whole)
    assert read_golden(path) == said
    text = whole.replace(ROW, f"# players: 2\n{ROW}# the bounce\n") + "# more\n#"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert read_golden(path) == said
    path.write_text(whole.rstrip("\n"))
    assert read_golden(path) == said


def written(path: Path, frames: int = 5) -> tuple[bytes, Golden]:
    write_golden(path, "bounce", "0123456789abcdef", [(f * 60, f * 0x9E37) for f in range(frames)])
    return path.read_bytes(), read_golden(path)


def told(path: Path, data: bytes) -> Golden | None:
    """What a file says; None where it is refused."""
    path.write_bytes(data)
    try:
        return read_golden(path)
    except ReplayError:
        return None


def test_lines_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.golden"
    data, said = written(path)
    path.write_bytes(data + b"#\n" * (golden.MAX_COMMENTS - 6))
    assert read_golden(path) == said
    path.write_bytes(data + b"#\n" * golden.MAX_COMMENTS)
    with pytest.raises(ReplayError, match="more than 65,536 lines besides its hashes"):
        read_golden(path)
    path.write_bytes(data)
    monkeypatch.setattr(golden, "MAX_HASHES", 5)
    assert read_golden(path) == said
    monkeypatch.setattr(golden, "MAX_HASHES", 4)
    with pytest.raises(ReplayError, match="more than 4 hashes"):
        read_golden(path)
    with pytest.raises(ReplayError, match="more than 4 hashes"):
        written(path)
    assert path.read_bytes() == data


def test_a_flipped_bit_is_reported_or_means_nothing(tmp_path: Path) -> None:
    data, said = written(tmp_path / "a.golden")
    for at in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            assert told(tmp_path / "a.golden", bytes(flipped)) in (None, said), (at, bit)


def test_a_cut_file_is_reported(tmp_path: Path) -> None:
    data, said = written(tmp_path / "a.golden")
    for length in range(len(data) - 1):
        assert told(tmp_path / "a.golden", data[:length]) is None, length
    assert told(tmp_path / "a.golden", data[:-1]) == said  # its last line end alone


def test_lines_lost_repeated_or_swapped_are_reported(tmp_path: Path) -> None:
    data, _ = written(tmp_path / "a.golden")
    lines = data.splitlines(keepends=True)
    for i in range(len(lines)):
        assert told(tmp_path / "a.golden", b"".join(lines[:i] + lines[i + 1 :])) is None
        if i:  # the first line again is a comment
            assert told(tmp_path / "a.golden", b"".join(lines[: i + 1] + lines[i:])) is None
        commented = [*lines[:i], b"# was: " + lines[i], *lines[i + 1 :]]
        assert told(tmp_path / "a.golden", b"".join(commented)) is None
    for i in range(3, 7):
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
        assert told(tmp_path / "a.golden", b"".join(lines)) is None
        lines[i], lines[i + 1] = lines[i + 1], lines[i]


def test_a_file_of_format_1_is_refused_with_the_command_that_rewrites_it(tmp_path: Path) -> None:
    path = tmp_path / "a.golden"
    path.write_text(HEAD.replace("golden 2", "golden 1") + ROW)
    with pytest.raises(ReplayError) as caught:
        read_golden(path)
    assert caught.value.message == (
        f"{path} is a golden file of format 1, which has no count and no checksum to show that "
        "it is complete"
    )
    assert caught.value.fix == (
        f"check its hashes, and write it again: samebits verify SIM --golden {path} --update-golden"
    )


WRITE = "write a frame, a space and 16 lowercase hex digits, as in '60 00112233aabbccdd'"
AGAIN = "write the golden file again"
RESTORE = "copy it again from its source, or write it again with --update-golden"


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("", " is empty", AGAIN),
        (
            "0 1\n",
            " is not a golden file: its first line is '0 1', not '# samebits golden 2'",
            "name the file that --update-golden wrote",
        ),
        (
            "\udcff" + HEAD,
            " is not a golden file: it does not begin with '# samebits golden 2'",
            "name the file that --update-golden wrote",
        ),
        ("# samebits golden 2\n" + ROW, " has no line '# simulation: …'", AGAIN),
        (HEAD[:-27] + ROW, " has no line '# digest: …'", AGAIN),
        (HEAD, " has no hashes", AGAIN),
        (checked(HEAD), " has no hashes", AGAIN),
        (HEAD + ROW, " is cut short: it has no line '# hashes: …'", RESTORE),
        ("# samebits go", " is cut short: it ends inside line 1", RESTORE),
        ("# samebits golden 2\n# sim", " is cut short: it ends inside line 2", RESTORE),
        (HEAD + "17", " is cut short: it ends inside line 4", RESTORE),
        (HEAD + "17 ", " is cut short: it ends inside line 4", RESTORE),
        (HEAD + ROW + "17 00f", " is cut short: it ends inside line 5", RESTORE),
        (HEAD + ROW + "# has", " is cut short: it ends inside line 5", RESTORE),
        (
            HEAD + ROW + "# hashes: 1\n",
            " is cut short: it has no line '# checksum: …'",
            RESTORE,
        ),
        (
            checked(HEAD + ROW).replace("hashes: 1", "hashes: 7"),
            " has 1 hashes, and declares '7'",
            RESTORE,
        ),
        (
            checked(HEAD + ROW).replace("hashes: 1", "hashes: 01"),
            " has 1 hashes, and declares '01'",
            RESTORE,
        ),
        (
            HEAD + ROW + "# hashes: 1\n# checksum: \x1b[31m\n",
            " is damaged: its checksum is '\\x1b[31m', its lines give '3ca45cee2794b8f4'",
            RESTORE,
        ),
        (
            checked(HEAD + ROW) + "# checksum: 0\n",
            ": line 7 says '# checksum: …' again",
            RESTORE,
        ),
        (
            HEAD.replace("bounce", "\x1b[31m"),
            ": line 2 names a simulation that has a character that cannot be printed: '\\x1b[31m'",
            AGAIN,
        ),
        (
            HEAD.replace("abcdef", "xyz"),
            ": line 3 has a digest that is '0123456789xyz', not 8 to 128 lowercase hex digits",
            AGAIN,
        ),
        (
            HEAD + "1 00000000000000FF\n",
            ": line 4 is '1 00000000000000FF', not a frame and a hash",
            WRITE,
        ),
        (HEAD + "1 ff\n", ": line 4 is '1 ff', not a frame and a hash", WRITE),
        (
            HEAD + "1  0000000000000001\n",
            ": line 4 is '1  0000000000000001', not a frame and a hash",
            WRITE,
        ),
        (
            HEAD + "-1 0000000000000001\n",
            ": line 4 is '-1 0000000000000001', not a frame and a hash",
            WRITE,
        ),
        (
            HEAD + "٣ 0000000000000001\n",
            ": line 4 is '\\u0663 0000000000000001', not a frame and a hash",
            WRITE,
        ),
        (HEAD + "\n", ": line 4 is '', not a frame and a hash", WRITE),
        (
            HEAD + f"{2**64} 0000000000000001\n",
            f": line 4 is '{2**64} 0000000000000001', not a frame and a hash",
            WRITE,
        ),
        (HEAD + ROW + ROW, ": line 5 has frame 0 again", "keep one line for each frame"),
        (
            HEAD + "7 0000000000000001\n" + ROW,
            ": line 5 has frame 0 after frame 7",
            "sort the lines by frame",
        ),
        (HEAD + "# " + "x" * 10_000_000, f": line 4 is longer than {MAX_LINE} bytes", AGAIN),
        (HEAD + ROW + "\udcff", ": line 5 is not UTF-8", AGAIN),
        (HEAD + ROW + "\0" * 9, ": line 5 is '" + "\\x00" * 9 + "', not a frame and a hash", WRITE),
    ],
)
def test_a_wrong_line_is_named_with_what_to_write(
    tmp_path: Path, text: str, message: str, fix: str
) -> None:
    path = tmp_path / "a.golden"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ReplayError) as caught:
        read_golden(path)
    assert caught.value.message == f"{path}{message}"
    assert caught.value.fix == fix


def test_noise_is_refused_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "a.golden"
    whole = checked(HEAD + ROW).encode()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + b"\xfe" + whole[at + 1 :])
        with pytest.raises(ReplayError):
            read_golden(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_path_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ReplayError) as caught:
            read_golden(path)
        assert caught.value.message == f"{path} is not a file"
    with pytest.raises(ReplayError) as caught:
        read_golden(tmp_path / "none")
    assert caught.value.message == f"cannot read {tmp_path / 'none'}: No such file or directory"


@pytest.mark.parametrize(
    ("hashes", "every", "message"),
    [
        ([], 1, "golden file: no frames to write"),
        ([(0, 1)], 0, "golden file: every 0 frames"),
        ([(1, 1), (1, 2)], 1, "golden file: frame 1 comes after frame 1"),
        ([(0, 2**64)], 1, f"golden file: frame 0 with hash {2**64} is not two uint64"),
        ([(-1, 0)], 1, "golden file: frame -1 with hash 0 is not two uint64"),
    ],
)
def test_what_cannot_be_golden_is_not_written(
    tmp_path: Path, hashes: list[tuple[int, int]], every: int, message: str
) -> None:
    path = tmp_path / "a.golden"
    path.write_text("older")
    with pytest.raises(ReplayError) as caught:
        write_golden(path, "bounce", "00" * 8, hashes, every)
    assert caught.value.message == message
    assert path.read_text() == "older"
    assert os.listdir(tmp_path) == ["a.golden"]


def test_names_that_could_not_be_read_back_are_not_written(tmp_path: Path) -> None:
    for name, digest in (("a\nb", "00" * 8), ("a", "0")):
        with pytest.raises(ReplayError):
            write_golden(tmp_path / "a.golden", name, digest, [(0, 0)])
    with pytest.raises(ReplayError) as caught:
        write_golden(tmp_path / "none" / "a.golden", "a", "00" * 8, [(0, 0)])
    assert caught.value.message == (
        f"cannot write {tmp_path / 'none' / 'a.golden'}: No such file or directory"
    )
