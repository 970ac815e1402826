"""An audit as text: a table for each binary with findings, a line for each other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.audit.rules.rule import BY_CODE, Level
from samebits.audit.verdicts import JudgedBinary, JudgedFinding

MOST_ROWS = 12
"""Findings of one rule in one binary that are shown without `--all`."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A line of a binary's table."""

    rule: str
    function: str
    count: str
    where: str
    what: str
    fails: bool


def heading(judged: JudgedBinary) -> str:
    """A line on what a binary is."""
    binary = judged.binary
    if binary.error is not None:
        return f"{binary.path}: not read: {binary.error}"
    parts = [" ".join(part for part in (binary.format, binary.architecture, binary.kind) if part)]
    parts.append(f"{binary.functions:,} function{'s' * (binary.functions != 1)}")
    parts += binary.compilers[:3]
    return f"{binary.path}: {verdict(judged)}  ({', '.join(parts)})"


def verdict(judged: JudgedBinary) -> str:
    """A few words."""
    if judged.binary.error is not None:
        return "not read"
    allowed = f", {judged.allowed} allowed" if judged.allowed else ""
    notes = len(judged.findings) - judged.failing - judged.allowed
    noted = f", {notes} note{'s' * (notes != 1)}" if notes else ""
    if not judged.failing:
        return f"clean{allowed}{noted}"
    return f"{judged.failing} finding{'s' * (judged.failing != 1)}{allowed}{noted}"


def rows(judged: JudgedBinary, every: bool) -> Iterator[TableRow]:
    """The lines of a table, failing ones first within each rule."""
    by_rule: dict[str, list[JudgedFinding]] = {}
    for each in judged.findings:
        by_rule.setdefault(each.finding.code, []).append(each)
    for code, found in by_rule.items():
        found.sort(key=lambda each: not each.fails)
        shown = found if every else found[:MOST_ROWS]
        for each in shown:
            yield _row(each)
        if len(shown) < len(found):
            rest = sum(each.finding.count for each in found[len(shown) :])
            left = f"… {len(found) - len(shown):,} more (--all)"
            yield TableRow(_rule(code), left, f"{rest:,}", "", "", False)


def _row(judged: JudgedFinding) -> TableRow:
    finding = judged.finding
    where = finding.line or (f"0x{finding.places[0].address:x}" if finding.places else "")
    what = finding.message
    if judged.reason is not None:
        what += f" [allowed: {judged.reason}]"
    elif not judged.fails:
        what += " [note]"
    count = f"{finding.count:,}" if finding.places else ""
    return TableRow(_rule(finding.code), finding.function, count, where, what, judged.fails)


def _rule(code: str) -> str:
    return f"{code} {BY_CODE[code].name}"


def reasons(every: Sequence[JudgedBinary]) -> Iterator[str]:
    """Why each rule that was broken matters, and what to do instead."""
    codes = {each.finding.code for judged in every for each in judged.findings}
    for code, rule in BY_CODE.items():
        if code in codes:
            note = " (note)" if rule.level is Level.NOTE else ""
            yield f"{code} {rule.name}{note}: {rule.why}"
            yield f"  instead: {rule.instead}"


def summary(every: Sequence[JudgedBinary]) -> str:
    """One line about all."""
    failing = sum(judged.failing for judged in every)
    files = sum(judged.failing > 0 for judged in every)
    unread = sum(judged.binary.error is not None for judged in every)
    read = len(every) - unread
    found = f"{failing or 'no'} finding{'s' * (failing != 1)}"
    parts = [f"{found} in {files} of {read} binar{'y' if read == 1 else 'ies'}"]
    allowed = sum(judged.allowed for judged in every)
    if allowed:
        parts.append(f"{allowed} allowed")
    if unread:
        parts.append(f"{unread} not read")
    return ", ".join(parts)
