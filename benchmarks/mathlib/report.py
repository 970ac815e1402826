"""A machine's page on the math library: speeds relative to each peer, with goals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from benchmarks.figures import Table, rounded
from benchmarks.machines import machine, title
from benchmarks.mathlib.peers import C_FLAGS, levels
from benchmarks.means import geometric_mean
from benchmarks.tables import verdict


class Row(Protocol):
    """Nanoseconds an element by peer."""

    function: str
    type_name: str
    size: str
    ns: dict[str, float]


COLUMNS = (
    ("× Numba", "Numba", "HIGH"), ("× NumPy", "NumPy", "HIGH"), ("× C", "C", "HIGH"),
    ("MEDIUM × HIGH", "HIGH", "MEDIUM"), ("LOW × HIGH", "HIGH", "LOW"),
    ("baseline × Numba", "Numba", "v1"),
)  # fmt: skip
"""Title, the peer that is 1, and what is compared with it."""


def ratio(row: Row, peer: str, ours: str) -> float | None:
    """How many times as fast as the peer; None where there is none."""
    return row.ns[peer] / row.ns[ours] if peer in row.ns and ours in row.ns else None


def line(row: Row) -> str:
    """One row for a terminal."""
    parts = ", ".join(f"{name} {value:.2f}" for name, value in row.ns.items())
    return f"{row.type_name} {row.function} {row.size}: {parts} ns"


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def table(rows: Sequence[Row]) -> list[str]:
    """One line a function, then geometric means."""
    titles = " | ".join(title for title, _, _ in COLUMNS)
    lines = [
        f"| function | ns an element | {titles} |", f"|---|--:|{'--:|' * len(COLUMNS)}"
    ]  # fmt: skip
    for row in rows:
        cells = " | ".join(_cell(ratio(row, peer, ours)) for _, peer, ours in COLUMNS)
        lines.append(f"| {row.function} | {row.ns['HIGH']:.2f} | {cells} |")
    means = " | ".join(f"**{_cell(mean(rows, peer, ours))}**" for _, peer, ours in COLUMNS)
    return [*lines, f"| **geometric mean** | | {means} |"]


def mean(rows: Iterable[Row], peer: str, ours: str) -> float | None:
    """Geometric mean of the ratios that there are."""
    ratios = [r for row in rows if (r := ratio(row, peer, ours)) is not None]
    return geometric_mean(ratios) if ratios else None


def least(rows: Iterable[Row], peer: str, ours: str) -> tuple[float, str]:
    """The smallest ratio, and of which function."""
    found = [
        (r, f"{row.function}, {row.size}")
        for row in rows
        if (r := ratio(row, peer, ours)) is not None
    ]
    return min(found, default=(float("nan"), "none"))


def figures(rows: Iterable[Row]) -> dict[str, Table]:
    """For the pages of several machines: a table a type and size."""
    tables: dict[str, Table] = {}
    for row in rows:
        of = tables.setdefault(f"{row.type_name}, {row.size}", {})
        of[row.function] = rounded(row.ns.items())
    return tables


def _goal(text: str, found: float | None, wanted: float, where: str = "") -> str:
    if found is None:
        return f"| {text} ≥ {wanted} | not measured | |"
    where = f" ({where})" if where else ""
    return f"| {text} ≥ {wanted} | {found:.2f}{where} | {verdict(found >= wanted)} |"


def goals(rows: Sequence[Row]) -> list[str]:
    """The goals, over both sizes."""
    lines = ["| goal | found | |", "|---|--:|---|"]
    narrow = [row for row in rows if row.type_name == "float32"]
    wide = [row for row in rows if row.type_name == "float64"]
    if narrow:
        lines += [
            _goal("float32 against Numba, every function", *_swap(least(narrow, "Numba", "HIGH"))),
            _goal("float32 against NumPy, mean", mean(narrow, "NumPy", "HIGH"), 0.8),
        ]
    if wide:
        smallest, where = least(wide, "Numba", "HIGH")
        lines += [
            _goal("float64 against Numba, mean", mean(wide, "Numba", "HIGH"), 1.5),
            _goal("float64 against Numba, every function", smallest, 0.8, where),
            _goal("float64 against NumPy, mean", mean(wide, "NumPy", "HIGH"), 0.6),
        ]
    for name, found in (("float32", narrow), ("float64", wide)):
        if found:
            lines += [
                _goal(f"{name} MEDIUM against HIGH, mean", mean(found, "HIGH", "MEDIUM"), 1.0),
                _goal(f"{name} LOW against HIGH, mean", mean(found, "HIGH", "LOW"), 1.5),
            ]
    return lines


def _swap(smallest: tuple[float, str]) -> tuple[float, float, str]:
    return smallest[0], 2.5, smallest[1]


def document(
    rows: Sequence[Row],
    absent: Sequence[str],
    rounds: int,
    arrays: Sequence[str] = (),
    fixed: Sequence[str] = (),
) -> str:
    """The page; `arrays` are lines about functions of whole arrays, `fixed` about fixed point."""
    baseline, best = levels()
    lines = [
        f"# The math library's speed on {title()}", "",
        "Made by `make bench-math`; the machine:", "",
        *machine(),
        f"- the C library's functions in a loop: `zig cc {' '.join(C_FLAGS)}`", "",
        f"Every peer in every round on the same arrays, medians of {rounds} rounds (a third of "
        "them for 64 MB), one thread, its CPU time. Ratios are speeds: above 1, samebits is "
        f"faster. samebits is compiled for {best}, the baseline is {baseline}; where nothing else "
        "is said it is HIGH: correctly rounded, the same bits on every machine. The peers' "
        "results are neither. Numba has its default options and calls the C library; NumPy's "
        "ufunc uses the processor's vectors where it has code for them. L1: arrays of 16 KB, "
        "another of 32 at every "
        "call, so that no branch predictor knows them by heart.", "",
        "## Goals", "", *goals(rows),
    ]  # fmt: skip
    for type_name in ("float32", "float64"):
        for size in dict.fromkeys(row.size for row in rows):
            found = [r for r in rows if (r.type_name, r.size) == (type_name, size)]
            if found:
                lines += ["", f"## {type_name}, {size}", "", *table(found)]
    if arrays:
        lines += ["", "## Whole arrays", "", *arrays]
    if fixed:
        lines += ["", "## Fixed point", "", *fixed]
    if absent:
        lines += ["", f"Not there yet: {', '.join(absent)}."]
    return "\n".join(lines) + "\n"
