"""The math fingerprint of a machine: one line that two peers compare before they play.

Its first part covers what samebits promises: kernels with known bits probe the processor's
arithmetic and the math library. Its second part covers what the host's own libraries compute. Owns
the processor's name too, which is not part of the line.
"""

from __future__ import annotations

import hashlib
import math as python_math
import platform
import re
import struct
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from samebits import math
from samebits.errors import ArgumentError
from samebits.lang.decorators import kernel
from samebits.lang.memory.arrays import Array, ReadOnly
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64
from samebits.runtime.fp_state import pin as fpenv

_SCHEME = "sb1"
_FORM = re.compile(rf"{_SCHEME}-([0-9a-f]{{16}})-([0-9a-f]{{8}})")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A machine's mathematics in one line: `sb1-<strict>-<host>`.

    `strict`, 16 hexadecimal digits, is a digest of samebits' version, its sources, and the bits of
    some thousand operations and math functions, compiled for this processor. Two peers of one
    `strict` have the same library, and their probes agree. `host`, 8 digits, is a digest of the
    bits of Python's `math`, NumPy's functions and its BLAS: if it differs, code outside kernels may
    give other bits; kernels do not. `sound` says that the probes gave the bits expected on every
    machine.
    """

    strict: str
    host: str
    sound: bool = True

    def __str__(self) -> str:
        return f"{_SCHEME}-{self.strict}-{self.host}"

    @classmethod
    def parse(cls, text: str) -> Fingerprint:
        """The fingerprint of a peer's line. Raises ArgumentError for any other text."""
        match = _FORM.fullmatch(text.strip())
        if match is None:
            raise ArgumentError(
                f"no math fingerprint: {text!r:.60}",
                fix="pass the peer's line, as `samebits doctor` prints it: "
                f"{_SCHEME}-, 16 hexadecimal digits, -, 8 hexadecimal digits",
            )
        return cls(match[1], match[2])

    def difference(self, peer: Fingerprint | str) -> str | None:
        """The difference from a peer, or its line, as a sentence; None if the lines are equal.
        Raises ArgumentError if `peer` is no such line."""
        other = peer if isinstance(peer, Fingerprint) else Fingerprint.parse(str(peer))
        if self.strict != other.strict:
            return "samebits differs: another version or build of it, or a processor that is broken"
        if self.host != other.host:
            return (
                "samebits is the same, but the hosts' own math libraries, NumPy or BLAS give other "
                "bits: keep them out of what peers must agree on"
            )
        return None


def probe_bits() -> str:
    """The bits of the probes on this machine now, in the form of `PROBE_BITS`."""
    found = np.zeros(2, np.uint64)
    probe(np.array(DOUBLES, np.uint64), np.array(SINGLES, np.uint32), found)
    return hashlib.sha256(found.astype("<u8").tobytes()).hexdigest()[:16]


_PACKAGES = ("ir", "lang", "frontend", "managed", "mathlib", "passes", "backend")
"""Packages that determine what kernels compute, besides the rounding in bits.py."""


@cache
def library_digest() -> str:
    """The digest of samebits' version and the sources that determine what kernels compute; 16
    digits.

    The same on every system for one version. Files of a zipped installation are not read.
    """
    root = Path(__file__).resolve().parent.parent
    state = hashlib.sha256(f"samebits {metadata.version('samebits')}".encode())
    for sources in ("bits.py", *(f"{package}/**/*.py" for package in _PACKAGES)):
        for path in sorted(root.glob(sources), key=lambda p: p.parts):
            text = path.read_text(encoding="utf-8")  # with line ends normalised
            state.update(f"\n{path.relative_to(root).as_posix()}\n{text}".encode())
    return state.hexdigest()[:16]


_HOST_FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "tanh", "asin", "atan", "cbrt", "expm1")
_NUMPY_FUNCTIONS = ("sin", "cos", "exp", "log", "tanh", "arctan", "cbrt", "log1p")


@cache
def _host_inputs() -> tuple[list[float], Any, Any, Any]:
    wide = np.arange(1, 257) / 257.0
    return (
        [0.1, 0.3, 0.5000000001, 0.77, 0.99],
        wide,
        wide.astype(np.float32),
        (np.arange(48 * 48).reshape(48, 48) % 101) / 103.0,
    )


def host_bits() -> str:
    """The bits of the host's own libraries, in the default environment: 8 digits."""
    state = hashlib.sha256()
    with fpenv.pinned():
        numbers, wide, narrow, matrix = _host_inputs()
        values = [getattr(python_math, name)(x) for name in _HOST_FUNCTIONS for x in numbers]
        values += [x**0.7 for x in numbers] + [python_math.atan2(x, 0.3) for x in numbers]
        for name in _NUMPY_FUNCTIONS:
            for array in (wide, narrow):
                state.update(getattr(np, name)(array).tobytes())
        for array in (wide, narrow):
            state.update(np.asarray([array.sum(), array.dot(array)]).tobytes())
        state.update((matrix @ matrix).tobytes())
    state.update(struct.pack(f"<{len(values)}d", *values))
    return state.hexdigest()[:8]


def processor() -> str:
    """The processor's name as its maker gives it, or "unknown"."""
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith(("model name", "Model")):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


@keeps_flags
def math_fingerprint() -> Fingerprint:
    """This machine's mathematics as one line, for `str`, to compare with a peer's.

    Runs the probes each time: less than a millisecond once loaded. The first call in a process
    loads them from the cache of compiled kernels, and the first ever compiles them. Raises
    TargetError on a processor that has no row among the targets.
    """
    bits = probe_bits()
    return Fingerprint(_strict(bits), host_bits(), bits == PROBE_BITS)


def library_fingerprint() -> str:
    """The line without its last part, as every machine that is sound has it: what code compiled by
    this library can say of itself where there is no Python."""
    return f"{_SCHEME}-{_strict(PROBE_BITS)}"


def _strict(bits: str) -> str:
    return hashlib.sha256(f"{_SCHEME} {library_digest()} {bits}".encode()).hexdigest()[:16]


# pyright: reportArgumentType=false, reportIndexIssue=false


PROBE_BITS = "2ecb8166b2753d31"
"""The result of this scheme's probes on every machine: 16 hexadecimal digits."""

# Zeros, subnormals, the borders of the normal numbers, ties, large arguments, infinity, NaN.
DOUBLES = (
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800FFFFFFFFFFFFF,
    0x0010000000000000, 0x3FF0000000000001, 0xBFEFFFFFFFFFFFFF, 0x3FB999999999999A,
    0x400921FB54442D18, 0xC00599999999999A, 0x4330000000000001, 0x43E0000000000000,
    0x5FE6A09E667F3BCD, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000,
)  # fmt: skip
SINGLES = (
    0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800001, 0xBF7FFFFF, 0x3DCCCCCD,
    0x40490FDB, 0xC02CCCCD, 0x4B000001, 0x4F000000, 0x5F3504F3, 0x7F7FFFFF, 0x7F800000, 0x7FC00000,
)  # fmt: skip


@kernel
def _mixed(state: uint64, word: uint64) -> uint64:
    return math.rotl(state ^ word, 23) * uint64(0x9E3779B97F4A7C15)


@kernel
def _doubles(patterns: ReadOnly[uint64]) -> uint64:
    state = uint64(0)
    for i in range(len(patterns)):
        x = math.bitcast(float64, patterns[i])
        for k in range(len(patterns)):
            y = math.bitcast(float64, patterns[k])
            state = _mixed(state, math.bitcast(uint64, x + y))
            state = _mixed(state, math.bitcast(uint64, x - y))
            state = _mixed(state, math.bitcast(uint64, x * y))
            state = _mixed(state, math.bitcast(uint64, x / y))
            state = _mixed(state, math.bitcast(uint64, math.fma(x, y, 0.1)))
            state = _mixed(state, math.bitcast(uint64, math.min(x, y)))
        state = _mixed(state, math.bitcast(uint64, math.sqrt(x)))
        state = _mixed(state, math.bitcast(uint64, math.floor(x)))
        state = _mixed(state, uint64(math.bitcast(uint32, float32(x))))
        state = _mixed(state, math.bitcast(uint64, int64(x)))
        state = _mixed(state, math.bitcast(uint64, math.sin(x)))
        state = _mixed(state, math.bitcast(uint64, math.exp(x)))
        state = _mixed(state, math.bitcast(uint64, math.log(x)))
        state = _mixed(state, math.bitcast(uint64, math.pow(x, 0.7)))
    return state


@kernel
def _singles(patterns: ReadOnly[uint32]) -> uint64:
    state = uint64(0)
    for i in range(len(patterns)):
        x = math.bitcast(float32, patterns[i])
        for k in range(len(patterns)):
            y = math.bitcast(float32, patterns[k])
            state = _mixed(state, uint64(math.bitcast(uint32, x + y)))
            state = _mixed(state, uint64(math.bitcast(uint32, x * y)))
            state = _mixed(state, uint64(math.bitcast(uint32, x / y)))
            state = _mixed(state, uint64(math.bitcast(uint32, math.fma(x, y, float32(0.1)))))
            state = _mixed(state, uint64(math.bitcast(uint32, x * y + x)))
        state = _mixed(state, uint64(math.bitcast(uint32, math.sqrt(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.sin(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.exp(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.log(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.atan2(x, float32(0.7)))))
        state = _mixed(state, uint64(math.bitcast(uint32, int32(x))))
    return state


@kernel
def probe(doubles: ReadOnly[uint64], singles: ReadOnly[uint32], found: Array[uint64]) -> None:
    found[0] = _doubles(doubles)
    found[1] = _singles(singles)
