"""`samebits build` and `samebits replay export`: simulations and replays for use outside Python."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.text import Text

from samebits.cli.consoles import TextConsole
from samebits.cli.exit_status import BAD, SAME
from samebits.cli.named import named_simulation, warn_fewer_frames, words
from samebits.cli.printing import print_built
from samebits.export.build import build, choose_targets
from samebits.export.inputs_file import export_inputs


def run(sim: str, targets: Sequence[str], out: str, name: str | None) -> int:
    """Build and list the files written; return the exit status."""
    rows = choose_targets([name for names in targets for name in words("--target", names)])
    simulation = named_simulation(sim)
    with _progress([row.name for row in rows]) as show:
        built = build(simulation, rows, Path(out), name, show)
    print_built(built)
    return SAME


def export(replay: str, out: str, frames: int | None) -> int:
    """Write the inputs file, print what is in it, return the exit status. Of a damaged replay the
    whole frames are written, and the status is that of bad input."""
    done = export_inputs(replay, out, frames)
    count = f"{done.frames:,} frame{'' if done.frames == 1 else 's'}"
    hashes = "with a hash each" if done.hashed else "without hashes"
    print(f"{out}: inputs of {done.simulation}, {count}, {hashes}")
    warn_fewer_frames(replay, done.frames, frames)
    if done.damage:
        sys.stderr.write(f"{replay} is {done.damage}\n")
        return BAD
    return SAME


@contextmanager
def _progress(names: Sequence[str]) -> Generator[Callable[[str, str], None]]:
    """Show the current step on stderr, if that is a terminal."""
    console = TextConsole(stderr=True)
    with console.status("building") if console.is_terminal else nullcontext() as status:

        def show(name: str, what: str) -> None:
            if status is not None:
                status.update(Text(f"{name} ({names.index(name) + 1} of {len(names)}): {what}"))

        yield show
