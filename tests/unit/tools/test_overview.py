"""Pages of benchmarks: several kinds of processor side by side."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.figures import everyone
from benchmarks.overview import RESULTS, each, means, results


def kind(folder: Path, name: str, title: str, strict: float) -> None:
    kernels = {
        "N-body, float64": {"STRICT": strict, "C": 2.0, "Numba": 1.0},
        "Black-Scholes": {"STRICT": strict, "C": 1000.0, "Numba": 4.0},
    }
    place = folder / name / "figures.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"title": title, "tables": {"kernels": kernels}}))


def test_kinds_stand_side_by_side(tmp_path: Path) -> None:
    kind(tmp_path, "b-slow", "Slow", 4.0)
    kind(tmp_path, "a-fast", "Fast", 1.0)
    kinds = everyone(tmp_path)
    assert [k.title for k in kinds] == ["Fast", "Slow"]
    rows = means(kinds, RESULTS[:3])
    assert rows[0] == "| geometric mean | goal | Fast | least | Slow | least |"
    # Black-Scholes, whose C calls the C library, is no part of the first; 0.5 misses its goal.
    nbody = "N-body, float64"
    assert rows[2] == f"| STRICT × C | 0.95 | 2.00 | 2.00 {nbody} | **0.50** | 0.50 {nbody} |"
    assert rows[3] == "| DETERMINISTIC × C fast-math | 0.95 | – |  | – |  |"
    assert rows[4] == f"| STRICT × Numba | 1.0 | 2.00 | 1.00 {nbody} | **0.50** | 0.25 {nbody} |"
    assert each(kinds, RESULTS[2:3], "kernel")[2:] == [
        "| N-body, float64 | 1.00 | 0.25 |", "| Black-Scholes | 4.00 | 1.00 |",
    ]  # fmt: skip
    assert results(kinds).startswith("# Results\n")


def test_what_was_measured_is_shown() -> None:
    page = Path("benchmarks/RESULTS.md").read_text()
    assert page == results(everyone()), "python -m benchmarks.overview writes it again"
