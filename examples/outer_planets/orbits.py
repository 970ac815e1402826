"""The output of the outer planets' program: the energy error, and the orbits."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import samebits as sb

STEP_DAYS = 40.0
DAYS_PER_YEAR = 365.25
DRAWN_YEARS = 250
"""One turn of Pluto: what the picture of the orbits shows."""
SAMPLES = 4_000

Array = np.ndarray[Any, Any]


@dataclass
class Course:
    """A run: energy errors at sampled times, positions over the first `DRAWN_YEARS`."""

    years: list[float] = field(default_factory=list[float])
    errors: list[float] = field(default_factory=list[float])
    positions: list[Array] = field(default_factory=list[Array])
    frames: int = 0
    seconds: float = 0.0
    last_hash: int = 0


def travel(simulation: sb.Simulation, energy: Callable[..., Any], years: float) -> Course:
    """Run `years` years; only `session.run` is inside the measured seconds."""
    session = simulation.start(seed=0)
    frames = round(years * DAYS_PER_YEAR / STEP_DAYS)
    drawn = min(frames, round(DRAWN_YEARS * DAYS_PER_YEAR / STEP_DAYS))
    course = Course()
    first = float(energy(session.state))
    stride = max(1, (frames - drawn) // SAMPLES)
    while course.frames < frames:
        # Uneven strides: even ones would show the beat of the planets' periods, not the error.
        uneven = stride // 2 + len(course.years) * 7_919 % stride
        count = min(2 if course.frames < drawn else max(1, uneven), frames - course.frames)
        inputs = np.zeros((count, 1), simulation.input.dtype)
        before = time.perf_counter()
        hashes = session.run(inputs)
        course.seconds += time.perf_counter() - before
        course.last_hash = int(hashes[-1])
        course.frames += count
        course.years.append(course.frames * STEP_DAYS / DAYS_PER_YEAR)
        course.errors.append(float(energy(session.state)) / first - 1)
        if course.frames <= drawn:
            course.positions.append(positions(session.state))
    return course


def positions(state: Any) -> Array:
    """Positions of all bodies, shape (6, 3), AU."""
    return np.array(state.memory["bodies"]["position"]).reshape(-1, 3)


def draw(course: Course, names: tuple[str, ...], path: Path) -> None:
    """Two panels: the orbits from the north of the ecliptic, and the energy error over time."""
    from matplotlib.figure import Figure

    colours = ("#f5c542", "#d9a066", "#e8d8a0", "#7fd1d6", "#5a7fe0", "#c9a2b8")
    paper, ink, faint = "#10131c", "#e6e6ea", "#3a4052"
    figure: Any = Figure(figsize=(13, 6.6), facecolor=paper)
    sky, chart = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    path_of = np.array(course.positions)
    for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
        x, y = path_of[:, i, 0], path_of[:, i, 1]
        sky.plot(x, y, color=colour, linewidth=0.9, alpha=0.75)
        sky.plot(x[-1:], y[-1:], "o", color=colour, markersize=9 if i == 0 else 5, label=name)
    sky.set_aspect("equal")
    sky.set_title("From the north, first 250 years", color=ink, fontsize=11, loc="left")
    sky.set_xlabel("AU", color=ink)
    sky.legend(
        loc="upper left", frameon=False, labelcolor=ink, fontsize=9, ncols=3, columnspacing=1.2
    )
    reach = 1.2 * float(np.abs(path_of[:, :, :2]).max())
    sky.set_xlim(-reach, reach)
    sky.set_ylim(-reach, reach)
    chart.plot(course.years, course.errors, ".", color="#7fd1d6", markersize=1.3)
    chart.axhline(0, color=faint, linewidth=0.8)
    chart.set_title("Relative energy error", color=ink, fontsize=11, loc="left")
    chart.set_xlabel("years", color=ink)
    chart.xaxis.set_major_formatter("{x:,.0f}")
    chart.margins(x=0)
    for axes in (sky, chart):
        axes.set_facecolor(paper)
        axes.tick_params(colors=ink, labelsize=9)
        axes.yaxis.get_offset_text().set_color(ink)
        for spine in axes.spines.values():
            spine.set_color(faint)
    figure.suptitle(
        f"Outer Solar System · {course.frames:,} steps of 40 days · "
        f"state hash {course.last_hash:016x}",
        color=ink, fontsize=12, x=0.02, ha="left",
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    figure.savefig(path, dpi=130)


def main(simulation: sb.Simulation, energy: Callable[..., Any], names: tuple[str, ...]) -> None:
    """The command line of the example."""
    parser = argparse.ArgumentParser(description="The outer Solar System, to the last bit.")
    parser.add_argument("--years", type=float, default=1_000.0, help="how long (default 1000)")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw orbits and error")
    options = parser.parse_args()
    if not 0.2 <= options.years <= 1e8:
        parser.error("--years must be from 0.2 to 1e8")
    course = travel(simulation, energy, options.years)
    worst = max(course.errors, key=abs)
    print(f"{course.frames:,} steps of {STEP_DAYS:.0f} days, {course.years[-1]:,.1f} years")
    print(f"relative energy error: {course.errors[-1]:+.3e} at the end, {worst:+.3e} at worst")
    print(f"state hash: {course.last_hash:016x}")
    print(f"{course.seconds:.2f} s, {course.seconds / course.frames * 1e9:,.0f} ns a step")
    if options.plot:
        draw(course, names, options.plot)
        print(f"drawn: {options.plot}")
