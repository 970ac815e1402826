"""`make prove-fixed`: the largest errors of the fixed-point functions, into a page of the docs.

All 2^32 inputs of fix16 functions of one argument, random ones of every size for the others. The
exact value is the system's math library's in a wider type; the worst input is computed again with
MPFR. What has not changed since it was last compared is left alone.
"""

import argparse
import ctypes
import json
import math as python_math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from tools.prove.reference import FLAGS
from tools.prove.subject import Linked, host_rows, slots
from tools.prove.sweep import in_order

import samebits as sb
from samebits import math
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel

PLACE = Path(__file__).with_name("fixed.json")
PAGE = Path(__file__).parents[2] / "docs" / "results" / "accuracy-fixed-point.md"
BLOCK = 1 << 20
FUNCTIONS = ("sqrt", "sin", "cos", "tan", "exp", "log", "atan2", "pow")
"""In the order of fixed.c."""
BINARY = ("atan2", "pow")
TYPES = ("fix16", "fix32", "fix48")


HALF, TRIG, ANY = 0.5, 0.501, 0.51
PROMISED = {
    "sqrt": (HALF, HALF, HALF, None),
    **dict.fromkeys(("sin", "cos", "atan2", "log"), (TRIG, TRIG, TRIG, None)),
    "exp": (TRIG, TRIG, ANY, -54),
    "tan": (TRIG, TRIG, TRIG, -28),
    "pow": (TRIG, TRIG, TRIG, -30),
}
"""What docs/reference/fixed-point.md promises: the largest error in steps for each of TYPES, and
the power of two that large results may have beyond half a step, as a part of the result."""
MEASURED = 1e-4
"""The search finds errors in steps to about this much: half a step is often 0.5 and a little."""


class _Found(ctypes.Structure):
    """As in fixed.c."""

    _fields_ = [
        ("worst", ctypes.c_double), ("relative", ctypes.c_double), ("worst_at", ctypes.c_int64),
    ]  # fmt: skip


@dataclass
class Record:
    """One function of one type."""

    digest: str
    date: str
    inputs: int
    every: bool
    """Whether these are all there are."""
    worst: float
    """In steps, by MPFR."""
    at: tuple[int, int]
    """Steps of the arguments."""
    relative: float
    """The largest error beyond half a step, as a part of the result; 0 where none is over 0.51."""
    seconds: float


def load() -> dict[str, Record]:
    """What is kept; nothing where there is no file."""
    if not PLACE.exists():
        return {}
    kept = json.loads(PLACE.read_text())
    return {name: Record(**{**row, "at": tuple(row["at"])}) for name, row in kept.items()}


def _save(records: Mapping[str, Record]) -> None:
    rows = [f"{json.dumps(n)}: {json.dumps(asdict(r))}" for n, r in sorted(records.items())]
    PLACE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def library(folder: Path) -> ctypes.CDLL:
    """fixed.c, compiled into `folder` against the system's math library."""
    source, made = Path(__file__).with_name("fixed.c"), folder / "fixed.so"
    compiler = [sys.executable, "-m", "ziglang", "cc"]
    subprocess.run([*compiler, *FLAGS, str(source), "-o", str(made), "-lm"], check=True)
    return ctypes.CDLL(str(made))


def subject(type_name: str, function_name: str) -> Linked:
    """A loop of the function over arrays, of the type that saturates."""
    cls: Any = getattr(sb, f"{type_name}_sat")
    function: Any = getattr(math, function_name)

    def one(a: sb.ReadOnly[cls], b: sb.ReadOnly[cls], out: sb.Array[cls]) -> None:
        for i in range(len(out)):
            out[i] = function(a[i])

    def two(a: sb.ReadOnly[cls], b: sb.ReadOnly[cls], out: sb.Array[cls]) -> None:
        for i in range(len(out)):
            out[i] = function(a[i], b[i])

    kernel = Kernel(two if function_name in BINARY else one)
    assert kernel.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(kernel, kernel.fixed_types)
    return Linked(link(unit), [unit.function.name])


def _blocks(name: str, t: Any, count: int, every: bool) -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(1)
    for start in range(0, count, BLOCK):
        n = min(BLOCK, count - start)
        if every:
            a = (np.arange(start, start + n, dtype=np.int64) + t.minimum).astype(t.dtype)
            yield a, a
            continue
        yield _random(rng, t, n, name), _random(rng, t, n, "")


def _random(rng: Any, t: Any, n: int, name: str) -> Any:
    values = rng.integers(-(1 << 63), 1 << 63, n, np.int64)
    values >>= rng.integers(64 - t.bits, 63, n)
    if name == "exp":
        values %= 60 << t.fraction
        values -= 38 << t.fraction
    if name in ("log", "pow", "sqrt"):  # an eighth stays negative
        values = np.where(values & 7 == 0, values, np.abs(values))
    return values.astype(t.dtype)


def _by_mpfr(name: str, t: Any, a: int, b: int, out: int) -> float:
    """The error in steps, computed with 300 bits."""
    if (a < 0 and name in ("log", "pow")) or (a == 0 and name == "log"):
        return float(out - t.minimum)
    if a < 0 and name == "sqrt":
        return float(abs(out))
    with gmpy2.context(precision=300):
        x, y = (gmpy2.mpfr(n) / (1 << t.fraction) for n in (a, b))
        of: Any = pow if name == "pow" else getattr(gmpy2, name)
        exact = (of(x, y) if name in BINARY else of(x)) * (1 << t.fraction)
        return float(abs(min(max(exact, t.minimum), t.maximum) - out))


def search(
    type_name: str, name: str, linked: Linked, count: int, library: Any, threads: int, shown: Any
) -> Record:
    """Compare one function of one type."""
    t: Any = getattr(sb, f"{type_name}_sat").__sb_type__
    every = t.bits == 32 and name not in BINARY
    count = 1 << 32 if every else count
    entry = linked.native([*host_rows().values()][-1]).entry(0)
    check = library.check32 if t.bits == 32 else library.check64
    began, worst, at, relative, done = time.monotonic(), -1.0, (0, 0, 0), 0.0, 0

    def one(arrays: tuple[Any, Any]) -> tuple[Any, tuple[int, int, int], int]:
        a, b = arrays
        out = np.zeros_like(a)
        entry.run(slots((a, b, out)))
        found = _Found(-1.0, 0.0, 0)
        places = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, out)]
        check(FUNCTIONS.index(name), t.fraction, *places, ctypes.c_int64(len(a)),
              ctypes.byref(found))  # fmt: skip
        i = found.worst_at
        return found, (int(a[i]), int(b[i]), int(out[i])), len(a)

    with ThreadPoolExecutor(threads) as pool:
        blocks = _blocks(name, t, count, every)
        for found, place, n in in_order(pool, one, blocks, threads + 1):
            relative, done = max(relative, found.relative), done + n
            if not found.worst <= worst:
                worst, at = found.worst, place
            shown(f"{type_name} {name}", done, count)
    error = _by_mpfr(name, t, *at)
    if python_math.isnan(worst):
        raise ArithmeticError(f"{type_name} {name}: the reference has no value at {at[:2]}")
    return Record(
        linked.digest(), date.today().isoformat(), done, every, error, at[:2], relative,
        round(time.monotonic() - began, 1),
    )  # fmt: skip


def complaint(key: str, record: Record) -> str | None:
    """What of the promise for `key` ("fix32 sin") a record breaks, or None."""
    type_name, name = key.split()
    *steps, beyond = PROMISED[name]
    if not record.inputs:
        return f"{key}: nothing was compared"
    most = steps[TYPES.index(type_name)] + MEASURED
    # Errors that are a part of a large result are bounded by `relative`.
    if record.worst <= most or (beyond is not None and 0 < record.relative <= 2.0**beyond):
        return None
    return (
        f"{key}: {record.worst:.5f} steps off at {record.at}, {record.relative:.3g} of the result "
        f"beyond half a step, where {most - MEASURED:g} are promised"
    )


def page(records: Mapping[str, Record], digests: Mapping[str, str]) -> str:
    """The whole page. `digests` are those of the kernels as they are now."""
    lines = [
        "# Accuracy of the fixed-point functions\n",
        "Made by `make prove-fixed`. Errors are in steps (2⁻¹⁶ for `fix16` and `fix48`, 2⁻³² for",
        "`fix32`), by MPFR at the worst input found. A result beyond the range counts as its end,",
        "as a saturating type has it. *Beyond* is what errors over 0.51 steps have beyond half a",
        "step, as a part of the result. Random inputs are of every size.\n",
        "| function | type | largest error, steps | beyond | compared |",
        "|---|---|--:|---|---|",
    ]
    for name in FUNCTIONS:
        for type_name in TYPES:
            key = f"{type_name} {name}"
            record = records.get(key)
            if record is None or record.digest != digests.get(key):
                why = "not compared yet" if record is None else "not compared since it changed"
                lines.append(f"| {name} | {type_name} | | | {why} |")
                continue
            beyond = f"2^{python_math.log2(record.relative):.1f}" if record.relative else ""
            searched = "all 2³²" if record.every else f"{record.inputs:,} random"
            lines.append(f"| {name} | {type_name} | {record.worst:.5f} | {beyond} | {searched} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Search what is missing and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.prove.fixed", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=FUNCTIONS, default=[*FUNCTIONS])
    parser.add_argument("--types", nargs="+", choices=TYPES, default=[*TYPES])
    parser.add_argument("--count", type=int, default=10**8, help="random inputs")
    parser.add_argument("--again", action="store_true", help="also what has not changed")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    console = Console(stderr=True)
    records = load()
    with tempfile.TemporaryDirectory() as folder:
        compared = library(Path(folder))
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("")
            for name in options.only:
                for type_name in options.types:
                    linked, key = subject(type_name, name), f"{type_name} {name}"
                    kept = records.get(key)
                    if (
                        kept is not None
                        and kept.digest == linked.digest()
                        and not options.again
                        and (kept.every or kept.inputs >= options.count)
                    ):
                        continue
                    record = records[key] = search(
                        type_name, name, linked, options.count, compared, options.threads,
                        lambda what, done, total: bar.update(
                            task, description=what, completed=done, total=total
                        ),
                    )  # fmt: skip
                    _save(records)
                    console.print(
                        f"{key}: {record.inputs:,} inputs, {record.worst:.5f} steps at "
                        f"{record.at}, beyond {record.relative:.3g}, {record.seconds:.0f} s",
                        highlight=False,
                    )
    digests = {f"{t} {n}": subject(t, n).digest() for t in TYPES for n in FUNCTIONS}
    PAGE.write_text(page(records, digests))
    complaints = [complaint(key, record) for key, record in sorted(records.items())
                  if record.digest == digests.get(key)]  # fmt: skip
    for text in filter(None, complaints):
        console.print(text, highlight=False, soft_wrap=True)
    return 0 if complaints and not any(complaints) else 1


if __name__ == "__main__":
    sys.exit(main())
