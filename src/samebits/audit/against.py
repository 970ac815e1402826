"""Two builds compared: which findings one has and the other has not, by file, rule and function."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from samebits.audit.model import AuditedBinary, Finding


@dataclass(frozen=True, slots=True)
class Difference:
    """A finding that the builds have not alike: how often each has it."""

    path: str
    finding: Finding
    ours: int
    theirs: int

    def __str__(self) -> str:
        where = self.finding.function or self.finding.message
        return f"{self.path}: {self.finding.code} {where}: {self.ours} here, {self.theirs} there"


Counts = dict[tuple[str, str, str], tuple[str, Finding]]


def differences(
    ours: Iterable[AuditedBinary], theirs: Iterable[AuditedBinary], base: str, other: str
) -> Iterator[Difference]:
    """What differs between two builds, whose files have the same names below `base` and `other`.

    Two single files are compared whatever their names.
    """
    first, second = list(ours), list(theirs)
    single = len(first) == len(second) == 1
    here, there = _counts(first, base, single), _counts(second, other, single)
    for key in sorted(here.keys() | there.keys()):
        path, finding = here.get(key) or there[key]
        counts = [found[key][1].count if key in found else 0 for found in (here, there)]
        if counts[0] != counts[1]:
            yield Difference(path, finding, *counts)


def _counts(binaries: Iterable[AuditedBinary], base: str, single: bool) -> Counts:
    found: Counts = {}
    for binary in binaries:
        path = "" if single else _below(binary.path, base)
        for finding in binary.findings:
            where = finding.function or finding.message
            found[path, finding.code, where] = (path or binary.path, finding)
    return found


def _below(path: str, base: str) -> str:
    file, colon, member = path.partition(" : ")
    return os.path.relpath(file, base).replace(os.sep, "/") + colon + member
