"""The targets that this machine can run in process, and why not the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from samebits.backend.targets.processors import tuned_name
from samebits.backend.targets.table import TARGETS, Target

_ALIASES = {
    "amd64": "x86_64", "arm64": "aarch64", "i386": "i686", "i486": "i686", "i586": "i686",
    "armv7l": "armv7", "armv8l": "armv7", "arm": "armv7", "ppc64le": "powerpc64le",
    "ppc64": "powerpc64",
}  # fmt: skip


class HostLevel(NamedTuple):
    """A row of the target table and why it cannot run in process here; `reason` is None if it
    can."""

    target: Target
    reason: str | None


def host_levels(triple: str, features: Mapping[str, bool], cpu: str = "") -> tuple[HostLevel, ...]:
    """Every row with the reason why it cannot run on a host of this triple and these features.

    Rows that can run carry the host's own triple, so that objects fit its operating system, and
    are tuned for its processor, `cpu`.
    """
    found = triple.split("-", 1)[0]
    architecture = _ALIASES.get(found, found)
    result: list[HostLevel] = []
    for row in TARGETS.values():
        if row.is_object_only:
            result.append(HostLevel(row, "only object code is made for it here"))
            continue
        if row.architecture != architecture:
            result.append(HostLevel(row, f"this machine is {architecture}"))
            continue
        missing = [name for name in row.requires if not features.get(name, False)]
        if missing:
            result.append(HostLevel(row, f"this processor lacks {', '.join(missing)}"))
        else:
            tune = tuned_name(cpu, features)
            result.append(HostLevel(row._replace(triple=triple, tune=tune), None))
    return tuple(result)


def best_level(levels: tuple[HostLevel, ...]) -> Target | None:
    """The highest row that can run here; None on a host without a row."""
    usable = [level.target for level in levels if level.reason is None]
    return max(usable, key=lambda row: row.level, default=None)
