"""A server's workers: started with it, told of what comes, replaced where one ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress

from samebits.collector.operate.logs import Log
from samebits.collector.settings import Settings
from samebits.collector.work.process import DATABASE

AGAIN = 1.0
"""Seconds until a worker that ended is replaced."""
FAREWELL = 5.0
"""Seconds in which workers must end; what one was at is done again by the next server's."""


class Crew:
    """`settings.workers` processes, from `start` to `stop`."""

    def __init__(self, settings: Settings, log: Log) -> None:
        self._settings, self._log = settings, log
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        for number in range(self._settings.workers):
            self._tasks.append(asyncio.get_running_loop().create_task(self._keep(number)))

    def wake(self) -> None:
        """Tell the workers that something came."""
        for process in self._processes.values():
            if process.stdin is not None and not process.stdin.is_closing():
                with suppress(OSError, RuntimeError):
                    process.stdin.write(b"\n")

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for process in self._processes.values():
            if process.stdin is not None:
                process.stdin.close()
        for process in self._processes.values():
            try:
                await asyncio.wait_for(process.wait(), FAREWELL)
            except TimeoutError:
                process.kill()
                await process.wait()

    async def _keep(self, number: int) -> None:
        """Keep one worker running."""
        settings = self._settings
        given = {
            "folder": str(settings.folder.absolute()), "seconds": settings.seconds,
            "memory": settings.memory,
        }  # fmt: skip
        environment = {**os.environ, DATABASE: settings.database or ""}
        command = [sys.executable, "-P", "-m", "samebits.collector.work.process", json.dumps(given)]
        while True:
            process = await asyncio.create_subprocess_exec(
                *command, env=environment,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            self._processes[number] = process
            status = await process.wait()
            self._log.say("worker ended", number=number, status=status)
            await asyncio.sleep(AGAIN)
