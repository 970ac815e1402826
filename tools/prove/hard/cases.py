"""The hard inputs found, one a line in NAME.txt beside this: arguments in hexadecimal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

KEPT = Path(__file__).parent


def write(name: str, inputs: Iterable[tuple[float, ...]], folder: Path = KEPT) -> None:
    lines = (",".join(x.hex() for x in row) for row in inputs)
    (folder / f"{name}.txt").write_text("\n".join([*lines, ""]))


def read(name: str, folder: Path = KEPT) -> list[tuple[float, ...]]:
    """None of a function that was not searched."""
    path = folder / f"{name}.txt"
    lines = path.read_text().split() if path.exists() else []
    return [tuple(map(float.fromhex, line.split(","))) for line in lines]
