"""`python -m tools.prove_diagnose.skew`: versions with drawn edits, diagnosed and counted.

Exit status 0 where nothing wrong was stated as certain, 1 where something was.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tools import scratch
from tools.prove_diagnose.skew.edits import KINDS
from tools.prove_diagnose.skew.judge import Verdict, tried

_CRITERIA = ("answer", "frame", "fields", "line", "cause", "apart")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_diagnose.skew")
    parser.add_argument("--cases", type=int, default=400, help="how many (400)")
    parser.add_argument("--first", type=int, default=0, help="from which on (0)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no case begins")
    parser.add_argument("--out", type=Path, help="a file for what was found, a case a line")
    given = parser.parse_args()
    found: list[Verdict] = []
    start = time.monotonic()
    with scratch.folder():
        for number in range(given.first, given.first + given.cases):
            if time.monotonic() - start > given.seconds:
                break
            verdict = tried(number, given.seed)
            if verdict is None:
                print(f"{number:4} no draw changes anything", flush=True)
                continue
            found.append(verdict)
            print(line(verdict), flush=True)
            if given.out is not None:
                with given.out.open("a") as file:
                    print(json.dumps(vars(verdict)), file=file)
    print(summary(found))
    return 1 if any(v.falsely_certain for v in found) else 0


def line(v: Verdict) -> str:
    """A verdict on one line, with what was said where it is not right."""
    marks = "".join(name[0] if getattr(v, name) else "-" for name in _CRITERIA)
    more = "  FALSELY CERTAIN" if v.falsely_certain else ""
    if not (v.cause and v.line and v.frame and v.fields) or not v.apart:
        more += f"  truth {v.needed}, named {v.named}: {v.failure or v.said}"
    return (
        f"{v.number:4} {marks} {v.certainty:8} {v.cpu_seconds:5.1f} s {v.trials:3} {v.text}{more}"
    )


def summary(rows: Sequence[Verdict]) -> str:
    """The counts."""
    if not rows:
        return "no case"
    lines = [f"{len(rows)} cases"]
    for name in _CRITERIA:
        right = sum(getattr(v, name) for v in rows)
        lines.append(f"{name}: {right} of {len(rows)}, {100 * right / len(rows):.1f} %")
    lines.append(f"certain: {sum(v.certainty == 'certain' for v in rows)}")
    lines.append(f"wrong and certain: {sum(v.falsely_certain for v in rows)}")
    times = sorted(v.cpu_seconds for v in rows)
    late = times[min(len(times) - 1, len(times) * 95 // 100)]
    lines.append(f"processor seconds: median {median(times):.1f}, 95 % {late:.1f}")
    kinds = Counter(kind for v in rows for kind in v.kinds)
    lines.append("edits: " + ", ".join(f"{kind} {kinds[kind]}" for kind in KINDS))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
