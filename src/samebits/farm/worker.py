"""The part of a farm that runs on its workers: batches of replays, in limited processes.

Dask hands over what is here by its name: both ends have the same samebits.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import distributed

from samebits.farm.errors import FarmError
from samebits.farm.labels import Facts, facts, resources
from samebits.farm.limits import Limits
from samebits.farm.pool import Pool
from samebits.farm.rows import Row, Task

_distributed: Any = distributed
_pools: dict[Limits, Pool] = {}
_lock = threading.Lock()


def run_batch(tasks: Sequence[Task], limits: Limits) -> list[Row]:
    """The rows of tasks, one after another."""
    with _lock:
        pool = _pools.setdefault(limits, Pool(limits))
    name = str(_distributed.get_worker().name)
    return [replace(pool.run(task), worker=name) for task in tasks]


def end_processes() -> None:
    """End the processes that wait for replays."""
    with _lock:
        pools = list(_pools.values())
        _pools.clear()
    for pool in pools:
        pool.close()


def worker_facts() -> Facts:
    """What this worker says of itself."""
    return facts()


def serve(scheduler: str, threads: int, name: str | None, said: Callable[[str], None]) -> None:
    """Work for a scheduler until it ends or the process is asked to. `said` gets a line once the
    worker is there. Raises FarmError where there is no scheduler."""
    asyncio.run(_serve(scheduler, threads, name, said))


async def _serve(
    scheduler: str, threads: int, name: str | None, said: Callable[[str], None]
) -> None:
    logging.getLogger("distributed").setLevel(logging.ERROR)  # what matters is told to `said`
    found = facts()
    worker = _distributed.Worker(
        scheduler, nthreads=threads, name=name, resources=resources(found, threads),
        memory_limit=0, dashboard=False,
        dashboard_address="127.0.0.1:0", death_timeout=10,
    )  # fmt: skip
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    for each in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # on Windows
            loop.add_signal_handler(each, lambda: task and task.cancel())
    try:
        try:
            await worker
        except (OSError, TimeoutError) as error:
            raise FarmError(
                f"there is no scheduler at {scheduler}: {str(error)[:200]}",
                fix="start one: `dask scheduler --host 127.0.0.1`",
            ) from None
        hows = sorted({*found.targets.values()})
        said(
            f"{worker.name} works for {scheduler}: {threads} at once, {len(found.targets)} targets "
            f"({', '.join(hows)})"
        )
        await worker.finished()
    except asyncio.CancelledError:
        pass
    finally:
        await worker.close()
        end_processes()
