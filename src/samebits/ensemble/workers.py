"""A study's blocks by Dask: out in any order, each kept when it comes; lost ones are sent again."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dask
import distributed

from samebits.ensemble.blocks import Columns, run_block
from samebits.ensemble.study import Study, received
from samebits.errors import ArgumentError

_dask: Any = dask
_distributed: Any = distributed
"""Dask's own annotations are partial: what comes from it is checked here by hand."""
AHEAD = 4
"""Blocks that are out for each thread of the workers."""
TRIES = 4
"""How often a block is sent out before the study gives up."""


_latest: dict[str, Study] = {}
"""On a worker: the study that it works on, by its digest."""


def _block_there(facts: Mapping[str, Any], block: int) -> Columns:
    """Run on a worker."""
    digest = facts["digest"]
    study = _latest.get(digest)
    if study is None:
        study = received(facts)
        _latest.clear()
        _latest[digest] = study
    return run_block(study, block)


def run_elsewhere(
    study: Study, blocks: Sequence[int], scheduler: str
) -> Iterator[tuple[int, Columns]]:
    """The blocks, in the order in which they come. Raises ArgumentError where there is no
    scheduler, no worker is left, or a block fails."""
    facts = study.sent()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        with _dask.config.set({"distributed.comm.timeouts.connect": "10s"}):
            client = _distributed.Client(scheduler, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ArgumentError(
            f"there is no scheduler at {scheduler}: {str(error)[:200]}",
            fix="start one: `dask scheduler --host 127.0.0.1`, and `dask worker` with its address",
        ) from None
    try:
        yield from _run(client, facts, blocks, scheduler)
    finally:
        client.close(timeout=2)


def _run(
    client: Any, facts: Mapping[str, Any], blocks: Sequence[int], scheduler: str
) -> Iterator[tuple[int, Columns]]:
    told: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    threads = sum(each["nthreads"] for each in told.values())
    if not threads:
        raise ArgumentError(
            f"the scheduler at {scheduler} has no worker", fix=f"start one: dask worker {scheduler}"
        )
    [common] = client.scatter([dict(facts)], broadcast=True)
    waiting, tries = list(reversed(blocks)), dict.fromkeys(blocks, 0)
    out: dict[Any, int] = {}
    coming = _distributed.as_completed(loop=client.loop)

    def send() -> None:
        while waiting and len(out) < AHEAD * threads:
            block = waiting.pop()
            tries[block] += 1
            future = client.submit(_block_there, common, block, pure=False)
            out[future] = block
            coming.add(future)

    send()
    while out:
        future = next(coming)
        block = out.pop(future)
        if future.status == "finished":
            yield block, future.result()
        elif client.status != "running":
            raise ArgumentError(
                f"the scheduler at {scheduler} is gone",
                note="the blocks that came are kept",
                fix="start it again and repeat the call: it goes on there",
            )
        else:
            error = future.exception() if future.status == "error" else None
            is_lost = error is None or type(error).__module__.startswith("distributed")
            if not is_lost or tries[block] >= TRIES:
                raise ArgumentError(
                    f"block {block} of the study failed: {str(error or future.status)[:300]}",
                    note="the blocks that came are kept",
                ) from error
            waiting.append(block)
        send()
