"""The comparison of results with the correctly rounded ones, by reference.c and MPFR.

MPFR decides where reference.c can't say.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
from tools.prove.functions import INDEX, Format, Function, rounded
from tools.prove.subject import host_rows

FLAGS = (
    "-O2", "-std=c11", "-fno-sanitize=all", "-ffp-contract=off", "-fno-math-errno",
    "-shared", "-fPIC",
)  # fmt: skip
NAMED_INPUTS = 10
SAMPLE = 1024
"""Inputs of a run on which the wide reference itself is measured."""


class Counts(ctypes.Structure):
    """As in reference.c."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("wrong", "special", "undecided")),
        ("worst", ctypes.c_double),
        *((name, ctypes.c_int64) for name in ("first_wrong", "first_special", "worst_at")),
    ]  # fmt: skip


def library(folder: Path) -> ctypes.CDLL:
    """reference.c and quad.c, compiled into `folder` against the system's math library."""
    quad, made = folder / "quad.so", folder / "reference.so"
    for path, others in ((quad, ()), (made, (str(quad), "-Wl,-rpath,$ORIGIN"))):
        source = Path(__file__).with_name(f"{path.stem}.c")
        compiler = [sys.executable, "-m", "ziglang", "cc", *FLAGS]
        subprocess.run([*compiler, str(source), "-o", str(path), "-lm", *others], check=True)
    loaded = ctypes.CDLL(str(made))
    loaded.allow_vectors("x86-64-v4" in host_rows())
    return loaded


@dataclass
class Finding:
    """What was found out about one function so far."""

    checked: int = 0
    wrong: int = 0
    """Not the correctly rounded result."""
    special: int = 0
    """Of those: NaN for a number or the reverse, another NaN, a zero of the other sign."""
    by_mpfr: int = 0
    worst: float = 0.0
    """Largest error in ULP, infinity counted as the next power of two; at most 0.5 where none is
    wrong."""
    worst_at: tuple[str, ...] = ()
    named: list[str] = field(default_factory=list[str])
    """The first wrong results, in words."""
    named_special: list[str] = field(default_factory=list[str])
    differ: int = 0
    """Results that were not the same on every level."""

    def add(self, other: Finding) -> None:
        """Take another part's findings in."""
        self.checked += other.checked
        self.wrong += other.wrong
        self.special += other.special
        self.by_mpfr += other.by_mpfr
        if other.worst > self.worst:
            self.worst, self.worst_at = other.worst, other.worst_at
        self.named = (self.named + other.named)[:NAMED_INPUTS]
        self.named_special = (self.named_special + other.named_special)[:NAMED_INPUTS]
        self.differ += other.differ


def _hexadecimal(value: Any, form: Format) -> str:
    bits = int(np.array(value, form.float_type).view(form.bits_type))
    return f"{bits:0{2 * np.dtype(form.bits_type).itemsize}x} ({float(value).hex()})"


def _pointer(array: Any) -> Any:
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


class Reference:
    """Knows the right results of one function and type."""

    def __init__(
        self, made: ctypes.CDLL, function: Function, form: Format, margin: float | None = None
    ) -> None:
        """`margin` 0 lets the wide reference decide all: for errors far above its own."""
        self.function, self.form = function, form
        self._margin = form.margin(function) if margin is None else margin
        # The faster look pays where most results are right.
        check = "screen" if self._margin and form.precision == 24 else "check"
        self._check = getattr(made, f"{check}_{form.suffix}")
        self._reference = getattr(made, f"reference_{form.suffix}")
        self._vectors = made.vector_reference

    def _words(self, arguments: tuple[Any, ...], got: Any, at: int, wanted: float) -> str:
        texts = (_hexadecimal(a[at], self.form) for a in arguments)
        return (
            f"{self.function.name}({', '.join(texts)}) = {_hexadecimal(got[at], self.form)}, "
            f"wanted {_hexadecimal(wanted, self.form)}"
        )

    def _exact(self, arguments: tuple[Any, ...], at: int) -> float:
        return rounded(self.function, self.form, tuple(float(a[at]) for a in arguments))

    def check(self, arguments: tuple[Any, ...], got: Any, mirrored: bool = False) -> Finding:
        """Compare results with the right ones. Arrays of this type, contiguous, of one length.

        `mirrored`: the second half of the inputs is the first half negated, and the function is
        even or odd.
        """
        n = len(got)
        found = Finding(checked=n)
        counts = Counts()
        undecided = np.empty(n, np.int64)
        second = arguments[1] if self.function.arity == 2 else None
        self._check(
            INDEX[self.function.name], _pointer(arguments[0]), _pointer(second), _pointer(got),
            ctypes.c_int64(n), ctypes.c_double(self._margin),
            ctypes.c_double(self.function.cancels if self._margin else 0.0),
            self.function.parity if mirrored else 0, _pointer(undecided), ctypes.byref(counts),
        )  # fmt: skip
        found.wrong, found.special = counts.wrong, counts.special
        found.worst, found.by_mpfr = counts.worst, counts.undecided
        if counts.worst:
            found.worst_at = tuple(_hexadecimal(a[counts.worst_at], self.form) for a in arguments)
        if counts.wrong:
            at = counts.first_wrong
            found.named.append(self._words(arguments, got, at, self._exact(arguments, at)))
        if counts.special:
            at = counts.first_special
            found.named_special.append(self._words(arguments, got, at, self._exact(arguments, at)))
        for at in undecided[: counts.undecided].tolist():
            self._check_exactly(arguments, got, at, found)
        return found

    def check_by_mpfr(self, arguments: tuple[Any, ...], got: Any) -> Finding:
        """The same, every one by MPFR."""
        found = Finding(checked=len(got), by_mpfr=len(got))
        for at in range(len(got)):
            self._check_exactly(arguments, got, at, found)
        return found

    def _check_exactly(self, arguments: tuple[Any, ...], got: Any, at: int, found: Finding) -> None:
        wanted = np.array(self._exact(arguments, at), self.form.float_type)
        if np.isnan(wanted):
            wanted = np.array(np.nan, self.form.float_type)
        if wanted.view(self.form.bits_type) == got[at : at + 1].view(self.form.bits_type)[0]:
            return
        found.wrong += 1
        words = self._words(arguments, got, at, float(wanted))
        found.named = [*found.named, words][:NAMED_INPUTS]
        if np.isnan(wanted) or np.isnan(got[at]) or wanted == got[at]:
            found.special += 1
            found.named_special = [*found.named_special, words][:NAMED_INPUTS]
            return
        off = self._error(arguments, float(got[at]), at)
        if off > found.worst:
            found.worst = off
            found.worst_at = tuple(_hexadecimal(a[at], self.form) for a in arguments)

    def _error(self, arguments: tuple[Any, ...], got: float, at: int) -> float:
        form = self.form
        with gmpy2.context(precision=200):
            top = gmpy2.exp2(form.emax)
            exact = self.function.exact(*(gmpy2.mpfr(float(a[at])) for a in arguments))
            exact = min(max(exact, -top), top)
            found = min(max(gmpy2.mpfr(got), -top), top)
            exponent = gmpy2.get_exp(exact) if exact else form.emin
            exponent = min(max(exponent, form.emin + form.precision - 1), form.emax)
            return float(abs(found - exact) * gmpy2.exp2(form.precision - exponent))

    def measure(self, arguments: tuple[Any, ...]) -> float:
        """Largest relative error of the wide references on a sample of the inputs, in units of the
        form: the scalar one's, and for float32 that of the vectors. 0 where there is none."""
        step = max(1, len(arguments[0]) // SAMPLE)
        sample = [np.ascontiguousarray(a[::step][:SAMPLE]) for a in arguments]
        n = len(sample[0])
        high, low = np.empty(n), np.empty(n)
        second = sample[1] if self.function.arity == 2 else None
        given = INDEX[self.function.name], _pointer(sample[0]), _pointer(second)
        self._reference(*given, ctypes.c_int64(n), _pointer(high), _pointer(low))
        found = [(high, low)]
        if self.form.precision == 24 and n == SAMPLE:
            vectors = np.empty(n)
            if self._vectors(*given, _pointer(vectors)):
                found.append((vectors, np.zeros(n)))
        worst = 0.0
        with gmpy2.context(precision=200):
            for at in range(n):
                if not self.form.measured_above <= abs(high[at]) < np.inf:
                    continue
                exact = self.function.exact(*(gmpy2.mpfr(float(a[at])) for a in sample))
                size = sum(abs(float(a[at])) for a in sample)
                for h, rest in found:
                    value = gmpy2.mpfr(float(h[at])) + gmpy2.mpfr(float(rest[at]))
                    off = abs(value - exact) - self.function.cancels * size
                    worst = max(worst, float(off / abs(exact)) / self.form.unit)
        return worst
