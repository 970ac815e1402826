"""Lists of hashes in every form that is read, and all that is refused, with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.runs.compared import SMALL

from samebits.desync.evidence.hash_lists import MAX_HASHES, MAX_OTHERS, read_hash_list
from samebits.desync.evidence.text_files import MAX_BYTES
from samebits.errors import ReportError
from samebits.sim.load import load_simulation

HEADER = load_simulation(SMALL).header(1)
HASHES = {0: 0x00112233AABBCCDD, 1: 0xFFFFFFFFFFFFFFFF, 119: 0x0123456789ABCDEF}
ROWS = list(HASHES.items())
LOG = "log f'{session.frame - 1} {session.hash():016x}' after each step"

FORMS = {
    "blanks": "".join(f"{frame} {hash_:016x}\n" for frame, hash_ in ROWS),
    "tabs, a mark, capitals": "".join(f"{frame}\t0x{hash_:016X}\n" for frame, hash_ in ROWS),
    "commas below a header": "frame,hash\n" + "".join(f"{f},{h:016x}\n" for f, h in ROWS),
    "commas and quotes": "".join(f'"{f}", "{h:016x}"\n' for f, h in ROWS),
    "colons": "".join(f"frame {f}: {h:016x}\n" for f, h in ROWS),
    "named": "".join(f"frame={f} hash={h:016x}\n" for f, h in ROWS),
    "comments and empty lines": "# of Ann's\n\n"
    + "".join(f"  {f}   {h:016x}  # confirmed\n\n" for f, h in ROWS),
    "line ends of Windows": "frame hash\r\n"
    + "".join(f"{f} {h:016x}\r\n" for f, h in ROWS),
    "a table": "".join(f"| {f} | {h:016x} |\n" for f, h in ROWS),
    "no line end at the end": "\n".join(f"{f} {h:016x}" for f, h in ROWS),
    "an object": json.dumps({str(f): f"{h:016x}" for f, h in reversed(ROWS)}),
    "a list of objects": json.dumps([{"hash": f"0x{h:016x}", "frame": f} for f, h in ROWS]),
    "an object a line": "".join(json.dumps({"frame": f, "hash": f"{h:016x}"}) + "\n"
                                for f, h in ROWS),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_is_read_in_every_form(form: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "theirs.txt"
    path.write_bytes(FORMS[form].encode(encoding))
    report = read_hash_list(str(path), HEADER)
    assert report.known == HASHES
    assert (report.frames, report.is_bare, report.program, report.states) == (120, True, None, [])


def test_what_init_leaves_may_have_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "theirs.txt"
    for name in ("init", "-1"):
        path.write_text(f"{name} 00112233aabbccdd\n0 ffffffffffffffff\n")
        assert read_hash_list(str(path), HEADER).known == {-1: ROWS[0][1], 0: ROWS[1][1]}


GOOD = "0 00112233aabbccdd\n"
REFUSED = {
    "nothing": ("", "theirs.txt has no hashes", "write a frame and 16 hexadecimal digits"),
    "comments alone": ("# 0 00112233aabbccdd\n", "theirs.txt has no hashes", LOG),
    "a frame twice": (
        GOOD + "1 ffffffffffffffff\n1 ffffffffffffffff\n",
        "theirs.txt: line 3 has frame 1 again",
        "keep one hash of each frame: the last one, once no rollback can change it any more",
    ),
    "frames out of order": (
        "7 00112233aabbccdd\n6 ffffffffffffffff\n",
        "theirs.txt: line 2 has frame 6 after frame 7",
        "sort by frame, as `sort -n` does",
    ),
    "a frame that no run has": (
        GOOD + "9999999 ffffffffffffffff\n",
        "theirs.txt: line 2 has frame 9999999, and a run of 4,194,304 frames is the longest",
        "count frames from 0",
    ),
    "a frame of many digits": (
        GOOD + "9" * 900 + " ffffffffffffffff\n",
        "theirs.txt: line 2 has frame 99999999999999999999, and a run of",
        "count frames from 0",
    ),
    "a negative frame": (
        "-2 00112233aabbccdd\n",
        "theirs.txt: line 1 has '-2' for a frame",
        "write a whole number, or init for the state before frame 0",
    ),
    "a decimal hash": (
        GOOD + "1 18446744073709551615\n",
        "theirs.txt: line 2 has '18446744073709551615', which seems to be a hash in decimal",
        "write it as f'{hash:016x}'",
    ),
    "a hash of 32 bits": (
        GOOD + "1 0xdeadbeef\n",
        "theirs.txt: line 2 has '0xdeadbeef', which seems to be a hash with 32 bits",
        "the state's own hash has 64 bits: log f'{session.hash():016x}'",
    ),
    "a hash without its zeros": (
        GOOD + "1 112233aabbccdd\n",
        "theirs.txt: line 2 has '112233aabbccdd', which seems to be a hash without its leading "
        "zeros",
        "write it as f'{hash:016x}'",
    ),
    "a hash of 128 bits": (
        GOOD + f"1 {'a' * 32}\n",
        f"theirs.txt: line 2 has '{'a' * 32}', which seems to be a hash that is not the state's "
        "own: that has 16 digits",
        "log f'{session.hash():016x}'",
    ),
    "no hash": (GOOD + "1 x\x1b\n", "theirs.txt: line 2 has 'x\\x1b' for a hash", LOG),
    "three columns": (
        GOOD + "1 2 ffffffffffffffff\n",
        "theirs.txt: line 2 is '1 2 ffffffffffffffff', not a frame and a hash",
        LOG,
    ),
    "a text": (
        "hello\n1 of 2 frames differ\n",
        "theirs.txt: line 2 is '1 of 2 frames differ', not a frame and a hash",
        LOG,
    ),
    "bytes": (
        b"0 00112233aabbccdd\n\xff\xfe\n",
        "theirs.txt is not a list of frames and hashes: line 2 is not text",
        "give the path of a list of frames and hashes",
    ),
    "JSON with a name twice": (
        '{"1": "ffffffffffffffff", "1": "00112233aabbccdd"}',
        "theirs.txt: entry 2 has frame 1 again",
        "keep one hash of each frame",
    ),
    "JSON numbers": (
        '{"1": 18446744073709551615}',
        "theirs.txt: entry 1 has the hash 18446744073709551615, which is no text",
        "write 16 hexadecimal digits as text: numbers of JSON lose digits",
    ),
    "JSON of something else": (
        '[{"frame": 1, "hash": "ffffffffffffffff", "peer": 2}]',
        "theirs.txt: entry 1 is not a frame and a hash",
        'write {"frame": 120, "hash": "00112233aabbccdd"}',
    ),
    "cut JSON": (
        '{"1":\n"ffffffffffffffff"',
        "theirs.txt is not JSON: line 2, column 19: Expecting ',' delimiter",
        "write it with a JSON library",
    ),
    "nested JSON": ("[" * 100_000, "theirs.txt is not JSON", "write it"),
    "a JSON number of many digits": (
        f"[{'9' * 5000}]", "theirs.txt: entry 1 is not a frame", "write {",
    ),
    "empty JSON": ("[]", "theirs.txt has no hashes", LOG),
    "many comments": ("#\n" * (MAX_OTHERS + 1), "theirs.txt has more than 65,536 lines", LOG),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_list_that_says_something_else_is_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, message, fix = REFUSED[case]
    Path("theirs.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ReportError) as caught:
        read_hash_list("theirs.txt", HEADER)
    assert caught.value.message.startswith(message)
    assert fix in str(caught.value.fix)
    assert caught.value.message.isprintable()


def test_a_list_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "theirs.txt"
    path.write_text("".join(f"{frame} {frame:016x}\n" for frame in range(MAX_HASHES + 1)))
    with pytest.raises(ReportError, match="line 1,048,577 is behind the 1,048,576 hashes that a"):
        read_hash_list(str(path), HEADER)
    with path.open("r+b") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ReportError, match="has more than 67,108,864 bytes"):
        read_hash_list(str(path), HEADER)
    with pytest.raises(ReportError, match="is not a file"):
        read_hash_list(str(tmp_path), HEADER)
    with pytest.raises(ReportError, match="No such file"):
        read_hash_list(str(tmp_path / "none.txt"), HEADER)
