"""How code may depart from what every build keeps to. Diagnosis alone asks for any of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodegenOverrides:
    """`environment` are words of `fp_environments`: what entries set in the place of the default
    floating-point environment.

    `fast` are the operations of FAST functions that keep fast-math flags, by function and id, with
    those flags as LLVM writes them; None: every operation has all of them.
    """

    environment: tuple[str, ...] = ()
    fast: Mapping[str, Mapping[int, str]] | None = None


NONE = CodegenOverrides()
