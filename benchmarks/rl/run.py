"""`make bench-rl`: environment steps a second beside peers, and their goals; writes RL.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import samebits as sb
import samebits.gym as sg
from benchmarks.machines import machine
from benchmarks.rl.peers import (
    ENVPOOL,
    NUMPY,
    OURS,
    PASS,
    ROOT,
    SYNC,
    TASKS,
    C,
    Step,
    compiled_c,
    peers_of,
)  # fmt: skip
from samebits.sim.load import load_simulation
from samebits.sim.players import random_inputs

PLACE = Path(__file__).parents[1] / "RL.md"
SIZES = (1, 16, 256, 4096, 65536)
NAMES = (C, PASS, OURS, NUMPY, ENVPOOL, SYNC)
LONGEST = 0.05
"""Processor seconds of a peer in a round."""
Rates = dict[str, float]


def rates_of(peers: dict[str, Step], given: Sequence[Any], n: int, rounds: int) -> Rates:
    """Steps a processor second, the best of rounds in which all take turns."""
    best = dict.fromkeys(peers, float("inf"))
    calls: dict[str, int] = {}
    for name, step in peers.items():
        step(given[0])
        before = time.process_time()
        step(given[1])
        once = max(time.process_time() - before, 2e-7)
        calls[name] = max(4, min(20_000, int(LONGEST / once)))
    for _ in range(rounds):
        for name, step in peers.items():
            before = time.process_time()
            for k in range(calls[name]):
                step(given[k % len(given)])
            best[name] = min(best[name], (time.process_time() - before) / calls[name])
    return {name: n / seconds for name, seconds in best.items()}


def single(rounds: int) -> tuple[float, float]:
    """Microseconds of a step of one environment: ours, and Gymnasium's own."""
    envs: list[Any] = [sg.make(TASKS[0].simulation), gymnasium.make("CartPole-v1").unwrapped]
    best = [float("inf")] * 2
    for _ in range(rounds):
        for k, env in enumerate(envs):
            env.reset(seed=1)
            before, count = time.process_time(), 0
            while count < 4000:
                for _ in range(8):
                    env.step(count & 1)
                    count += 1
                env.reset()
            resets = time.process_time()
            for _ in range(count // 8):
                env.reset()
            spent = (resets - before) - (time.process_time() - resets)
            best[k] = min(best[k], 1e6 * spent / count)
    return best[0], best[1]


def arena(rounds: int, n: int = 1024, frames: int = 8) -> float:
    """The speed of a batch of arenas as a share of that of sessions, one after another."""
    simulation = load_simulation(str(ROOT / "examples" / "arena" / "arena.py"))
    inputs = np.zeros((frames, n, 2), simulation.input_type.dtype)
    for k in range(8):
        inputs[:, k::8] = random_inputs(simulation, 0, frames, k)[:, None]
    batch = simulation.batch(n, seeds=1)
    sessions = [simulation.start(int(seed)) for seed in batch.seeds[:64]]
    given = [inputs[:, i].copy() for i in range(64)]
    saved, starts = batch.save(), [session.save() for session in sessions]
    best = [float("inf")] * 2
    for _ in range(rounds):
        batch.restore(saved)
        before = time.process_time()
        batch.run(inputs)
        best[0] = min(best[0], (time.process_time() - before) / n)
        for session, start in zip(sessions, starts, strict=True):
            session.restore(start)
        before = time.process_time()
        for session, rows in zip(sessions, given, strict=True):
            session.run(rows)
        best[1] = min(best[1], (time.process_time() - before) / 64)
    return best[1] / best[0]


def two_workers(rounds: int) -> float:
    """How many times as fast two workers step 65,536 CartPoles as one, by the clock."""
    peers = {count: TASKS[0].simulation.batch(65536, seeds=1) for count in (1, 2)}
    inputs = np.zeros((65536, 1), TASKS[0].simulation.input_type.dtype)
    best = dict.fromkeys(peers, float("inf"))
    for _ in range(3 * rounds):
        for count, batch in peers.items():
            sb.set_workers(count)
            batch.run(inputs, 1, hashes=False)  # which starts the other thread
            before = time.perf_counter()
            batch.run(inputs, 20, hashes=False)
            best[count] = min(best[count], time.perf_counter() - before)
    sb.set_workers(1)
    return best[1] / best[2]


def table(name: str, rows: dict[int, Rates]) -> list[str]:
    """Millions of steps a processor second."""
    peers = [peer for peer in NAMES if any(peer in rates for rates in rows.values())]
    lines = [f"## {name}, millions of steps a processor second", ""]
    lines += ["| n | " + " | ".join(peers) + " |", "|--:" * (len(peers) + 1) + "|"]
    for n, rates in rows.items():
        cells = [f"{rates[p] / 1e6:.2f}" if p in rates else "" for p in peers]
        lines.append(f"| {n:,} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def goal(what: str, least: float, found: float, *, most: bool = False) -> str:
    """A row of the table of goals."""
    good = found <= least if most else found >= least
    sign = "≤" if most else "≥"
    return f"| {what} | {sign} {least:g} | {found:.2f} | {'reached' if good else 'missed'} |"


def main() -> int:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    sb.set_workers(1)
    found: dict[str, dict[int, Rates]] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = compiled_c(Path(folder))
        for task in TASKS:
            found[task.name] = {}
            for n in SIZES:
                rates = rates_of(peers_of(task, n, library), task.actions(n), n, options.rounds)
                found[task.name][n] = rates
                print(task.name, n, {k: round(v / 1e6, 2) for k, v in rates.items()}, flush=True)
    ours, theirs = single(options.rounds)
    many = found["CartPole"][4096]
    goals = [
        goal(f"{task}, n = {n:,}: one pass beside the C loop", 0.9, rates[n][PASS] / rates[n][C])
        for task, rates in found.items()
        for n in (256, 4096, 65536)
    ]
    goals.append(goal("n = 4,096: times Gymnasium's NumPy", 1.8, many[OURS] / many[NUMPY]))
    if ENVPOOL in many:
        goals.append(goal("n = 4,096: times EnvPool", 40, many[OURS] / many[ENVPOOL]))
    goals.append(goal("a step of one `Env`, µs", 5, ours, most=True))
    goals.append(goal("two workers, times one (by the clock)", 1.8, two_workers(options.rounds)))
    goals.append(goal("1,024 arenas, share of sessions' speed", 0.95, arena(options.rounds)))
    print("\n".join(goals))
    missing = "" if ENVPOOL in many else " EnvPool was not installed."
    lines = [
        "# Environments for reinforcement learning",
        "",
        "Made by `make bench-rl`; the machine:",
        "",
        *machine(),
        "",
        "Steps a second of processor time of one thread, the best of rounds in which all peers "
        "take turns, with random actions and episodes that begin again. The loop in C is "
        "`benchmarks/rl/loops.c`; *one pass* is the compiled loop of samebits into the same "
        "arrays each time, as the C has it; *make_vec* is the whole `step` of Gymnasium's API, "
        f"with actions checked and arrays that may be kept.{missing} PufferLib 2.0.2, the newest "
        "with a wheel for Python 3.11, has no CartPole.",
        "",
        "## Goals",
        "",
        "| | goal | found | |",
        "|---|--:|--:|---|",
        *goals,
        "",
        f"A step of one environment takes {ours:.1f} µs here, and {theirs:.1f} µs in Gymnasium's "
        "CartPole.",
        "",
    ]
    for name, rows in found.items():
        lines += table(name, rows)
    PLACE.write_text("\n".join(lines).rstrip() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
