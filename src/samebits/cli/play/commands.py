"""The command `play` and its options, declared for Typer."""

from __future__ import annotations

from typing import Annotated

import typer

from samebits.cli.application import Sim, finish
from samebits.cli.examples import examples
from samebits.digits import MOST_FRAMES

commands = typer.Typer()


@commands.command(epilog=examples("play"))
def play(
    sim: Sim,
    replay: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Show this replay of SIM, in place of a live run."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The page; by default the simulation's name.html."
        ),
    ] = None,
    frames: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_FRAMES, metavar="N", help="Only the first N frames; by default all."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of a live run; 1 if not given.")
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write one HTML file that runs SIM: a replay to go through, or a live run to steer.

    The page needs no network, no server and no Python: it runs the same bits by WebAssembly, shows
    the hash of each frame, and compares it with the recorded one. It draws by `game_view.mjs`
    beside SIM, by SIM's scene, or shows the state's fields. Exit status: 0 written, 1 written, and
    the states here are not those recorded, 2 bad usage or input, including a damaged replay.
    """
    from samebits.cli.play.page import PageOptions, write

    options = PageOptions(sim, replay, out, frames, seed, open)
    finish(lambda: write(options))
