"""Workers and schedulers are lost: each costs its own rows at most, and the rest goes on."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import distributed
import pytest
from tests.support.limits import HANG_SECONDS

from samebits.farm import cluster as module
from samebits.farm import worker
from samebits.farm.cluster import Cluster
from samebits.farm.errors import FarmError
from samebits.farm.labels import facts, resources
from samebits.farm.limits import Limits
from samebits.farm.rows import LOST, SAME, Key, Row, Task

_distributed: Any = distributed
TARGET = "evaluate"
HOWS = {TARGET: "python"}


def tasks(count: int) -> list[Task]:
    keys = (Key(f"{n:032x}", "p", TARGET, "f", 0) for n in range(count))
    return [Task(key, f"{n}.mcap", "game.py", "game", "1") for n, key in enumerate(keys)]


class FakePool:
    """Rows without processes; `before` is called for each task."""

    before: Callable[[Task], None] = staticmethod(lambda task: None)

    def __init__(self, limits: Limits) -> None: ...

    def run(self, task: Task) -> Row:
        FakePool.before(task)
        return task.row(SAME, seconds=0.001)

    def close(self) -> None: ...


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(worker, "Pool", FakePool)
    monkeypatch.setattr(FakePool, "before", staticmethod(lambda task: None))
    monkeypatch.setattr(module, "_POLL_SECONDS", 0.02)
    yield
    worker.end_processes()


@contextmanager
def scheduler(workers: int, labels: dict[str, float] | None = None) -> Generator[Any]:
    """A scheduler on a socket of this machine, its workers threads of this process."""
    with _distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=False, memory_limit=0,
        dashboard_address="127.0.0.1:0", worker_dashboard_address="127.0.0.1:0",
        protocol="tcp", host="127.0.0.1", scheduler_port=0,
        resources=resources(facts(), 1) if labels is None else labels,
    ) as found:  # fmt: skip
        yield found


def results(rows: Iterator[list[Row]]) -> dict[str, str]:
    return {row.path: row.result for batch in rows for row in batch}


def test_every_task_gets_its_row_once() -> None:
    with Cluster(2, None) as cluster:
        assert len(cluster.workers()) == 2
        rows = [row for batch in cluster.run(tasks(300), HOWS, Limits()) for row in batch]
    assert sorted(int(row.path.split(".")[0]) for row in rows) == list(range(300))
    assert {row.worker for row in rows} == {"0", "1"}


def test_a_task_that_its_worker_cannot_end_costs_its_own_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def before(task: Task) -> None:
        if task.path == "13.mcap":
            raise RuntimeError("the worker fell over")

    monkeypatch.setattr(FakePool, "before", staticmethod(before))
    with Cluster(2, None) as cluster:
        cluster.workers()
        rows = {
            row.path: row for b in cluster.run(tasks(40), HOWS, Limits()) for row in b
        }  # fmt: skip
    assert rows.pop("13.mcap").told == "its worker was lost: the worker fell over"
    assert len(rows) == 39
    assert {row.result for row in rows.values()} == {SAME}


def test_the_others_do_the_work_of_a_worker_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, gone = threading.Event(), threading.Event()

    def before(task: Task) -> None:
        if not gone.is_set() and _distributed.get_worker().name == 1:
            asked.set()
            gone.wait(HANG_SECONDS)

    monkeypatch.setattr(FakePool, "before", staticmethod(before))
    with scheduler(2) as found, Cluster(None, found.scheduler_address) as cluster:
        cluster.workers()
        rows = cluster.run(tasks(60), HOWS, Limits())
        first = next(rows)
        assert asked.wait(HANG_SECONDS)
        found.sync(found.workers[1].close, executor_wait=False)
        gone.set()
        assert {*results(rows).values(), *(row.result for row in first)} == {SAME}


def test_tasks_whose_last_worker_is_gone_are_lost_and_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LOST_SECONDS", 0.05)
    with scheduler(1) as found, Cluster(None, found.scheduler_address) as cluster:
        cluster.workers()
        found.sync(found.workers[0].close)
        rows = [row for batch in cluster.run(tasks(7), HOWS, Limits()) for row in batch]
    assert [row.result for row in rows] == [LOST] * 7
    assert rows[0].told == "no worker is left for python evaluate"


def test_a_scheduler_that_is_gone_ends_the_run_after_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = threading.Event()
    later = threading.Event()

    def before(task: Task) -> None:
        if int(task.path.split(".")[0]) > 1:
            later.set()
            gone.wait(HANG_SECONDS)

    monkeypatch.setattr(FakePool, "before", staticmethod(before))
    with scheduler(1) as found, Cluster(None, found.scheduler_address) as cluster:
        cluster.workers()
        rows = cluster.run(tasks(50), HOWS, Limits())
        assert len(next(rows)) >= 1
        assert later.wait(HANG_SECONDS)
        threading.Timer(0.2, gone.set).start()
        found.close()
        with pytest.raises(FarmError, match="is gone") as caught:
            list(rows)
    assert caught.value.note == "what was found is kept"


def test_a_scheduler_without_workers_for_replays_is_refused_at_once() -> None:
    with scheduler(1, {}) as found, Cluster(None, found.scheduler_address) as cluster:
        with pytest.raises(FarmError, match="no worker for replays: 1 without labels") as caught:
            cluster.workers()
        assert f"--scheduler {found.scheduler_address}" in str(caught.value.fix)


def test_an_address_without_a_scheduler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FarmError, match="there is no scheduler at nonsense"):
        Cluster(None, "nonsense://here")


def test_a_worker_of_another_samebits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    with Cluster(1, None) as cluster:
        monkeypatch.setattr(module, "facts", lambda: replace(facts(), fingerprint="0" * 16))
        with pytest.raises(FarmError, match="has another samebits"):
            cluster.workers()


def test_the_worker_command_labels_its_targets_and_ends_when_asked() -> None:
    with scheduler(0) as found, Cluster(None, found.scheduler_address) as cluster:
        command = [
            sys.executable, "-P", "-m", "samebits", "farm", "worker", "--scheduler",
            found.scheduler_address, "--threads", "2", "--name", "mine",
        ]  # fmt: skip
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            said = process.stderr.readline()
            assert said.startswith(f"mine works for {found.scheduler_address}: 2 at once, ")
            (told,) = cluster.workers().values()
            assert told == facts()
            process.terminate()
            assert (process.wait(HANG_SECONDS), process.stderr.read()) == (0, "")
