"""`make prove-day`: every command of docs/proof.md, in a folder of its own, with what it shows.

Exit status 0 where all commands end and print as the page says.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.prove_day.day import IMAGES, Day


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_day", description=__doc__)
    parser.add_argument("--short", action="store_true", help="8 replays and 10 reports")
    parser.add_argument("--pictures", action="store_true", help="take the page's pictures anew")
    parser.add_argument("--folder", type=Path, help="where; by default one that is removed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        day = Day(given.folder or Path(made), short=given.short)
        wrong = day.follow(IMAGES if given.pictures else None, lambda text: print(text, flush=True))
    for line in wrong:
        print(f"wrong: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
