"""Lists of hashes that other programs wrote: the hashes that stand there, or a refusal."""

from __future__ import annotations

import json
from pathlib import Path

from samebits.desync.evidence.hash_lists import read_hash_list
from samebits.errors import ReportError
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.tiny_simulation import TINY


class HashLists(Target):
    name = "hash-lists"
    errors = (ReportError,)
    words = (
        b"frame", b"hash=", b"0x", b"#", b",", b"\t", b"\r\n", b"init ", b'{"', b"[", b"null",
        b"0000000000000000\n", b"\xff\xfe", b"\xef\xbb\xbf", b"4194303 ", b"18446744073709551615",
    )  # fmt: skip
    memory = 4 << 20, 512

    def __init__(self, folder: Path) -> None:
        self._path = folder / "theirs.txt"
        self._header = TINY.header(1)

    def seeds(self) -> list[bytes]:
        rows = [(frame, frame * 0x9E3779B97F4A7C15 % 2**64) for frame in (0, 1, 60, 61)]
        texts = [
            "frame hash\n" + "".join(f"{f} {h:016x}\n" for f, h in rows),
            "".join(f"frame={f}, hash=0x{h:016X}  # of Ann's\r\n" for f, h in rows),
            json.dumps({str(f): f"{h:016x}" for f, h in rows}),
            json.dumps([{"frame": f, "hash": f"{h:016x}"} for f, h in rows]),
        ]
        return [text.encode() for text in texts]

    def read(self, data: bytes) -> Read:
        self._path.write_bytes(data)
        report = read_hash_list(str(self._path), self._header)
        known = report.known
        assert known, "a list that compares nothing"
        assert report.frames == max(known) + 1
        assert list(known) == sorted(known)
        self._path.write_text("".join(f"{f} {h:016x}\n" for f, h in known.items()))
        again = read_hash_list(str(self._path), self._header)
        assert again.known == known, "what is read cannot be written"
        return Read(None, True)  # a text without a checksum, which any other may be
