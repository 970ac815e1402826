"""The limited process, from outside: started when needed, asked, replaced when it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

MOST_JOBS = 500
"""Jobs after which another process takes over, whatever the last ones left in its memory."""


class HelperEnded(Exception):
    """The process ended, or was ended, before it answered; the text says by what."""


class Helper:
    """A process that answers jobs, each within `seconds` of a processor, three times as long in
    all, and `memory` bytes."""

    def __init__(self, seconds: int, memory: int) -> None:
        self._seconds, self._memory = seconds, memory
        self._process: subprocess.Popen[str] | None = None
        self._jobs = 0

    def ask(self, **job: Any) -> dict[str, Any]:
        """The answer to a job. Raises HelperEnded."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        self._jobs += 1
        timer = threading.Timer(3 * self._seconds, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if line.endswith("\n"):
            return json.loads(line)
        status = process.wait()
        self.close()
        raise HelperEnded(self._how(status))

    def _how(self, status: int) -> str:
        if status == -getattr(signal, "SIGXCPU", 24):
            return f"it took more than {self._seconds} seconds of a processor"
        if status == -getattr(signal, "SIGKILL", 9):
            return f"it was killed: no answer in {3 * self._seconds} seconds, or too much memory"
        if status == 1:
            return f"it took more than {self._memory >> 20:,} MiB of memory, or failed"
        return f"its process ended with status {status}"

    def _started(self) -> subprocess.Popen[str]:
        if self._jobs >= MOST_JOBS or self._process is None or self._process.poll() is not None:
            self.close()
            self._jobs = 0
            words = ("samebits.collector.work.child", str(self._seconds), str(self._memory))
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", *words], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        return self._process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
