"""Difficulty from the shell, workers from the machine."""

import os
import platform
import sys

HARD = os.environ.get("HARD") == "1"  # expect: SB502
SUBSTEPS = os.getenv("SUBSTEPS", "4")  # expect: SB502
CHUNK = 4096 // (os.cpu_count() or 1)  # expect: SB502
FAST = platform.machine() == "x86_64" and sys.platform != "win32"  # expect: SB502, SB502
