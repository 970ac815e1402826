"""What a diagnosis goes on to after its first facts, frame and fields: where a step of that fails,
the facts stay, and a note says what is missing and why.

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
        told = f"{what} not told: {error.message}"
    except Exception as error:
        told = f"{what} not told, for samebits met what it did not expect: {unexpected(error)}"
    else:
        return
    if told not in notes:
        notes.append(told)
