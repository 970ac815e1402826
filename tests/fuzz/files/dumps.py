"""State dumps that other programs wrote, as text: what they tell of a state, or a refusal."""

from __future__ import annotations

import json
from pathlib import Path

from samebits.desync.evidence.dump_files import dumps_of
from samebits.errors import ReportError
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.tiny_simulation import TINY


class Dumps(Target):
    name = "dumps"
    errors = (ReportError,)
    words = (
        b"pos[1].x", b"frame", b"state", b'{"', b"[", b"null", b"NaN", b"0x3f800000", b"1e-400",
        b"1e9999", b"-inf", b",", b";", b"\t", b'"', b"\r\n", b"0.333333", b"true", b"hits",
        b"samebits state 2", b"9" * 400,
    )  # fmt: skip
    steps = 40_000, 1_000
    memory = 4 << 20, 512

    def __init__(self, folder: Path) -> None:
        self._path = str(folder / "dump")

    def seeds(self) -> list[bytes]:
        state = {"pos": [{"x": 0.25, "y": "0x3eaaaaab"}, [1, -2e-3]], "hits": 7, "alive": True}
        texts = [
            json.dumps(state),
            json.dumps([{"frame": 3, "state": state}, {"frame": 4, "hits": 1, "pos[0].x": "nan"}]),
            "field,value\npos[0].x,0.333333\nhits,-1\nalive,true\n",
            "3;pos[1].y;1.500000\n3;hits;2\n4;hits;3\n",
        ]
        return [*[text.encode() for text in texts], TINY.start(3).save()]

    def read(self, data: bytes) -> Read:
        with open(self._path, "wb") as file:
            file.write(data)
        try:
            dumps = dumps_of(self._path, None, TINY)
        except ReportError:
            dumps = dumps_of(self._path, 5, TINY)
        assert dumps, "a file that compares nothing"
        for dump in dumps:
            for fill in (b"\0", b"\x7f"):
                other = fill * TINY.state_size
                made = dump.beside(other)
                assert len(made) == TINY.state_size
                assert dump.beside(made) == made, "a state is not the same as itself"
                assert dump.state in (None, made)
            assert all(line.isprintable() for line in dump.limits)
        return Read(None, True)
