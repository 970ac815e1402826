"""`samebits play`: a simulation's page, written and told of."""

from __future__ import annotations

import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from shlex import join

from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import file_in, named_simulation, source_of, warn_fewer_frames
from samebits.cli.pages import check_page, write_page
from samebits.cli.printing import progress_bars
from samebits.errors import ArgumentError
from samebits.export.interface import interface_of
from samebits.play.host import module_of
from samebits.play.pictures import Pictures, pictures_of
from samebits.play.solo_page import BEGINS, PagePlan, Shown, page_text, shown_replay, views_of
from samebits.sim.definition import check_seed
from samebits.sim.simulation import Simulation


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What `samebits play` was given."""

    sim: str
    replay: str | None
    out: str | None
    frames: int | None
    seed: int | None
    open: bool


def write(options: PageOptions) -> int:
    """Write the page, print what it shows, return the exit status."""
    if options.replay is not None and options.seed is not None:
        raise ArgumentError(
            "--seed is for a live run: a replay has its own", fix="leave out --seed or --replay"
        )
    sim = file_in(options.sim)
    simulation = named_simulation(sim)
    seed = check_seed(1 if options.seed is None else options.seed)
    out = f"{interface_of(simulation).name}.html" if options.out is None else options.out
    check_page(out, "--out", BEGINS)
    views = views_of(source_of(sim))
    shown = None if options.replay is None else _replay(simulation, options.replay, options.frames)
    drawn = None if views else _drawn(simulation, options, shown)
    plan = PagePlan(
        seed=seed,
        frames=options.frames if shown is None else None,
        replay=shown,
        pictures=drawn,
        views=views,
        command=f"samebits diagnose {join((options.sim, options.replay or ''))}",
    )
    text = page_text(simulation, module_of(simulation), plan)
    write_page(out, text)
    what = f"a live run of seed {seed}" if shown is None else f"{shown.frames:,} frames"
    print(f"{out}: {simulation.name} {simulation.version}, {what}, {len(text):,} bytes")
    warn_fewer_frames(options.replay, 0 if shown is None else shown.frames, options.frames)
    if options.open:
        webbrowser.open(Path(out).resolve().as_uri())
    return _status(options, shown, drawn)


def _replay(simulation: Simulation, replay: str, frames: int | None) -> Shown:
    from samebits.replay.reader import ReplayReader

    with ReplayReader(replay) as reader:
        simulation.require(reader.header, replay)
    return shown_replay(replay, frames)


def _drawn(simulation: Simulation, options: PageOptions, shown: Shown | None) -> Pictures | None:
    """The pictures of a replay whose scene is Python."""
    scene = simulation.scene
    if shown is None or options.replay is None or scene is None or scene.kernel is not None:
        return None
    with progress_bars(shown.frames) as bars:
        return pictures_of(
            simulation, options.replay, options.frames, lambda count: bars.show("drawing", count)
        )


def _status(options: PageOptions, shown: Shown | None, drawn: Pictures | None) -> int:
    if drawn is not None and drawn.differs is not None:
        sys.stderr.write(
            f"from frame {drawn.differs} on the states here are not those recorded: their hashes"
            f" differ; ask `samebits diagnose {join((options.sim, options.replay or ''))}` why\n"
        )
        return DIFFERS
    if shown is not None and shown.damage:
        sys.stderr.write(f"{options.replay} is {shown.damage}\n")
        return BAD
    return SAME
