"""The event loop of a relay: uvloop where it is installed, since it costs a third less.

Owns how signals end it, and that the collector of garbage holds no frames up. Loops swallow what a
handler raises within some of their callbacks, so that a signal cancels the work instead, and is
handled when that has ended.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import signal
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

_T = TypeVar("_T")
_ENDS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


def run(work: Coroutine[Any, Any, _T], *, fast: bool = True) -> _T:
    """Run a coroutine in a new loop: uvloop's where it is installed, unless `fast` is false.

    A signal that has a handler and asks the process to end cancels the coroutine; its handler is
    called afterwards.
    """
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    if fast:
        with suppress(ImportError):
            factory = importlib.import_module("uvloop").new_event_loop
    came: list[int] = []
    known = {number: signal.getsignal(number) for number in _ENDS}
    handled = {n: handler for n, handler in known.items() if callable(handler)}

    async def cancelled_by_signals() -> _T:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def end(number: int) -> None:
            came.append(number)
            task.cancel()

        if threading.current_thread() is threading.main_thread():
            for number in handled:
                with suppress(NotImplementedError):
                    loop.add_signal_handler(number, end, number)
        try:
            return await work
        finally:
            for number, handler in handled.items():
                with suppress(NotImplementedError):
                    loop.remove_signal_handler(number)
                if threading.current_thread() is threading.main_thread():
                    signal.signal(number, handler)

    # To go through all that was loaded takes longer than three frames, now and then.
    gc.freeze()
    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(cancelled_by_signals())
    except asyncio.CancelledError:
        for number in came:
            handled[number](number, None)
        raise
    finally:
        gc.unfreeze()
