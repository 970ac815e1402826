"""Figures that pages of several machines are made of: a file a kind of processor, in its folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machines import RESULTS, folder, title

NAME = "figures.json"

Table = dict[str, dict[str, float]]
"""By what was measured, then by who was: seconds, or what the table's name says."""


@dataclass(frozen=True)
class Figures:
    """One kind's: `tables` by name."""

    kind: str
    title: str
    tables: dict[str, Table]


def add(**tables: Table) -> None:
    """Keep this machine's tables; those with other names stay."""
    place = folder() / NAME
    old: dict[str, Any] = json.loads(place.read_text()) if place.exists() else {}
    kept = {**old.get("tables", {}), **tables}
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"title": title(), "tables": kept}, indent=1) + "\n")


def rounded(seconds: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Four figures of each: more are noise."""
    return {name: float(f"{value:.4g}") for name, value in seconds}


def everyone(results: Path = RESULTS) -> list[Figures]:
    """All kinds' figures, in the order of their names."""
    found: list[Figures] = []
    for place in sorted(results.glob(f"*/{NAME}")):
        read = json.loads(place.read_text())
        found.append(Figures(place.parent.name, read["title"], read["tables"]))
    return found
