"""The tests that take most of the processor's time: their table, and the mark that they get.

`make test` leaves them to `make test-long`; CI runs both, and so does pytest where it is not told
otherwise. `make test-costs` measures, and `python -m tests.support.long_tests FOLDER` makes the
table of what it found. Knows no test.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from tests.support.costs import Cost, function_of, module_of, read
from tests.support.folders import ROOT

TABLE = ROOT / "tests" / "long_tests.txt"
"""A row a file or a function: `tests/unit/sim/test_a.py` or `tests/unit/sim/test_a.py::test_b`."""
STAYS = "# stays: "
"""How a line of the table begins that names a file whose tests are quick whatever they take."""
EACH = 0.4
"""Fewest seconds of the processor that one test of a long function takes."""
ALL = 5.0
"""Fewest seconds of all tests of a long function."""
PART = 0.95
"""The part of a file's seconds from which on the whole file is long: what its functions share is
counted at the first that asks for it."""


@cache
def rows() -> frozenset[str]:
    """The table."""
    lines = TABLE.read_text().splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_long(test: str) -> bool:
    """Whether a node ID is of the table."""
    return function_of(test) in rows() or module_of(test) in rows()


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the long ones."""
    for item in items:
        if is_long(item.nodeid):
            item.add_marker("long")


def left_out(file: str, markers: str) -> bool:
    """Whether pytest's `-m markers` chooses no test of a file, since all of them are long or none
    is: such a file need not be imported."""
    whole = file in rows()
    if not markers or (not whole and any(row.startswith(f"{file}::") for row in rows())):
        return False

    def chooses(others: bool) -> bool:
        def has(name: str, /, **_: str | int | bool | None) -> bool:
            return whole if name == "long" else others

        return Expression.compile(markers).evaluate(has)

    return not chooses(others=False) and not chooses(others=True)


def chosen(costs: Iterable[Cost], kept: frozenset[str] = frozenset()) -> list[str]:
    """The table's rows by what tests were measured to take; `kept` are files that stay."""
    tests: dict[str, float] = defaultdict(float)
    for cost in costs:
        if cost.test:
            tests[cost.test] += cost.own + cost.children
    functions: dict[str, list[float]] = defaultdict(list)
    files: dict[str, float] = defaultdict(float)
    for test, seconds in tests.items():
        functions[function_of(test)].append(seconds)
        files[module_of(test)] += seconds
    long: dict[str, list[str]] = defaultdict(list)
    taken: dict[str, float] = defaultdict(float)
    for function, seconds in functions.items():
        file = module_of(function)
        if file not in kept and (sum(seconds) >= EACH * len(seconds) or sum(seconds) >= ALL):
            long[file].append(function)
            taken[file] += sum(seconds)
    found: list[str] = []
    for file, names in long.items():
        found += [file] if taken[file] >= PART * files[file] else names
    return sorted(found)


def made_anew(costs: Iterable[Cost]) -> str:
    """The table's text by what tests were measured to take; of what was not, its rows stay."""
    costs = list(costs)
    measured = {function_of(cost.test) for cost in costs} | {module_of(cost.test) for cost in costs}
    head = [line for line in TABLE.read_text().splitlines() if line.startswith("#")]
    kept = frozenset(line.removeprefix(STAYS) for line in head if line.startswith(STAYS))
    found = {*chosen(costs, kept), *(row for row in rows() if row not in measured)}
    within = [row for row in found if "::" not in row or module_of(row) not in found]
    return "\n".join([*head, *sorted(within), ""])


if __name__ == "__main__":
    TABLE.write_text(made_anew(read(Path(sys.argv[1]))))
