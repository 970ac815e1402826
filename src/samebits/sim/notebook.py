"""Tables for notebooks, which show an object by its `_repr_html_`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from samebits.pages import filled

MOST_ROWS = 40


def table(title: str, rows: Iterable[Sequence[object]], note: str = "") -> str:
    """HTML of a table with rows of cells, escaped; rows past `MOST_ROWS` are counted."""
    every = [tuple(str(cell) for cell in cells) for cells in rows]
    shown = every[:MOST_ROWS]
    if len(every) > len(shown):
        shown.append(("…", f"{len(every) - len(shown):,} more"))
    return filled("samebits.sim", "notebook.html", title=title, rows=shown, note=note)
