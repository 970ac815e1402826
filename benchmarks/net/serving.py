"""The relay that is measured, in a process of its own: `python -m benchmarks.net.serving`.

It prints its port, then for each match that begins its name and when its frame 0 is due, by the
clock that all processes of a machine share.
"""

from __future__ import annotations

import argparse
import asyncio

from benchmarks.net.loading import SECRET
from benchmarks.net.ships import ships
from samebits.net.loops import run
from samebits.net.relay.closing import ClosingRules
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay


async def serve(options: argparse.Namespace) -> None:
    # An input that was made up for a late player would not fit what was recorded.
    rules = MatchRules(seed=1, frames=options.frames, closing=ClosingRules(deadline=None))
    relay = Relay(
        ships, SECRET, rules=rules, store=options.store or None, source="ships", per_address=0
    )
    async with relay.running():
        print(relay.port, flush=True)
        told: set[str] = set()
        while True:
            await asyncio.sleep(0.02)
            for name, match in relay.matches.items():
                if name not in told and match.core.closing.running:
                    told.add(name)
                    print(name, match.core.closing.due(0) - relay.begun, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, required=True)
    parser.add_argument("--store", default="")
    parser.add_argument("--plain", action="store_true")
    parsed = parser.parse_args()
    run(serve(parsed), fast=not parsed.plain)
