"""Targets in the words of groups: what bits may depend on, and what many machines share."""

from __future__ import annotations

from samebits.collector.grouping.facts import one_line

_ARCHITECTURES = {"amd64": "x86-64", "x86_64": "x86-64", "arm64": "aarch64"}
"""How systems call the same processors."""


def target_of(architecture: str, system: str) -> str:
    """Processor and system, as in `x86-64 Linux`."""
    processor = _ARCHITECTURES.get(architecture.lower(), architecture.lower()) or "unknown"
    words = system.split()
    return one_line(f"{processor} {words[0]}" if words else processor, 60)
