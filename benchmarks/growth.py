"""Cost of an element by how many there are: kernels beside C and Numba, worlds, replays."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import samebits as sb
from benchmarks.figures import Table, rounded
from benchmarks.measure import interleave, runner
from benchmarks.peers import Arguments, bind_numba, compile_c
from benchmarks.suite import NUMBA, C
from benchmarks.variants import STRICT, load
from samebits.sim.load import load_simulation

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
KERNELS = ("integrate", "rotate", "sum", "heat", "black_scholes", "dot")
SIMULATION = "examples/classic_control/swing_up.py"
ROUNDS = 5
SEED = 1
CHUNK = 1_000_000
"""Frames of a recording that are handed over at once."""


@dataclass
class Growth:
    """Nanoseconds an element of each peer, by the number of elements."""

    title: str
    ns: dict[str, dict[int, float]] = field(default_factory=dict[str, dict[int, float]])

    def add(self, peer: str, n: int, seconds: float) -> None:
        """What `n` elements took."""
        self.ns.setdefault(peer, {})[n] = seconds * 1e9 / n


def sized(name: str, n: int) -> Arguments:
    """A kernel's arguments with `n` elements, whatever the suite has."""
    benchmark = load(name)
    arguments: Callable[..., Arguments] = benchmark.arguments
    if name == "heat":
        height = 10 ** ((len(str(n)) - 1) // 2)
        return arguments(height, n // height)
    return arguments(n)


def of_kernel(name: str, folder: Path) -> Growth:
    """One kernel beside C and Numba."""
    benchmark = load(name)
    found = Growth(benchmark.title)
    compiled = compile_c(benchmark, folder)
    for n in SIZES:
        start = sized(name, n)
        runners = {STRICT.name: runner(benchmark.kernel, start), C: runner(compiled, start)}
        runners[NUMBA] = runner(benchmark.numba_fast, start)
        arguments = runners[NUMBA].arguments
        runners[NUMBA].function = bind_numba(benchmark, benchmark.numba_fast, arguments)
        interleave(list(runners.values()), start, ROUNDS)
        for peer, each in runners.items():
            found.add(peer, n, each.median)
    return found


def least(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The least wall seconds of some calls."""
    best = float("inf")
    for _ in range(rounds):
        before = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - before)
    return best


@contextmanager
def workers(count: int) -> Iterator[None]:
    """A number of workers for a while."""
    sb.set_workers(count)
    try:
        yield
    finally:
        sb.set_workers(None)


def of_worlds() -> Growth:
    """Worlds of a batch, a frame each."""
    found = Growth("a world's frame")
    simulation = load_simulation(SIMULATION)
    for n in SIZES:
        batch = simulation.batch(n, seeds=SEED)
        inputs = np.zeros((n, 1), simulation.input_type.dtype)
        for count in (1, 2):
            with workers(count):
                batch.step(inputs)
                found.add("1 worker" if count == 1 else f"{count} workers", n,
                          least(lambda batch=batch, inputs=inputs: batch.step(inputs)))  # fmt: skip
        batch.close()
    return found


def of_replays() -> Growth:
    """Frames of a replay."""
    found = Growth("a replay's frame")
    simulation = load_simulation(SIMULATION)
    with tempfile.TemporaryDirectory() as folder:
        for n in SIZES:
            rounds = ROUNDS if n < SIZES[-1] else 1
            path = Path(folder, f"{n}.mcap")
            inputs = np.zeros((min(n, CHUNK), 1), simulation.input_type.dtype)

            def record(path: Path = path, inputs: np.ndarray = inputs, n: int = n) -> None:
                path.unlink(missing_ok=True)
                with simulation.record(path, seed=SEED) as recording:
                    for _ in range(0, n, len(inputs)):
                        recording.run(inputs)

            found.add("recorded", n, least(record, rounds))
            found.add("played again", n, least(lambda path=path: played(path, simulation), rounds))
            path.unlink()
    return found


def played(path: Path, simulation: Any) -> None:
    """Read a replay, run its inputs and compare the hashes."""
    replay = sb.Replay.open(path, simulation)
    again = simulation.start(seed=replay.header.seed).run(replay.inputs)
    assert (again == replay.hashes).all()


def measure() -> list[Growth]:
    """All of them."""
    with tempfile.TemporaryDirectory() as folder:
        kernels = [of_kernel(name, Path(folder)) for name in KERNELS]
    return [*kernels, of_worlds(), of_replays()]


def figures(found: Sequence[Growth]) -> Table:
    """For the pages of several machines: nanoseconds an element."""
    return {
        f"{one.title}, {n:,}": rounded((peer, ns[n]) for peer, ns in one.ns.items())
        for one in found
        for n in SIZES
    }


def lines(found: Sequence[Growth]) -> list[str]:
    """A line a peer, for a terminal."""
    return [
        f"{one.title}, {peer}: " + ", ".join(f"{ns:.3g} ns at {n:,}" for n, ns in of.items())
        for one in found
        for peer, of in one.ns.items()
    ]


LOOKS = {
    STRICT.name: ("#0072b2", "o", "samebits, STRICT"),
    C: ("#d55e00", "s", "C, -O3, strict"),
    NUMBA: ("#009e73", "^", "Numba, fastmath"),
    "1 worker": ("#0072b2", "o", "1 worker"),
    "2 workers": ("#56b4e9", "D", "2 workers"),
    "recorded": ("#0072b2", "o", "recorded"),
    "played again": ("#56b4e9", "D", "played again, hashes compared"),
}
"""Colour (Okabe and Ito's), marker and words of each line."""


def draw(found: Sequence[Growth], place: Path) -> None:
    """A panel each: nanoseconds an element by number, both axes logarithmic."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "samebits", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(13, 6.4), layout="constrained")
        for one, axes in zip(found, figure.subplots(2, 4, sharex=True).flat, strict=False):
            for peer, of in one.ns.items():
                colour, marker, words = LOOKS[peer]
                axes.plot(list(of), list(of.values()), marker=marker, color=colour, label=words,
                          markersize=5, linewidth=1.4)  # fmt: skip
            axes.set(title=one.title, xscale="log", yscale="log", xlabel="n",
                     ylabel="ns an element")  # fmt: skip
            axes.set_ylim(bottom=min(min(of.values()) for of in one.ns.values()) / 2,
                          top=max(max(of.values()) for of in one.ns.values()) * 2)  # fmt: skip
            axes.grid(color="#dddddd", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False, fontsize=8)
        figure.savefig(place, metadata={"Date": None})
