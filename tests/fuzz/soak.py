"""A soak of seeded matches of 2 to 8 peers over all kinds of links: `make soak`.

Each is judged by the oracle; prints one line for a match with a fault, how far it is now and then,
and what the matches did. Each seed is a match by itself: stopped, it says with which `--first` it
goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from samebits.net.simnet.soak import SoakPlan, soak
from tests.support.simulations.crowd_simulation import crowd

_TELL = 12_000
"""Frames from one line on how far it is to the next."""


def main() -> int:
    """Run it; 1 if a match has a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    seeds = iter(range(given.first, given.first + given.matches))
    bad, sums = 0, Counter[str]()
    last = given.first + given.matches
    try:
        bad = _played(seeds, given.frames, last, sums)
    except KeyboardInterrupt:
        first = given.first + sums["matches"]
        print(f"stopped; go on with --first {first} --matches {last - first}")
        return 130
    print(", ".join(f"{count:,} {name}" for name, count in sums.items()))
    print(f"{bad} of {given.matches} matches have faults")
    if not sums["rollbacks"]:
        print("no rollback in any of them: they prove nothing of those")
    return int(bad > 0 or not sums["rollbacks"])


def _played(seeds: Iterator[int], frames: int, last: int, sums: Counter[str]) -> int:
    """Play the matches and add up what they did; how many have faults."""
    bad = 0
    for match in soak(crowd, seeds, SoakPlan(frames)):
        sums.update(
            matches=1, frames=match.frames, played=match.frames * match.players,
            rollbacks=match.rollbacks, replayed=match.replayed, stalls=match.stalls,
            substituted=match.substituted, **{f"scene {match.scene}": 1},
        )  # fmt: skip
        if match.faults:
            bad += 1
            print(match, flush=True)
        if sums["frames"] // _TELL > (sums["frames"] - match.frames) // _TELL:
            done = f"seed {match.seed} is done, {last - match.seed - 1:,} to go"
            print(f"{done}, {sums['frames']:,} frames, {bad} with faults", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
