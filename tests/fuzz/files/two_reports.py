"""Two desync reports compared, one or both of them forged: an answer or a ReportError, in time.

A step of a diagnosis that fails leaves a note instead of the error; here that is a finding.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from samebits.desync.reader import report_from_bytes
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.desync.writer import report_bytes
from samebits.diagnosis.driver import diagnose_reports
from samebits.errors import ReportError
from samebits.ir.analysis.budget import Budget
from samebits.sides.side import parse_side
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.reports import Reports
from tests.fuzz.files.tiny_simulation import OTHER, TINY

_LENGTH = 4
_FEW = Budget(operations=60_000, frame=6_000, matching=20_000)
"""A frame of the tiny simulation takes 100."""


class TwoReports(Target):
    """A case is both files, the first behind its length."""

    name = "two-reports"
    errors = (ReportError,)
    words = Reports.words
    steps = 4_000_000, 400
    memory = 64 << 20, 64

    def __init__(self, folder: Path) -> None:
        self._one = Reports(folder)

    def seeds(self) -> list[bytes]:
        """The same run, another version of the code, other inputs, and a traced hazard."""
        plain = _made(TINY)
        found = [
            (plain, plain),
            (plain, _made(OTHER)),
            (plain, _made(TINY, players="pull")),
            (plain, _made(TINY, "evaluate,hazard=fma,from=1")),
        ]
        return [_joined(report_bytes(a), report_bytes(b)) for a, b in found]

    def read(self, data: bytes) -> Read:
        a, b = (
            replace(report_from_bytes(each), name=name, budget=replace(_FEW))
            for each, name in zip(_apart(data), "ab", strict=True)
        )
        found = diagnose_reports(a, b)
        unexpected = [note for note in found.notes if "did not expect" in note]
        assert not unexpected, unexpected[0]
        assert all(note.isprintable() for note in found.notes)
        assert found.certainty != "certain" or not (a.budget.is_spent or b.budget.is_spent)
        whole = not a.damage and not b.damage
        return Read((found.frame, found.hashes), whole)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """One file, or both alike, with something else in it."""
        files, spare = list(_apart(data)), [each for other in others for each in _apart(other)]
        at = chance.randrange(2)
        seed = chance.random()
        again = Random(seed)
        files[at] = self._one.forged(files[at], spare, again)
        if chance.random() < 0.5:  # so that they still fit each other
            files[1 - at] = self._one.forged(files[1 - at], spare, Random(seed))
        return _joined(*files)

    def is_part(self, value: object, of: object) -> bool:
        return True  # what is lost may be the first difference


def _made(simulation: Simulation, words: str = "evaluate", players: str = "push") -> Report:
    side = replace(parse_side(words, simulation), text=words)
    return record_report(side, PlayerSource(simulation, players, 1, 5), ReportRequest(range(5), 3))


def _joined(a: bytes, b: bytes) -> bytes:
    return len(a).to_bytes(_LENGTH, "little") + a + b


def _apart(data: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(data[:_LENGTH], "little")
    return data[_LENGTH : _LENGTH + size], data[_LENGTH + size :]
