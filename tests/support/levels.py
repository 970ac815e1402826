"""Levels of this host's processor, as names for `targets`: what tests compile for, anywhere."""

from __future__ import annotations

from samebits.backend.llvm.engine import available_targets, host_target

LEVELS = tuple(level.target.name for level in available_targets() if level.reason is None)
LOWEST = LEVELS[0]
BEST = host_target().name
LOWEST_AND_BEST = tuple(dict.fromkeys((LOWEST, BEST)))
