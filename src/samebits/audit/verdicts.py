"""The verdict on a file: its findings, and which of them are allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from samebits.audit.allow import Allowed
from samebits.audit.model import AuditedBinary, Finding
from samebits.audit.rules.rule import BY_CODE, Level


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A finding, whether it fails the audit, and why it does not where it is allowed."""

    finding: Finding
    fails: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class JudgedBinary:
    """A binary and its findings, judged."""

    binary: AuditedBinary
    findings: tuple[JudgedFinding, ...]

    @property
    def failing(self) -> int:
        """Findings that fail the audit."""
        return sum(each.fails for each in self.findings)

    @property
    def allowed(self) -> int:
        """Findings that are allowed with a reason."""
        return sum(each.reason is not None for each in self.findings)

    @property
    def verdict(self) -> str:
        """`clean`, `findings`, or `not read`."""
        if self.binary.error is not None:
            return "not read"
        return "findings" if self.failing else "clean"


def judged(
    binaries: Iterable[AuditedBinary], allowed: Allowed, strict: bool
) -> Iterator[JudgedBinary]:
    """The binaries, judged; with `strict` notes fail as well."""
    for binary in binaries:
        rows: list[JudgedFinding] = []
        for finding in binary.findings:
            reason = allowed.reason(binary.path, finding)
            is_error = strict or BY_CODE[finding.code].level is Level.ERROR
            rows.append(JudgedFinding(finding, is_error and reason is None, reason))
        yield JudgedBinary(binary, tuple(rows))
