"""The error of everything that a farm cannot do."""

from __future__ import annotations

from samebits.errors import SamebitsError


class FarmError(SamebitsError):
    """A corpus, a store of results or a set of workers that cannot be used as it was asked to."""
