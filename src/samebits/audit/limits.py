"""The limits of what one audit takes of a machine."""

from __future__ import annotations

MOST_BYTES = 1 << 30
"""Bytes of a file that is read."""
MOST_SOURCE = 16 << 20
"""Bytes of a source file that is parsed."""
MOST_MEMORY = 6 << 30
"""Bytes of addresses of the process that reads binaries, where the system keeps such limits."""
MOST_SECONDS = 600.0
"""Seconds for one file."""
MOST_FILES = 200_000
"""Files of a folder that are looked at."""
