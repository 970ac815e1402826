"""Bits files: what one machine found in verifying a simulation, as JSON that others compare.

Owns the format and its bounds; a file comes from elsewhere and is checked to the last value. A
checksum over all else shows a file that was cut or changed by accident, and nothing of who wrote
it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.desync.evidence.text_files import read_text
from samebits.errors import SamebitsError
from samebits.output import write_file
from samebits.replay.header import digest_problem

FORMAT = "samebits bits 1"
"""The value of the key `format`, which says what the file is."""
MAX_TEXT = 300
"""Most characters of a name, a place or a note."""
MAX_RUNS = 1 << 16
MAX_ROWS = 1 << 10
RESULTS = ("same", "differs", "failed", "not compared", "not run", "damaged", "error")
"""What a run or a row can be said to be, the words of `samebits verify`."""
FACTS = (
    "architecture", "system", "processor", "cpu", "libc", "samebits", "llvm", "python", "numpy",
    "fingerprint", "environment",
)  # fmt: skip
"""What a file says of its machine: nothing that identifies it or its user."""
_HASH = re.compile(r"[0-9a-f]{16}")
_WHAT = "a bits file"
T = TypeVar("T")


class BitsError(SamebitsError):
    """A bits file that cannot be written, read or compared."""


@dataclass(frozen=True)
class Row:
    """One target: how many frames it ran, the hash after the last, how it fared, in what it differs
    first, in words."""

    name: str
    result: str
    frames: int
    final: str | None
    told: str


@dataclass(frozen=True)
class End:
    """The trap that ended a run: its frame, -1 for `init`, its kind, and its line."""

    frame: int
    kind: str
    place: str


@dataclass(frozen=True, eq=False)
class Run:
    """One run. `content` is of a replay the XXH3 of its bytes, else empty; `start` is the hash of
    the state after `init`, `hashes` are those after each frame, uint64, as the targets agree on
    them. `told` says what went wrong, if something did."""

    name: str
    content: str
    players: str
    seed: int
    asked: int
    result: str
    start: str | None
    hashes: NDArray[np.uint64]
    end: End | None
    rows: tuple[Row, ...]
    told: str

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes two runs the same one: the inputs, however many of their frames were run. A
        replay is its bytes; of a script each frame's inputs depend on it and on the seed alone."""
        script = "" if self.content else self.name  # a replay is its bytes, whatever its name
        return script, self.content, self.players, self.seed


@dataclass(frozen=True, eq=False)
class BitsFile:
    """All that one machine says of one simulation. `shard` is (i, n), 1 to n, of a corpus whose
    digest is `corpus`; (1, 1) where the corpus is not divided."""

    path: str
    label: str
    machine: dict[str, str]
    simulation: str
    version: str
    digest: str
    shard: tuple[int, int]
    corpus: str
    runs: tuple[Run, ...]


def write_bits(file: BitsFile) -> None:
    """Write a bits file to its path, whole or not at all. Raises OSError."""
    table = _to_json(file)
    table["checksum"] = checksum(table)
    write_file(file.path, json.dumps(table, indent=1, ensure_ascii=True) + "\n")


def is_bits_file(path: str) -> bool:
    """Whether a file begins as bits files do."""
    try:
        with open(path, "rb") as file:
            return FORMAT.encode() in file.read(64)
    except OSError:
        return False


def read_bits(path: str) -> BitsFile:
    """Read an untrusted bits file. Raises BitsError, which names what is wrong and where."""
    try:
        text = read_text(path, _WHAT)
    except SamebitsError as error:
        raise BitsError(error.message, fix=error.fix) from None
    try:
        table = json.loads(
            text, object_pairs_hook=_pairs, parse_float=_no_number, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        said = "it nests too deep" if isinstance(error, RecursionError) else f"{error!s:.100}"
        raise BitsError(f"{path} is not {_WHAT}: {said}", fix=_AGAIN) from None
    reader = _Reader(path, cast("dict[str, Any]", table) if isinstance(table, dict) else {})
    found = reader.table.get("format")
    if found != FORMAT:
        if isinstance(found, str) and found.startswith("samebits bits "):
            raise BitsError(
                f"{path} is of another format: {found!a:.60}, not {FORMAT!a}",
                fix="verify and compare with the same version of samebits",
            )
        raise BitsError(f"{path} is not {_WHAT}", fix=_AGAIN)
    said = reader.text("checksum")
    held = {key: value for key, value in reader.table.items() if key != "checksum"}
    if said != checksum(held):
        raise BitsError(
            f"{path} is damaged: its checksum is {said!a:.20}, its content gives "
            f"{checksum(held)!a}",
            fix="fetch it again from the machine that wrote it",
        )
    return _from_json(reader)


_AGAIN = "give a file that `samebits verify --bits` wrote"


def checksum(table: dict[str, Any]) -> str:
    text = json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"{xxh64(text.encode()):016x}"


def corpus_digest(contents: Iterable[str]) -> str:
    """A digest of a corpus: of the digests of its replays, in order."""
    return f"{xxh64(' '.join(contents).encode()):016x}"


def _to_json(file: BitsFile) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "label": file.label,
        "machine": file.machine,
        "simulation": file.simulation,
        "version": file.version,
        "digest": file.digest,
        "shard": list(file.shard),
        "corpus": file.corpus,
        "runs": [
            {
                "name": run.name, "content": run.content, "players": run.players,
                "seed": run.seed, "asked": run.asked, "result": run.result, "start": run.start,
                "hashes": base64.b64encode(run.hashes.astype("<u8").tobytes()).decode(),
                "end": None if run.end is None
                else {"frame": run.end.frame, "kind": run.end.kind, "place": run.end.place},
                "rows": [
                    {"name": row.name, "result": row.result, "frames": row.frames,
                     "final": row.final, "told": row.told}
                    for row in run.rows
                ],
                "told": run.told,
            }
            for run in file.runs
        ],
    }  # fmt: skip


class _Reader:
    """A JSON object of a bits file, whose values are taken by name and checked."""

    def __init__(self, path: str, table: dict[str, Any], where: str = "") -> None:
        self.path, self.table, self._where = path, table, where

    def wrong(self, key: str, wanted: str) -> BitsError:
        found = self.table.get(key, "missing")
        return BitsError(
            f"{self.path}: {self._where}{key} is {found!a:.60}, not {wanted}", fix=_AGAIN
        )

    def text(self, key: str, most: int = MAX_TEXT) -> str:
        value = self.table.get(key)
        if not isinstance(value, str) or len(value) > most:
            raise self.wrong(key, f"a text of at most {most:,} characters")
        return value

    def count(self, key: str, low: int = 0, high: int = 2**64 - 1) -> int:
        value = self.table.get(key)
        if type(value) is not int or not low <= value <= high:
            raise self.wrong(key, f"a whole number from {low} to {high:,}")
        return value

    def hash(self, key: str) -> str | None:
        value = self.table.get(key)
        if value is None and key in self.table:
            return None
        if not isinstance(value, str) or not _HASH.fullmatch(value):
            raise self.wrong(key, "16 hexadecimal digits or null")
        return value

    def result(self) -> str:
        if self.table.get("result") not in RESULTS:
            raise self.wrong("result", f"one of {', '.join(RESULTS)}")
        return self.table["result"]

    def each(self, key: str, most: int, take: Callable[[_Reader], T]) -> tuple[T, ...]:
        value = self.table.get(key)
        if not isinstance(value, list) or len(cast("list[object]", value)) > most:
            raise self.wrong(key, f"a list of at most {most:,}")
        values = cast("list[Any]", value)
        return tuple(take(self.inner(f"{key}[{i}]", value)) for i, value in enumerate(values))

    def inner(self, key: str, value: Any) -> _Reader:
        if not isinstance(value, dict):
            raise BitsError(
                f"{self.path}: {self._where}{key} is {value!a:.60}, not an object", fix=_AGAIN
            )
        return _Reader(self.path, cast("dict[str, Any]", value), f"{self._where}{key}.")


def _from_json(reader: _Reader) -> BitsFile:
    machine = reader.inner("machine", reader.table.get("machine"))
    digest = reader.text("digest")
    if problem := digest_problem(digest):
        raise BitsError(f"{reader.path}: digest {problem}", fix=_AGAIN)
    runs = reader.each("runs", MAX_RUNS, _run)
    if len({run.key for run in runs}) < len(runs):
        raise BitsError(f"{reader.path}: a run stands twice in runs", fix=_AGAIN)
    return BitsFile(
        reader.path,
        reader.text("label"),
        {name: machine.text(name) for name in FACTS},
        reader.text("simulation"),
        reader.text("version"),
        digest,
        _shard(reader),
        reader.text("corpus"),
        runs,
    )


def _shard(reader: _Reader) -> tuple[int, int]:
    value = reader.table.get("shard")
    numbers = cast("list[Any]", value) if isinstance(value, list) else []
    if not (
        len(numbers) == 2
        and all(type(each) is int for each in numbers)
        and 1 <= numbers[0] <= numbers[1] <= MAX_RUNS
    ):
        raise reader.wrong("shard", "two whole numbers, i of n")
    return numbers[0], numbers[1]


def _run(reader: _Reader) -> Run:
    end = reader.table.get("end")
    return Run(
        reader.text("name", 4096),
        reader.text("content"),
        reader.text("players"),
        reader.count("seed"),
        reader.count("asked"),
        reader.result(),
        reader.hash("start"),
        _hashes(reader),
        None if end is None else _end(reader.inner("end", end)),
        reader.each("rows", MAX_ROWS, _row),
        reader.text("told", 4096),
    )


def _hashes(reader: _Reader) -> NDArray[np.uint64]:
    text = reader.text("hashes", 1 << 30)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b"?"
    if len(data) % 8:
        raise reader.wrong("hashes", "uint64s in base64")
    return np.frombuffer(data, "<u8").astype(np.uint64)


def _end(reader: _Reader) -> End:
    return End(reader.count("frame", -1), reader.text("kind"), reader.text("place"))


def _row(reader: _Reader) -> Row:
    return Row(
        reader.text("name"),
        reader.result(),
        reader.count("frames"),
        reader.hash("final"),
        reader.text("told", 4096),
    )


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text:.40} is not a whole number")
