"""Names, types, sizes and traps of one simulation, from which all files of an export are made."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from samebits.backend.objects import TrapSite
from samebits.bits import canonical_size
from samebits.errors import TRAP_MESSAGES
from samebits.export.names import (
    file_name,
    member_names,
    struct_names,
    structs_in,
    vectors_in,
)
from samebits.sim.simulation import Simulation
from samebits.types import StructType, VectorType

_PACKAGE = Path(__file__).resolve().parents[1]
MOST_BLOCK_BYTES = 1 << 16
MOST_BLOCK_FRAMES = 4096


@dataclass(frozen=True)
class TrapLine:
    """The meaning of a status as text; `file` names no folder of this machine."""

    message: str
    file: str
    function: str
    line: int


@dataclass(frozen=True, eq=False)
class Interface:
    """One simulation as seen by clients outside Python."""

    simulation: Simulation
    name: str
    """A C identifier: the prefix of every symbol, and the name of the files."""

    @property
    def state(self) -> StructType:
        return self.simulation.state_type

    @property
    def input(self) -> StructType:
        return self.simulation.input_type

    @property
    def players(self) -> int:
        return self.simulation.players

    @cached_property
    def structs(self) -> dict[StructType, str]:
        """C names without the prefix, parts before wholes."""
        return struct_names(structs_in(self.state, self.input))

    @cached_property
    def vectors(self) -> list[VectorType]:
        return vectors_in(self.state, self.input)

    def members(self, t: StructType) -> dict[str, str]:
        """C names of a struct's fields."""
        return member_names(name for name, _ in t.fields)

    @property
    def state_bytes(self) -> int:
        """Bytes of the state's canonical form."""
        return canonical_size(self.state)

    @property
    def input_bytes(self) -> int:
        """Bytes of the canonical form of one player's input."""
        return canonical_size(self.input)

    @property
    def block_frames(self) -> int:
        """Frames that a verifier or a module runs in one call."""
        per_frame = self.players * max(1, self.input.size)
        return max(1, min(MOST_BLOCK_FRAMES, MOST_BLOCK_BYTES // per_frame))

    def trap_lines(self, sites: tuple[TrapSite, ...]) -> list[TrapLine]:
        """The meanings of statuses 1, 2, …"""
        texts = (TRAP_MESSAGES[s.kind] + (f": {s.detail}" if s.detail else "") for s in sites)
        return [
            TrapLine(text, self._file(site.span.file), site.span.function, site.span.line)
            for text, site in zip(texts, sites, strict=True)
        ]

    def _file(self, file: str) -> str:
        """A source file's name relative to its package or the simulation's folder."""
        module = sys.modules.get(self.simulation.step.function.__module__)
        own = getattr(module, "__file__", None)
        for folder in (_PACKAGE, *([Path(own).resolve().parent] if own else [])):
            path = Path(file)
            if path.is_absolute() and path.is_relative_to(folder):
                start = folder.parent if folder == _PACKAGE else folder
                return path.relative_to(start).as_posix()
        return os.path.basename(file)


def interface_of(simulation: Simulation, name: str | None = None) -> Interface:
    """The interface under the simulation's own name, or under another one."""
    return Interface(simulation, file_name(simulation.name if name is None else name))
