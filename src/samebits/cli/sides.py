"""`samebits diagnose --list-sides`: the words of a side spec, and the hazards."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS
from samebits.sides.words import described_words

WIDTH = 100


def listed() -> Iterator[str]:
    """The lines that `--list-sides` prints."""
    yield "a side is words separated by commas:"
    yield from _rows(described_words())
    yield ""
    yield "a hazard is injected everywhere or at a PLACE (game.py:131, game.py:131:20, a function):"
    yield from _rows(
        [(hazard.name, hazard.title) for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS)]
    )


def _rows(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Two columns: names and their meanings."""
    width = max(len(name) for name, _ in rows) + 4
    for name, what in rows:
        first, *others = textwrap.wrap(what, WIDTH - width)
        yield f"  {name:<{width - 2}}{first}"
        yield from (f"{'':<{width}}{line}" for line in others)
