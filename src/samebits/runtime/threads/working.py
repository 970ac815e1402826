"""Threads inside the range functions of tasks: which is in which, and how they are made to leave.

A job whose batch was left in the middle has failed: what it has written is neither the old nor the
new, and nothing can take it up again.
"""

from __future__ import annotations

import _thread
import os

from samebits.backend.records import LEFT
from samebits.errors import JobError
from samebits.mutex import Mutex
from samebits.runtime.threads import preempt
from samebits.runtime.threads.tasks import TRAP, Task

_inside: dict[int, tuple[Task, int]] = {}
"""Threads by their identity: the task, and the address of the thread's record."""
_lock = Mutex()
"""Held while threads are told to leave: none of `_inside` ends meanwhile."""


def _forget_others() -> None:
    """In the child of a fork: the thread that forked is the only one."""
    global _lock
    ident = _thread.get_ident()
    here = _inside.get(ident)
    _inside.clear()
    if here is not None:
        _inside[ident] = here
    _lock = Mutex()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)


def work(task: Task) -> None:
    """Run batches of a task until none is left. Raises what a signal's handler has raised."""
    ident, outer = _thread.get_ident(), None
    record = preempt.record()
    try:
        outer, _inside[ident] = _inside.get(ident), (task, record)
        status = task.function(task.slots, task.shared)
    finally:
        with _lock:
            if outer is None:
                _inside.pop(ident, None)
            else:
                _inside[ident] = outer
    if status:
        _left(task, status)


def _left(task: Task, status: int) -> None:
    """This thread has begun nothing for want of stack, or has left a batch."""
    cause = preempt.raised() if status == LEFT else None
    if cause is None:
        task.words[TRAP] = status  # as if the first batch had trapped
    elif task.error is None:
        task.error = JobError(
            "the job was interrupted in the middle of a batch",
            note="its arrays hold some of its results, and what depends on it was not run",
        )
    task.give_up()
    stop(task)
    if cause is not None and not isinstance(cause, preempt.Stopped):
        raise cause


def stop(task: Task | None = None) -> None:
    """Have every thread leave that is inside of `task`, or of any."""
    with _lock:
        for ident, (other, record) in tuple(_inside.items()):
            if task is None or other is task:
                preempt.stop(ident, record)
