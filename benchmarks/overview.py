"""RESULTS.md and MATH.md: every kind of processor that was measured, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figures, Table, everyone
from benchmarks.means import geometric_mean

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Comparison:
    """A table of ratios: `ours` beside `theirs` in the figures' table `name`."""

    title: str
    name: str
    ours: str
    theirs: str
    of_rows: Callable[[str], bool] = bool
    goal: float | None = None
    """Of the geometric mean."""

    def ratios(self, table: Table) -> dict[str, float]:
        """How many times as fast ours is, by row; rows that lack one of the two are left out."""
        return {
            row: times[self.theirs] / times[self.ours]
            for row, times in table.items()
            if self.of_rows(row) and self.ours in times and self.theirs in times
        }


LIBRARY = ("sin/cos rotation", "Black-Scholes")
"""Kernels whose C calls the C library: no part of the means against C."""


def _own(row: str) -> bool:
    return row not in LIBRARY


RESULTS = (
    Comparison("STRICT × C", "kernels", "STRICT", "C", _own, 0.95),
    Comparison("DETERMINISTIC × C fast-math", "kernels", "DETERMINISTIC", "C fast-math", _own,
               0.95),
    Comparison("STRICT × Numba", "kernels", "STRICT", "Numba", goal=1.0),
    Comparison("STRICT × our own FAST", "kernels", "STRICT", "FAST", goal=0.9),
    Comparison("nobody tuned for: STRICT × better C", "untuned", "STRICT", "better C", goal=0.95),
    Comparison("flush × STRICT", "kernels", "flush", "STRICT"),
    Comparison("contract × STRICT", "kernels", "contract", "STRICT"),
    Comparison("2 workers × Numba, 2 threads", "parallel", "2 workers", "Numba, 2 threads",
               goal=1.1),
)  # fmt: skip
MATH = tuple(
    Comparison(f"{type_name}, {size}: HIGH × {peer}", f"{type_name}, {size}", "HIGH", peer,
               goal=goal if size == "L1" else None)
    for type_name, goals in (("float32", (None, 0.8)), ("float64", (1.5, 0.6)))
    for size in ("L1", "64 MB")
    for peer, goal in zip(("Numba", "NumPy"), goals, strict=True)
)  # fmt: skip


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def means(kinds: Sequence[Figures], comparisons: Iterable[Comparison]) -> list[str]:
    """A row a comparison: each kind's geometric mean, its least row and the goal."""
    lines = [
        f"| geometric mean | goal |{''.join(f' {k.title} | least |' for k in kinds)}",
        f"|---|--:|{'--:|---|' * len(kinds)}",
    ]
    for one in comparisons:
        cells: list[str] = []
        for kind in kinds:
            ratios = one.ratios(kind.tables.get(one.name, {}))
            if not ratios:
                cells += ["–", ""]
                continue
            mean, least = geometric_mean(ratios.values()), min(ratios, key=lambda r: ratios[r])
            missed = one.goal is not None and mean < one.goal
            cells += [f"**{mean:.2f}**" if missed else f"{mean:.2f}",
                      f"{ratios[least]:.2f} {least}"]  # fmt: skip
        lines.append(f"| {one.title} | {'' if one.goal is None else one.goal} "
                     f"| {' | '.join(cells)} |")  # fmt: skip
    return lines


def each(kinds: Sequence[Figures], comparisons: Sequence[Comparison], what: str) -> list[str]:
    """A row a kernel or function: each comparison on each kind."""
    lines: list[str] = []
    found = [[one.ratios(k.tables.get(one.name, {})) for k in kinds] for one in comparisons]
    rows = dict.fromkeys(row for ratios in found for of in ratios for row in of)
    heads = [f"{one.title}, {k.title}" for one in comparisons for k in kinds]
    lines += [f"| {what} | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
    for row in rows:
        cells = [_cell(of.get(row)) for ratios in found for of in ratios]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return lines


def pages(kinds: Sequence[Figures], name: str) -> list[str]:
    """Where each kind's own page is."""
    return [
        f"- [{kind.title}](results/{kind.kind}/{name})"
        for kind in kinds
        if (HERE / "results" / kind.kind / name).exists()
    ]


GROWTH = (
    "## Cost by size", "",
    "What one element costs where there are n of them, from a hundred to ten million: six kernels, "
    "a world of a batch, and a frame of a replay that is recorded, and of one that is played again "
    "with its hashes compared. C is called through ctypes, which takes "
    "microseconds: the left ends of its lines are that. Steps on the right are where caches end.",
    "",
)  # fmt: skip


def results(kinds: Sequence[Figures]) -> str:
    """RESULTS.md."""
    grown = [k for k in kinds if (HERE / "results" / k.kind / "growth.svg").exists()]
    lines = [
        "# Results", "", "Made by `make bench` on each machine, a page a kind of processor:", "",
        *pages(kinds, "kernels.md"), "",
        "Ratios are speeds: above 1, samebits is faster; on each machine all peers ran in the same "
        "run, in turn. Means below a goal are bold. The means against C leave out kernels whose "
        "C calls the C library.", "", *means(kinds, RESULTS), "", "## Kernels", "",
        *each(kinds, RESULTS[:4], "kernel"), "",
        "Kernels that were written first and measured then, beside the better of clang and gcc:",
        "", *each(kinds, RESULTS[4:5], "kernel"), "", "## Modes and parallel ranges", "",
        *each(kinds, RESULTS[5:], "kernel"),
    ]  # fmt: skip
    if grown:
        lines += ["", *GROWTH]
        lines += [f"![Cost by size on {k.title}](results/{k.kind}/growth.svg)" for k in grown]
    return "\n".join(lines) + "\n"


def math(kinds: Sequence[Figures]) -> str:
    """MATH.md."""
    small = [one for one in MATH if "L1" in one.name]
    return "\n".join([
        "# The math library's speed", "",
        "Made by `make bench-math` on each machine, a page a kind of processor:", "",
        *pages(kinds, "math.md"), "",
        "Ratios are speeds: above 1, samebits is faster. HIGH is correctly rounded, the same bits "
        "on every machine; the peers' results are neither. Means below a goal are bold.", "",
        *means(kinds, MATH), "", "## Functions, arrays in the first-level cache", "",
        *each(kinds, small, "function"),
    ]) + "\n"  # fmt: skip


def write() -> None:
    """Both, from all that is there."""
    kinds = everyone()
    (HERE / "RESULTS.md").write_text(results(kinds))
    (HERE / "MATH.md").write_text(math(kinds))


if __name__ == "__main__":
    write()
