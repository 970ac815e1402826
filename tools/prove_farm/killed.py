"""A farm of processes that are killed at random moments, and run again until all is proven.

Owns the processes, the kills, and the comparison of what was known before with what is there and
what was run after. Each run of a replay leaves a line in a file, by its seed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from samebits.farm.entries import read_entries
from samebits.farm.rows import LOST
from samebits.farm.store import Store
from samebits.sim.load import load_simulation
from samebits.sim.players import player

TARGET = "x86-64-v1-O3"
PATIENCE = 180.0
"""Seconds in which what was started must be there, or what was killed must be gone."""
VICTIMS = ("scheduler", "worker", "client")
_RUNS = "SAMEBITS_PROVE_FARM_RUNS"
_SECONDS = "SAMEBITS_PROVE_FARM_SECONDS"
_SIMULATION = f'''\
"""Runs that take their time, and leave a line each."""

import os
import time

import samebits as sb
from samebits import float32, uint64
from samebits.sim.execution import NativeExecution


@sb.struct
class State:
    position: float32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.position = float32(seed)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.position = state.position * float32(0.99) + inputs[0].push


timed = sb.Simulation(
    name="timed", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={{"push": lambda frame, player, seed: {{"push": 0.1 * (frame % 7)}}}},
)

if "{_RUNS}" in os.environ:
    original = NativeExecution.start

    def start(self, seed):
        with open(os.environ["{_RUNS}"], "a") as file:
            file.write(f"{{seed}}\\n")
        time.sleep(float(os.environ["{_SECONDS}"]))
        original(self, seed)

    NativeExecution.start = start
'''


@dataclass
class Found:
    """What became of the rows. `lost` were known and are no longer there; `doubled` are there
    twice; `again` were run though they were known."""

    kills: Counter[str] = field(default_factory=Counter[str])
    clients: int = 0
    known: list[int] = field(default_factory=list[int])
    """Rows that were there when each client began."""
    rows: int = 0
    same: int = 0
    runs: int = 0
    lost: int = 0
    doubled: int = 0
    again: int = 0
    left: int = 0
    """Processes that were still there at the end."""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list[str])
    """What else was not as it should be."""


def corpus(folder: Path, count: int) -> Path:
    """A simulation and so many replays of it; its file."""
    file = folder / "timed.py"
    file.write_text(_SIMULATION)
    simulation = load_simulation(str(file))
    made = folder / "corpus"
    made.mkdir()
    inputs = player(simulation, "push", 1)(0, 20)
    for seed in range(count):
        with simulation.record(made / f"{seed:06d}.mcap", seed=seed) as recording:
            recording.run(inputs)
    return file


class Farm:
    """A scheduler and workers, each a process of its own, started again where one ended."""

    def __init__(self, folder: Path, workers: int, seconds: float) -> None:
        self._folder, self.port = folder, _free_port()
        self.runs = folder / "runs"
        self.runs.touch()
        self.said = folder / "said"
        """What the last client printed: a file, as nobody reads while it runs."""
        self._environment = {**os.environ, _RUNS: str(self.runs), _SECONDS: str(seconds)}
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._workers: list[subprocess.Popen[bytes] | None] = [None] * workers

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def up(self) -> None:
        """Start what is not there."""
        if self._scheduler is None or self._scheduler.poll() is not None:
            self._scheduler = self._start(
                "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port),
                "--no-dashboard", "--no-show",
            )  # fmt: skip
            self._listens()
        for number, worker in enumerate(self._workers):
            if worker is None or worker.poll() is not None:
                self._workers[number] = self._start(
                    "samebits", "farm", "worker", "--scheduler", self.address, "--threads", "1",
                )  # fmt: skip

    def client(self, file: Path, store: Path) -> subprocess.Popen[bytes]:
        """`samebits farm verify` over the corpus."""
        return self._start(
            "samebits", "farm", "verify", str(file.with_name("corpus")), "--sim", str(file),
            "--targets", TARGET, "--scheduler", self.address, "--store", str(store), "--json",
        )  # fmt: skip

    def kill(self, victim: str, chance: random.Random) -> None:
        """`kill -9` the scheduler, or one of the workers."""
        process = self._scheduler if victim == "scheduler" else chance.choice(self._workers)
        assert process is not None
        process.kill()
        process.wait()

    def down(self) -> None:
        """End all of it."""
        for process in (*self._workers, self._scheduler):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (*self._workers, self._scheduler):
            if process is not None:
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        with self.said.open("wb") if "verify" in words else open(os.devnull, "wb") as said:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", module, *words], env=self._environment,
                stdin=quiet, stdout=said, stderr=quiet,
            )  # fmt: skip

    def _listens(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.port), 1)):
                return
            time.sleep(0.05)
        raise TimeoutError("the scheduler did not start")


def killed(
    folder: Path, count: int, kills: int, seconds: float, pause: tuple[float, float], seed: int = 1
) -> Found:
    """Verify `count` replays of `seconds` each on two workers, and kill something `kills` times,
    after a random pause each; what was found."""
    chance, found = random.Random(seed), Found()
    file, store = corpus(folder, count), folder / "store"
    seeds = _seeds(file)
    farm = Farm(folder, 2, seconds)
    began = time.monotonic()
    try:
        while True:
            farm.up()
            known = _known(store)
            found.known.append(len(known))
            before = len(_ran(farm.runs))
            client = farm.client(file, store)
            found.clients += 1
            _disturb(farm, client, found, kills, pause, chance)
            client.wait()
            ran = _ran(farm.runs)[before:]
            judge(found, store, known, {seeds[each] for each in ran})
            if client.returncode == 0:
                told = json.loads(farm.said.read_text())
                if told["rows"]["known"] != len(known):
                    found.wrong.append(f"{len(known)} rows were known, and {told['rows']} told")
                break
            if client.returncode not in (2, -signal.SIGKILL):
                found.wrong.append(f"a client ends with {client.returncode}")
                break
    finally:
        farm.down()
    found.seconds = time.monotonic() - began
    found.runs = len(_ran(farm.runs))
    found.left = _left(file)
    rows = list(_rows(store))
    found.rows, found.same = len(rows), sum(result == "same" for _, result in rows)
    return found


def _disturb(
    farm: Farm, client: subprocess.Popen[bytes], found: Found, kills: int,
    pause: tuple[float, float], chance: random.Random,
) -> None:  # fmt: skip
    """Kill now and then while replays are run for the client, or it."""
    while client.poll() is None and found.kills.total() < kills:
        before = len(_ran(farm.runs))
        while client.poll() is None and len(_ran(farm.runs)) == before:
            time.sleep(0.02)
        until = time.monotonic() + chance.uniform(*pause)
        while client.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        if client.poll() is not None:
            return
        victim = min(VICTIMS, key=lambda name: (found.kills[name], chance.random()))
        found.kills[victim] += 1
        if victim == "client":
            client.kill()
            return
        farm.kill(victim, chance)
        if victim == "worker":
            farm.up()


def judge(found: Found, store: Path, known: set[str], ran: set[str]) -> None:
    """Compare what was known with what is there, and with what was run since."""
    now = _known(store)
    found.lost += len(known - now)
    found.again += len(known & ran)
    counts = Counter(replay for replay, _ in _rows(store))
    found.doubled += sum(each - 1 for each in counts.values())


def _rows(store: Path) -> Iterator[tuple[str, str]]:
    """Each row in the store that counts: its replay and its result."""
    if store.is_dir():
        opened = Store(str(store))
        if opened.damaged:
            raise AssertionError(opened.damaged)
        yield from opened.query("SELECT replay, result FROM rows")
        opened.sql.close()


def _known(store: Path) -> set[str]:
    return {replay for replay, result in _rows(store) if result != LOST}


def _seeds(file: Path) -> dict[int, str]:
    """The replays by their seeds, which their names tell."""
    found = read_entries(str(file.with_name("corpus"))).replays
    return {int(Path(each.path).stem): each.content for each in found}


def _ran(runs: Path) -> list[int]:
    return [int(line) for line in runs.read_text().split()]


def _left(file: Path) -> int:
    """Processes that still run replays of the file, once they have had time to end."""
    deadline = time.monotonic() + PATIENCE
    while (left := [each for each in psutil.process_iter() if _is_of(each, file)]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.1)
    return len(left)


def _is_of(process: Any, file: Path) -> bool:
    with suppress(psutil.Error):
        return str(file) in process.cmdline()
    return False


def _free_port() -> int:
    with closing(socket.socket()) as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]
