"""The built math library beside C libraries: bits, errors, speed and size; docs/results/libm.md.

One program a library has its functions and samebits' own, and times them by turns on the same
numbers. samebits' results, which are correctly rounded, are what the others' are compared with.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.backend.llvm import engine
from samebits.export.build import choose_targets
from samebits.export.math_library.build import build_math_library
from samebits.export.math_library.functions import FUNCTIONS

PAGE = Path(__file__).parents[2] / "docs" / "results" / "libm.md"
RANGES = {
    "sin": (-100.0, 100.0), "cos": (-100.0, 100.0), "tan": (-100.0, 100.0), "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0), "atan": (-10.0, 10.0), "exp": (-20.0, 20.0), "exp2": (-20.0, 20.0),
    "expm1": (-2.0, 2.0), "log": (0.001, 100.0), "log2": (0.001, 100.0), "log10": (0.001, 100.0),
    "log1p": (-0.5, 5.0), "sinh": (-5.0, 5.0), "cosh": (-5.0, 5.0), "tanh": (-3.0, 3.0),
    "cbrt": (-100.0, 100.0), "erf": (-3.0, 3.0), "tgamma": (0.1, 20.0), "pow": (0.01, 20.0),
    "atan2": (-10.0, 10.0), "hypot": (-10.0, 10.0),
}  # fmt: skip
"""What each function gets: what a simulation would give it, uniform by value."""
PAIRS = ("pow", "atan2", "hypot")
SAMPLES = 1 << 20
"""Of each function: results compared. The first `TIMED` are timed."""
TIMED = 1 << 16
ROUNDS = 15
_START = """\
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "sbmath.h"

enum {{ SAMPLES = {samples}, TIMED = {timed}, ROUNDS = {rounds} }};
static double xd[SAMPLES], yd[SAMPLES];
static float xf[SAMPLES], yf[SAMPLES];
static uint64_t state = 88172645463325252u;

static double next(double low, double high)
{{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}}

static void fill(double low, double high)
{{
    for (int k = 0; k < SAMPLES; k++) {{
        xd[k] = next(low, high), yd[k] = next(low, high);
        xf[k] = (float)xd[k], yf[k] = (float)yd[k];
    }}
}}

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}}

static uint64_t apart_d(double a, double b)
{{
    int64_t p, q;
    memcpy(&p, &a, 8), memcpy(&q, &b, 8);
    if (p < 0) p = INT64_MIN - p;
    if (q < 0) q = INT64_MIN - q;
    return p > q ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p;
}}

static uint64_t apart_f(float a, float b)
{{
    int32_t p, q;
    memcpy(&p, &a, 4), memcpy(&q, &b, 4);
    int64_t u = p < 0 ? (int64_t)INT32_MIN - p : p, v = q < 0 ? (int64_t)INT32_MIN - q : q;
    return (uint64_t)(u > v ? u - v : v - u);
}}

static volatile double sink;
#define TIME(T, best, CALL)                                                  \\
    {{                                                                        \\
        double began = now(), ns;                                            \\
        T sum = 0;                                                           \\
        for (int k = 0; k < TIMED; k++) sum += (CALL);                       \\
        ns = (now() - began) / TIMED;                                        \\
        sink = (double)sum;                                                  \\
        if (ns < best) best = ns;                                            \\
    }}
#define TEST(T, letter, name, OTHER, OWN)                                    \\
    {{                                                                        \\
        uint64_t wrong = 0, worst = 0;                                       \\
        double other = 1e30, own = 1e30;                                     \\
        for (int k = 0; k < SAMPLES; k++) {{                                  \\
            uint64_t apart = apart_##letter(OTHER, OWN);                     \\
            wrong += apart != 0;                                             \\
            if (apart > worst) worst = apart;                                \\
        }}                                                                    \\
        for (int round = 0; round < ROUNDS; round++) {{                       \\
            TIME(T, other, OTHER)                                            \\
            TIME(T, own, OWN)                                                \\
        }}                                                                    \\
        printf("%s %llu %llu %.3f %.3f\\n", name, (unsigned long long)wrong, \\
               (unsigned long long)worst, other, own);                       \\
    }}

int main(void)
{{
"""


_INTRODUCTION = """\
# The math library beside other libraries

Made by `python -m benchmarks.mathlib.c_library`; [the library](../guides/math-library.md) itself is
compared with correct rounding in [accuracy.md](accuracy.md).

{where}; samebits' library for {target}. Of each function {samples:,} arguments, uniform over what a
simulation would give it. *Wrong* are those of which the other library does not give the correctly
rounded result, *furthest* how many floats away its worst result is. Times are the least of {rounds}
rounds by turns over {timed:,} of them; *× its time* is samebits' time over the other's: below 1,
samebits is faster.
"""
_END = """\
An array form of a function runs the loop that Python's call of it runs. CORE-MATH, SLEEF, openlibm
and streflop are not compared here.
"""


@dataclass(frozen=True)
class Row:
    """One function of one library beside samebits'. Times are nanoseconds a call."""

    name: str
    wrong: int
    worst: int
    other: float
    own: float


def source() -> str:
    """The program's text."""
    lines: list[str] = []
    for name, (low, high) in RANGES.items():
        lines.append(f"    fill({low}, {high});")
        for t, letter, ending in (("double", "d", ""), ("float", "f", "f")):
            given = f"x{letter}[k]" + f", y{letter}[k]" * (name in PAIRS)
            both = f"{name}{ending}({given}), sb_{name}{ending}({given})"
            lines.append(f'    TEST({t}, {letter}, "{name}{ending}", {both})')
    start = _START.format(samples=SAMPLES, timed=TIMED, rounds=ROUNDS)
    return start + "\n".join(lines) + "\n    return 0;\n}\n"


def measured(
    folder: Path, compiler: Sequence[str], library: Path, link: Sequence[str]
) -> list[Row]:
    """The rows of the libm that a compiler's programs have."""
    (folder / "compare.c").write_text(source())
    program = folder / "compare"
    subprocess.run(
        [*compiler, "-std=c99", "-O2", "-fno-builtin", "-ffp-contract=off", f"-I{folder}",
         "compare.c", str(library), *link, "-o", str(program)],
        cwd=folder, check=True,
    )  # fmt: skip
    shown = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    fields = (line.split() for line in shown.splitlines())
    return [Row(f[0], int(f[1]), int(f[2]), float(f[3]), float(f[4])) for f in fields]


def page(rows: dict[str, list[Row]], target: str, sizes: str) -> str:
    """The page of results."""
    names = list(rows)
    head = " | ".join(f"{n}: wrong | furthest | ns | × its time" for n in names)
    where = f"{platform.system()} {platform.machine()}, {engine.host_processor()[0]}"
    said = _INTRODUCTION.format(
        where=where, target=target, samples=SAMPLES, rounds=ROUNDS, timed=TIMED
    )
    columns = "--:|" * (4 * len(names))
    lines = [said, f"| function | samebits ns | {head} |", f"|---|--:|{columns}"]
    for k, row in enumerate(rows[names[0]]):
        cells = [row.name, f"{row.own:.1f}"]
        for name in names:
            r = rows[name][k]
            cells += [f"{r.wrong / SAMPLES:.3%}" if r.wrong else "0", str(r.worst)]
            cells += [f"{r.other:.1f}", f"{r.own / r.other:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", sizes, _END])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mathlib.c_library", description=__doc__
    )
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--built", type=Path, help="a folder of a build, which is made otherwise")
    options = parser.parse_args()
    target = engine.host_target().name
    target = "x86-64-v3" if target == "x86-64-v4" else target
    found: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        built: Path = options.built or folder / "built"
        if options.built is None:
            build_math_library(choose_targets([target]), built)
        (folder / "sbmath.h").write_bytes((built / "sbmath.h").read_bytes())
        library = (built / target / "libsbmath.a").resolve()
        if shutil.which("gcc"):
            name = " ".join(platform.libc_ver()) or "gcc's libm"
            found[name] = measured(folder, ["gcc"], library, ["-lm"])
        zig = [
            sys.executable,
            "-P",
            "-m",
            "ziglang",
            "cc",
            "-target",
            f"{platform.machine()}-linux-musl",
        ]
        found["musl (Zig's)"] = measured(folder, zig, library, ["-static"])
        sizes = (
            f"The shared library of all {2 * len(FUNCTIONS)} functions and their array forms has "
            f"{(library.parent / 'libsbmath.so').stat().st_size:,} bytes."
        )
    options.page.write_text(page(found, target, sizes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
