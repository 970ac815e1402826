"""Bits files: read as they were written, or refused; and whatever is read can be compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

from samebits.bits import xxh64
from samebits.ci.agreement import join
from samebits.ci.bits_file import BitsError, BitsFile, read_bits, write_bits
from samebits.ci.summary import as_json, differences, markdown
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.json_form import change, text_of
from tests.support.runs.bits_files import machine, run, trap


class BitsFiles(Target):
    name = "bits"
    errors = (BitsError,)
    words = (
        b'"format": "samebits bits 1"', b'"format"', b'"runs": [', b'"hashes": "', b'"end": null',
        b'"checksum": "', b"[", b"{", b"null", b"18446744073709551615", b"AAAAAAAAAAA=",
    )  # fmt: skip
    memory = 4 << 20, 96

    def __init__(self, folder: Path) -> None:
        self._path = folder / "a.bits"
        self._other = machine("other", run(), run("b", "be"))

    def seeds(self) -> list[bytes]:
        return [self._written(file) for file in (
            machine("ubuntu é", run(), run("b", "be", hashes=[1, 2], end=trap(2))),
            machine("arm", run(start=None, result="differs", told="in frame 3"), shard=(2, 3)),
        )]  # fmt: skip

    def _written(self, file: BitsFile) -> bytes:
        write_bits(replace(file, path=str(self._path)))
        return self._path.read_bytes()

    def read(self, data: bytes) -> Read:
        self._path.write_bytes(data)
        file = read_bits(str(self._path))
        written = self._written(file)
        assert self._written(read_bits(str(self._path))) == written, "what is read is not written"
        return Read(written, True)

    def check(self, data: bytes, read: Read) -> None:
        self._path.write_bytes(data)
        found = join([read_bits(str(self._path)), self._other], ("other",))
        assert found.result != "same", "files of other machines and inputs are the same"
        assert list(differences(found)) is not None
        json.dumps(as_json(found))
        markdown(found)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Changed where it means something, its checksum right."""
        try:
            table = json.loads(data)
            changed = change({k: v for k, v in table.items() if k != "checksum"}, chance)
            text = text_of(changed)
            if isinstance(changed, dict):
                text = f'{text[:-1]},"checksum":"{xxh64(text.encode()):016x}"}}'
            return text.encode()
        except (ValueError, AttributeError, RecursionError):
            return super().forged(data, others, chance)
