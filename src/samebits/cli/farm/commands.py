"""The commands of `samebits farm` and their options, declared for Typer."""

from __future__ import annotations

from typing import Annotated

import typer

from samebits.cli.application import AsJson, Html, finish, targets_option
from samebits.cli.examples import examples
from samebits.digits import MOST_FRAMES

commands = typer.Typer(
    help="Thousands of replays, on many workers, and what was found kept.",
    epilog=examples("farm"),
    no_args_is_help=True,
)


Corpus = Annotated[
    str, typer.Argument(metavar="CORPUS", help="a folder of replays, or a file that lists them")
]
Local = Annotated[
    int | None,
    typer.Option(
        min=1, max=1024, help="So many replays at once here; as many as processors by default."
    ),
]
Frames = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_FRAMES, help="Only the first N frames of each replay."),
]
Timeout = Annotated[
    float, typer.Option(metavar="SECONDS", help="End a replay on a target that runs longer.")
]
Memory = Annotated[int, typer.Option(metavar="MIB", help="End a replay that needs more memory.")]


@commands.callback()
def _root() -> None:
    """Thousands of replays, on many workers, and what was found kept."""


@commands.command("verify", epilog=examples("farm verify"))
def verify(
    corpus: Corpus,
    sim: Annotated[
        list[str] | None,
        typer.Option(
            "--sim",
            metavar="SIM",
            help="A simulation, or a version of one; those of pyproject.toml by default. May be "
            "repeated.",
        ),
    ] = None,
    targets: Annotated[
        str | None,
        targets_option("Targets of `samebits targets`; what each worker runs best by default."),
    ] = None,
    local: Local = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="The workers of a Dask scheduler, as tcp://host:8786."
        ),
    ] = None,
    store: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where rows are kept, as Parquet files.")
    ] = "samebits-farm",
    frames: Frames = None,
    timeout: Timeout = 60.0,
    memory: Memory = 2048,
    retry: Annotated[
        bool,
        typer.Option("--retry", help="Run replays again that crashed, hung or ran out of memory."),
    ] = False,
    html: Html = None,
    json: AsJson = False,
) -> None:
    """Run all replays of a corpus on targets, many at once, and compare.

    Each replay runs in a process with limits: one that crashes or hangs costs a row that says so.
    Rows are kept as they come, by what was run: the same command goes on after any interruption,
    and runs nothing twice. A replay is the same if its rows agree with the hashes in it, and with
    each other. Exit status: 0 the same, 1 a difference, a crash too, 2 bad usage or input, or a
    proof that lacks something.
    """
    from samebits.cli.farm.verify import VerifyOptions, run
    from samebits.cli.named import words

    options = VerifyOptions(
        corpus,
        tuple(sim or ()),
        None if targets is None else words("--targets", targets),
        local,
        scheduler,
        store,
        frames or 0,
        timeout,
        memory,
        retry,
        html,
        json,
    )
    finish(lambda: run(options))


@commands.command("worker", epilog=examples("farm worker"))
def worker(
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The Dask scheduler, as tcp://host:8786.")
    ],
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Replays at once; as many as processors by default."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What rows call this worker; its address by default.")
    ] = None,
) -> None:
    """Work for a farm until its scheduler ends: run replays on the targets that this machine has.

    The worker tells the scheduler its targets, native and emulated. It trusts the scheduler, and
    runs the simulations that a farm names, by their paths: a folder that all machines share.
    """
    from samebits.cli.farm.worker import run

    finish(lambda: run(scheduler, threads, name))


@commands.command("bisect", epilog=examples("farm bisect"))
def bisect(
    corpus: Corpus,
    sim: Annotated[
        str,
        typer.Option("--sim", metavar="SIM", help="The simulation's file, in a repository."),
    ],
    old: Annotated[
        str, typer.Option("--old", metavar="REV", help="A commit that has the old bits.")
    ],
    new: Annotated[
        str, typer.Option("--new", metavar="REV", help="A later one, that has others.")
    ] = "HEAD",
    target: Annotated[
        str | None, typer.Option(metavar="TARGET", help="This machine's best by default.")
    ] = None,
    local: Local = None,
    frames: Frames = None,
    out: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Keep the minimised replays here.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="N", help="How long a replay may be minimised.")
    ] = 60.0,
    timeout: Timeout = 60.0,
    memory: Memory = 2048,
    json: AsJson = False,
) -> None:
    """Find the commits that changed hashes of a corpus, and why.

    The simulation is run as it is in both commits; replays that differ are followed through those
    between, halved as `git bisect` does, in worktrees in a temporary folder. Commits that do not
    load are skipped. Of each commit that is found the shortest replay is minimised and diagnosed.
    Exit status: 0 nothing changed, 1 commits were found, 2 bad usage or input.
    """
    from samebits.cli.farm.bisect import BisectOptions, run

    options = BisectOptions(
        corpus, sim, old, new, target, local, frames or 0, out, seconds, timeout, memory, json
    )
    finish(lambda: run(options))
