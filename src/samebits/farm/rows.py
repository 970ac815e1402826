"""Rows: the result of one replay on one target, as stores keep it and workers send it.

Owns the words for results and the columns of a row. Knows neither Dask nor Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

SAME, DIFFERS, NOT_COMPARED = "same", "differs", "not compared"
"""The hashes in the replay are those of the run; one is another; the replay has none of this code,
so that only targets can be compared with each other."""
DAMAGED, REFUSED = "damaged", "refused"
"""The replay's end is missing; it is no replay of this simulation's inputs."""
FAILED, CRASHED, HUNG, MEMORY, LOST = "failed", "crashed", "hung", "out of memory", "lost"
"""The target's program failed; the process that ran it died, exceeded its time, or its memory; the
worker or the scheduler was gone."""
RESULTS = (SAME, DIFFERS, NOT_COMPARED, DAMAGED, REFUSED, FAILED, CRASHED, HUNG, MEMORY, LOST)
POISON = (CRASHED, HUNG, MEMORY)
"""Results of replays that end the process that runs them."""
RAN = (SAME, DIFFERS, NOT_COMPARED, DAMAGED)
"""Results of runs that came to an end, so that `run` can be compared."""
MAX_TOLD = 1000
"""Most characters of what a row tells."""


@dataclass(frozen=True, slots=True)
class Key:
    """What makes two rows the same one: the replay's bytes (XXH3), the simulation's digest, the
    target, the strict part of the math fingerprint (samebits' version and sources), and how many
    frames were asked for, 0 for all."""

    replay: str
    program: str
    target: str
    fingerprint: str
    asked: int


@dataclass(frozen=True, slots=True)
class Row:
    """One replay on one target. `run` is a digest of the state after `init`, of the hashes after
    all frames and of the trap that ended it; `frame` is the first whose hash is another than the
    replay's. `how` is native or emulated, by `worker`; `seconds` are those of the wall."""

    replay: str
    program: str
    target: str
    fingerprint: str
    asked: int
    path: str
    simulation: str
    version: str
    result: str
    told: str = ""
    frames: int = 0
    frame: int | None = None
    final: str = ""
    run: str = ""
    how: str = ""
    worker: str = ""
    seconds: float = 0.0

    @property
    def key(self) -> Key:
        return Key(self.replay, self.program, self.target, self.fingerprint, self.asked)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


COLUMNS: Mapping[str, str] = {
    each.name: {"frame": "BIGINT", "asked": "BIGINT", "frames": "BIGINT", "seconds": "DOUBLE"}.get(
        each.name, "VARCHAR"
    )
    for each in fields(Row)
}
"""The columns of a store, with the types that SQL calls them by."""


@dataclass(frozen=True, slots=True)
class Task:
    """One row to be made: a replay, by its path on the worker, and the words that commands take for
    its `simulation`, whose own name and version these are."""

    key: Key
    path: str
    simulation: str
    name: str
    version: str

    def row(self, result: str, told: str = "", **more: Any) -> Row:
        """The task's row."""
        return Row(
            self.key.replay, self.key.program, self.key.target, self.key.fingerprint,
            self.key.asked, self.path, self.name, self.version, result, told[:MAX_TOLD], **more,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Task:
        return cls(Key(**found["key"]), *(found[each.name] for each in fields(cls)[1:]))
