"""`python -m tools.prove.rounding [name …]`: prove the margins of fast phases, and print how."""

from __future__ import annotations

import argparse
import sys
import time

from tools.prove.rounding.claims import CLAIMS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove.rounding", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(CLAIMS)}")
    wanted = parser.parse_args().names
    if unknown := [name for name in wanted if name not in CLAIMS]:
        parser.error(f"nothing is claimed of {', '.join(unknown)}; there are {', '.join(CLAIMS)}")
    failed = False
    for name, claim in CLAIMS.items():
        if wanted and name not in wanted:
            continue
        began = time.perf_counter()
        proof = claim()
        took = time.perf_counter() - began
        rules = ", ".join(f"{n} {rule}" for rule, n in sorted(proof.discharged.items()))
        verdict = f"{len(proof.failures)} cells fail" if proof.failures else "proven"
        verdict = verdict if proof.cells else "nothing was shown"
        failed = failed or bool(proof.failures) or not proof.cells
        print(
            f"{name}: {verdict}; at most {proof.worst:.4f} of {proof.margin} ({proof.where}); "
            f"{proof.cells} cells, {proof.rounded} roundings; exact: {rules}; {took:.0f} s",
            flush=True,
        )
        for failure in proof.failures[:3]:
            print(f"  {failure}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
