"""An audit for programs: JSON, and SARIF 2.1.0 for code hosts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from samebits.audit.model import to_json
from samebits.audit.rules.rule import AuditRule, Level
from samebits.audit.verdicts import JudgedBinary, JudgedFinding
from samebits.version import __version__

JSON_FORMAT = 1
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_json(every: Sequence[JudgedBinary], rules: Sequence[AuditRule]) -> dict[str, Any]:
    """All facts. Addresses are numbers, lines are `file:line`."""
    return {
        "format": JSON_FORMAT,
        "result": result(every),
        "binaries": [_binary(judged) for judged in every],
        "rules": {
            rule.code: {
                "name": rule.name, "level": rule.level.value, "why": rule.why,
                "instead": rule.instead,
            }
            for rule in rules
        },
    }  # fmt: skip


def result(every: Sequence[JudgedBinary]) -> str:
    """`clean`, `findings`, or `not read` where a file could not be read."""
    verdicts = {judged.verdict for judged in every}
    return next((word for word in ("not read", "findings") if word in verdicts), "clean")


def _binary(judged: JudgedBinary) -> dict[str, Any]:
    facts = to_json(judged.binary)
    for fact, each in zip(facts["findings"], judged.findings, strict=True):
        fact["fails"], fact["allowed"] = each.fails, each.reason
    return {"verdict": judged.verdict, **facts}


def as_sarif(every: Sequence[JudgedBinary], rules: Sequence[AuditRule]) -> dict[str, Any]:
    """A SARIF 2.1.0 log (OASIS) with one run. A finding without a line is one of its binary."""
    index = {rule.code: number for number, rule in enumerate(rules)}
    unread = [judged.binary for judged in every if judged.binary.error is not None]
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "samebits audit",
                        "semanticVersion": __version__,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not unread,
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": f"{each.path}: {each.error}"}}
                            for each in unread
                        ],
                    }
                ],
                "results": [
                    _result(judged, each, index[each.finding.code])
                    for judged in every
                    for each in judged.findings
                ],
            }
        ],
    }


def _rule(rule: AuditRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.why},
        "help": {"text": f"Instead: {rule.instead}"},
        "defaultConfiguration": {"level": _level(rule.level is Level.ERROR)},
    }


def _level(fails: bool) -> str:
    return "warning" if fails else "note"


def _result(judged: JudgedBinary, each: JudgedFinding, index: int) -> dict[str, Any]:
    finding, path = each.finding, judged.binary.path
    where = f" in {finding.function}" if finding.function else ""
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _level(each.fails),
        "message": {"text": f"{finding.message}{where}, {path}"},
        "locations": [_location(path, finding.line)],
        "occurrenceCount": finding.count,
    }
    if finding.function:
        found["locations"][0]["logicalLocations"] = [
            {"fullyQualifiedName": finding.function, "kind": "function"}
        ]
    if each.reason is not None:
        found["suppressions"] = [{"kind": "external", "justification": each.reason}]
    return found


def _location(path: str, line: str | None) -> dict[str, Any]:
    if line is not None:
        file, _, number = line.rpartition(":")
        return {
            "physicalLocation": {
                "artifactLocation": {"uri": _uri(file)},
                "region": {"startLine": int(number)},
            }
        }
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path.split(" : ", 1)[0])}}}


def _uri(path: str) -> str:
    """A relative URI if possible, by which code hosts find the file."""
    relative = os.path.relpath(path) if path else path
    return quote((path if relative.startswith("..") else relative).replace(os.sep, "/"))
