"""`make bench-farm`: what a farm costs beside its replays, and its goals; prints a table.

Wall seconds of tasks that sleep say how well workers are kept busy on a machine that does other
things too; processor seconds say what a row costs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable

from samebits.farm import worker
from samebits.farm.cluster import Cluster
from samebits.farm.limits import Limits
from samebits.farm.rows import RESULTS, SAME, Key, Row, Task
from samebits.farm.store import Store
from samebits.farm.summary import summarise

TARGET = "evaluate"
HOWS = {TARGET: "python"}


class SleepingPool:
    """Rows that take so many seconds of sleep each, without a process."""

    seconds = 0.0

    def __init__(self, limits: Limits) -> None: ...

    def run(self, task: Task) -> Row:
        """The row of a task, after the sleep."""
        time.sleep(self.seconds)
        return task.row(SAME, seconds=self.seconds, frames=60, run="0" * 16, how="native")

    def close(self) -> None:
        """Nothing is to be ended."""


def tasks(count: int) -> list[Task]:
    """So many different tasks."""
    keys = (Key(f"{n:032x}", "p" * 32, TARGET, "f", 0) for n in range(count))
    return [Task(key, f"/corpus/{n}.mcap", "game.py", "game", "1") for n, key in enumerate(keys)]


def spread(workers: int, count: int, seconds: float) -> tuple[float, float]:
    """Wall and processor seconds of `count` tasks of so many seconds on some workers, with the rows
    written as a farm does."""
    SleepingPool.seconds = seconds
    given = tasks(count)
    with tempfile.TemporaryDirectory() as folder, Cluster(workers, None) as cluster:
        cluster.workers()
        with Store(folder) as store:
            began, used = time.perf_counter(), time.process_time()
            waiting: list[Row] = []
            for rows in cluster.run(given, HOWS, Limits()):
                waiting += rows
                if len(waiting) >= 2000:
                    store.add(waiting)
                    waiting = []
            store.add(waiting)
            return time.perf_counter() - began, time.process_time() - used


def summary(count: int) -> tuple[float, float, float]:
    """Wall and processor seconds of a summary of so many rows on three targets, and those that
    opening the store took. One row in a hundred thousand differs, one is poison."""
    with tempfile.TemporaryDirectory() as folder:
        with Store(folder) as store:
            store._write(1, 1, _rows(count))  # pyright: ignore[reportPrivateUsage]
        began = time.perf_counter()
        with Store(folder) as store:
            opened = time.perf_counter() - began
            began, used = time.perf_counter(), time.process_time()
            found = summarise(store)
            wall, cpu = time.perf_counter() - began, time.process_time() - used
        assert sum(line.rows for line in found.lines) == count
        assert found.result == "differs"
        return wall, cpu, opened


def _rows(count: int) -> str:
    """A query that makes rows as those of a run."""
    return (
        "SELECT md5((n // 3)::VARCHAR) AS replay, repeat('p', 32) AS program, "
        "['x86-64-v3-O3', 'aarch64-O3', 's390x-O3'][n % 3 + 1] AS target, 'f' AS fingerprint, "
        "0::BIGINT AS asked, '/corpus/' || (n // 3) || '.mcap' AS path, 'game' AS simulation, "
        f"'1' AS version, CASE n % 100000 WHEN 7 THEN '{RESULTS[1]}' WHEN 11 THEN 'hung' "
        "ELSE 'same' END AS result, '' AS told, 3600::BIGINT AS frames, NULL::BIGINT AS frame, "
        "substr(md5('f' || (n // 3)), 1, 16) AS final, substr(md5('r' || (n // 3)), 1, 16) AS run, "
        "['native', 'native', 'emulated'][n % 3 + 1] AS how, 'w' || (n % 64) AS worker, "
        f"(n % 977) / 1000.0::DOUBLE AS seconds FROM range({count}) AS t(n)"
    )


def main() -> int:
    """Measure and print; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    real, worker.Pool = worker.Pool, SleepingPool
    try:
        ideal = options.tasks * 0.05 / 2
        wall, _ = spread(2, options.tasks, 0.05)
        one, _ = spread(1, options.tasks, 0.05)
        worker.end_processes()
        _, cpu = spread(2, 20 * options.tasks, 0.0)
    finally:
        worker.end_processes()
        worker.Pool = real
    told, used, opened = summary(options.rows)
    rows: list[tuple[str, float, str, Callable[[float], bool]]] = [
        (f"{options.tasks:,} tasks of 50 ms: speed-up by a second worker, of 2", one / wall / 2,
         ">= 0.9", lambda x: x >= 0.9),
        ("  wall seconds with 2 workers, of the least there can be", wall / ideal, "",
         lambda x: True),
        ("processor ms a row of no work, rows written", 1e3 * cpu / (20 * options.tasks), "<= 5",
         lambda x: x <= 5),
        (f"processor seconds for a summary of {options.rows:,} rows", used, "<= 2",
         lambda x: x <= 2),
        ("  wall seconds", told, "", lambda x: True),
        ("  and to open and check the store", opened, "", lambda x: True),
    ]  # fmt: skip
    for what, value, goal, _ in rows:
        print(f"{what:58} {value:8.3f}  {goal}")
    return int(not all(fits(value) for _, value, _, fits in rows))


if __name__ == "__main__":
    raise SystemExit(main())
