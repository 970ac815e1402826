"""The guard of the steps after frame and fields: a step that fails becomes a note.

The facts found so far stay, and the note says what is missing and why.

Owns that no such failure ends a diagnosis. Knows nothing of the steps.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from samebits.errors import SamebitsError, unexpected


@contextmanager
def beyond_first_facts(notes: list[str], what: str) -> Generator[None]:
    """Run a step that is to find `what`: words such as "the cause is"."""
    try:
        yield
    except SamebitsError as error:
        note = f"{what} unknown: {error.message}"
    except Exception as error:
        note = f"{what} unknown, for samebits met what it did not expect: {unexpected(error)}"
    else:
        return
    if note not in notes:
        notes.append(note)
