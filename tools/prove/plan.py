"""The proof of one function at one type and precision: inputs and levels, into a record."""

from __future__ import annotations

import ctypes
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

import gmpy2
import numpy as np
from tools.prove import inputs, promises
from tools.prove.catalogue import Row
from tools.prove.exact import ByNumPy
from tools.prove.functions import NAMED, Format
from tools.prove.reference import Finding, Reference
from tools.prove.results import Part, Record
from tools.prove.subject import Linked, slots
from tools.prove.sweep import Compare, sweep

from samebits.backend.llvm.engine import llvm_version
from samebits.backend.targets.table import Target

Shown = Callable[[str, int, int], None]
"""What is going on, how much is done, and of how much."""


@dataclass(frozen=True)
class Sizes:
    """How many inputs a function gets."""

    pairs_f32: int = 10**9
    random_f64: int = 10**8
    near_f64: int = 10**6
    other: int = 10**7
    """Random inputs at MEDIUM and LOW."""
    stride: int = 1
    """At MEDIUM and LOW every how manieth of the 2^32 float32."""
    stride_high: int = 1
    """At HIGH."""


@dataclass
class Subject:
    """What is proven, and with what."""

    row: Row
    form: Format
    precision: str
    linked: Linked
    levels: list[Target]
    library: ctypes.CDLL
    threads: int = 1


ALL = "all 2³²"
HARD = "hard cases"
Set = tuple[str, Iterable[inputs.Arguments], int, bool]
"""What the inputs are, the inputs, how many there are, and whether MPFR decides them all."""


def sets(row: Row, form: Format, precision: str, sizes: Sizes) -> list[Set]:
    """The sets of inputs."""
    high = precision == "HIGH"
    name = row.like[0] if row.like else row.name
    function = NAMED.get(name)
    found: list[Set] = []
    if row.signature.startswith("xi") and function is None:
        return [("random", inputs.with_integers(form, sizes.other), sizes.other, False)]
    arity = row.signature.index("-")
    integer = function is not None and function.integer
    special = inputs.special_with_integers(form) if integer else inputs.special(arity, form)
    found.append(("special values", [special], len(special[0]), high))
    hard = inputs.hard_cases(function, form) if function and high else None
    if hard:
        found.append((HARD, [hard], len(hard[0]), True))
    if name in ("sin", "cos", "tan") and form.precision == 53 and high:
        near = inputs.near_quarter_turns(form, sizes.near_f64)
        found.append(("near multiples of π/2", near, sizes.near_f64, False))
    if form.precision == 24 and arity == 1:
        stride = sizes.stride_high if high else sizes.stride
        if stride == 1:
            mirrored = all(NAMED[other].parity for other in row.like) and bool(row.like)
            found.append((ALL, inputs.every_pattern(form, mirrored), 1 << 32, False))
        else:
            first, last = (inputs.ordered(limit, form) for limit in (-np.inf, np.inf))
            every = inputs.patterns(first, last, form, stride)
            found.append((f"every {stride}th", every, (last - first) // stride + 1, False))
        return found
    count = sizes.other
    if high:
        # NumPy and C's remainders decide exactly, and slowly.
        exact = function is None or not function.margin_f64
        slow = function is not None and function.slow
        count = sizes.random_f64 if form.precision == 53 or exact or slow else sizes.pairs_f32
    if function is None:
        found.append(("random", inputs.any_bits(form, count), count, False))
    else:
        found.append(("random", inputs.random(function, form, count, 1, None), count, False))
    return found


def prove(it: Subject, sizes: Sizes, shown: Shown) -> Record:
    """Run everything."""
    high = it.precision == "HIGH"
    runs: list[Any] = []
    for target in it.levels:
        entry = it.linked.native(target).entry(0)
        runs.append(lambda *arrays, entry=entry: entry.run(slots(arrays)))
    letters = it.row.signature.split("->")[1]
    types = [np.dtype(it.form.float_type if c == "x" else np.int32) for c in letters]
    references = [
        Reference(it.library, NAMED[name], it.form, None if high else 0.0) for name in it.row.like
    ]
    record = Record(
        it.linked.digest(), date.today().isoformat(), versions(),
        tuple(target.name for target in it.levels), it.linked.fuses(), 0.0, [],
    )  # fmt: skip
    where = promises.where(it.row.name, it.form.name, it.precision)
    for what, blocks, count, by_mpfr in sets(it.row, it.form, it.precision, sizes):
        started = time.monotonic()
        blocks = map(where.choose, blocks) if where else blocks
        compare = _comparison(it, references, by_mpfr, what == ALL)
        # Levels whose operations are the same need no second look at every input.
        every = 1 if record.fuses or count < 1 << 20 else 16
        found = sweep(
            compare, runs, types, blocks, it.threads,
            lambda done, what=what, count=count: shown(what, done, count), every,
        )  # fmt: skip
        record.parts.append(_part(what, count, found, high, time.monotonic() - started))
    for reference in references:
        sample = next(iter(inputs.random(reference.function, it.form, 1 << 14, 2, None)))
        record.reference_error = max(record.reference_error, reference.measure(sample))
    return record


def _comparison(it: Subject, references: list[Reference], by_mpfr: bool, every: bool) -> Compare:
    if not references:
        return ByNumPy(it.row.name, it.form)

    mirrored = every and all(reference.function.parity for reference in references)

    def compare(arguments: inputs.Arguments, results: Any) -> Finding:
        total = Finding()
        for reference, got in zip(references, results, strict=True):
            if by_mpfr:
                total.add(reference.check_by_mpfr(arguments, got))
            else:
                total.add(reference.check(arguments, got, mirrored))
        total.checked = len(arguments[0])
        return total

    return compare


def _part(what: str, asked: int, found: Finding, high: bool, seconds: float) -> Part:
    named = (found.named + found.named_special)[:5] if high or found.differ else []
    return Part(
        what, asked, found.checked, found.wrong, found.special, found.by_mpfr, found.worst,
        found.worst_at, found.differ, named, round(seconds, 1),
    )  # fmt: skip


def versions() -> str:
    """What the results were made and compared with."""
    libc = " ".join(platform.libc_ver())
    return f"{llvm_version()}, {gmpy2.mpfr_version()}, {libc}"
