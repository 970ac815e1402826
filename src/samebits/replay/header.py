"""The header of a replay, its checksummed text form, and the bounds of the format.

Owns the names and limits that writer and reader share. Knows nothing of MCAP records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.errors import ReplayError

PROFILE = "samebits"
FORMAT = 1
METADATA_NAME = "samebits.replay"
INPUTS = "/inputs"
HASHES = "/hashes"
KEYFRAMES = "/keyframes"
ENCODING = "samebits"

MAX_CHUNK = 64 * 1024
"""Most bytes that a chunk holds."""
MAX_RECORD = 1024 * 1024
"""Most bytes that any record holds, even one that is skipped."""
MAX_HEADER = 256 * 1024
"""Most bytes of the header's text, schemas included."""
BLOCK_FRAMES = 256
"""Most frames in a block: what a damaged chunk or a crash can cost, about 4 s at 60 Hz."""
BLOCK_BYTES = 32 * 1024
"""A block of several frames holds at most this many bytes of inputs."""
PART_BYTES = 60 * 1024
"""Most bytes of one frame's inputs, all players together, and of one part of a keyframe."""
MAX_STATE = 256 * 1024 * 1024
"""Most bytes of a state."""

_DIGEST = re.compile(r"(?:[0-9a-f]{2}){4,64}")
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,32}")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,19}")


def name_problem(text: str) -> str | None:
    """Why `text` cannot name a simulation in a file, or None if it can."""
    if not text or len(text) > 200:
        return f"has {len(text)} characters, not 1 to 200"
    if not text.isprintable():
        return f"has a character that cannot be printed: {text!a}"
    return None


def digest_problem(text: str) -> str | None:
    """Why `text` is not a digest (8 to 128 lowercase hex digits, an even number), or None."""
    if _DIGEST.fullmatch(text):
        return None
    return f"is {text[:140]!a}, not 8 to 128 lowercase hex digits"


@dataclass(frozen=True)
class ReplayHeader:
    """The facts that a replay was recorded from. A value out of its range raises ReplayError.

    `digest` is the simulation's, in lowercase hex; `version` its own version; `seed` a uint64.
    `players` is 0 to 65,535 and `input_size` the canonical bytes of one player's input, together
    at most `PART_BYTES` a frame; `state_size` is at most `MAX_STATE`; `tick_rate` is 1 to
    1,000,000 Hz. `schema` is any JSON object, stored as JSON has it (a tuple becomes a list).
    """

    simulation: str
    digest: str
    version: str
    seed: int
    players: int
    input_size: int
    state_size: int
    tick_rate: int
    mode: str = "STRICT"
    precision: str = "HIGH"
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise ReplayError(
                    f"replay header: {name} is {_shown(value)}, not an int from {low} to {high}"
                )
        for name in _TEXT_FIELDS:
            if not isinstance(getattr(self, name), str):
                raise ReplayError(
                    f"replay header: {name} is {_shown(getattr(self, name))}, not a str"
                )
        for name in ("simulation", "version"):
            if problem := name_problem(getattr(self, name)):
                raise ReplayError(f"replay header: {name} {problem}")
        if problem := digest_problem(self.digest):
            raise ReplayError(f"replay header: digest {problem}")
        for name in ("mode", "precision"):
            if not _WORD.fullmatch(getattr(self, name)):
                raise ReplayError(
                    f"replay header: {name} is {_shown(getattr(self, name))}, not a name"
                )
        if self.frame_size > PART_BYTES:
            raise ReplayError(
                f"replay header: {self.players} players of {self.input_size} bytes make"
                f" {self.frame_size} bytes of input a frame, more than {PART_BYTES}",
                fix="make the input struct smaller: an input is what a player does in one frame",
            )
        object.__setattr__(self, "schema", _as_json(self.schema))

    @property
    def frame_size(self) -> int:
        """Bytes of one frame's inputs, all players together."""
        return self.players * self.input_size

    @property
    def block_frames(self) -> int:
        """The most frames that the writer puts into one block."""
        return min(BLOCK_FRAMES, max(1, BLOCK_BYTES // max(1, self.frame_size)))

    def log_time(self, frame: int) -> int:
        """Simulated nanoseconds before `frame`'s step: the file's log time."""
        return frame * 1_000_000_000 // self.tick_rate

    def require(self, digest: str) -> None:
        """Raise ReplayError unless the replay was recorded from the simulation of `digest`."""
        if digest != self.digest:
            raise ReplayError(
                f"the replay was recorded from another simulation: {self.simulation}"
                f" {self.version}, digest {self.digest}, not {digest}",
                fix="check out the version that recorded it, or record a new replay",
            )

    def to_text(self) -> dict[str, str]:
        """The header as MCAP metadata, with an XXH64 checksum over its canonical JSON."""
        text = {"format": str(FORMAT)}
        for name in _TEXT_FIELDS:
            text[name] = getattr(self, name)
        for name, _, _ in _RANGES:
            text[name] = str(getattr(self, name))
        text["schema"] = _compact(self.schema)
        text["checksum"] = _checksum(text)
        return text


_RANGES = (
    ("seed", 0, 2**64 - 1),
    ("players", 0, 65_535),
    ("input_size", 0, PART_BYTES),
    ("state_size", 0, MAX_STATE),
    ("tick_rate", 1, 1_000_000),
)
_TEXT_FIELDS = ("simulation", "digest", "version", "mode", "precision")


def header_from_text(text: Mapping[str, str]) -> ReplayHeader:
    """The header that `to_text` wrote; ReplayError says what is damaged, missing or too new."""
    found = text.get("checksum", "")
    expected = _checksum(text)
    if found != expected:
        raise ReplayError(f"the header's checksum is {found[:20]!a}, its text gives '{expected}'")
    if text.get("format") != str(FORMAT):
        raise ReplayError(
            f"replay format {text.get('format', '')[:20]!a}; this samebits reads {FORMAT}",
            fix="update samebits, or record the replay again with this one",
        )
    missing = [item.name for item in fields(ReplayHeader) if item.name not in text]
    if missing:
        raise ReplayError(f"the header lacks {', '.join(missing)}")
    values: dict[str, Any] = {name: text[name] for name in _TEXT_FIELDS}
    for name, _, _ in _RANGES:
        if not _NUMBER.fullmatch(text[name]):
            raise ReplayError(f"replay header: {name} is {_shown(text[name])}, not a number")
        values[name] = int(text[name])
    try:
        schema = json.loads(text["schema"])
    except (ValueError, RecursionError):
        raise ReplayError("replay header: schema is not JSON") from None
    if not isinstance(schema, dict):
        raise ReplayError("replay header: schema is not a JSON object")
    return ReplayHeader(schema=cast("dict[str, Any]", schema), **values)


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _as_json(schema: Mapping[str, Any]) -> dict[str, Any]:
    try:
        text = _compact(dict(schema))
    except (TypeError, ValueError, RecursionError) as error:
        raise ReplayError(f"replay header: schema cannot be written as JSON: {error}") from None
    if len(text) > MAX_HEADER:
        raise ReplayError(
            f"replay header: schema takes {len(text)} bytes of JSON, more than {MAX_HEADER}"
        )
    return json.loads(text)


def _checksum(text: Mapping[str, str]) -> str:
    return f"{xxh64(_compact({k: v for k, v in text.items() if k != 'checksum'}).encode()):016x}"


def _shown(value: object) -> str:
    return ascii(value)[:60]


@dataclass(frozen=True, eq=False)
class ReplayBlock:
    """Whole frames that follow one another, at most `BLOCK_FRAMES`.

    `inputs` holds `frames × players × input_size` canonical bytes. `hashes` holds the uint64 hash
    of the state after each frame, or is None if none were recorded.
    """

    first_frame: int
    frames: int
    inputs: bytes
    hashes: NDArray[np.uint64] | None
