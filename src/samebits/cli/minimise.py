"""`samebits minimise`: a replay cut down to what a difference or a trap needs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import join

from rich.progress import Progress as Bars
from rich.progress import TextColumn, TimeElapsedColumn

from samebits.cli.consoles import TextConsole
from samebits.cli.exit_status import BAD, SAME
from samebits.cli.named import named_simulation
from samebits.minimise.minimise import Minimised, MinimiseError, minimise, write
from samebits.minimise.search import Progress
from samebits.output import holds_foreign_file
from samebits.replay.mcap_records import MAGIC
from samebits.sides.side import parse_side
from samebits.sides.words import default_words
from samebits.sim.sources import ReplaySource
from samebits_command import interrupted

JSON_FORMAT = 1


@dataclass(frozen=True)
class MinimiseOptions:
    """The command's options as they were typed."""

    sim: str
    replay: str
    a: str | None
    b: str | None
    trap: bool
    any: bool
    out: str | None
    seconds: float
    json: bool


def run(options: MinimiseOptions) -> int:
    """Minimise, write and report; return the exit status."""
    if options.b is not None and options.trap:
        raise MinimiseError(
            f"--trap and --b {options.b:.60} are both given: a replay is cut for one of them",
            fix="leave out --b to keep its trap, or --trap to keep the difference",
        )
    if options.b is None and not options.trap:
        raise MinimiseError(
            "it is not said what the replay must still show",
            fix="name a side that differs, as in --b mode=FAST, or keep its trap: --trap",
        )
    if not 0 < options.seconds <= 1e6:
        raise MinimiseError(f"--seconds {options.seconds:g} is no time", fix="write --seconds 60")
    out = options.out or f"{Path(options.replay).stem}.small.mcap"
    if os.path.exists(out) and os.path.exists(options.replay):
        if os.path.samefile(out, options.replay):
            raise MinimiseError(f"--out {out} is the replay itself", fix="give another name")
        if holds_foreign_file(out, MAGIC):
            raise MinimiseError(f"{out} exists already and is no replay", fix="give another name")
    simulation = named_simulation(options.sim)
    a = parse_side(options.a or default_words(), simulation)
    b = None if options.b is None else parse_side(options.b, simulation, any_state=True)
    with closing(ReplaySource(simulation, options.replay, any_code=True)) as source:
        with _progress() as show:
            found = minimise(
                source, a, b, seconds=options.seconds, same=not options.any, progress=show
            )
        if source.damage:
            sys.stderr.write(f"{options.replay} is {source.damage}\n")
    write(simulation, found, out)
    if options.json:
        print(json.dumps(as_json(found, out), indent=1))
    else:
        _print(options, found, out)
    if found.interrupted:
        word, code = interrupted()
        sys.stderr.write(f"{word}: the shortest replay so far is kept\n")
        return code
    return BAD if source.damage else SAME


def as_json(found: Minimised, out: str) -> dict[str, object]:
    """What was found, for programs. `minimal` says that nothing alone can be left out."""
    return {
        "format": JSON_FORMAT,
        "replay": out,
        "seed": found.seed,
        "frames": len(found.inputs),
        "of_frames": found.of_frames,
        "inputs": found.set,
        "of_inputs": found.of_set,
        "shows": {"frame": found.shown.frame, "what": found.shown.what},
        "showed": {"frame": found.first_shown.frame, "what": found.first_shown.what},
        "runs": found.runs,
        "frames_run": found.frames_run,
        "seconds": round(found.seconds, 3),
        "minimal": found.is_minimal,
        "interrupted": found.interrupted,
    }


def _print(options: MinimiseOptions, found: Minimised, out: str) -> None:
    frame = "init" if found.shown.frame < 0 else f"frame {found.shown.frame:,}"
    print(
        f"{out}: {len(found.inputs):,} of {found.of_frames:,} frames, {found.set:,} inputs of "
        f"{found.of_set:,} are not zero"
    )
    print(f"{frame}, {found.shown.what}")
    print(
        f"{found.runs:,} run{'s' * (found.runs != 1)} of {found.frames_run:,} "
        f"frame{'s' * (found.frames_run != 1)} in {found.seconds:,.1f} s",
        end="; ",
    )
    if found.is_minimal:
        print("no frame and no input can be left out")
    elif found.interrupted:
        print("interrupted")
    else:
        print(f"stopped after --seconds {options.seconds:g}: more may go")
    if options.b is not None:
        side = ("--a", options.a) if options.a else ()
        words = join((options.sim, out, *side, "--b", options.b))
        print(f"next: samebits diagnose {words}")


@contextmanager
def _progress() -> Generator[Progress]:
    """The best replay so far on stderr while the block runs, if that is a terminal."""
    console = TextConsole(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    off = not console.is_terminal
    with Bars(*columns, console=console, transient=True, disable=off) as bar:
        task = bar.add_task("running it whole", total=None)

        def show(what: str, frames: int, inputs: int) -> None:
            told = f"leaving out {what}: {frames:,} frames, {inputs:,} inputs"
            bar.update(task, description=told)

        yield show
