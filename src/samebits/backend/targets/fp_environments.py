"""Non-default floating-point environments by name, as bits of control registers.

No build uses one: diagnosis runs code in them, to see the effect of a host's foreign environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samebits.errors import TargetError

ROUNDINGS = ("up", "down", "toward-zero")
FLUSHINGS = ("flush", "ftz", "daz")
"""Flush subnormal operands and results, as this processor does; results alone; operands alone."""


def _rounding(shift: int, toward_zero: int, up: int, down: int) -> dict[str, int]:
    return {"toward-zero": toward_zero << shift, "up": up << shift, "down": down << shift}


_MXCSR = {"flush": 0x8040, "ftz": 0x8000, "daz": 0x40, **_rounding(13, 3, 2, 1)}
_FZ = 1 << 24

ENVIRONMENTS: Mapping[str, Mapping[str, int]] = {
    "mxcsr": _MXCSR,
    "mxcsr-x87": _MXCSR,
    "fpcr": {"flush": _FZ, **_rounding(22, 3, 1, 2)},
    "fpscr-arm": {"flush": _FZ, **_rounding(22, 3, 1, 2)},
    "fcsr-riscv": _rounding(5, 1, 3, 2),
    "fpscr-ppc": _rounding(0, 1, 2, 3),
    "fpc": _rounding(0, 1, 2, 3),
    "fcsr-loongarch": _rounding(8, 1, 2, 3),
    "fcsr-mips": {"ftz": 1 << 24, **_rounding(0, 1, 2, 3)},
}
"""The bits that each word adds to a register's default, by the register's name in the target table.
Arm ARM, FPCR and FPSCR (one bit flushes both); the others as in `fp_control.REGISTERS`."""


def environment_bits(fp_control: str | None, words: Sequence[str]) -> int:
    """The bits that `words` add to the default of a control register.

    Raises TargetError for a word that the register has no bit for, and for two rounding modes.
    """
    rows = ENVIRONMENTS.get(fp_control or "", {})
    bits = 0
    for word in words:
        if word not in rows:
            known = f"it has {', '.join(rows)}" if rows else "its environment cannot be changed"
            raise TargetError(f"this target has no floating-point environment '{word}'", note=known)
        bits |= rows[word]
    if len({word for word in words if word in ROUNDINGS}) > 1:
        raise TargetError(f"{' and '.join(words)} are two directions of rounding", fix="give one")
    return bits
