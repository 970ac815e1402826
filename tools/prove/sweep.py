"""Sweeps of compiled loops over blocks of inputs, with a comparison of their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from tools.prove.inputs import Arguments
from tools.prove.reference import NAMED_INPUTS, Finding

Progress = Callable[[int], None]
Run = Callable[..., None]
"""Takes the inputs' arrays, then the results'."""


class Compare(Protocol):
    """Says how results compare with the right ones."""

    def __call__(self, arguments: Arguments, results: Sequence[Any]) -> Finding: ...


def sweep(
    compare: Compare,
    runs: Sequence[Run],
    result_types: Sequence[Any],
    blocks: Iterable[Arguments],
    threads: int = 1,
    progress: Progress = lambda n: None,
    every: int = 1,
) -> Finding:
    """Run every block; the first run is compared with the reference, the others with the first.

    The others run on every `every`-th block.
    """
    found = Finding()

    def results(run: Run, arguments: Arguments) -> list[Any]:
        made = [np.empty(len(arguments[0]), t) for t in result_types]
        run(*arguments, *made)
        return made

    def one(numbered: tuple[int, Arguments]) -> Finding:
        number, arguments = numbered
        got = results(runs[0], arguments)
        part = compare(arguments, got)
        for other in runs[1:] if number % every == 0 else ():
            _compare_levels(arguments, got, results(other, arguments), part)
        return part

    with ThreadPoolExecutor(threads) as pool:
        for part in in_order(pool, one, enumerate(blocks), threads + 1):
            found.add(part)
            progress(found.checked)
    return found


def _compare_levels(
    arguments: Arguments, got: Sequence[Any], other: Sequence[Any], part: Finding
) -> None:
    for one, two in zip(got, other, strict=True):
        bits = np.dtype(f"u{one.itemsize}")
        if one.tobytes() == two.tobytes():
            continue
        for at in np.flatnonzero(one.view(bits) != two.view(bits)).tolist():
            part.differ += 1
            if len(part.named) < NAMED_INPUTS:
                values = ", ".join(float(a[at]).hex() for a in arguments)
                part.named.append(f"({values}): levels give {one[at]!r} and {two[at]!r}")


def in_order(
    pool: ThreadPoolExecutor, one: Callable[[Any], Any], blocks: Iterable[Any], ahead: int
) -> Iterator[Any]:
    """The results of `one` for each block, at most `ahead` blocks taken in advance."""
    waiting: list[Any] = []
    for block in blocks:
        waiting.append(pool.submit(one, block))
        if len(waiting) > ahead:
            yield waiting.pop(0).result()
    for future in waiting:
        yield future.result()
