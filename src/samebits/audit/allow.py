"""Findings that a project allows, with the reason for each: a TOML file that is kept with it.

[[allow]]
rule = "AU101"            # a code or a name of a rule
function = "hypot*"       # a pattern as of a shell; left out: any function
binary = "*/libc.a*"      # the same, of the path; left out: any file
reason = "the C library's own, not called by the simulation"
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, cast

from samebits.audit.model import Finding
from samebits.audit.rules.rule import RULES
from samebits.errors import ArgumentError, nearest
from samebits.output import os_reason

_KEYS = ("rule", "function", "binary", "reason")
_MOST_BYTES = 1 << 20


@dataclass(slots=True)
class AllowRow:
    """Findings that are allowed, why, and how many there were."""

    code: str
    function: str
    binary: str
    reason: str
    used: int = 0


@dataclass(slots=True)
class Allowed:
    """What a project allows."""

    rows: list[AllowRow] = field(default_factory=list[AllowRow])

    def reason(self, path: str, finding: Finding) -> str | None:
        """Why a finding is allowed; None if it isn't. Counts the row that says so."""
        for row in self.rows:
            if row.code not in ("*", finding.code):
                continue
            whole = finding.function or finding.message
            if fnmatchcase(whole, row.function) and fnmatchcase(
                path.replace("\\", "/"), row.binary
            ):
                row.used += 1
                return row.reason
        return None

    def unused(self) -> list[AllowRow]:
        """Rows that allowed nothing."""
        return [row for row in self.rows if not row.used]


def read_allowed(path: str) -> Allowed:
    """The rows of a file. Raises ArgumentError."""
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ArgumentError(f"{path} has more than {_MOST_BYTES:,} bytes")
        table = tomllib.loads(text.decode("utf-8"))
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {os_reason(error)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArgumentError(f"{path} is not TOML: {error}") from None
    rows = table.get("allow")
    if set(table) - {"allow"} or not isinstance(rows, list):
        raise ArgumentError(
            f"{path} must hold tables [[allow]] alone",
            fix='write `[[allow]]`, then rule = "AU101", reason = "…"',
        )
    every = enumerate(cast("list[Any]", rows), 1)
    return Allowed([_row(path, number, row) for number, row in every])


def _row(path: str, number: int, row: Any) -> AllowRow:
    where = f"{path}: [[allow]] number {number}"
    if not isinstance(row, dict):
        raise ArgumentError(f"{where} is no table")
    values = cast("dict[str, Any]", row)
    for key, value in values.items():
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            raise ArgumentError(
                f"{where} has the key {key}",
                fix=f"did you mean {close}?" if close else f"keys are {', '.join(_KEYS)}",
            )
        if not isinstance(value, str) or not value.strip():
            raise ArgumentError(f"{where}: {key} must be a text")
    if "rule" not in values or "reason" not in values:
        raise ArgumentError(f"{where} needs a rule and a reason", fix='reason = "why it is fine"')
    return AllowRow(
        code_of(str(values["rule"]), where), str(values.get("function", "*")),
        str(values.get("binary", "*")), str(values["reason"]),
    )  # fmt: skip


def code_of(text: str, where: str) -> str:
    """A rule's code by its code or name; `*` is any. Raises ArgumentError."""
    for rule in RULES:
        if text.upper() == rule.code or text.lower() == rule.name:
            return rule.code
    if text == "*":
        return text
    raise ArgumentError(
        f"{where}: there is no rule {text}", fix="`samebits audit --list-rules` shows them"
    )
