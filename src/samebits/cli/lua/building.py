"""`samebits lua build`: what a C program needs to run a script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from samebits.cli.build import building, print_built
from samebits.cli.exit_status import SAME
from samebits.cli.named import words
from samebits.export.build import choose_targets
from samebits.lua.engines import engine_named
from samebits.lua.game import Script
from samebits.lua.host_files import build_for_hosts


def build(path: str, out: str, targets: Sequence[str], engines: str) -> int:
    """Write the files and list them; return the exit status."""
    script = Script.read(path)
    chosen = [engine_named(name) for name in words("--engines", engines)]
    rows = choose_targets([name for names in targets for name in words("--target", names)])
    with building([row.name for row in rows]) as show:
        built = build_for_hosts(script, chosen, rows, Path(out), show)
    print_built(built)
    return SAME
