"""The meaning of floating-point control registers' bits, as a table, and a thread's state in words.

Knows nothing of how registers are read.
"""

from __future__ import annotations

from dataclasses import dataclass

_ROUNDINGS_X86 = ("nearest", "down", "up", "zero")


def _flags(first: int, *names: str) -> tuple[tuple[int, str], ...]:
    return tuple((1 << first + k, name) for k, name in enumerate(names))


@dataclass(frozen=True, slots=True)
class RegisterBits:
    """The meaning of a control register's bits. Rounding codes are in the register's order."""

    default: int
    sticky: int
    rounding_shift: int
    roundings: tuple[str, str, str, str]
    flush_results: int
    flush_operands: int
    traps: tuple[tuple[int, str], ...]
    traps_when: bool

    def unmasked(self, word: int) -> tuple[str, ...]:
        """The exceptions that raise a signal."""
        return tuple(name for bit, name in self.traps if bool(word & bit) is self.traps_when)


_X86_TRAPS = ("invalid", "denormal", "divide", "overflow", "underflow", "inexact")

REGISTERS = {
    "mxcsr": RegisterBits(
        0x1F80, 0x3F, 13, _ROUNDINGS_X86, 0x8000, 0x0040, _flags(7, *_X86_TRAPS), False
    ),
    # FZ flushes both; FIZ of later processors flushes operands alone.
    "fpcr": RegisterBits(
        0, 0, 22, ("nearest", "up", "down", "zero"), 1 << 24, 1 << 24 | 1,
        (
            *_flags(8, "invalid", "divide", "overflow", "underflow", "inexact"),
            *_flags(15, "denormal"),
        ),
        True,
    ),
}  # fmt: skip
"""Intel SDM vol. 1, 10.2.3 (MXCSR); Arm ARM, FPCR (flushing is one bit, traps are enables)."""

_X87_TRAPS = _flags(0, *_X86_TRAPS)
_X87_PRECISIONS = (24, 0, 53, 64)
_X87_CONTROL = 0x0F3F


@dataclass(frozen=True, slots=True)
class X87:
    """The x87 control word: `precision` is bits of significand, 0 for the reserved code."""

    word: int
    rounding: str
    precision: int
    unmasked: tuple[str, ...]
    usual_precision: int
    """The precision with which this system starts threads."""
    pinned: bool


@dataclass(frozen=True, slots=True)
class State:
    """A thread's floating-point environment.

    `register` and `word` are the name of the control register (MXCSR or FPCR) and its word.
    `rounding` is nearest, up, down or zero; `unmasked` names the exceptions that raise a signal, of
    invalid, denormal, divide, overflow, underflow and inexact. `x87` is set on x86 alone: CPython,
    NumPy's float64 and kernels do not use it, long double does. `pinned` says that the control
    register is as strict results require; sticky flags do not count.
    """

    register: str
    word: int
    rounding: str
    flushes_results: bool
    flushes_operands: bool
    unmasked: tuple[str, ...]
    x87: X87 | None
    pinned: bool

    def __str__(self) -> str:
        """The words and, if they are not the default, their meaning."""
        row = f"{self.register} {self.word:#06x}"
        if self.x87 is not None:
            row += f", x87 {self.x87.word:#06x}"
        return f"{row}: {', '.join(self.oddities()) or 'default'}"

    def oddities(self) -> list[str]:
        """The differences from the default, a phrase each; empty if there are none."""
        found: list[str] = []
        if self.rounding != "nearest":
            found.append(f"rounds {_TOWARD[self.rounding]}")
        if self.flushes_results:
            found.append("flushes subnormal results (FTZ)")
        if self.flushes_operands:
            found.append("flushes subnormal operands (DAZ)")
        if self.unmasked:
            found.append(f"raises a signal on {', '.join(self.unmasked)}")
        if not found and not self.pinned:
            found.append("sets bits that change results in other ways")
        x87 = self.x87
        if x87 is not None and not x87.pinned:
            if x87.rounding != "nearest":
                found.append(f"x87 rounds {_TOWARD[x87.rounding]}")
            if x87.precision != x87.usual_precision:
                found.append(f"x87 keeps {x87.precision} bits of significand")
            if x87.unmasked:
                found.append(f"x87 raises a signal on {', '.join(x87.unmasked)}")
        return found


_TOWARD = {"up": "up", "down": "down", "zero": "toward zero", "nearest": "to nearest"}


def decode_x87(word: int, default: int) -> X87:
    """The meaning of an x87 control word, on a system that starts threads with `default`."""
    return X87(
        word,
        _ROUNDINGS_X86[word >> 10 & 3],
        _X87_PRECISIONS[word >> 8 & 3],
        tuple(name for bit, name in _X87_TRAPS if not word & bit),
        _X87_PRECISIONS[default >> 8 & 3],
        (word ^ default) & _X87_CONTROL == 0,
    )


def decode(register: str, word: int, x87: X87 | None = None) -> State:
    """The meaning of a control register's word. Raises KeyError for an unknown register."""
    row = REGISTERS[register]
    return State(
        register,
        word,
        row.roundings[word >> row.rounding_shift & 3],
        bool(word & row.flush_results),
        bool(word & row.flush_operands),
        row.unmasked(word),
        x87,
        word & ~row.sticky == row.default,
    )
