"""`make prove-farm`: 1,000 replays on two workers, and 21 times `kill -9` at random moments.

What is killed is the scheduler, a worker or the client, each a third of the times. Exit status 1
where a row is lost or doubled, what was known is run again, or a process is left behind.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tools.prove_farm.killed import killed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_farm", description=__doc__)
    parser.add_argument("--replays", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=21)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = killed(Path(folder), given.replays, given.kills, 0.1, (0.5, 6.0), given.seed)
    told = ", ".join(f"{count} of a {name}" for name, count in sorted(found.kills.items()))
    print(f"{found.kills.total()} times kill -9: {told}; {found.clients} clients")
    print(f"rows known when each client began: {', '.join(f'{n:,}' for n in found.known)}")
    print(f"{found.rows:,} rows of {given.replays:,}, {found.same:,} the same")
    print(f"{found.lost} lost, {found.doubled} doubled, {found.again} known and run again")
    print(f"{found.runs:,} runs in {found.seconds:.0f} s; {found.left} processes left behind")
    for line in found.wrong:
        print(line)
    bad = found.lost or found.doubled or found.again or found.left or found.wrong
    return int(bool(bad) or found.same != given.replays)


if __name__ == "__main__":
    raise SystemExit(main())
