"""Rows on the disk: Parquet files that are only ever added, each whole or not there.

Owns a folder of part files and the lock of its one writer. A part's name has the numbers that it
covers: one made of several replaces these the moment it has its name, so that a process may be
killed at any moment. It says too whether rows were made again, which are the ones that count; as
long as none were, nothing is sorted to find the latest. DuckDB writes, reads and counts them. Who
writes renames damaged parts, so that no one's query meets them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from types import TracebackType
from typing import Any

import xxhash

from samebits.ensemble.database import Database, Error
from samebits.farm.errors import FarmError
from samebits.farm.rows import COLUMNS, Key, Row
from samebits.output import Output, os_reason, remedy

MOST_PARTS = 64
"""Parts from which on they are made one."""
_NAME = re.compile(r"part-([0-9]{8})-([0-9]{8})(-again)?-([0-9a-f]{16})\.parquet")
_UNFINISHED = re.compile(r"part-.*\.partial")
_KEYS = "replay, program, target, fingerprint, asked"
_UNNESTED_KEYS = ", ".join(f"unnest(?::{COLUMNS[name]}[]) AS {name}" for name in _KEYS.split(", "))
_UNNESTED = ", ".join(f"unnest(?::{kind}[]) AS {name}" for name, kind in COLUMNS.items())


class Store:
    """The rows in a folder, which is made. To `add`, it must be entered as a `with` block, which
    one process at a time can. Raises FarmError."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.damaged: list[str] = []
        """Parts that could not be read, what is wrong with each, and how it is called now: their
        rows are made again."""
        self._wrong: dict[str, int] = {}
        """The names of those that were read, and their places in `damaged`."""
        self._lock: int | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FarmError(
                f"cannot make the folder {folder}: {os_reason(error)}", fix=remedy(error)
            ) from None
        self.sql = Database()
        self._is_viewed = False
        self._scanned = self._named()
        self._parts = self._living()

    def __enter__(self) -> Store:
        path = self.folder / ".lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise FarmError(f"cannot write {path}: {os_reason(error)}", fix=remedy(error)) from None
        if not _locked(descriptor):
            os.close(descriptor)
            raise FarmError(
                f"another process writes to {self.folder}", fix="wait for it, or name another store"
            )
        self._lock = descriptor
        if self._wrong or self._named() != self._scanned:  # another process may have written
            self.damaged, self._wrong, self._is_viewed = [], {}, False
            self._parts = self._living()
            self._set_aside()
        self._sweep()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        lock, self._lock = self._lock, None
        try:
            if kind is None and any(_is_again(name) for _, _, name in self._parts):
                self._merge(self._parts)
        finally:
            self.sql.close()
            if lock is not None:
                os.close(lock)

    def add(self, rows: Sequence[Row], again: bool = False) -> None:
        """Append rows, as one part. With `again` there may be older ones of their keys, which count
        no longer. Raises FarmError."""
        assert self._lock is not None
        if not rows:
            return
        number = max((last for _, last, _ in self._named()), default=0) + 1
        columns = [list(map(_kept, column)) for column in zip(*map(astuple, rows), strict=True)]
        self._write(number, number, f"SELECT {_UNNESTED}", columns, again=again)
        last = [part for part in self._parts if part[0] == part[1] > self._merged()]
        if len(last) > MOST_PARTS:
            self._merge(last)
        if len(self._parts) > MOST_PARTS:
            self._merge(self._parts)

    def known(self, keys: Sequence[Key]) -> dict[Key, str]:
        """The results that are there of some keys."""
        self.want(keys)
        found = self.query(f"SELECT {_KEYS}, result FROM rows SEMI JOIN wanted USING ({_KEYS})")
        return {Key(*values[:-1]): values[-1] for values in found}

    def want(self, keys: Sequence[Key]) -> None:
        """Have the table `wanted` hold keys."""
        columns = [list(column) for column in zip(*map(astuple, keys), strict=True)] or [[]] * 5
        self.sql.execute(f"CREATE OR REPLACE TEMP TABLE wanted AS SELECT {_UNNESTED_KEYS}", columns)

    def rows(self, where: str = "TRUE", given: Sequence[Any] = (), most: int = 1000) -> list[Row]:
        """The rows that a condition of SQL selects, `most` at most, in a fixed order."""
        found = self.query(
            f"SELECT {', '.join(COLUMNS)} FROM rows WHERE {where} "
            f"ORDER BY path, simulation, version, target LIMIT {most}",
            given,
        )
        return [Row(*values) for values in found]

    def query(self, sql: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query gives, over `rows`: the latest row of each key."""
        self._view()
        return self.sql.execute(sql, list(given)).fetchall()

    def _living(self) -> list[tuple[int, int, str]]:
        """The parts that count: those that no other one covers, and that can be read."""
        found = self._named()
        return [
            part for part in found
            if not any(o[0] <= part[0] and part[1] <= o[1] and o[:2] != part[:2] for o in found)
            and self._is_sound(part[2])
        ]  # fmt: skip

    def _named(self) -> list[tuple[int, int, str]]:
        """All parts: the numbers that each covers, and its name."""
        matches = (_NAME.fullmatch(each.name) for each in self.folder.iterdir())
        return sorted((int(m[1]), int(m[2]), m[0]) for m in matches if m)

    def _is_sound(self, name: str) -> bool:
        path = self.folder / name
        try:
            if f"-{xxhash.xxh3_64_hexdigest(path.read_bytes())}." not in name:
                return self._is_wrong(path, "its bytes are not those that were written")
            told = self.sql.execute(f"DESCRIBE SELECT * FROM read_parquet({_quoted(path)})")
            columns = {each[0]: each[1] for each in told.fetchall()}
        except OSError as error:
            self.damaged.append(f"{path}: {os_reason(error)}")
            return False
        except Error as error:
            return self._is_wrong(path, str(error).splitlines()[0][:200])
        if columns != dict(COLUMNS):
            return self._is_wrong(path, "its columns are those of another version")
        return True

    def _is_wrong(self, path: Path, why: str) -> bool:
        self._wrong[path.name] = len(self.damaged)
        self.damaged.append(f"{path}: {why}")
        return False

    def _set_aside(self) -> None:
        """Rename the parts that are wrong, and say so."""
        for name, at in self._wrong.items():
            ends = (".damaged", *(f".{n}.damaged" for n in range(2, 1000)))
            free = next(name + end for end in ends if not (self.folder / (name + end)).exists())
            kept = f", kept as {free}"
            try:
                (self.folder / name).rename(self.folder / free)
            except OSError as error:
                kept = f", and cannot be renamed: {os_reason(error)}"
            self.damaged[at] += kept

    def _view(self) -> None:
        """Have `rows` be the latest row of each key."""
        if self._is_viewed:
            return
        latest = _latest([self.folder / name for _, _, name in self._parts])
        self.sql.execute(f"CREATE OR REPLACE VIEW rows AS {latest}")
        self._is_viewed = True

    def _write(
        self,
        first: int,
        last: int,
        query: str,
        given: Sequence[Any] = (),
        again: bool = False,
    ) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="samebits-farm-") as folder:
                made = Path(folder) / "part.parquet"
                self.sql.execute(f"CREATE OR REPLACE TEMP TABLE written AS {query}", list(given))
                self.sql.execute(
                    f"COPY written TO {_quoted(made)} (FORMAT parquet, COMPRESSION zstd)"
                )
                self.sql.execute("DROP TABLE written")
                data = made.read_bytes()
            middle = "-again" * again
            name = f"part-{first:08d}-{last:08d}{middle}-{xxhash.xxh3_64_hexdigest(data)}.parquet"
            with Output(self.folder / name, replace=False) as out:
                out.file.write(data)
        except OSError as error:
            raise FarmError(
                f"cannot write to {self.folder}: {os_reason(error)}", fix=remedy(error)
            ) from None
        self._parts = [part for part in self._parts if not first <= part[0] <= last]
        self._parts.append((first, last, name))
        self._parts.sort()
        self._is_viewed = False

    def _merge(self, parts: Sequence[tuple[int, int, str]]) -> None:
        """Make one part of several that follow one another."""
        latest = _latest([self.folder / name for _, _, name in parts])
        # Rows of parts before these may be older ones of the same keys.
        again = len(parts) < len(self._parts) and any(_is_again(name) for _, _, name in parts)
        self._write(parts[0][0], parts[-1][1], latest, again=again)
        self._sweep()

    def _merged(self) -> int:
        """The last number that a part of several covers; 0 where none is one."""
        return max((last for first, last, _ in self._parts if first < last), default=0)

    def _sweep(self) -> None:
        """Remove parts that others cover, and files that were never finished."""
        living = {name for _, _, name in self._parts}
        covered = [
            name for first, last, name in self._named()
            if name not in living
            and any(f <= first and last <= t for f, t, _ in self._parts)
        ]  # fmt: skip
        unfinished = [p.name for p in self.folder.iterdir() if _UNFINISHED.fullmatch(p.name)]
        for name in (*covered, *unfinished):
            with suppress(OSError):
                (self.folder / name).unlink()


def _latest(paths: Sequence[Path]) -> str:
    """A query for the latest row of each key in parts, whose names ascend."""
    if not paths:
        return f"SELECT {_NONE} WHERE FALSE"
    listed = ", ".join(map(_quoted, paths))
    if not any(_is_again(path.name) for path in paths):
        return f"SELECT {', '.join(COLUMNS)} FROM read_parquet([{listed}])"
    return (
        f"SELECT {', '.join(COLUMNS)} FROM read_parquet([{listed}], filename = true) "
        f"QUALIFY row_number() OVER (PARTITION BY {_KEYS} ORDER BY filename DESC) = 1"
    )


_NONE = ", ".join(f"NULL::{kind} AS {name}" for name, kind in COLUMNS.items())


def _is_again(name: str) -> bool:
    """Whether a part has rows that were made again."""
    return "-again-" in name


def _kept(value: Any) -> Any:
    """A value as Parquet takes it: of a path that is no UTF-8, the bytes as escapes."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _quoted(path: Path) -> str:
    """A path as a literal of SQL."""
    return "'" + str(path).replace("'", "''") + "'"


def _locked(descriptor: int) -> bool:
    """Lock a file until it is closed, or its process ends; whether that was possible."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
