"""The targets as a table, and which of them this machine can run in process.

Owns what the emitter may rely on for each target. Knows nothing of IR or of LLVM's interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Target:
    """One row: what LLVM is told, and what the emitter may use.

    `requires` names the host features (LLVM's spelling) without which its code cannot run.
    `fp_control` names the register that holds rounding mode and flushing, if there is one.
    `tune` names the processor that instructions are chosen and scheduled for, in LLVM's spelling;
    empty: `cpu`. It changes speed, never which instructions are allowed, and never bits.
    """

    name: str
    architecture: str
    triple: str
    cpu: str
    features: str
    pointer_bits: int
    little_endian: bool
    has_fma: bool
    has_round: bool
    fp_control: str | None
    requires: tuple[str, ...]
    level: int
    tune: str = ""


_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
_X86 = "x86_64-unknown-linux-gnu"
_ARM = "aarch64-unknown-linux-gnu"

_ROWS = (
    # name, architecture, triple, cpu, features, pointer bits, little endian,
    # hardware fma, hardware rounding, control register, requires, level
    Target("x86-64-v1", "x86_64", _X86, "x86-64", "", 64, True, False, False, "mxcsr", (), 1),
    Target("x86-64-v2", "x86_64", _X86, "x86-64-v2", "", 64, True, False, True, "mxcsr", _V2, 2),
    Target("x86-64-v3", "x86_64", _X86, "x86-64-v3", "", 64, True, True, True, "mxcsr", _V3, 3),
    Target("x86-64-v4", "x86_64", _X86, "x86-64-v4", "", 64, True, True, True, "mxcsr", _V4, 4),
    Target("aarch64", "aarch64", _ARM, "generic", "", 64, True, True, True, "fpcr", (), 1),
)  # fmt: skip

TARGETS: dict[str, Target] = {row.name: row for row in _ROWS}

_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True)
class HostLevel:
    """Whether a row can run in process here; `reason` says why not, and is None if it can."""

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
    for row in _ROWS:
        if row.architecture != architecture:
            result.append(HostLevel(row, f"this machine is {architecture}"))
            continue
        missing = [name for name in row.requires if not features.get(name, False)]
        if missing:
            result.append(HostLevel(row, f"this processor lacks {', '.join(missing)}"))
        else:
            result.append(HostLevel(replace(row, triple=triple, tune=cpu), None))
    return tuple(result)


def best_level(levels: tuple[HostLevel, ...]) -> Target | None:
    """The highest row that can run here; None on a host without a row."""
    usable = [level.target for level in levels if level.reason is None]
    return max(usable, key=lambda row: row.level, default=None)
