"""Verdicts, the JSON of a diagnosis, as a collector takes them from strangers: refused, or facts
that its tables and pages can hold."""

from __future__ import annotations

import json
import weakref
from pathlib import Path
from random import Random
from typing import Any

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import groups
from samebits.collector.grouping.facts import Facts
from samebits.collector.grouping.groups import join
from samebits.collector.intake.kinds import BEGINNING, ENDING, kind_of
from samebits.collector.problem import CollectorError
from samebits.collector.work.jobs import compare, read
from samebits.visible import visible
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.json_form import change, text_of
from tests.support.collected import report_of

_COLUMNS = {"machine": 300, "version": 200, "simulation": 200, "target": 60, "build": 40}
"""What a report's row holds of texts."""


class Verdicts(Target):
    name = "verdicts"
    needs = ("sqlalchemy", "alembic")
    errors = (CollectorError,)
    words = (
        b'{"format": 2, ', b'"same": true', b'"causes": [', b'"operation": {', b'"place": {',
        b'"hazard": "', b'"fields": [', b'"headers": [', b'"line": ', b"[", b"{", b"null", b"NaN",
        b"\\u0000", b"\\ud800", b"\xe2\x80\xae",
    )  # fmt: skip
    steps = 40_000, 400
    memory = 8 << 20, 96

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / "verdict.json"
        self._database = Database(folder)
        weakref.finalize(self, self._database.close)

    def seeds(self) -> list[bytes]:
        found: list[bytes] = []
        for hazard in ("fma", ""):
            sides = [self._folder / name for name in ("a.desync", "b.desync")]
            for side, text in zip(sides, ("", hazard), strict=True):
                side.write_bytes(report_of(text, f"CPU of {side.name}"))
            compare(str(sides[0]), str(sides[1]), str(self._folder / "found"))
            found.append((self._folder / "found.json").read_bytes())
        place = {"file": "a/game.py", "line": 7, "function": "step", "source": "a * b + c"}
        small: dict[str, Any] = {
            "simulation": "duel", "causes": [{"hazard": "fma", "title": "fused"}],
            "operation": {"opcode": "mul", "place": place}, "fields": [{"path": "a[3].x"}],
        }  # fmt: skip
        edits: dict[str, Any] = {"simulation": "duel", "version": "1", "edits": [{"name": "a"}]}
        headers = {"simulation": "é", "headers": [{"name": "digest"}], "b": "there", "to_do": "?"}
        return [*found, _signed(small), _signed(edits), _signed(headers)]

    def read(self, data: bytes) -> Read:
        if kind_of(data[:BEGINNING], data[-ENDING:]).name != "verdict":
            raise CollectorError("another kind")
        self._path.write_bytes(data)
        said = read(str(self._path), "verdict", "")
        assert said["simulation"], "a verdict on nothing"
        for name, value in said.items():
            if isinstance(value, str):
                assert len(value) <= _COLUMNS.get(name, 1000), f"{name} is too long"
                assert visible(value) == value, f"{name} has what cannot be seen"
                assert "\n" not in value or name != "told", "told in several lines"
        json.dumps(said)
        return Read(None, True)  # a text without a checksum: nobody can tell what it was

    def check(self, data: bytes, read: Read) -> None:
        self._path.write_bytes(data)
        said = _said(str(self._path))
        if said["facts"] is None:
            return
        facts = Facts.from_json(json.loads(json.dumps(said["facts"])))
        assert facts.signature == Facts.from_json(facts.to_json()).signature
        with self._database.writing() as connection:
            number, _ = join(self._database, connection, facts, 1, said["machine"], 7)
            row = connection.execute(groups.select().where(groups.c.id == number)).one()
        for column in groups.columns:
            value, most = getattr(row, column.name), getattr(column.type, "length", None)
            if isinstance(value, str):
                assert most is None or len(value) <= most, f"{column.name} is too long"
                assert visible(value) == value, f"{column.name} has what cannot be seen"

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Changed where it means something, still of its format."""
        try:
            return _signed(change(json.loads(data), chance))
        except (ValueError, AttributeError, TypeError, RecursionError):
            return super().forged(data, others, chance)


def _said(path: str) -> dict[str, Any]:
    return read(path, "verdict", "")


def _signed(table: Any) -> bytes:
    """A table as JSON that begins with its format."""
    rest = {key: value for key, value in table.items() if key != "format"}
    text = text_of(rest)[1:]
    return b'{"format": 2, ' + text.encode("utf-8", "surrogatepass")
