"""`make prove-foreign`: differences of a C++ program, planted and by flags, diagnosed and judged.

Writes docs/results/foreign.md. Exit status 1 where a cause is wrong and stated as certain.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.prove_foreign.cases import HARBOUR, flags, plants
from tools.prove_foreign.judge import Judged, judged

from samebits.foreign.programs.description import read_program
from samebits.foreign.programs.workshop import Workshop
from samebits.output import write_file

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "foreign.md"


def page(rows: Sequence[Judged]) -> str:
    """The page's text."""
    told = [row for row in rows if row.line_right != "none"]
    lines = [row for row in rows if row.line_right in ("yes", "file")]
    causes = [row for row in rows if row.cause_right == "yes"]
    wrong = [row for row in rows if row.is_wrong_and_certain]
    slow = sorted(row.seconds for row in rows)
    out = [
        "# How good a diagnosis of other programs is", "",
        "Made by `make prove-foreign`: harbour, a C++ program of 1,130 lines in 15 files, with its "
        "plants (one build, run in two ways) and with flags that break it (g++ -O2 "
        "-ffp-contract=off beside each). A plant's line is right where it is the plant's; of a "
        "flag the named file is shown by a build of side b with that file as on side a. A "
        "plant's cause is the command line that asks for it: that says little, its line does.", "",
        "| | |", "|---|---|",
        f"| cases | {len(rows)} |",
        f"| line told | {len(told)} |",
        f"| line or file right | {len(lines)} |",
        f"| cause right | {len(causes)} |",
        f"| wrong, but stated as certain | {len(wrong)} |",
        f"| seconds a case, median | {slow[len(slow) // 2]:.0f} |", "",
        "| case | told | right | cause | right | how sure | seconds |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {row.name} | {row.place or '-'} | {row.line_right} | {row.cause or '-'} | "
            f"{row.cause_right} | {row.certainty or '-'} | {row.seconds:.0f} |"
            for row in rows
        ), "",
    ]  # fmt: skip
    return "\n".join(out)


def main() -> int:
    """Judge the cases and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.prove_foreign", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="cases whose name has this")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the page (docs/results)")
    given = parser.parse_args()
    cases = [case for case in (*plants(), *flags()) if given.only in case.name]
    rows: list[Judged] = []
    with Workshop(read_program(str(HARBOUR / "sim.toml"))) as shop:
        for case in cases:
            rows.append(judged(shop, case))
            print(rows[-1], flush=True)
            write_file(given.out, page(rows))
    return 1 if any(row.is_wrong_and_certain for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
