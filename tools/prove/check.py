"""The check of one function: `python -m tools.prove.check sin float32 --all`.

FUNCTION is a name in samebits.math, or `module:kernel` for a kernel of samebits.mathlib that is not
public yet (`float32.exp_f32:exp`; the part after the colon, or --as, names what it should compute).
Exit status 1 if a HIGH result is wrong.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tools.prove import inputs
from tools.prove.functions import FORMATS, NAMED
from tools.prove.reference import Finding, Reference, library
from tools.prove.subject import compiled_loop, host_rows, kernel_of
from tools.prove.sweep import Progress, sweep


def print_progress(total: int, started: float) -> Progress:
    """A line on a terminal that is rewritten."""
    shown = itertools.count()

    def progress(done: int) -> None:
        if sys.stderr.isatty() and next(shown) % 32 == 0:
            seconds = time.monotonic() - started
            print(f"\r{done / total:6.1%} {seconds:.0f} s ", end="", file=sys.stderr)

    return progress


def describe(found: Finding) -> str:
    """Counts in a line, then what is named."""
    lines = [
        f"{found.checked} inputs, {found.wrong} not correctly rounded "
        f"({found.special} NaN or zero-sign), largest error of those {found.worst:.6g} ULP "
        f"at {', '.join(found.worst_at) or '-'}; {found.by_mpfr} by MPFR"
    ]
    lines += [f"  {line}" for line in found.named]
    lines += [f"  special: {line}" for line in found.named_special if line not in found.named]
    return "\n".join(lines)


def main() -> int:
    """Check, print, and say whether all is right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("function", help="a name in samebits.math, or module:kernel")
    parser.add_argument("type", choices=[*FORMATS])
    parser.add_argument("--as", dest="name", choices=[*NAMED], help="what it should compute")
    parser.add_argument("--precision", default="HIGH", choices=["HIGH", "MEDIUM", "LOW"])
    parser.add_argument("--level", default=None, help="a host level, such as x86-64-v1")
    parser.add_argument("--range", nargs=2, type=_number, metavar=("LOW", "HIGH"))
    parser.add_argument("--count", type=int, default=1 << 22, help="random inputs")
    parser.add_argument("--all", action="store_true", help="every float32, or every one in --range")
    parser.add_argument("--mpfr", action="store_true", help="compare every result with MPFR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    form = FORMATS[options.type]
    function = NAMED[options.name or options.function.split(":")[-1].removesuffix("_exact")]
    rows = host_rows()
    level = options.level or [*rows][-1]
    if level not in rows:
        parser.error(f"{level} does not run here; these do: {', '.join(rows)}")
    kernel = kernel_of(options.function, options.type, options.precision)
    signature = "xi->x" if function.integer else "xx->x" if function.arity == 2 else "x->x"
    run = compiled_loop(kernel, options.type, signature, rows[level])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(library(Path(folder)), function, form)
        sets: list[tuple[str, Iterable[inputs.Arguments], int]] = []
        if options.all and options.range:
            first, last = (inputs.ordered(v, form) for v in options.range)
            sets.append(("every one", inputs.patterns(first, last, form), last - first + 1))
        elif options.all:
            if form.precision != 24 or function.arity != 1:
                parser.error("--all alone is for float32 functions of one argument")
            sets.append(("every one", inputs.every_pattern(form), 1 << 32))
        else:
            if not options.range:
                special = inputs.special(function.arity, form)
                special = inputs.special_with_integers(form) if function.integer else special
                sets.append(("special values", [special], 0))
                hard = inputs.hard_cases(function, form)
                sets += [("hard cases", [hard], 0)] if hard else []
            blocks = inputs.random(function, form, options.count, options.seed, options.range)
            sets.append(("random", blocks, options.count))
        for what, blocks, total in sets:
            started = time.monotonic()
            compare = reference.check_by_mpfr if options.mpfr or not total else reference.check
            found = sweep(
                lambda x, got, compare=compare: compare(x, got[0]), [run], [form.float_type],
                blocks, options.threads, print_progress(max(total, 1), started),
            )  # fmt: skip
            wrong += found.wrong
            head = f"{function.name} {form.name} {options.precision} on {level}, {what}: "
            print(f"{head}{describe(found)}; {time.monotonic() - started:.1f} s", flush=True)
    return 1 if wrong and options.precision == "HIGH" else 0


def _number(text: str) -> float:
    return float.fromhex(text) if "0x" in text else float(text)


if __name__ == "__main__":
    sys.exit(main())
