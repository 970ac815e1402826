"""The commands that join what many machines found, declared for Typer."""

from __future__ import annotations

from typing import Annotated

import typer

from samebits.cli.application import AsJson, finish
from samebits.cli.examples import examples

commands = typer.Typer()


@commands.command(epilog=examples("compare"))
def compare(
    files: Annotated[
        list[str],
        typer.Argument(metavar="BITS...", help="bits files of `verify --bits`, or folders of them"),
    ],
    expect: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="The machines that must be among them, by their labels."),
    ] = None,
    diagnose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIM", help="Diagnose the first runs of SIM that part. May be repeated."
        ),
    ] = None,
    replays: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Where --diagnose finds the replays. May be repeated."),
    ] = None,
    reports: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Where --diagnose finds what `verify --report` wrote."),
    ] = None,
    summary: Annotated[
        str | None, typer.Option(metavar="FILE", help="Append a page of Markdown to FILE.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Compare what machines found: every frame of every run, and whether all ran the same.

    Exit status: 0 the same everywhere, 1 a difference, between machines or on one of them, 2 bad
    usage or input, or a proof that lacks something: a machine, a run, a part of a corpus.
    """
    from samebits.cli.ci.compare import CompareOptions, run
    from samebits.cli.named import words

    options = CompareOptions(
        tuple(files),
        () if expect is None else words("--expect", expect),
        tuple(diagnose or ()),
        tuple(replays or ()),
        reports,
        summary,
        json,
    )
    finish(lambda: run(options))


_ci = typer.Typer(
    help="Verify in CI, on many machines.", epilog=examples("ci"), no_args_is_help=True
)
commands.add_typer(_ci, name="ci")


@_ci.callback()
def _ci_root() -> None:
    """Verify in CI, on many machines."""


@_ci.command("init", epilog=examples("ci init"))
def ci_init(
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="the project's folder; this one by default")
    ] = ".",
    github: Annotated[
        bool, typer.Option("--github", help="Write .github/workflows/samebits.yml.")
    ] = False,
    gitlab: Annotated[bool, typer.Option("--gitlab", help="Write .gitlab/samebits.yml.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say whether the file is out of date.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that samebits did not make.")
    ] = False,
) -> None:
    """Write a workflow that verifies the simulations of pyproject.toml on many machines.

    `[tool.samebits]` says what is verified: `simulations`, `corpus`, `runners`, `emulated`,
    `install`. Exit status: 0 written or up to date, 1 out of date, 2 bad usage or input.
    """
    from samebits.cli.ci.init import InitOptions, init

    named = (("github", github), ("gitlab", gitlab))
    services = tuple(name for name, wanted in named if wanted)
    options = InitOptions(services, folder, check, force)
    finish(lambda: init(options))
