"""`samebits build`: simulations, and the math library, for use outside Python."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.text import Text

from samebits.cli.consoles import TextConsole
from samebits.cli.exit_status import SAME
from samebits.cli.named import named_simulation, words
from samebits.errors import ArgumentError
from samebits.export.build import build, choose_targets
from samebits.export.output_folder import Built


def run(
    sim: str | None, targets: Sequence[str], out: str, name: str | None, math_library: bool
) -> int:
    """Build and list the files written; return the exit status. Raises ArgumentError for options
    that do not go together."""
    if (sim is None) is not math_library:
        raise ArgumentError(
            "samebits build takes SIM or --math-library" + (", not both" if sim else ""),
            fix="samebits build game.py --out dist, or samebits build --math-library --out dist",
        )
    if math_library and name is not None:
        raise ArgumentError("the math library has a name of its own", fix="leave out --name")
    rows = choose_targets([name for names in targets for name in words("--target", names)])
    simulation = None if sim is None else named_simulation(sim)
    with building([row.name for row in rows]) as show:
        if simulation is None:
            from samebits.export.math_library.build import build_math_library

            built = build_math_library(rows, Path(out), show)
        else:
            built = build(simulation, rows, Path(out), name, show)
    print_built(built)
    return SAME


@contextmanager
def building(names: Sequence[str]) -> Generator[Callable[[str, str], None]]:
    """Show the current step on stderr, if that is a terminal."""
    console = TextConsole(stderr=True)
    with console.status("building") if console.is_terminal else nullcontext() as status:

        def show(name: str, what: str) -> None:
            if status is not None:
                status.update(Text(f"{name} ({names.index(name) + 1} of {len(names)}): {what}"))

        yield show


def print_built(built: Sequence[Built]) -> None:
    """Print every file written and its size in bytes; paths are never cut."""
    files = [(part.target or "all", file) for part in built for file in part.files]
    width = max(len(target) for target, _ in files)
    for target, file in files:
        print(f"{target:{width}}  {file.stat().st_size:>10,}  {file}")
