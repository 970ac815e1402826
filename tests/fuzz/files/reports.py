"""Desync reports: what is whole of them, and nothing that the sound one did not say."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from samebits.desync.format import PROGRAM, TRACE, Key
from samebits.desync.of_session import session_report
from samebits.desync.reader import report_from_bytes
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.desync.summary import disclosure_json, disclosure_text, summary
from samebits.desync.writer import report_bytes
from samebits.errors import ReportError, TraceError
from samebits.frame_trace.encoding import decode
from samebits.frame_trace.restore import restore_trace
from samebits.sides.side import parse_side
from samebits.sim.kept_session import KeptSession
from samebits.sim.sources import PlayerSource
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mcap_form import forged
from tests.fuzz.files.mutate import mutated
from tests.fuzz.files.tiny_simulation import TINY


def _of_session() -> Report:
    """A report of a session that joined late, was changed by hand and restored."""
    session, other = TINY.start(1, keep=3), TINY.start(1)
    assert isinstance(session, KeptSession)
    (block,) = PlayerSource(TINY, "push", 1, 9).blocks()
    other.run(block.inputs[:1])
    session.restore(other.save())
    session.run(block.inputs[1:3])
    saved = session.save()
    session.run(block.inputs[3:4])
    session.restore(saved)
    session.state.hits = 7
    session.run(block.inputs[3:5])
    return session_report(session)


class Reports(Target):
    name = "reports"
    errors = (ReportError,)
    words = (b"samebits.report", b"%0 = ", b"if %0 {", b"while {", b"call @", b"u64", b"\x1b[31m")

    def __init__(self, folder: Path) -> None:
        pass

    def seeds(self) -> list[bytes]:
        side = replace(parse_side("evaluate", TINY), text="evaluate")
        found: list[bytes] = []
        for frames, wanted in ((4, ReportRequest(range(1, 3), 2)), (9, ReportRequest(None, None))):
            source = PlayerSource(TINY, "push", 1, frames)
            found.append(report_bytes(record_report(side, source, wanted)))
        return [*found, report_bytes(_of_session())]

    def read(self, data: bytes) -> Read:
        report = report_from_bytes(data)
        assert report.parts.keys() <= report.sizes.keys()
        assert all(len(part) == report.sizes[key] for key, part in report.parts.items())
        assert report.damage or not report.missing, "parts are missing, and no damage is told"
        assert all(line.isprintable() for line in report.damage)
        return Read(_said(report), not report.damage)

    def check(self, data: bytes, read: Read) -> None:
        report = report_from_bytes(data)
        text = [summary(report), *disclosure_text(report, "f", len(data))]
        assert all(line.isprintable() for line in text), "what is shown has control characters"
        disclosure_json(report, "f", len(data))
        for n in (-2, -1, 0, 1, 3, 5, 6, 2**22, 2**64):
            report.hash_after(n)
            report.inputs(n)
            report.inputs_array(n)
            report.state(n)
            report.tree_hashes(n)
        assert report.program is None or report.program.step
        _follow(report)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        if chance.random() < 0.5:
            return forged(data, others, chance)
        try:
            return report_bytes(_with_changed_part(report_from_bytes(data), self.words, chance))
        except Exception:
            return forged(data, others, chance)  # what was changed before can't be written

    def is_part(self, value: object, of: object) -> bool:
        assert isinstance(value, tuple)
        assert isinstance(of, tuple)
        *about, parts = value
        *sound, all_parts = of
        return about == sound and parts.items() <= all_parts.items()


def _follow(report: Report) -> None:
    """Follow its trace as a diagnosis does, where all is there that this takes."""
    frame, stored, program = report.contents.traced, report.trace, report.program
    before, inputs = report.state(frame), report.inputs_array(frame)
    if stored is None or program is None or before is None or inputs is None:
        return
    with suppress(TraceError):
        restore_trace(report.model_of(program), decode(stored), before, inputs)


def _said(report: Report) -> tuple[object, ...]:
    return report.machine, report.header, report.contents, report.parts


def _with_changed_part(report: Report, words: tuple[bytes, ...], chance: Random) -> Report:
    """The report with another part of the same kind, mostly of the size that it is said to have."""
    keys = sorted(report.parts)
    program = [key for key in keys if key.topic == PROGRAM]
    key = chance.choice(program if program and chance.random() < 0.5 else keys)
    part = mutated(report.parts[key], (), words, chance)
    contents = report.contents
    if key == Key(PROGRAM, 0):
        contents = replace(contents, program=len(part))
    elif key.topic == TRACE:
        contents = replace(contents, trace=len(part))
    else:
        size = len(report.parts[key])
        part = part[:size].ljust(size, b"\0")
    return replace(report, contents=contents, parts=report.parts | {key: part})
