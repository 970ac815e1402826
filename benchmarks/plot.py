"""The cost of modes and options as a picture: one line of dots a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.means import geometric_mean
from benchmarks.suite import Row
from benchmarks.variants import STRICT, VARIANTS

LOOKS = {
    "DETERMINISTIC": ("#0072b2", "o"),
    "contract": ("#56b4e9", "D"),
    "FAST": ("#d55e00", "o"),
    "unchecked": ("#009e73", "s"),
    "flush": ("#cc79a7", "^"),
    "size": ("#999999", "v"),
    "compile time": ("#555555", "x"),
}
"""Colour (Okabe and Ito's, which the colour-blind tell apart) and marker of each variant."""

TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20)


def draw(rows: Sequence[Row], place: Path) -> None:
    """Write the picture: time relative to STRICT, on a logarithmic axis; left of 1 is faster."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    shown = [v for v in VARIANTS if v is not STRICT and v.name in rows[0].seconds]
    with rc_context({"svg.hashsalt": "samebits", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 1.6 + 0.36 * (len(rows) + 1)), layout="constrained")
        axes = figure.subplots()
        names = [row.benchmark.title for row in rows] + ["geometric mean"]
        for variant in shown:
            times = [row.speed(STRICT.name, variant.name) for row in rows]
            times.append(geometric_mean(times))
            colour, marker = LOOKS[variant.name]
            axes.plot(times, range(len(names)), marker, color=colour, label=variant.name,
                      markersize=6, alpha=0.85)  # fmt: skip
        axes.axvline(1, color="black", linewidth=0.8)
        axes.axhline(len(rows) - 0.5, color="black", linewidth=0.5)
        axes.set_xscale("log")
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axes.minorticks_off()
        axes.grid(axis="both", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel("time relative to STRICT (left of 1: faster)")
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=len(shown), frameon=False,
                      columnspacing=1.2, handletextpad=0.2)  # fmt: skip
        figure.savefig(place, metadata={"Date": None})
