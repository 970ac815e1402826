"""Searches for injected faults, and the seeds from which a short search finds each.

Owns `found_at.json`, which every change of what is drawn makes old: `make fuzz-faults` writes it.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.fuzz.bounds.faults import FAULTS
from tests.fuzz.bounds.judge import Tally
from tests.fuzz.bounds.workers import run, shares

SEEDS = (0, 1_000_000)
"""Where the search for an injected fault begins, each time anew."""
SHORT = 4
"""Programs of a short search."""
FOUND_AT = Path(__file__).with_name("found_at.json")


def programs_until_found(fault: str, first: int, most: int, jobs: int = 1) -> int | None:
    """How many programs from seed `first` on it takes to find an injected fault; None where
    `most` were judged and it was not found."""
    found: list[int] = []

    def heard(tally: Tally) -> bool:
        found.extend(one.seed for one in tally.found)
        return not found

    run(shares(first, most), jobs, fault=fault, heard=heard)
    return min(found) - first + 1 if found else None


def _short_from(fault: str, first: int, most: int, jobs: int) -> tuple[int | None, int | None]:
    """How many programs a search takes, and a seed near which a short one finds the same: later
    where only LLVM's work on many programs showed it."""
    count = programs_until_found(fault, first, most, jobs)
    last, seed = first + most, None if count is None else first + count - 1
    while seed is not None and programs_until_found(fault, seed, SHORT) is None:
        more = programs_until_found(fault, seed + 1, last - seed - 1, jobs)
        seed = None if more is None else seed + more
    return count, seed


def found_at() -> dict[str, list[int]]:
    """Seeds from which a short search finds a fault, by its name."""
    return json.loads(FOUND_AT.read_text())


def find_faults(most: int, jobs: int) -> int:
    """Inject every fault, search from every seed, say how many programs that took, and note where;
    1 where a search was in vain."""
    missed, seeds = 0, dict[str, list[int]]()
    for fault in FAULTS:
        searches = [_short_from(fault, seed, most, jobs) for seed in SEEDS]
        seeds[fault] = [seed for _, seed in searches if seed is not None]
        shown = ["not found" if n is None else f"{n} programs" for n, _ in searches]
        missed += shown.count("not found")
        print(f"{fault}: {', '.join(shown)}", flush=True)
        FOUND_AT.write_text(json.dumps(seeds, indent=4) + "\n")
    print(f"{len(FAULTS)} faults, {missed} searches in vain", flush=True)
    return 1 if missed else 0
