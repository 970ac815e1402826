"""A match on disk: a journal of closed frames that survives a killed relay, and the replay.

Owns the folder of one match: `journal`, appended to at each closed frame; `match.json`, its seed
and seats; `match.mcap`, an ordinary replay with the match's entries on a channel of their own,
written while the match runs and whole at its end. A journal's torn end is left out.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import xxhash

from samebits.errors import MatchError, ProtocolError
from samebits.net import limits
from samebits.net.input_codec import ClosedFrame, InputCodec
from samebits.net.tickets import is_match_name
from samebits.output import write_file
from samebits.replay import ReplayWriter
from samebits.sim.simulation import Simulation

try:
    import fcntl
except ImportError:  # Windows, where an open file is locked anyway
    fcntl = None

TOPIC = "match"
"""The replay's channel with what happened: a JSON list for each block of frames that has some."""
BLOCK = 256
"""Frames that are written to the replay at once."""
_RECORD = struct.Struct("<II")
"""Bytes of a closed frame, and their XXH32; the frame follows."""
_MARK = b"samebits match journal 1\n"


@dataclass(frozen=True, slots=True)
class SavedMatch:
    """What a folder has of a match: seed, frames, and the epoch of each slot that was played."""

    seed: int
    frames: list[ClosedFrame]
    epochs: dict[int, int]
    ended: bool


class MatchStore:
    """The folder of one match, `folder/name`. Raises MatchError for a name that is no file's, and
    where the folder has another simulation's match or can't be written."""

    def __init__(
        self, folder: str | os.PathLike[str], name: str, simulation: Simulation, seed: int
    ) -> None:
        if not is_match_name(name):
            raise MatchError(
                f"the match is called {name!r:.120}",
                fix="give letters, digits, dots, dashes and underscores",
            )
        self.path = Path(folder) / name
        self._simulation, self._codec = simulation, InputCodec(simulation)
        self._hashes: dict[int, int] = {}
        self._rows: list[ClosedFrame] = []
        self._replayed = 0
        self._state: dict[str, Any] = {}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._journal = (self.path / "journal").open("ab")
            _lock(self._journal, name)
            try:
                self.saved = self._read(seed)
            except MatchError:
                self._journal.close()
                raise
        except OSError as error:
            raise MatchError(f"cannot write {self.path}: {error.strerror}") from None
        for left in self.path.glob("match.mcap*.partial"):
            left.unlink(missing_ok=True)  # of a relay that was killed: the journal has all of it
        self._latest = self.saved.frames[-1].row if self.saved.frames else self._codec.zeros
        header = simulation.header(self.saved.seed)
        self._replay = ReplayWriter(self.path / "match.mcap", header)
        self._closed = False
        if self._journal.tell() == 0:
            self._journal.write(_MARK)
        self._write_state(self.saved.epochs, False)
        self._rows += self.saved.frames

    def add(self, frames: list[ClosedFrame]) -> None:
        """Append closed frames; they are with the operating system when this returns."""
        out = bytearray()
        for frame in frames:
            body = bytearray()
            self._codec.put_frame(body, self._latest, frame)
            out += _RECORD.pack(len(body), xxhash.xxh32_intdigest(bytes(body))) + body
            self._latest = frame.row
        self._journal.write(out)
        self._journal.flush()
        self._rows += frames

    def agreed(self, hashes: list[tuple[int, int]]) -> None:
        """Take the hashes of frames that all agree on, and write what is complete."""
        self._hashes.update(hashes)
        while len(self._rows) >= BLOCK:
            complete = all(self._replayed + n in self._hashes for n in range(BLOCK))
            if not complete and len(self._rows) < limits.KEPT_FRAMES:
                return
            self._write(BLOCK)

    def replay_until(self, frames: int) -> Path:
        """A replay of the first frames, beside the match's own, which is not whole yet. Raises
        MatchError and OSError."""
        path = self.path / f"first-{frames}-frames.mcap"
        rows = [frame.row for frame in self._frames(cut=False)[:frames]]
        with ReplayWriter(path, self._simulation.header(self.saved.seed)) as replay:
            for first in range(0, len(rows), BLOCK):
                part = rows[first : first + BLOCK]
                replay.add_block(b"".join(part), None, frames=len(part))
        return path

    def seats(self, epochs: Mapping[int, int]) -> None:
        """Note who plays, so that they can come back to another relay process."""
        if dict(epochs) != self._state.get("epochs"):
            self._write_state(epochs, False)

    def close(self, ended: bool, frames: int | None = None) -> None:
        """Finish the replay, and after the match's end drop the journal. Twice is fine. Only the
        first `frames` are part of the match, if that is given."""
        if self._closed:
            return
        self._closed = True
        if frames is not None:
            del self._rows[max(0, frames - self._replayed) :]
        while self._rows:
            self._write(min(BLOCK, len(self._rows)))
        self._replay.close()
        self._journal.close()
        if ended:
            self._write_state({}, True)

    def discard(self) -> None:
        """Remove a match in which no frame was played."""
        if not self._closed and not self._rows and not self._replayed:
            self.close(False)
            shutil.rmtree(self.path, ignore_errors=True)

    def keep(self, name: str, data: bytes | str) -> Path:
        """Write a file beside the replay, such as a report or a verdict; its path."""
        write_file(self.path / name, data)
        return self.path / name

    def _write(self, count: int) -> None:
        first = self._replayed
        frames, self._rows = self._rows[:count], self._rows[count:]
        self._replayed += count
        known = [self._hashes.pop(first + n, None) for n in range(count)]
        hashes = [value for value in known if value is not None]
        told = [
            {
                "frame": first + n,
                "substituted": [s for s in range(self._codec.players) if f.substituted >> s & 1],
                "entries": [[e.event.name.lower(), e.slot, e.value] for e in f.entries],
            }
            for n, f in enumerate(frames)
            if f.substituted or f.entries
        ]
        if told:
            text = json.dumps(told, separators=(",", ":"))
            self._replay.annotate(TOPIC, text.encode())
        data = b"".join(frame.row for frame in frames)
        self._replay.add_block(data, hashes if len(hashes) == count else None, frames=count)

    def _write_state(self, epochs: Mapping[int, int], ended: bool) -> None:
        simulation = self._simulation
        self._state = {
            "simulation": simulation.name,
            "digest": simulation.digest,
            "seed": self.saved.seed,
            "epochs": dict(epochs),
            "ended": ended,
        }
        write_file(self.path / "match.json", json.dumps(self._state, indent=1))

    def _read(self, seed: int) -> SavedMatch:
        try:
            found = json.loads((self.path / "match.json").read_text())
        except FileNotFoundError:
            return SavedMatch(seed, [], {}, False)
        except (OSError, ValueError):
            raise MatchError(f"{self.path / 'match.json'} is damaged", fix="move it away") from None
        facts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        if facts.get("digest") != self._simulation.digest:
            raise MatchError(
                f"{self.path} has a match of another simulation",
                note=f"digest {facts.get('digest')!r:.60}, not {self._simulation.digest}",
                fix="give another folder, or another name of the match",
            )
        epochs = cast("dict[str, int]", facts.get("epochs") or {})
        kept = {int(slot): int(epoch) for slot, epoch in epochs.items()}
        frames = self._frames()
        return SavedMatch(int(facts.get("seed", seed)), frames, kept, bool(facts.get("ended")))

    def _frames(self, *, cut: bool = True) -> list[ClosedFrame]:
        """The journal's frames; what comes behind a torn one is cut off, where that is asked."""
        path = self.path / "journal"
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return []
        if not data.startswith(_MARK):
            raise MatchError(f"{path} is no journal of a match", fix="move it away")
        at, frames, before = len(_MARK), list[ClosedFrame](), self._codec.zeros
        while at + _RECORD.size <= len(data):
            size, check = _RECORD.unpack_from(data, at)
            start = at + _RECORD.size
            body = data[start : start + size]
            if len(body) != size or xxhash.xxh32_intdigest(body) != check:
                break
            try:
                frame, end = self._codec.get_frame(body, 0, before)
            except ProtocolError:
                break
            if end != size:
                break
            frames.append(frame)
            before, at = frame.row, start + size
        if cut and at != len(data):
            os.truncate(path, at)
        return frames


def _lock(journal: BinaryIO, name: str) -> None:
    """Keep other relays from the match while the journal is open. Raises MatchError where one has
    it."""
    if fcntl is None:
        return
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        journal.close()
        raise MatchError(
            f"another relay serves match '{name}' from this store",
            fix="give each relay a --store of its own",
        ) from None
