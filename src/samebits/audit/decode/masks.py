"""Instructions that capstone does not know, by their bits.

LoongArch from "LoongArch Reference Manual" volume 1, version 1.10; RISC-V's vectors from "The
RISC-V Instruction Set Manual", volume I, chapter on the V extension, version 1.0.
"""

from __future__ import annotations

from collections.abc import Iterator

_LOONGARCH_FUSED = {
    f"{prefix}{name}.{size}": (0xFFF00000, opcode)
    for prefix, base in (("", 0x08000000), ("v", 0x09000000), ("xv", 0x0A000000))
    for name, first in (("fmadd", 1), ("fmsub", 5), ("fnmadd", 9), ("fnmsub", 13))
    for size, opcode in (
        ("s", base | first << 20),
        ("d", base | (first + 1) << 20),
    )
}
_LOONGARCH = {
    **_LOONGARCH_FUSED,
    "frecipe.s": (0xFFFFFC00, 0x01147400), "frecipe.d": (0xFFFFFC00, 0x01147800),
    "frsqrte.s": (0xFFFFFC00, 0x01148400), "frsqrte.d": (0xFFFFFC00, 0x01148800),
    "vfrecipe.s": (0xFFFFFC00, 0x729D1400), "vfrecipe.d": (0xFFFFFC00, 0x729D1800),
    "vfrsqrte.s": (0xFFFFFC00, 0x729D2400), "vfrsqrte.d": (0xFFFFFC00, 0x729D2800),
    "xvfrecipe.s": (0xFFFFFC00, 0x769D1400), "xvfrecipe.d": (0xFFFFFC00, 0x769D1800),
    "xvfrsqrte.s": (0xFFFFFC00, 0x769D2400), "xvfrsqrte.d": (0xFFFFFC00, 0x769D2800),
    "movgr2fcsr": (0xFFFFFC1C, 0x0114C000),
}  # fmt: skip
_VECTOR_FUSED = {
    f"{name}.{form}": (0xFC00707F, funct6 << 26 | funct3 << 12 | 0x57)
    for name, funct6 in (
        ("vfmadd", 0x28), ("vfnmadd", 0x29), ("vfmsub", 0x2A), ("vfnmsub", 0x2B),
        ("vfmacc", 0x2C), ("vfnmacc", 0x2D), ("vfmsac", 0x2E), ("vfnmsac", 0x2F),
        ("vfwmacc", 0x3C), ("vfwnmacc", 0x3D), ("vfwmsac", 0x3E), ("vfwnmsac", 0x3F),
    )
    for form, funct3 in (("vv", 1), ("vf", 5))
}  # fmt: skip
_VECTOR = {
    **_VECTOR_FUSED,
    "vfrsqrt7.v": (0xFC0FF07F, 0x13 << 26 | 4 << 15 | 1 << 12 | 0x57),
    "vfrec7.v": (0xFC0FF07F, 0x13 << 26 | 5 << 15 | 1 << 12 | 0x57),
}

MASKS: dict[str, dict[str, tuple[int, int]]] = {
    "loongarch64": _LOONGARCH, "riscv64": _VECTOR, "riscv32": _VECTOR,
}  # fmt: skip
"""Mask and value of 32-bit words, by architecture and mnemonic."""


def masked(architecture: str, word: int) -> Iterator[str]:
    """The mnemonics that a word has by the table: at most one."""
    for mnemonic, (mask, value) in MASKS.get(architecture, {}).items():
        if word & mask == value:
            yield mnemonic
