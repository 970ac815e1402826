"""`make bench-net`: what matches cost, beside their goals; writes NET.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.net import costs, report
from benchmarks.net.relay_load import Loaded, loaded
from benchmarks.net.ships import ships
from benchmarks.net.traffic import recorded
from samebits.net.simnet.links import shapes
from samebits.sim.load import load_simulation

ARENA = Path(__file__).parents[2] / "examples" / "arena" / "arena.py"


def main() -> int:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, nargs="+", default=[20, 40, 60, 100])
    parser.add_argument("--seconds", type=float, default=10, help="that each load is measured")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--realtime", action="store_true",
        help="run relays and players before all else on the machine, for which rights are needed",
    )  # fmt: skip
    options = parser.parse_args()

    def say(what: object) -> None:
        print(what, file=sys.stderr, flush=True)

    arena = load_simulation(str(ARENA))
    traffic = recorded(ships, shapes(True)["cable"], 3600)
    core = min(traffic.play() for _ in range(options.rounds)) / traffic.seconds
    say(f"core alone: {1 / core:.0f} matches a core")
    found = report.Found(
        core=core,
        memory=costs.memory(traffic),
        rollback=costs.rollback(arena, options.rounds),
        catch_up=costs.catch_up(arena, options.rounds),
        shapes=costs.shapes({2: arena, 4: ships}, 3600),
        realtime=options.realtime,
    )
    say(found)
    if options.realtime:
        # What it starts has the same priority.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    # The longest load last: players behind it would be late for frames that nobody closes.
    for matches in options.matches:
        for loop in ("asyncio", "uvloop"):
            found.loads.append(_loaded(traffic, matches, loop, "", options.seconds))
            say(found.loads[-1])
    with tempfile.TemporaryDirectory() as store:
        found.stored = _loaded(traffic, options.matches[0], "uvloop", store, options.seconds)
    report.PLACE.write_text(report.document(found))
    return 0


def _loaded(traffic: object, matches: int, loop: str, store: str, seconds: float) -> Loaded:
    return loaded(traffic, matches, plain=loop == "asyncio", store=store, seconds=seconds)  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(main())
