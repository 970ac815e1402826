"""`make search-hard`: the search for inputs that are hard to round.

Compares the kernels on all that are found, and keeps the hardest of each block in NAME.txt beside
this, for `make prove`. Exit status 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from itertools import islice

from rich.console import Console
from tools.prove.functions import FORMATS, NAMED, rounded
from tools.prove.hard.cases import KEPT, read, write
from tools.prove.hard.search import NEAR, SEARCHED, Found, distance, search

import samebits.math

_OF_A_BLOCK = 2
_LISTED = 600
_CONSOLE = Console(highlight=False, soft_wrap=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove.hard", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SEARCHED, metavar="FUNCTION", default=SEARCHED)
    parser.add_argument("--blocks", type=int, default=2000, help="of each function (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.blocks < 1:
        parser.error(f"--blocks {options.blocks}: 1 or more are searched")
    wrong = [name for name in options.only if not _search(name, options.blocks, options.seed)]
    return 1 if wrong else 0


def _search(name: str, blocks: int, seed: int) -> bool:
    began, inputs = time.monotonic(), 0
    found: list[Found] = []
    listed: list[Found] = []
    wrong: list[Found] = []
    for count, near in islice(search(name, seed), blocks):
        inputs += count
        found += near
        wrong += [it for it in near if not _right(name, it.arguments)]
        listed += sorted(near, key=lambda it: it.distance)[:_OF_A_BLOCK]
    # A short search takes nothing away from what a long one has found.
    known = {it: Found(it, distance(name, it)) for it in read(name)}
    known.update((it.arguments, it) for it in listed)
    listed = sorted(known.values(), key=lambda it: it.distance)[:_LISTED]
    write(name, [it.arguments for it in listed])
    least = min((it.distance for it in found if it.distance), default=math.nan)
    _CONSOLE.print(
        f"{name}: {inputs:.3g} inputs in {blocks:,} blocks, {len(found):,} of them within "
        f"2^{math.log2(NEAR):.0f} ULP of a boundary (by chance {2 * NEAR * inputs:,.0f}), the "
        f"nearest 2^{math.log2(least):.1f}; {len(wrong)} wrong; {len(listed)} kept in "
        f"{KEPT.name}/{name}.txt; {time.monotonic() - began:.0f} s"
    )
    for it in wrong[:10]:
        _CONSOLE.print(f"  wrong: {name}({', '.join(x.hex() for x in it.arguments)})")
    return bool(found) and not wrong


def _right(name: str, arguments: tuple[float, ...]) -> bool:
    given = [int(x) if k and NAMED[name].integer else x for k, x in enumerate(arguments)]
    got = float(getattr(samebits.math, name)(*given))
    return got == rounded(NAMED[name], FORMATS["float64"], arguments)


if __name__ == "__main__":
    sys.exit(main())
