"""The jobs of the limited process: a file read, two reports compared, bits files of a build."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from samebits.ci.bits_file import read_bits
from samebits.collector.grouping.facts import facts_of, one_line
from samebits.collector.problem import CollectorError
from samebits.collector.work.comparison import agree
from samebits.collector.work.targets import target_of
from samebits.desync.machine import Machine
from samebits.desync.reader import read_report
from samebits.desync.report import Report
from samebits.diagnosis.driver import diagnose_reports
from samebits.diagnosis.driver.told import is_of_damage
from samebits.diagnosis.report.html import page
from samebits.diagnosis.report.wording import answer, to_do
from samebits.output import write_file

FIRST = 8
"""Frames whose inputs tell that two reports are of one run, where the match has no name."""


def read(path: str, kind: str, match: str) -> dict[str, Any]:
    """What a file says of itself. Raises SamebitsError where it can't be read."""
    return _READERS[kind](path, match)


def compare(a: str, b: str, found: str) -> dict[str, Any]:
    """The diagnosis of two reports, written to `found` as JSON and as a page; what it comes down
    to."""
    one, other = _report(a, "a", "the other side's report"), _report(b, "b", "the report")
    diagnosis = diagnose_reports(one, other)
    told = {"answer": answer(diagnosis), "to_do": to_do(diagnosis), **diagnosis.to_json()}
    text = json.dumps({"format": 2, **told}, indent=1)
    write_file(f"{found}.json", text)
    write_file(f"{found}.html", page(diagnosis))
    if not diagnosis.differs:
        return {"same": True, "told": one_line(told["answer"])}
    targets = sorted({_target(one.machine), _target(other.machine)})
    return {"same": False, **facts_of(json.loads(text), targets, _starts(one, other)).to_json()}


def _report(path: str, name: str, called: str) -> Report:
    """A whole report: where bits are lost, that nothing differs means nothing. Raises
    CollectorError for a damaged one, which errors call `called`."""
    report = read_report(path)
    if report.damage:
        raise CollectorError(
            f"{called} is damaged, and not compared: {report.damage[0]}",
            fix="send it again, as a file and not as text",
        )
    return replace(report, name=name)


def _starts(*reports: Report) -> dict[tuple[str, str], int]:
    """The first lines of functions in the reports' programs, by file and name."""
    found: dict[tuple[str, str], int] = {}
    for report in reports:
        program = report.program
        for function in () if program is None else program.kernels.functions.values():
            span = function.span
            name = span.function.rpartition("<locals>.")[2]
            found.setdefault((span.file, name), span.line)
    return found


def _read_report(path: str, match: str) -> dict[str, Any]:
    report = _report(path, "the report", "the report")
    about, machine = report.header, report.machine
    return {
        "run": run_of(report, match), "simulation": one_line(about.simulation, 200),
        "version": one_line(about.version, 200), "build": one_line(about.digest, 40),
        "machine": machine_of(machine), "target": _target(machine), "told": "",
    }  # fmt: skip


def run_of(report: Report, match: str) -> str:
    """What the reports of one run have in common: the match's name, or else seed, players and the
    inputs of the first frames."""
    about = report.header
    parts: list[Any] = [about.simulation, about.players]
    if match:
        parts.append(match)
    else:
        hashes = report.input_hashes
        parts += [about.seed, *(hashes[n] for n in range(min(FIRST, len(hashes))))]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def _read_bits(path: str, match: str) -> dict[str, Any]:
    file = read_bits(path)
    parts = json.dumps(["bits", file.simulation, file.version, file.digest])
    machine = file.machine
    return {
        "run": hashlib.sha256(parts.encode()).hexdigest()[:40],
        "simulation": one_line(file.simulation, 200), "version": one_line(file.version, 200),
        "build": one_line(file.digest, 40), "machine": one_line(file.label, 300),
        "target": target_of(machine["architecture"], machine["system"]), "told": "",
    }  # fmt: skip


def _read_verdict(path: str, match: str) -> dict[str, Any]:
    try:
        given = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise CollectorError(f"the file is not JSON: {error!s:.100}") from None
    table = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    facts = facts_of(table, ["unknown"], {})
    if not facts.simulation:
        raise CollectorError("the file is no diagnosis", fix="send `samebits diagnose --json`'s")
    same = table.get("same") is True and not table.get("changes")
    if same and (lost := next(filter(is_of_damage, _notes(table)), "")):
        raise CollectorError(f"what was compared is damaged, so it is not the same: {lost:.200}")
    machine = table.get("b")
    return {
        "run": "", "simulation": facts.simulation, "version": facts.version, "build": "",
        "machine": one_line(machine, 300) if isinstance(machine, str) else "unknown",
        "target": "unknown", "told": facts.told, "facts": None if same else facts.to_json(),
    }  # fmt: skip


def _notes(table: dict[str, Any]) -> Iterator[str]:
    given = table.get("notes")
    for note in cast("list[Any]", given) if isinstance(given, list) else []:
        if isinstance(note, str):
            yield note


_READERS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "report": _read_report,
    "bits": _read_bits,
    "verdict": _read_verdict,
}
JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "read": read, "compare": compare, "agree": agree,
}  # fmt: skip


def _target(machine: Machine) -> str:
    return target_of(machine.architecture, machine.system)


def machine_of(machine: Machine) -> str:
    """A machine as groups count them."""
    words = (machine.processor or machine.architecture, machine.system, machine.compiler)
    return one_line(", ".join(word for word in words if word) or "unknown", 300)
