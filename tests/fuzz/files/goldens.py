"""Golden files: read as they were written, or refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

from samebits.bits import xxh64
from samebits.errors import ReplayError
from samebits.verify.golden import read_golden, write_golden
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import mutated


class Goldens(Target):
    name = "goldens"
    errors = (ReplayError,)
    words = (
        b"# samebits golden 2\n", b"# samebits golden 1\n", b"# simulation: ", b"# digest: ",
        b"# hashes: ", b"# checksum: ", b"0 0000000000000000\n", b"#", b"\r\n",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self._path = folder / "a.golden"
        self._again = folder / "b.golden"

    def seeds(self) -> list[bytes]:
        found: list[bytes] = []
        for frames in ([0], [0, 60, 120, 179], [5, 2**32, 2**64 - 1]):
            rows = [(frame, frame * 0x9E3779B97F4A7C15 % 2**64) for frame in frames]
            write_golden(self._path, "bounce é", "00" * 16, rows)
            found.append(self._path.read_bytes())
        return found

    def read(self, data: bytes) -> Read:
        self._path.write_bytes(data)
        golden = read_golden(self._path)
        assert golden.hashes, "a golden file that compares nothing"
        write_golden(self._again, golden.simulation, golden.digest, golden.hashes)
        assert read_golden(self._again) == golden, "what is read cannot be written"
        return Read(golden, True)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Changed, and signed anew as far as it still has a header and rows."""
        lines = mutated(data, others, self.words, chance).split(b"\n")
        kept = [
            line.removesuffix(b"\r")
            for line in lines
            if line and not line.startswith((b"# hashes: ", b"# checksum: "))
        ]
        rows = [line for line in kept if not line.startswith(b"#")]
        head = [line for line in kept[:3] if line.startswith(b"#")]
        checked = b"".join(line + b"\n" for line in (*head, *rows))
        return b"\n".join(
            [*kept, b"# hashes: %d" % len(rows), b"# checksum: %016x" % xxh64(checked), b""]
        )
