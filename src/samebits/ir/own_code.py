"""Functions of samebits' own code, whose traps name the line of the user's code that called them.

Such a trap is of one that its user did not write: a list is full where `append` is called. It is
placed at the innermost call that is not samebits' own.
"""

from __future__ import annotations

PREFIX = "samebits."
"""The beginning of the names of samebits' own modules and functions."""


def is_own_code(name: str) -> bool:
    """Whether a function or module of this name is samebits' own."""
    return name.startswith(PREFIX)
