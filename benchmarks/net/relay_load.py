"""Four-player matches a core: a relay process under load by recorded players.

Owns the relay's process and its CPU time.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.net.loading import Load, parts
from benchmarks.net.traffic import Traffic


@dataclass(frozen=True)
class Loaded:
    """What a relay took for so many matches."""

    matches: int
    loop: str
    share: float
    """CPU seconds of the relay for a second of all matches."""
    late: tuple[float, float]
    """Milliseconds from when a frame was due to when players had it: median and p99."""
    frames: float
    """Frames that each player got, of those that there were."""
    lost: int
    """Connections that ended before their time."""

    @property
    def a_core(self) -> float:
        """Matches that a core would carry at this cost."""
        return self.matches / self.share


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def loaded(
    traffic: Traffic, matches: int, *, plain: bool, store: str = "", seconds: float = 10
) -> Loaded:
    """Run so many matches for some seconds. `plain` is asyncio's own loop instead of uvloop."""
    frames = traffic.rules.frames
    words = [sys.executable, "-P", "-m", "benchmarks.net.serving", "--frames", str(frames)]
    if plain:
        words.append("--plain")
    if store:
        words += ["--store", store]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            load = Load(int(process.stdout.readline()), matches, parts(traffic))
            lines = process.stdout

            def read() -> None:
                for line in lines:
                    name, origin = line.split()
                    load.origins[name] = int(origin)

            thread = threading.Thread(target=read, daemon=True)
            thread.start()
            found = asyncio.run(_measured(load, process.pid, seconds))
        finally:
            process.kill()
    thread.join()
    share, late, got = found
    return Loaded(matches, "asyncio" if plain else "uvloop", share, late, got, len(load.closed))


async def _measured(
    load: Load, pid: int, seconds: float
) -> tuple[float, tuple[float, float], float]:
    run = asyncio.create_task(load.run(3600))
    async with asyncio.timeout(60):
        while len(load.origins) < load.matches:
            await asyncio.sleep(0.1)
            if run.done():
                run.result()
    await asyncio.sleep(1)
    load.lateness.clear()
    load.frames = 0
    begun, cpu = asyncio.get_running_loop().time(), cpu_seconds(pid)
    await asyncio.sleep(seconds)
    taken = asyncio.get_running_loop().time() - begun
    share = (cpu_seconds(pid) - cpu) / taken
    run.cancel()
    late = np.percentile(load.lateness, [50, 99]) / 1e6
    got = load.frames / (taken * 60 * load.matches * len(load.players))
    return share, (float(late[0]), float(late[1])), got
