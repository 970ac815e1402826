"""Hazards that stand in the source where two builds part, as `samebits audit --sources` finds them.

C leaves open in which order arguments are evaluated, and libraries in which order a hash table is
walked: such things show as paths, and no operation explains them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from samebits.audit.process import BinaryReader
from samebits.audit.rules.rule import RULES, AuditRule
from samebits.diagnosis.report.findings import CauseFact, Place
from samebits.foreign.programs.plan import CompileStep

_NEAR = 3
_SECONDS = 30
_RULES = {rule.code: rule for rule in RULES}
_OF_PATHS = (
    "argument-order", "unordered-iteration", "address-order", "library-distribution",
    "library-random",
)  # fmt: skip


def source_causes(place: Place, steps: Sequence[CompileStep]) -> list[CauseFact]:
    """Causes that the source at a place suggests; none where libclang is not here."""
    step = next((s for s in steps if os.path.realpath(place.file) == str(s.source)), None)
    if step is None:
        return []
    with BinaryReader(_SECONDS) as reader:
        read = reader.audited(str(step.source), [str(step.folder), *step.command(step.source)])
    found: list[CauseFact] = []
    for binary in read:
        for each in binary.findings:
            line = int((each.line or ":0").rpartition(":")[2] or 0)
            rule = _RULES.get(each.code)
            if rule is None or rule.name not in _OF_PATHS or abs(line - place.line) > _NEAR:
                continue
            where = f"{os.path.basename(place.file)}:{line}, {each.function}: {each.message}"
            found.append(_cause(rule, where))
    return found


def _cause(rule: AuditRule, where: str) -> CauseFact:
    return CauseFact(
        rule.name, rule.why, "", "two compilers, or two libraries", rule.instead, "", 0, 0, (where,)
    )
