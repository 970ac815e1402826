"""Records of other programs' runs: their frames, or damage told; what is kept has its hash."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

from samebits.bits import xxh64
from samebits.errors import ReportError
from samebits.foreign.pair import first_difference, reports_of
from samebits.foreign.records import ForeignRun, read_record
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import mutated
from tests.support.foreign_records import HEAD, begin, done, record, run_record, text

_Frames = dict[int, tuple[int, bytes | None]]


class Records(Target):
    name = "records"
    errors = (ReportError,)
    words = (
        b"begn\x08\0\0\0", b"done\x18\0\0\0", b"ends", b"fact", b"word", b"run \x40\0\0\0",
        b"{pos:float3 _:3}[64]", b"[4294967295]", b"{" * 40, b"f32", b"bits16", b"u8[2,3,4,5]",
        b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\xfe\xff", b"bool",
    )  # fmt: skip
    memory = 6 << 20, 256

    def __init__(self, folder: Path) -> None:
        self._path = str(folder / "run.sbt")
        self._run: ForeignRun | None = None

    def seeds(self) -> list[bytes]:
        regions = [(0, "score", "u64"), (4, "sparks", "{id:u32 heat:f32}")]
        frames = b""
        for frame in range(-1, 3):
            count = max(frame, 0)
            state = struct.pack("<QI", frame + 7, count) + b"\1" * 8 * count
            whole = state + bytes(8 * (4 - count))
            frames += begin(frame, b"\5\0\0\0" if frame >= 0 else b"")
            frames += done(frame, state, hash_=xxh64(whole))
        facts = record(b"fact", text("architecture") + text("x86_64"))
        word = record(b"word", struct.pack("<qQI", 1, 0x1F80, 0) + text("MXCSR") + text("audio"))
        ends = record(b"ends", b"")
        flat = [(0, "a", "{x:float2 on:bool _:3}[2]")]
        states = [struct.pack("<ff?ff?", 1, 2, True, frame, 4, False) for frame in range(2)]
        plain = b"".join(begin(n) + done(n, state) for n, state in enumerate(states))
        return [
            HEAD + run_record(regions, players=1, layout="u32") + facts + word + frames + ends,
            HEAD + run_record(flat) + plain + ends,
        ]

    def read(self, data: bytes) -> Read:
        with open(self._path, "wb") as file:
            file.write(data)
        self._run = run = read_record(self._path)
        frames: _Frames = {
            frame: (hash_, run.inputs.get(frame)) for frame, hash_ in run.hashes.items()
        }
        for frame, (hash_, _) in frames.items():
            state = run.state_after(frame)
            assert state is None or xxh64(state) == hash_
        order = list(run.hashes)
        assert order == list(range(run.first, run.last + 1)), (
            "frames that do not follow one another"
        )
        return Read((run.name, frames), run.damage is None and run.is_ended)

    def check(self, data: bytes, read: Read) -> None:
        run = self._run
        assert run is not None
        assert first_difference(run, run) is None, "a run is not the same as itself"
        a, b = reports_of(run, run)
        assert a.frames == b.frames

    def is_part(self, value: object, of: object) -> bool:
        assert isinstance(value, tuple)
        assert isinstance(of, tuple)
        (name, frames), (whole_name, whole) = value, of
        return name == whole_name and all(
            frame in whole
            and all(part in (None, known) for part, known in zip(row, whole[frame], strict=True))
            for frame, row in frames.items()
        )

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """One record changed, under a checksum that holds."""
        parts = _records(data)
        if not parts:
            return super().forged(data, others, chance)
        at = chance.randrange(len(parts))
        kind, body = parts[at]
        match chance.randrange(4):
            case 0:
                parts.insert(chance.randrange(len(parts) + 1), parts[at])
            case 1:
                parts[at] = chance.choice(parts)[0], body
            case _:
                parts[at] = kind, mutated(body, others, self.words, chance)
        made = (record(kind, body, 24 if kind == b"done" else None) for kind, body in parts)
        return data[: len(HEAD)] + b"".join(made)


def _records(data: bytes) -> list[tuple[bytes, bytes]]:
    found: list[tuple[bytes, bytes]] = []
    at = len(HEAD)
    while at + 16 <= len(data) and data[at : at + 4].strip(b"\0"):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        found.append((data[at : at + 4], data[at + 16 : at + 16 + size]))
        at += 16 + (size + 7) // 8 * 8
    return found
