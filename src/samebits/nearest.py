"""The known name that was probably meant by one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 60


def nearest(text: str, names: Iterable[str]) -> str | None:
    """The name that is spelt most like `text`, whatever its case; None where none is near."""
    known = {name.lower(): name for name in names}
    found = get_close_matches(text.lower()[:_LONGEST], known, 1)
    return known[found[0]] if found else None
