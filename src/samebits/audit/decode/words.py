"""Instructions of every architecture but x86 and WebAssembly, found without decoding the rest.

Rules are about floats and control registers, whose encodings lie in few blocks of each instruction
set. `STARTS` finds where instructions begin, `BLOCKS` which of them may matter; capstone decodes
those alone, each encoding once. That is some fifty times as fast as decoding all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.audit.decode.masks import MASKS, masked
from samebits.audit.rules.instructions import Instructions


@dataclass(frozen=True, slots=True)
class Hit:
    """An instruction that breaks a rule: offset in its code, rule, text."""

    offset: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Encoding:
    """How an architecture's instructions are laid out, and how capstone calls it."""

    capstone: str
    modes: tuple[str, ...]
    big: bool
    starts: str
    """A key of `STARTS`."""
    blocks: tuple[tuple[int, int], ...]
    """Masks and values of a first word (first halfword where lengths vary), one of which every
    instruction of a rule has."""


_ARM_BLOCKS = (
    (0x0C000000, 0x0C000000), (0xFE000000, 0xF2000000),
)  # fmt: skip
_THUMB_BLOCKS = ((0xEC00, 0xEC00),)
_PPC_BLOCKS = tuple((0xFC000000, opcode << 26) for opcode in (4, 59, 60, 63))
_MIPS_BLOCKS = tuple((0xFC000000, opcode << 26) for opcode in (0x11, 0x13, 0x1E))
_RISCV_BLOCKS = tuple((0x7F, opcode) for opcode in (0x43, 0x47, 0x4B, 0x4F, 0x57, 0x73))
_AARCH64_BLOCKS = (
    (0x0E000000, 0x0E000000),  # floats and SIMD
    (0x1E000000, 0x04000000),  # SVE
    (0xFF000000, 0x64000000), (0xFF000000, 0x65000000), (0xFFC00000, 0xD5000000),
)  # fmt: skip
ENCODINGS: dict[str, Encoding] = {
    "aarch64": Encoding("ARM64", (), False, "words", _AARCH64_BLOCKS),
    "armv7": Encoding("ARM", (), False, "words", _ARM_BLOCKS),
    "thumb": Encoding("ARM", ("THUMB",), False, "thumb", _THUMB_BLOCKS),
    "riscv64": Encoding("RISCV", ("RISCV64", "RISCVC"), False, "riscv", _RISCV_BLOCKS),
    "riscv32": Encoding("RISCV", ("RISCV32", "RISCVC"), False, "riscv", _RISCV_BLOCKS),
    "powerpc64le": Encoding("PPC", ("64",), False, "words", _PPC_BLOCKS),
    "powerpc64": Encoding("PPC", ("64", "BIG_ENDIAN"), True, "words", _PPC_BLOCKS),
    "powerpc": Encoding("PPC", ("32", "BIG_ENDIAN"), True, "words", _PPC_BLOCKS),
    "s390x": Encoding(
        "SYSZ", ("BIG_ENDIAN",), True, "s390",
        tuple((0xFF00, op << 8) for op in (0x24, 0x25, 0x26, 0x27, *range(0x2A, 0x2E),
              *range(0x34, 0x3F), 0xB2, 0xB3, 0xE7, 0xED)),
    ),
    "mips64el": Encoding("MIPS", ("MIPS64",), False, "words", _MIPS_BLOCKS),
    "mips64": Encoding("MIPS", ("MIPS64", "BIG_ENDIAN"), True, "words", _MIPS_BLOCKS),
    "mipsel": Encoding("MIPS", ("MIPS32",), False, "words", _MIPS_BLOCKS),
    "mips": Encoding("MIPS", ("MIPS32", "BIG_ENDIAN"), True, "words", _MIPS_BLOCKS),
    "loongarch64": Encoding(
        "", (), False, "words",
        ((0xF8000000, 0x08000000), (0xFF000000, 0x01000000), (0xFF000000, 0x72000000),
         (0xFF000000, 0x76000000)),
    ),
}  # fmt: skip


def _thumb_length(half: int) -> int:
    return 4 if half >= 0xE800 else 2


def _riscv_length(half: int) -> int:
    return 4 if half & 3 == 3 else 2


def _s390_length(half: int) -> int:
    return (2, 4, 4, 6)[half >> 14]


STARTS: dict[str, Callable[[int], int] | None] = {
    "words": None, "thumb": _thumb_length, "riscv": _riscv_length, "s390": _s390_length,
}  # fmt: skip
"""An instruction's length in bytes by its first halfword; None where all have four."""


class WordDecoder:
    """A decoder for one architecture (`thumb` is one): what breaks a rule in a run of code."""

    def __init__(self, architecture: str) -> None:
        """Raises KeyError for an architecture without a table."""
        self._encoding = ENCODINGS[architecture]
        own = "armv7" if architecture == "thumb" else architecture
        self._architecture = own
        self._rules = Instructions(own)
        self._known: dict[bytes, tuple[str, str] | None] = {}
        self._capstone = _capstone(self._encoding)

    def hits(self, code: memoryview) -> tuple[list[Hit], int]:
        """What breaks a rule, in order, and the number of instructions."""
        length = STARTS[self._encoding.starts]
        if length is None:
            return self._fixed(code), len(code) // 4
        return self._varying(code, length)

    def _fixed(self, code: memoryview) -> list[Hit]:
        whole = len(code) // 4
        words = np.frombuffer(code, ">u4" if self._encoding.big else "<u4", whole)
        wanted: NDArray[np.bool_] = np.zeros(whole, np.bool_)
        for mask, value in self._encoding.blocks:
            wanted |= (words & np.uint32(mask)) == np.uint32(value)
        found: list[Hit] = []
        for index in np.flatnonzero(wanted).tolist():
            self._add(found, index * 4, bytes(code[index * 4 : index * 4 + 4]))
        return found

    def _varying(self, code: memoryview, length: Callable[[int], int]) -> tuple[list[Hit], int]:
        big = self._encoding.big
        halves = np.frombuffer(code, ">u2" if big else "<u2", len(code) // 2)
        wanted: NDArray[np.bool_] = np.zeros(len(halves), np.bool_)
        for mask, value in self._encoding.blocks:
            wanted |= (halves & np.uint16(mask)) == np.uint16(value)
        first, interesting = halves.tolist(), wanted.tolist()
        found: list[Hit] = []
        at = count = 0
        while at < len(first):
            size = length(first[at])
            if interesting[at]:
                self._add(found, at * 2, bytes(code[at * 2 : at * 2 + size]))
            at += size // 2
            count += 1
        return found, count

    def _add(self, found: list[Hit], offset: int, encoded: bytes) -> None:
        if encoded not in self._known:
            self._known[encoded] = self._rule(encoded)
        known = self._known[encoded]
        if known is not None:
            found.append(Hit(offset, *known))

    def _rule(self, encoded: bytes) -> tuple[str, str] | None:
        if len(encoded) == 4 and self._architecture in MASKS:
            for mnemonic in masked(self._architecture, int.from_bytes(encoded, "little")):
                code = self._rules.code(mnemonic, "")
                return None if code is None else (code, mnemonic)
        for mnemonic, operands in self._decoded(encoded):
            code = self._rules.code(mnemonic, operands)
            return None if code is None else (code, f"{mnemonic} {operands}".strip())
        return None

    def _decoded(self, encoded: bytes) -> Iterator[tuple[str, str]]:
        if self._capstone is not None:
            for _, _, mnemonic, operands in self._capstone.disasm_lite(encoded, 0, 1):
                yield mnemonic, operands


def _capstone(encoding: Encoding) -> Any:
    if not encoding.capstone:
        return None
    capstone: Any = import_module("capstone")
    mode = 0
    for name in encoding.modes:
        mode |= getattr(capstone, f"CS_MODE_{name}")
    return capstone.Cs(getattr(capstone, f"CS_ARCH_{encoding.capstone}"), mode)
