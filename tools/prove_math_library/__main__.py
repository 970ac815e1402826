"""`make prove-math-library`: build the library and compare its functions with samebits' own.

Every function, of numbers and of arrays, on each Linux target that this machine or an emulator
runs. Exit status 0 where all bits are the same, 1 where some differ.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.prove_math_library.inputs import columns_of
from tools.prove_math_library.program import Running, expected, linked

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS, Target
from samebits.export.math_library.build import build_math_library
from samebits.export.math_library.functions import FUNCTIONS, WIDTHS, MathFunction


def compare(
    target: Target, functions: Sequence[MathFunction], folder: Path, count: int
) -> tuple[int, list[str]]:
    """How many results were compared, and a line for each function with other bits."""
    built = folder / "built"
    build_math_library([target], built, functions=functions)
    program = linked(folder, functions, target, built)
    here = {level.target.name for level in engine.available_targets() if level.reason is None}
    compared, wrong = 0, list[str]()
    with Running(program, functions, target, emulated=target.name not in here) as running:
        for function in functions:
            for t in WIDTHS:
                differ = 0
                for columns in columns_of(function, t, count, seed=1):
                    found = running.call(function, t, columns)
                    for mine, other in zip(expected(function, columns), found, strict=True):
                        compared += len(mine)
                        differ += int((mine != other).sum())
                if differ:
                    wrong.append(f"{target.name} {function.symbol(t)}: {differ} results differ")
    return compared, wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_math_library", description=__doc__)
    parser.add_argument("--targets", nargs="+", metavar="NAME", help="these only")
    parser.add_argument("--functions", nargs="+", metavar="NAME", help="these only")
    parser.add_argument("--count", type=int, default=20_000, help="random inputs (20,000)")
    given = parser.parse_args()
    known = [t for t in TARGETS.values() if t.qemu and t.zig]
    targets = [t for t in known if not given.targets or t.name in given.targets]
    functions = [f for f in FUNCTIONS if not given.functions or f.name in given.functions]
    status = 0
    for target in targets:
        if shutil.which(target.qemu) is None:
            print(f"{target.name}: not run, {target.qemu} is not installed")
            continue
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            compared, wrong = compare(target, functions, Path(folder), given.count)
        seconds = time.perf_counter() - began
        print(f"{target.name}: {compared:,} results, {seconds:.0f} s", flush=True)
        for line in wrong:
            print(f"  {line}")
        status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main())
