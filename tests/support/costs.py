"""The processor time of each test, measured and summed up.

Seconds of its process, of children that it waited for, and seconds that passed. A plugin of pytest,
`-p tests.support.costs --costs FOLDER`, which `python -m tests.support.costs FOLDER` reads again.
A child that outlives its test, such as a browser that several share, is counted where it ends.
Knows no test.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

import pytest

MOST_ROWS = 60
"""Rows of one table."""


@dataclass(frozen=True)
class Cost:
    """What one phase of one test took, in seconds."""

    test: str
    """Its node ID; empty for the collection of all."""
    own: float
    """Processor time of this process, all its threads."""
    children: float
    """Processor time of children that were waited for, with theirs."""
    wall: float


@dataclass(frozen=True)
class Clocks:
    """The clocks at one moment."""

    own: float
    children: float
    wall: float

    @classmethod
    def now(cls) -> Clocks:
        """The clocks now."""
        t = os.times()
        return cls(t.user + t.system, t.children_user + t.children_system, time.perf_counter())

    def cost(self, test: str) -> Cost:
        """What has passed since."""
        now = Clocks.now()
        parts = now.own - self.own, now.children - self.children, now.wall - self.wall
        return Cost(test, *(round(part, 3) for part in parts))


class Meter:
    """Writes each cost into this process's own file of a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{os.getpid()}.jsonl"

    def _measured(self, test: str) -> Generator[None, object, object]:
        begun = Clocks.now()
        try:
            return (yield)
        finally:
            with self._path.open("a") as file:
                file.write(json.dumps(asdict(begun.cost(test))) + "\n")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Collection, with what importing the tests takes."""
        return (yield from self._measured(""))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """One test with its fixtures: those that others share are the first one's."""
        return (yield from self._measured(item.nodeid))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--costs", metavar="FOLDER", help="write what each test costs into files")


def pytest_configure(config: pytest.Config) -> None:
    """Measure in each process that runs tests."""
    folder: str | None = config.getoption("--costs")
    controls = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if folder and not controls:
        config.pluginmanager.register(Meter(Path(folder)))


def folder_of(test: str) -> str:
    """`tests/unit/sim` of its tests, and of what is not below `unit`, `tests/bits`."""
    parts = PurePosixPath(test.partition("::")[0]).parts[:-1]
    return "/".join(parts[: 3 if parts[1:2] == ("unit",) else 2]) or "collection"


def module_of(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0] or "collection"


def function_of(test: str) -> str:
    """A test without its parameters."""
    return test.partition("[")[0] or "collection"


GROUPS: tuple[Callable[[str], str], ...] = (folder_of, module_of, function_of)
"""How the tables sum up, the coarsest first."""


def read(folder: Path) -> list[Cost]:
    """All that was written into a folder."""
    texts = [path.read_text() for path in sorted(folder.glob("*.jsonl"))]
    return [Cost(**json.loads(line)) for text in texts for line in text.splitlines()]


def table(costs: list[Cost], group: Callable[[str], str]) -> list[str]:
    """Rows of own, children's and wall seconds and the count of tests, the dearest first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0])
    for cost in costs:
        row = sums[group(cost.test)]
        for column, value in enumerate((cost.own, cost.children, cost.wall, 1)):
            row[column] += value
    dearest = sorted(sums.items(), key=lambda pair: -pair[1][0] - pair[1][1])
    return ["    own  children     wall  tests"] + [
        f"{own:7.1f}  {children:8.1f}  {wall:7.1f}  {count:5.0f}  {name}"
        for name, (own, children, wall, count) in dearest[:MOST_ROWS]
    ]


if __name__ == "__main__":
    found = read(Path(sys.argv[1]))
    whole = sum(cost.own + cost.children for cost in found)
    print(f"{len(found)} rows, {whole:.0f} s of processor time")
    for each in GROUPS:
        print("", *table(found, each), sep="\n")
