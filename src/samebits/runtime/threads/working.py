"""The threads inside tasks' range functions, and their preemption.

A job that was preempted in the middle of a batch has failed: its memory is neither in the old nor
in the new state, and it cannot be resumed.
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
"""By a thread's identity: its task, and the address of its record."""
_lock = Mutex()
"""Held while threads are told to leave, so that none of `_inside` ends meanwhile."""


def _forget_others() -> None:
    """Reset in the child of a fork, whose only thread is the one that forked."""
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
    """Run batches of a task until none is left. Raises what a signal handler raised."""
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
    """Handle a thread that began nothing for lack of stack, or was preempted in a batch."""
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
    """Make every thread inside `task`, or inside any task, leave it."""
    with _lock:
        for ident, (other, record) in tuple(_inside.items()):
            if task is None or other is task:
                preempt.stop(ident, record)
