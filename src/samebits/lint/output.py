"""Findings as text with the source line, as JSON, and as SARIF 2.1.0 for code hosts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from samebits.errors import Span, excerpt
from samebits.lint.check import CheckedFile
from samebits.lint.rule import Confidence, LintFinding, ToldRule
from samebits.version import __version__

JSON_FORMAT = 1
_LEVELS = {Confidence.HIGH: "warning", Confidence.MEDIUM: "warning", Confidence.LOW: "note"}
"""SARIF's levels."""
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_text(checked: Sequence[CheckedFile], rules: Sequence[ToldRule]) -> Iterator[str]:
    """A block of lines per finding; a rule's reason and remedy only at its first finding."""
    by_code = {rule.code: rule for rule in rules}
    explained: set[str] = set()
    for result in checked:
        if result.error is not None:
            yield f"{result.path}: not checked: {result.error}"
        for finding in result.findings:
            rule = by_code[finding.code]
            sure = finding.confidence is Confidence.HIGH
            unsure = "" if sure else f" ({finding.confidence.value} confidence)"
            yield f"{_place(finding)}: {finding.code} {rule.name}: {finding.message}{unsure}"
            shown = excerpt(_span(finding))
            if shown:
                yield shown
            if finding.code not in explained:
                explained.add(finding.code)
                yield f"  why: {rule.why}"
                yield f"  instead: {rule.instead}"


def summary(checked: Sequence[CheckedFile]) -> str:
    """One line about all files."""
    found = sum(len(c.findings) for c in checked)
    files = sum(c.error is None for c in checked)
    quiet = sum(c.suppressed for c in checked)
    unread = len(checked) - files
    hazards = "1 hazard" if found == 1 else f"{found or 'no'} hazards"
    parts = [f"{hazards} in {files} file{'s' * (files != 1)}"]
    if quiet:
        parts.append(f"{quiet} suppressed")
    if unread:
        parts.append(f"{unread} not checked")
    return ", ".join(parts)


def as_json(checked: Sequence[CheckedFile], rules: Sequence[ToldRule]) -> dict[str, Any]:
    """All findings for programs. Lines and columns count from 1, ends are exclusive."""
    return {
        "format": JSON_FORMAT,
        "files": sum(c.error is None for c in checked),
        "lines": sum(c.lines for c in checked if c.error is None),
        "suppressed": sum(c.suppressed for c in checked),
        "findings": [
            {
                "path": f.path, "line": f.line, "column": f.column + 1, "end_line": f.end_line,
                "end_column": f.end_column + 1, "code": f.code, "message": f.message,
                "confidence": f.confidence.value,
            }
            for c in checked for f in c.findings
        ],
        "not_checked": [{"path": c.path, "error": c.error} for c in checked if c.error is not None],
        "rules": {r.code: {"name": r.name, "why": r.why, "instead": r.instead} for r in rules},
    }  # fmt: skip


def as_sarif(checked: Sequence[CheckedFile], rules: Sequence[ToldRule]) -> dict[str, Any]:
    """A SARIF 2.1.0 log (OASIS) with one run."""
    index = {rule.code: n for n, rule in enumerate(rules)}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "samebits lint",
                        "semanticVersion": __version__,
                        "rules": [_sarif_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": all(c.error is None for c in checked),
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": f"{c.path}: {c.error}"}}
                            for c in checked if c.error is not None
                        ],
                    }
                ],
                "results": [
                    _sarif_result(f, index[f.code]) for c in checked for f in c.findings
                ],
            }
        ],
    }  # fmt: skip


def _sarif_rule(rule: ToldRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.why},
        "help": {"text": f"Instead: {rule.instead}"},
        "defaultConfiguration": {"level": "warning"},
    }


def _sarif_result(finding: LintFinding, index: int) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.confidence],
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.path)},
                    "region": {
                        "startLine": finding.line,
                        "startColumn": finding.column + 1,
                        "endLine": finding.end_line,
                        "endColumn": finding.end_column + 1,
                    },
                }
            }
        ],
    }


def _uri(path: str) -> str:
    """A relative URI if possible, by which code hosts find the file."""
    from urllib.parse import quote

    relative = os.path.relpath(path)
    return quote((path if relative.startswith("..") else relative).replace(os.sep, "/"))


def _place(finding: LintFinding) -> str:
    return f"{finding.path}:{finding.line}:{finding.column + 1}"


def _span(finding: LintFinding) -> Span:
    return Span(
        finding.path, "", finding.line, finding.column, finding.end_line, finding.end_column
    )
