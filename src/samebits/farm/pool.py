"""Warm processes that run replays, as those who ask them see them.

Owns what becomes of one that dies: the replay that it ran costs a row that says so, and the next
replay gets another process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from shlex import quote
from typing import IO, Any, cast

from samebits.farm.errors import FarmError
from samebits.farm.limits import PREPARE_SECONDS, Limits, is_end_of
from samebits.farm.rows import CRASHED, HUNG, MEMORY, Row, Task
from samebits.farm.watch import Watch, with_children

MOST_IDLE = 8
"""Processes that wait for a replay of their simulation."""


class Child:
    """One process, for the replays of one simulation."""

    def __init__(self, simulation: str, limits: Limits) -> None:
        self.simulation, self._limits = simulation, limits
        self.is_whole = True
        """Whether it can be asked again."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "samebits.farm.child", simulation, str(limits.mebibytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request; where the process has ended `{"ended": a result, "told": words,
        "how": how it ran}`."""
        limit = self._limits.seconds
        how, told = "", f"not loaded and compiled after {limit + PREPARE_SECONDS:g} s"
        requests = cast("IO[str]", self._process.stdin)
        answers = cast("IO[str]", self._process.stdout)
        pid = self._process.pid
        watch = Watch(lambda: with_children(pid), limit + PREPARE_SECONDS, self._kill)
        watch.start()
        try:
            requests.write(json.dumps({**request, "seconds": limit}) + "\n")
            requests.flush()
            answer = answers.readline()
            if answer.startswith('{"began": ') and answer.endswith("\n"):
                watch.anew(limit)
                how, told = json.loads(answer)["began"], f"over {limit:g} s"
                answer = answers.readline()
        except OSError:
            answer = ""
        finally:
            watch.stop()
        if answer.endswith("\n"):
            self.is_whole = not watch.late  # which may have ended it behind the answer
            return json.loads(answer)
        status = self.close()
        if watch.late or is_end_of(status):
            return {"ended": HUNG, "told": told, "how": how}
        why = f"status {status}" if status >= 0 else f"signal {-status}"
        return {"ended": CRASHED, "told": f"the process that ran it ended: {why}", "how": how}

    def close(self) -> int:
        """End the process, and return its status."""
        with self._process as process:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
            try:
                return process.wait(1)
            except subprocess.TimeoutExpired:
                self._kill()
        return self._process.wait()

    def _kill(self) -> None:
        """Kill it and the emulators that it has started."""
        import psutil

        with suppress(psutil.Error):
            for each in psutil.Process(self._process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    each.kill()
        self._process.kill()


class Pool:
    """Processes for all who ask in this process, any number of threads at once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._idle: list[Child] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def run(self, task: Task) -> Row:
        """The task's row, whatever becomes of the process that runs it."""
        child = self._taken(task.simulation)
        answer = child.ask(task=task.to_json())
        if "row" in answer:
            self._give_back(child)
            return Row(**answer["row"])
        if "ended" in answer:
            return task.row(answer["ended"], answer["told"], how=answer["how"])
        child.close()
        if "memory" in answer:
            return task.row(MEMORY, f"over {self._limits.mebibytes:,} MiB")
        return task.row(CRASHED, str(answer["error"][0]))

    def about(self, simulation: str) -> tuple[str, str, str]:
        """The name, version and digest of a simulation. Raises FarmError."""
        child = self._taken(simulation)
        answer = child.ask()
        if "about" in answer:
            self._give_back(child)
            name, version, digest = answer["about"]
            return name, version, digest
        child.close()
        if "error" in answer:
            message, note, fix = answer["error"]
            raise FarmError(message, note=note, fix=fix)
        how = answer.get("told", f"it takes more than {self._limits.mebibytes:,} MiB")
        raise FarmError(
            f"{simulation} cannot be loaded: {how}",
            fix=f"try `samebits verify {quote(simulation)}`",
        )

    def _taken(self, simulation: str) -> Child:
        with self._lock:
            for child in reversed(self._idle):
                if child.simulation == simulation:
                    self._idle.remove(child)
                    return child
        return Child(simulation, self._limits)

    def _give_back(self, child: Child) -> None:
        if not child.is_whole:
            child.close()
            return
        with self._lock:
            self._idle.append(child)
            old = self._idle.pop(0) if len(self._idle) > MOST_IDLE else None
        if old is not None:
            old.close()

    def close(self) -> None:
        """End the processes that wait."""
        with self._lock:
            ended, self._idle = self._idle, []
        for child in ended:
            child.close()
