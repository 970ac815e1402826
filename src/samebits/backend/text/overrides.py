"""Codegen overrides: deviations from what every build guarantees, for diagnosis alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodegenOverrides:
    """`environment` are words of `fp_environments` that entries set instead of the default
    floating-point environment.

    `fast` are the fast-math flags, as LLVM writes them, of FAST functions' operations, by function
    and id; None: every operation has all of them.
    """

    environment: tuple[str, ...] = ()
    fast: Mapping[str, Mapping[int, str]] | None = None


NONE = CodegenOverrides()
