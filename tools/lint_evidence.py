"""The table in docs/guides/lint.md: what `samebits lint` warns of, measured on this machine.

    python tools/lint_evidence.py

Other Pythons are taken from the command line; C libraries are compared through `zig cc` (glibc as
this machine has it, musl as zig carries it), NumPy's loops by switching processor features off.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

COUNT = 200_000
INPUTS = f"np.random.Generator(np.random.PCG64(1)).uniform(0.01, 20, {COUNT})"
LIBM = ("sin", "cos", "tan", "exp", "log", "cbrt", "pow", "atan2", "hypot")
LOOPS = (
    "np.sin(x)", "np.exp(x)", "np.log(x)", "np.tan(x)", "np.power(x, 1.7)",
    "np.sin(x.astype(np.float32))", "np.exp(x.astype(np.float32))",
)  # fmt: skip
C_SOURCE = """\
#include <math.h>
#include <stdio.h>
#include <string.h>
int main(int n, char **names) {
    double x[4096], y[4096];
    for (size_t k; (k = fread(x, 8, 4096, stdin)) > 0; fwrite(y, 8, k, stdout))
        for (size_t i = 0; i < k; i++) {
#define ONE(f) if (!strcmp(names[1], #f)) y[i] = f(x[i]);
#define TWO(f) if (!strcmp(names[1], #f)) y[i] = f(x[i], 1.7);
            ONE(sin) ONE(cos) ONE(tan) ONE(exp) ONE(log) ONE(cbrt) TWO(pow) TWO(atan2) TWO(hypot)
        }
    return 0;
}
"""


def output(command: Sequence[str], **environment: str) -> bytes:
    """What a program prints."""
    made = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, **environment}
    )
    return made.stdout


def set_order() -> str:
    """How many orders a set of five words has in fifty processes."""
    script = "print(*{'ada', 'bob', 'cyd', 'dan', 'eve'})"
    seeds = range(50)
    orders = {output([sys.executable, "-c", script], PYTHONHASHSEED=str(s)) for s in seeds}
    return f"{len(orders)} orders of five words in 50 processes"


def builtin_sum(pythons: Sequence[str]) -> list[str]:
    """How many of a thousand sums of a hundred numbers differ between two Pythons."""
    script = (
        "import random\n"
        "r = random.Random(1)\n"
        "for _ in range(1000): print(sum([r.uniform(-1, 1) for _ in range(100)]).hex())"
    )
    sums = {python: output([python, "-c", script]).split() for python in (sys.executable, *pythons)}
    mine = sums[sys.executable]
    found: list[str] = []
    for python in pythons:
        version = output([python, "-V"]).decode().strip()
        differ = sum(a != b for a, b in zip(mine, sums[python], strict=True))
        found.append(f"{differ} of 1,000 sums of 100 numbers: {sys.version.split()[0]}, {version}")
    return found


def libm(folder: Path) -> list[str]:
    """How many results of each function differ between two C libraries."""
    source = folder / "libm.c"
    source.write_text(C_SOURCE)
    programs: list[str] = []
    for target in ("native", "x86_64-linux-musl"):
        programs.append(str(folder / target))
        where = [] if target == "native" else ["-target", target]
        command = [sys.executable, "-m", "ziglang", "cc", "-O1", "-fno-builtin", *where]
        subprocess.run([*command, str(source), "-o", programs[-1], "-lm"], check=True)
    x = np.random.Generator(np.random.PCG64(1)).uniform(0.01, 20, COUNT).tobytes()
    found: list[str] = []
    for name in LIBM:
        a, b = (
            np.frombuffer(
                subprocess.run([p, name], input=x, capture_output=True, check=True).stdout, "u8"
            )
            for p in programs
        )
        found.append(f"{name} {_share(int((a != b).sum()))}")
    return found


def numpy_loops(expression: str, **environment: str) -> str:
    """How many of an expression's results differ with other loops of NumPy or BLAS."""
    script = (
        "import sys, numpy as np\n"
        f"x = {INPUTS}\n"
        f"sys.stdout.buffer.write(np.ascontiguousarray({expression}).tobytes())"
    )
    size = 4 if "float32" in expression else 8
    a, b = (
        np.frombuffer(output([sys.executable, "-c", script], **e), f"u{size}")
        for e in ({}, environment)
    )
    return f"`{expression}`: {_share(int((a != b).sum()), len(a))}"


def memory_layout() -> str:
    """How many sums of rows differ between two orders of the same numbers in memory."""
    rows = np.random.Generator(np.random.PCG64(1)).uniform(0.01, 20, (COUNT // 100, 100))
    differ = int((rows.sum(axis=1) != np.asfortranarray(rows).sum(axis=1)).sum())
    return f"sums of rows of 100, stored by rows and by columns: {_share(differ, len(rows))}"


def _share(differ: int, count: int = COUNT) -> str:
    return f"{differ:,} of {count:,}" if count < 1000 else f"{100 * differ / count:.3g} %"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pythons", nargs="*", default=[], help="other interpreters, for `sum`")
    options = parser.parse_args()
    print("set order:", set_order())
    for line in builtin_sum(options.pythons):
        print("sum:", line)
    with tempfile.TemporaryDirectory() as folder:
        print("libm, glibc against musl:", ", ".join(libm(Path(folder))))
    features = getattr(np.lib.introspect, "opt_func_info", None)
    print("NumPy", np.__version__, "without AVX-512 and AVX2" if features else "")
    off: Mapping[str, str] = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}
    for expression in LOOPS:
        print("  ", numpy_loops(expression, **off))
    for expression in ("x[:40000].reshape(200, 200) @ x[40000:80000].reshape(200, 200)",
                       "np.linalg.solve(x[:40000].reshape(200, 200), x[:200])"):  # fmt: skip
        print("  ", numpy_loops(expression, OPENBLAS_CORETYPE="Prescott"))
    print("  ", memory_layout())


if __name__ == "__main__":
    main()
