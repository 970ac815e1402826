"""The constant of which another value gives another machine's hashes: a slip of who ported it.

Owns which values are tried. All floats of side a's program are read from memory that changes
between runs, so that a trial is no build.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from samebits.backend.llvm import engine
from samebits.diagnosis.builds.board_run import BoardRun, Point
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.fpmodel.libm import NAME
from samebits.hazards.edit.counted_loops import with_counted_loops
from samebits.hazards.edit.other_constants import Constant, constants_of, observed_constants
from samebits.hazards.switchboard import Switchboard
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction
from samebits.ir.refs import OpRef
from samebits.sides.input_stream import InputStream
from samebits.sim.program import Program
from samebits.types import INT64, ScalarType

_FACTORS = (2.0, 0.5, -1.0, 10.0, 0.1, 100.0, 0.01, 60.0, 1 / 60, np.pi / 180, 180 / np.pi)
"""What a slip often is off by: signs, halves, powers of ten, frames a second, degrees."""
_DIGITS = 7
"""Decimal digits in which a slip may be."""
_PROBE = 1.5
"""By which a constant is off to see whether it matters in a frame."""
_TEXT = """\
target triple = "{triple}"
define {t} @given(i64 %number) {{
  %p = getelementptr double, ptr inttoptr (i64 {values} to ptr), i64 %number
  %wide = load double, ptr %p
  {narrow}
}}
"""


_MOST_ITERATIONS = 1 << 20
"""Of a `while` at a time: one that counts on another number may not end."""


@dataclass(frozen=True)
class OtherNumber:
    """A value in the place of another, where the program writes that: at one place, or at all."""

    places: tuple[Constant, ...]
    value: float

    @property
    def values(self) -> Mapping[OpRef, float]:
        """By place."""
        return {each.place: self.value for each in self.places}


@dataclass
class OtherNumbers:
    """One search over one program, against the hashes that are known by frame; `frame` is the first
    that differs."""

    program: Program
    inputs: InputStream
    known: Mapping[int, int]
    frame: int
    end: float
    """The processor's time at which it stops."""
    trials: int = 0
    _values: np.ndarray[tuple[int], np.dtype[np.float64]] = field(
        default_factory=lambda: np.zeros(0), init=False
    )

    def search(self) -> tuple[OtherNumber, int | None] | None:
        """The number that gives the most known hashes, and the first frame whose hash it does not
        give, None for none; None where none gives that of the first frame. Raises OutOfTime."""
        constants = [*constants_of(self.program.kernels)]
        if not constants:
            return None
        self._plain = np.array([each.value for each in constants])
        self._values = self._plain.copy()
        types = {each.type for each in constants}
        loaded = {t: _loaded(t, self._values) for t in types}  # which keeps the code alive
        hosts = {t: _host(t, each.addresses["given"]) for t, each in loaded.items()}
        kernels = observed_constants(self.program.kernels, hosts)
        kernels = with_counted_loops(kernels, _MOST_ITERATIONS)
        board = Switchboard(kernels, (), np.zeros(1, np.uint8))
        self._run = run = BoardRun(self.program, board, self.inputs, self.known)
        self._point = run.before(run.known_before(self.frame), Point(-1, b""), run.off())
        try:
            return self._best(constants)
        finally:
            self.trials = run.trials

    def _best(self, constants: Sequence[Constant]) -> tuple[OtherNumber, int | None] | None:
        plain = self._hash((), 0.0)
        best: tuple[OtherNumber, int | None] | None = None
        for some in _groups(constants):
            value = constants[some[0]].value
            if self._hash(some, value * _PROBE if value else 1.0) == plain:
                continue
            for new in other_values(value):
                if self._hash(some, new) != self.known[self.frame]:
                    continue
                found = OtherNumber(tuple(constants[n] for n in some), new)
                self._set(some, new)
                parting = self._run.parting(Point(-1, b""), self._run.off())
                if parting is None:
                    return found, None
                if best is None or parting > (best[1] or 0):
                    best = found, parting
        return best

    def _set(self, some: Sequence[int], value: float) -> None:
        self._values[:] = self._plain
        self._values[list(some)] = value

    def _hash(self, some: Sequence[int], value: float) -> int | None:
        if spent() > self.end:
            raise OutOfTime
        self._set(some, value)
        return self._run.hash_after(self._point, self.frame, self._run.off())


def _groups(constants: Sequence[Constant]) -> Iterator[tuple[int, ...]]:
    """Places that have one number, by its value; then each place of those that have it more than
    once."""
    by_value: dict[tuple[float, ScalarType], list[int]] = {}
    for number, each in enumerate(constants):
        by_value.setdefault((each.value, each.type), []).append(number)
    yield from map(tuple, by_value.values())
    for some in by_value.values():
        if len(some) > 1:
            yield from ((number,) for number in some)


def other_values(value: float) -> Iterator[float]:
    """What a number may be by a slip, the most plausible first: 0 or 1, off by a usual factor, its
    reciprocal, with fewer digits, two digits exchanged, or another digit."""
    found = [0.0, 1.0, *(value * factor for factor in _FACTORS)]
    if value:
        found.append(1.0 / value)
    mantissa, exponent = f"{value:.{_DIGITS - 1}e}".split("e")
    digits = [n for n, each in enumerate(mantissa) if each.isdigit()]
    while len(digits) > 1 and mantissa[digits[-1]] == "0":
        digits.pop()
    texts = [f"{value:.{n}e}" for n in range(len(digits) - 1)]
    texts += [f"{mantissa[: n + 1]}e{exponent}" for n in digits[:-1]]
    for one, two in pairwise(digits):
        swapped = list(mantissa)
        swapped[one], swapped[two] = swapped[two], swapped[one]
        texts.append(f"{''.join(swapped)}e{exponent}")
    texts += [
        f"{mantissa[:n]}{digit}{mantissa[n + 1 :]}e{exponent}"
        for n in reversed(digits)
        for digit in "0123456789"
    ]
    found += map(float, texts)
    yield from (each for each in dict.fromkeys(found) if each != value)


def described(found: OtherNumber) -> str:
    """What is another number, for people."""
    first, times = found.places[0], len(found.places)
    where = f" at all {times} places" if times > 1 else ""
    return f"`{_short(first.value, first.type)}` is `{found.value:.{_DIGITS}g}` there{where}"


def _short(value: float, t: ScalarType) -> str:
    return str(np.float32(value)) if t.bits == 32 else f"{value!r}"


def _loaded(
    t: ScalarType, values: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> engine.LoadedObject:
    narrow = (
        "ret double %wide"
        if t.bits == 64
        else ("%narrow = fptrunc double %wide to float\n  ret float %narrow")
    )
    target = engine.host_target()
    text = _TEXT.format(
        triple=target.triple, t="double" if t.bits == 64 else "float",
        values=values.ctypes.data, narrow=narrow,
    )  # fmt: skip
    return engine.load(engine.compile_text(text, target), ["given"])


def _host(t: ScalarType, address: int) -> HostFunction:
    b = Builder(f"{NAME}constant.{t.name}", {"number": INT64}, (t,), file=NAME)
    f = b.ret(b.const(t, 0.0))
    return HostFunction(
        f.name, f.params, f.results, f.slots, f.locals, f.body, f.span, address=address
    )
