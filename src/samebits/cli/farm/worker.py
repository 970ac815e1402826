"""`samebits farm worker`: one machine's processes for a farm."""

from __future__ import annotations

import os
import sys

from samebits.cli.exit_status import SAME
from samebits.cli.farm.extra import require_farm


def run(scheduler: str, threads: int | None, name: str | None) -> int:
    """Work until the scheduler ends; return the exit status."""
    require_farm()
    from samebits.farm.worker import serve

    serve(scheduler, threads or os.cpu_count() or 1, name, _say)
    return SAME


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
