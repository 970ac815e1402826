"""Runs the turns of parallel ranges in kernels on the pool: what compiled code asks for them.

Owns how large batches are, and what becomes of an interruption. A kernel waits until no thread is
inside its turns, whatever happens: they use its stack.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache, lru_cache
from typing import Any

from samebits.backend.emit_range import BATCHES, INTERRUPTED
from samebits.runtime.native import OWN_NUMBERS, RANGE
from samebits.runtime.pool import inside, pool
from samebits.runtime.tasks import DONE, WAITING, ControlBlock, Task

HOOK_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
    ctypes.c_int64, ctypes.c_void_p,
)  # fmt: skip
IN_LINE = -1
"""Says that the kernel is to run the turns itself."""
BATCHES_A_WORKER = 8
"""Batches that a worker gets where the kernel leaves their size open: enough that none waits long
for the last one."""


class _Interrupted(threading.local):
    error: BaseException | None = None


_interrupted = _Interrupted()


def interruption() -> BaseException:
    """What interrupted the last parallel range of this thread."""
    error, _interrupted.error = _interrupted.error, None
    return error or KeyboardInterrupt()


@cache
def hook_address() -> int:
    """The address of the function that compiled kernels call, good for the whole process."""
    return int(ctypes.cast(_hook, ctypes.c_void_p).value or 0)


@lru_cache(maxsize=256)
def _range(address: int) -> Any:
    return RANGE(address)


def _batch_size(turns: int, least: int, workers: int) -> int:
    """`least` at least, and as many batches for each worker where there are some for all."""
    batches = min(turns // least, BATCHES_A_WORKER * workers)
    if batches > workers:
        batches -= batches % workers
    return -(-turns // max(1, batches))


def _run(function: int, slots: int, turns: int, batch: int, least: int, own: int | None) -> int:
    found = pool()
    workers = found.workers
    if workers == 1 or inside.depth:
        return IN_LINE
    size = batch or _batch_size(turns, least, workers)
    block = ControlBlock(turns, size)
    if block.words[BATCHES] <= 1:
        return IN_LINE
    task = Task(_range(function), slots, block.words, block.address)
    error: BaseException | None = None
    submitted = False
    while task.state != DONE:
        try:
            if not submitted:
                submitted = True
                found.submit(task, [])
            found.wait(task)
        except BaseException as interrupted:
            error = interrupted
            task.give_up()
            if task.state == WAITING:  # nobody has got to know of it
                break
    error = error or task.error
    if error is not None:
        _interrupted.error = error
        return INTERRUPTED
    if block.status and own:
        OWN_NUMBERS.from_address(own)[:] = block.own_numbers
    return block.status


_hook = HOOK_TYPE(_run)
