"""A study's blocks on the disk: a folder with what the study is, and a Parquet file a block.

A block's file has its name once it is whole, so that a run that was killed goes on after the last.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from samebits.ensemble.blocks import Columns
from samebits.ensemble.database import Database, Error
from samebits.ensemble.study import Study
from samebits.errors import ArgumentError
from samebits.output import Output, os_reason, remedy

FACTS = "study.json"
_TYPES = {"b": "BOOLEAN", "O": "VARCHAR"}


class Store:
    """The blocks of `study` in `folder`, which is made. Raises ArgumentError where the folder has
    another study, or cannot be used."""

    def __init__(self, folder: str | Path, study: Study) -> None:
        self.folder = Path(folder)
        self._study = study
        facts = {
            "study": study.digest, "simulation": study.opened.name,
            "version": study.opened.version, "runs": study.size,
        }  # fmt: skip
        place = self.folder / FACTS
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                if any(self.folder.iterdir()):
                    raise ArgumentError(
                        f"{folder} has other files", fix="name a folder that is empty or new"
                    )
                with Output(place) as out:
                    out.file.write(json.dumps(facts, indent=1).encode() + b"\n")
            there: Any = json.loads(place.read_bytes())
        except OSError as error:
            raise ArgumentError(
                f"cannot use the folder {folder}: {os_reason(error)}", fix=remedy(error)
            ) from None
        except ValueError:
            there = None
        held = cast("dict[str, Any]", there) if isinstance(there, dict) else {}
        if held.get("study") != study.digest:
            raise ArgumentError(
                f"{folder} holds another study",
                note="its simulation, parameters, seed or measures are others",
                fix="name another folder, or remove this one",
            )
        self._sql = Database()

    def path(self, block: int) -> Path:
        """The file of a block."""
        return self.folder / f"block-{block:07d}.parquet"

    def missing(self) -> list[int]:
        """The blocks that are not there, or not whole."""
        return [k for k in range(self._study.blocks) if not self._is_whole(k)]

    def _is_whole(self, block: int) -> bool:
        path = self.path(block)
        if not path.exists():
            return False
        try:
            row = self._sql.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchone()
        except Error:
            return False
        return row is not None and row[0] == self._study.size_of(block)

    def add(self, block: int, columns: Columns) -> None:
        """Keep a block."""
        names = ", ".join(
            f'unnest(?::{_sql_type(c)}[]) AS "{_quoted(name)}"' for name, c in columns.items()
        )
        with tempfile.TemporaryDirectory(prefix="samebits-ensemble-") as folder:
            made = Path(folder) / "block.parquet"
            self._sql.execute(f"CREATE OR REPLACE TEMP TABLE block AS SELECT {names}",
                              [column.tolist() for column in columns.values()])  # fmt: skip
            self._sql.execute(f"COPY block TO '{made}' (FORMAT parquet, COMPRESSION zstd)")
            data = made.read_bytes()
        try:
            with Output(self.path(block)) as out:
                out.file.write(data)
        except OSError as error:
            raise ArgumentError(
                f"cannot write to {self.folder}: {os_reason(error)}", fix=remedy(error)
            ) from None

    def read(self) -> dict[str, np.ndarray[Any, Any]]:
        """All columns, in the order of the runs."""
        files: Sequence[str] = [str(self.path(k)) for k in range(self._study.blocks)]
        found: Any = self._sql.execute("SELECT * FROM read_parquet(?) ORDER BY run", [files])
        return {name: np.asarray(column) for name, column in found.fetchnumpy().items()}

    def close(self) -> None:
        """Let go of the database."""
        self._sql.close()


def _sql_type(column: np.ndarray[Any, Any]) -> str:
    """DuckDB's type of a column, which holds all its values exactly."""
    kind, size = column.dtype.kind, column.dtype.itemsize
    if kind == "f":
        return "DOUBLE" if size == 8 else "FLOAT"
    if kind in "iu":
        width = {1: "TINYINT", 2: "SMALLINT", 4: "INTEGER", 8: "BIGINT"}[size]
        return f"U{width}" if kind == "u" else width
    return _TYPES[kind]


def _quoted(name: str) -> str:
    return name.replace('"', '""')
