"""A WebAssembly module with its JavaScript and TypeScript sides."""

from __future__ import annotations

from pathlib import Path

from samebits.backend.emit import TrapSite
from samebits.backend.targets import Target
from samebits.errors import TargetError
from samebits.sim.export.interface import Interface


def make(
    interface: Interface, target: Target, folder: Path, sites: tuple[TrapSite, ...]
) -> list[str]:
    """Make the module's files in `folder`; their names."""
    raise TargetError(f"no module of {interface.name} is made for {target.name}")
