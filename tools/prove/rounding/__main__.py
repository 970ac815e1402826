"""`python -m tools.prove.rounding [name …]`: prove the margins of fast phases, and keep how.

Without names: all that was not proven of the kernels as they are, by the prover as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from tools.prove.rounding import kept
from tools.prove.rounding.claims import CLAIMS
from tools.prove.rounding.kept import Shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove.rounding", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(CLAIMS)}")
    parser.add_argument("--again", action="store_true", help="also what is proven already")
    options = parser.parse_args()
    wanted = options.names
    if unknown := [name for name in wanted if name not in CLAIMS]:
        parser.error(f"nothing is claimed of {', '.join(unknown)}; there are {', '.join(CLAIMS)}")
    failed = False
    proofs = kept.load()
    if not wanted:
        wanted = [n for n in CLAIMS if options.again or not kept.is_current(n, proofs.get(n))]
        print(f"{len(wanted)} of {len(CLAIMS)} are to be proven", flush=True)
    for name in wanted:
        shown = kept.show(name)
        kept.save(name, shown)
        failed = failed or bool(shown.complaints)
        for line in said(name, shown):
            print(line, flush=True)
    return 1 if failed else 0


def said(name: str, shown: Shown) -> Iterator[str]:
    """What was shown of a function, phase by phase."""
    for phase in shown.phases:
        exact = ", ".join(f"{n} {rule}" for rule, n in phase.exact.items())
        margin = " and ".join(f"{name} = {value:.4g}" for name, value in phase.margin.items())
        verdict = "not proven" if [*phase.complaints] else "proven"
        yield (
            f"{name}, {phase.name}: {verdict}; at most {phase.worst:.4f} of {margin} "
            f"({phase.where}); {phase.cells} cells, {phase.rounded} roundings; exact: {exact}"
        )
        yield from (f"  {failure}" for failure in phase.failures)
    yield f"{name}: {shown.seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
