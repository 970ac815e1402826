"""Temporary files of processes that may be killed at any point, in one folder of their parent's.

A process that is ended while it makes or clears away a folder leaves it. So nobody but the parent
clears away, once they have all ended.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder() -> Generator[Path]:
    """Where this process and what it starts put temporary files, until the end of the block."""
    old, old_default = os.environ.get("TMPDIR"), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="samebits-", ignore_cleanup_errors=True) as place:
        os.environ["TMPDIR"] = tempfile.tempdir = place
        try:
            yield Path(place)
        finally:
            tempfile.tempdir = old_default
            if old is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = old
