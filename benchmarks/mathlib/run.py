"""`make bench-math`: time every function beside its peers; write this kind's page and MATH.md."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import figures, machines, overview
from benchmarks.mathlib import fixed_point, peers, report, whole_arrays
from benchmarks.mathlib.functions import FUNCTIONS, Function
from benchmarks.measure import Runner, interleave

SIZES = {"L1": 16 << 10, "64 MB": 64 << 20}
"""Bytes of each array."""
TYPES = ("float32", "float64")
BLOCKS = 32
"""Arrays of L1's size; every call takes the next, so that no branch predictor learns them."""


@dataclass
class Row:
    """Median nanoseconds an element of each peer; a peer that has no such function is absent."""

    function: str
    type_name: str
    size: str
    ns: dict[str, float] = field(default_factory=dict[str, float])


def arrays(function: Function, type_name: str, size: int) -> list[Any]:
    """Inputs, then room for the results."""
    rng = np.random.default_rng([*function.name.encode()])
    count = size // np.dtype(type_name).itemsize
    block = min(count, 1 << 16)
    arguments, results = function.signature.split("->")
    made: list[Any] = []
    for letter, sampler in zip(arguments, function.samplers, strict=True):
        values = sampler(rng, block).astype(peers.dtype(letter, type_name))
        made.append(np.resize(values, count))
    return made + [np.zeros(count, peers.dtype(letter, type_name)) for letter in results]


def windows(data: list[Any], count: int) -> list[list[Any]]:
    """The arrays in parts of `count` elements."""
    return [[a[k : k + count] for a in data] for k in range(0, len(data[0]), count)]


def over(loop: peers.Loop, parts: list[list[Any]]) -> Callable[[], None]:
    """A call that takes the next of `parts` every time."""
    prepared = itertools.cycle([loop.prepare(part) for part in parts])
    function = loop.function

    def call() -> None:
        function(*next(prepared))

    return call


def calls(function: Function, type_name: str, place: str, c_library: Any) -> dict[str, peers.Loop]:
    """Each peer's loop; empty where samebits has no such function."""
    baseline, best = peers.levels()
    found: dict[str, peers.Loop | None] = {}
    try:
        for precision in ("HIGH", "MEDIUM", "LOW"):
            found[precision] = peers.samebits(function, type_name, precision, best, place)
        found["v1"] = peers.samebits(function, type_name, "HIGH", baseline, place)
    except LookupError:
        return {}
    found["Numba"] = peers.jitted(function, type_name)
    found["NumPy"] = peers.ufunc(function)
    found["C"] = peers.c_loop(c_library, function)
    return {name: call for name, call in found.items() if call is not None}


def measure(
    function: Function, type_name: str, size: str, loops: dict[str, peers.Loop],
    rounds: int,
) -> Row:  # fmt: skip
    """Every peer in every round, on the same arrays."""
    data = arrays(function, type_name, SIZES[size] * (BLOCKS if size == "L1" else 1))
    count = SIZES[size] // np.dtype(type_name).itemsize
    runners = {name: Runner(over(loop, windows(data, count)), ()) for name, loop in loops.items()}
    with np.errstate(all="ignore"):
        interleave([*runners.values()], (), rounds)
    row = Row(function.name, type_name, size)
    row.ns = {name: runner.median * 1e9 / count for name, runner in runners.items()}
    return row


def main() -> int:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds for L1; a third for 64 MB")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME[=MODULE:KERNEL]",
        help="these alone, or kernels in place of them; pages are then left as they are",
    )  # fmt: skip
    parser.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    parser.add_argument("--sizes", nargs="+", choices=[*SIZES], default=[*SIZES])
    options = parser.parse_args()
    named = {f.name: f for f in FUNCTIONS}
    places = {f.name: f.name for f in FUNCTIONS}
    if options.only:
        places = {}
        for text in options.only:
            name, _, place = text.partition("=")
            if name not in named:
                parser.error(f"no row for {name}; there are {', '.join(named)}")
            places[name] = place or name
    rows: list[Row] = []
    absent: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for type_name in options.types:
            library = peers.c_library(type_name, Path(folder))
            for name, place in places.items():
                loops = calls(named[name], type_name, place, library)
                if not loops:
                    absent.append(f"{name} of {type_name}")
                    continue
                for size in options.sizes:
                    rounds = options.rounds if size == "L1" else max(2, options.rounds // 3)
                    rows.append(measure(named[name], type_name, size, loops, rounds))
                    print(report.line(rows[-1]), file=sys.stderr, flush=True)
    arrays_too = [] if options.only else whole_arrays.table(whole_arrays.measure(options.rounds))
    fixed = [] if options.only else fixed_point.table(fixed_point.measure(options.rounds))
    text = report.document(rows, absent, options.rounds, arrays_too, fixed)
    if options.only or [*options.types] != [*TYPES] or [*options.sizes] != [*SIZES]:
        print(text)
    else:
        figures.add(**report.figures(rows))
        (machines.folder() / "math.md").write_text(text)
        overview.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
