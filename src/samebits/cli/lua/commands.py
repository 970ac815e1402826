"""The commands about Lua scripts, declared for Typer."""

from __future__ import annotations

from typing import Annotated

import typer

from samebits.cli.application import AsJson, finish
from samebits.cli.examples import examples

commands = typer.Typer(
    help="Lua scripts as simulations: record, verify and diagnose them.",
    epilog=examples("lua"),
    no_args_is_help=True,
)

Engines = Annotated[str, typer.Option(metavar="A,B", help="Of lua54 and luajit.")]
Game = Annotated[
    str,
    typer.Argument(
        metavar="GAME.lua", help="A script that returns state, init and step (docs/guides/lua.md)."
    ),
]
Record = Annotated[
    str, typer.Argument(metavar="RUN.sbt", help="A record of `lua record`, or of a C host.")
]


@commands.callback()
def _root() -> None:
    """Lua scripts as simulations: record, verify and diagnose them."""


@commands.command("record", epilog=examples("lua record"))
def lua_record(
    game: Game,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The record to write.")],
    frames: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many.")] = 600,
    seed: Annotated[int, typer.Option(help="Where math.random starts.")] = 1,
    engine: Annotated[str, typer.Option(help="lua54 or luajit.")] = "lua54",
    inputs: Annotated[
        str, typer.Option(help="random, zero, or a record whose inputs are played.")
    ] = "random",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing FILE.")] = False,
) -> None:
    """Run GAME.lua and write its states' hashes, its inputs and its states.

    Exit status: 0 written, 2 bad usage or input, or an error of the script.
    """
    from samebits.cli.lua.runs import record

    finish(lambda: record(game, out, frames, seed, engine, inputs, force))


@commands.command("verify", epilog=examples("lua verify"))
def lua_verify(
    game: Game,
    record: Record,
    engines: Engines = "lua54,luajit",
    restore: Annotated[
        bool,
        typer.Option(
            "--restore/--no-restore",
            help="Run each frame from a saved state too, which finds state outside of it.",
        ),
    ] = True,
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND",
            help="A program of `lua build` with its prepared script, run too. May be repeated.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Run a record's inputs again in every engine, and compare every frame's hash.

    Exit status: 0 the same, 1 a difference, 2 bad usage or input.
    """
    from samebits.cli.lua.runs import verify

    finish(lambda: verify(game, record, engines, restore, json, host or []))


@commands.command("build", epilog=examples("lua build"))
def lua_build(
    game: Annotated[str, typer.Argument(metavar="GAME.lua", help="A script.")],
    out: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "--targets",
            metavar="T",
            help="Targets of the math library, separated by commas or repeated; by default this "
            "machine's.",
        ),
    ] = None,
    engines: Engines = "lua54,luajit",
) -> None:
    """Write what a C program needs to run GAME.lua, and the scripts beside it, with these bits.

    A C module for Lua 5.4 and LuaJIT 2.1, the scripts as it takes them, and the math library. A
    README in DIR/lua says how to use them. Exit status: 0 written, 2 bad usage or input, or a tool
    failed.
    """
    from samebits.cli.lua.building import build

    finish(lambda: build(game, out, target or [], engines))


@commands.command("diagnose", epilog=examples("lua diagnose"))
def lua_diagnose(
    game: Game,
    record: Record,
    a: Annotated[
        str, typer.Option(metavar="SIDE", help="lua54 or luajit, with +libm for the platform's.")
    ] = "lua54",
    b: Annotated[str, typer.Option(metavar="SIDE", help="The other side.")] = "lua54+libm",
    json: AsJson = False,
) -> None:
    """Run a record's inputs on two sides, and name the first line and operation that differ.

    A side with +libm has the platform's math functions, as plain Lua does. `samebits diagnose
    ours.sbt theirs.sbt` names the frame and the fields of two records. Exit status: 0 the same, 1 a
    difference, 2 bad usage or input.
    """
    from samebits.cli.lua.runs import diagnose

    finish(lambda: diagnose(game, record, a, b, json))
