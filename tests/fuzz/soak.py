"""A soak of seeded matches of 2 to 8 peers over all kinds of links: `make soak`.

Each is judged by the oracle; prints one line for a match with a fault, and what the others did.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from samebits.net.simnet.soak import SoakPlan, soak
from tests.support.simulations.crowd_simulation import crowd


def main() -> int:
    """Run it; 1 if a match has a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    seeds = iter(range(given.first, given.first + given.matches))
    bad, sums = 0, Counter[str]()
    for match in soak(crowd, seeds, SoakPlan(given.frames)):
        sums.update(
            matches=1, frames=match.frames, played=match.frames * match.players,
            rollbacks=match.rollbacks, replayed=match.replayed, stalls=match.stalls,
            substituted=match.substituted, **{f"scene {match.scene}": 1},
        )  # fmt: skip
        if match.faults:
            bad += 1
            print(match, flush=True)
    print(", ".join(f"{count:,} {name}" for name, count in sums.items()))
    print(f"{bad} of {given.matches} matches have faults")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
