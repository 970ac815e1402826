"""Workers by Dask: batches of tasks out, rows in, and what becomes of those whose worker is lost.

Owns all that is Dask's but the workers' own part. A scheduler that is gone ends the run by an
error; what was found until then is the caller's already.
"""

from __future__ import annotations

import logging
import math
import queue
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from types import TracebackType
from typing import Any

import dask
import distributed

from samebits.farm.errors import FarmError
from samebits.farm.labels import Facts, facts, resource, resources
from samebits.farm.limits import Limits
from samebits.farm.rows import LOST, Row, Task
from samebits.farm.worker import end_processes, run_batch, worker_facts

_dask: Any = dask
_distributed: Any = distributed
"""Dask's own annotations are partial: what comes from it is checked here by hand."""

_ANY_PORT = "127.0.0.1:0"
"""Dask serves its state by HTTP in any case: to this machine alone, and beside other farms."""
BATCH_SECONDS = 1.0
"""How long a batch should take: long beside the milliseconds that Dask needs for one."""
MOST_IN_BATCH = 256
AHEAD = 2
"""Batches that wait for each thread of a worker."""
LOST_SECONDS = 15.0
"""How long tasks wait for a worker with their label, once there is none."""
_POLL_SECONDS = 0.5


@dataclass(eq=False)
class _Kind:
    """The tasks of one simulation and target, which share what is compiled."""

    label: str
    tasks: deque[Task]
    seconds: float = 0.0
    done: int = 0

    def batch(self, threads: int) -> list[Task]:
        """The next tasks: few until it is known how long one takes, and few at the end."""
        size = 2
        if self.done:
            size = max(1, int(BATCH_SECONDS * self.done / max(self.seconds, 1e-4)))
        fair = math.ceil(len(self.tasks) / (2 * threads))
        size = min(size, fair, MOST_IN_BATCH, len(self.tasks))
        return [self.tasks.popleft() for _ in range(size)]


class Cluster:
    """Workers of this machine, `local` of them, or those of the scheduler at an address."""

    def __init__(self, local: int | None, scheduler: str | None) -> None:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._where = scheduler or "this machine"
        self._cluster: Any = None
        with _dask.config.set({"distributed.comm.timeouts.connect": "10s"}):
            if scheduler is None:
                # Threads, as each has processes of its own that run the replays.
                self._cluster = _distributed.LocalCluster(
                    n_workers=local or 1, threads_per_worker=1, processes=False,
                    dashboard_address=_ANY_PORT, worker_dashboard_address=_ANY_PORT,
                    memory_limit=0, resources=resources(facts(), 1),
                )  # fmt: skip
            try:
                self._client: Any = _distributed.Client(
                    self._cluster or scheduler, timeout=10, set_as_default=False
                )
            except (OSError, ValueError, TimeoutError) as error:
                self._close_cluster()
                raise FarmError(
                    f"there is no scheduler at {self._where}: {str(error)[:200]}",
                    fix="start one: `dask scheduler --host 127.0.0.1`, then --scheduler "
                    "tcp://127.0.0.1:8786",
                ) from None
        self._threads: dict[str, int] = {}

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._client.status == "running":
            with suppress(Exception):
                self._client.run(end_processes, on_error="ignore")
        with suppress(Exception):
            self._client.close(timeout=2)
        self._close_cluster()

    def _close_cluster(self) -> None:
        if self._cluster is not None:
            self._cluster.close(timeout=5)

    def workers(self) -> dict[str, Facts]:
        """The workers, by address, with what each says of itself. Raises FarmError where there is
        none, or one of another samebits."""
        told: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        labelled: dict[str, int] = {
            address: each["nthreads"] for address, each in told.items()
            if any(name.startswith("samebits ") for name in each["resources"])
        }  # fmt: skip
        if not labelled:
            other = f"{len(told)} without labels" if told else "none at all"
            raise FarmError(
                f"{self._where} has no worker for replays: {other}",
                fix=f"start one: `samebits farm worker --scheduler {quote(self._where)}`",
            )
        self._threads = labelled
        try:
            found: dict[str, Facts] = self._client.run(worker_facts, workers=list(labelled))
        except Exception as error:  # of the other samebits, or of the network
            raise FarmError(
                f"a worker of {self._where} cannot say what it is: {str(error)[:200]}",
                fix="install the same samebits on all of them",
            ) from None
        own = facts().fingerprint
        for address, each in found.items():
            if each.fingerprint != own:
                raise FarmError(
                    f"the worker at {address} has another samebits: its math fingerprint is "
                    f"{each.fingerprint}, here it is {own}",
                    fix="install the same version on all machines",
                )
        return found

    def run(
        self, tasks: Sequence[Task], hows: Mapping[str, str], limits: Limits
    ) -> Iterator[list[Row]]:
        """The rows of tasks as they come; `hows` says how each target is run. Raises FarmError if
        the scheduler is gone."""
        kinds: dict[tuple[str, str], _Kind] = {}
        for task in tasks:
            target = task.key.target
            key = task.simulation, target
            if key not in kinds:
                kinds[key] = _Kind(resource(hows[target], target), deque())
            kinds[key].tasks.append(task)
        yield from _Running(self._client, self._where, kinds, limits, self._threads).rows()


class _Running:
    def __init__(
        self,
        client: Any,
        where: str,
        kinds: Mapping[tuple[str, str], _Kind],
        limits: Limits,
        threads: Mapping[str, int],
    ) -> None:
        self._client, self._where, self._limits = client, where, limits
        self._kinds = dict(kinds)
        self._threads = max(1, sum(threads.values()))
        self._done: queue.Queue[Any] = queue.Queue()
        self._out: dict[str, tuple[Any, _Kind, list[Task]]] = {}
        self._alone: deque[tuple[_Kind, list[Task]]] = deque()
        self._without: dict[str, float] = {}
        self._polled = 0.0

    def rows(self) -> Iterator[list[Row]]:
        try:
            while self._submit() or self._out:
                try:
                    future = self._done.get(timeout=_POLL_SECONDS)
                except queue.Empty:
                    yield from self._poll()
                    continue
                if future.key in self._out:
                    yield from self._finished(*self._out.pop(future.key))
                if time.monotonic() - self._polled > LOST_SECONDS / 4:
                    yield from self._poll()
        finally:
            if self._out and self._client.status == "running":
                with suppress(Exception):
                    self._client.cancel([each[0] for each in self._out.values()], force=True)

    def _submit(self) -> bool:
        """Send batches while threads lack some; whether any is out."""
        while len(self._out) < AHEAD * self._threads:
            batch = self._next()
            if batch is None:
                break
            kind, tasks = batch
            future = self._client.submit(
                run_batch, tasks, self._limits, resources={kind.label: 1}, pure=False
            )
            self._out[future.key] = future, kind, tasks
            future.add_done_callback(self._done.put)
        return bool(self._out)

    def _next(self) -> tuple[_Kind, list[Task]] | None:
        if self._alone:
            return self._alone.popleft()
        waiting = [kind for kind in self._kinds.values() if kind.tasks]
        if not waiting:
            return None
        out = [kind for _, kind, _ in self._out.values()]
        kind = min(waiting, key=lambda each: (out.count(each), -len(each.tasks)))
        return kind, kind.batch(self._threads)

    def _finished(self, future: Any, kind: _Kind, tasks: list[Task]) -> Iterator[list[Row]]:
        if future.status == "finished":
            rows: list[Row] = future.result()
            kind.seconds += sum(row.seconds for row in rows)
            kind.done += len(rows)
            yield rows
            return
        self._check_scheduler()
        why = str(future.exception() if future.status == "error" else future.status)
        if len(tasks) > 1:  # only those that the worker died of, or with, are lost
            self._alone.extend((kind, [task]) for task in tasks)
        else:
            yield [tasks[0].row(LOST, f"its worker was lost: {why.splitlines()[0]}")]

    def _poll(self) -> Iterator[list[Row]]:
        """Rows of tasks for which no worker is left."""
        self._polled = now = time.monotonic()
        self._check_scheduler()
        there = self._labels()
        wanted = {kind.label for _, kind, _ in self._out.values()}
        wanted |= {kind.label for kind in self._kinds.values() if kind.tasks}
        for label in wanted:
            if label in there:
                self._without.pop(label, None)
                continue
            since = self._without.setdefault(label, now)
            if now - since >= LOST_SECONDS:
                yield self._given_up(label)

    def _given_up(self, label: str) -> list[Row]:
        rows: list[Row] = []
        why = f"no worker is left for {label.removeprefix('samebits ')}"
        for key, (future, kind, tasks) in [*self._out.items()]:
            if kind.label == label:
                del self._out[key]
                with suppress(Exception):
                    future.cancel(force=True)
                rows += [task.row(LOST, why) for task in tasks]
        for kind in self._kinds.values():
            if kind.label == label:
                rows += [task.row(LOST, why) for task in kind.tasks]
                kind.tasks.clear()
        return rows

    def _labels(self) -> set[str]:
        try:
            told: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        except Exception:  # the network's, or what waits for a reply that never comes
            self._check_scheduler()
            return set()
        return {name for each in told.values() for name in each["resources"]}

    def _check_scheduler(self) -> None:
        """Raise FarmError if the scheduler is gone."""
        if self._client.status != "running":
            raise FarmError(
                f"the scheduler at {self._where} is gone",
                note="what was found is kept",
                fix="start it and its workers again, then repeat the command: it goes on there",
            )
