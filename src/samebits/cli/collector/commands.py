"""The commands of the collector, and the one that sends to it, declared for Typer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samebits.cli.application import AsJson, finish
from samebits.cli.examples import examples

commands = typer.Typer()
Folder = Annotated[str, typer.Option(metavar="FOLDER", help="Where the collector keeps files.")]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="A PostgreSQL database, postgresql://user@host/name; by default SQLite in FOLDER. "
        "SAMEBITS_COLLECTOR_DATABASE may have it instead.",
    ),
]


@commands.command(epilog=examples("send"))
def send(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...", help="desync reports, bits files, or JSON of `samebits diagnose`"
        ),
    ] = None,
    to: Annotated[str, typer.Option(metavar="URL", help="The collector's address.")] = "",
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A file with the key; else SAMEBITS_COLLECTOR_KEY is."),
    ] = None,
    match: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What both sides of a match call it: its reports are compared."
        ),
    ] = "",
    spool: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Keep what cannot be sent here, and send it the next time."
        ),
    ] = None,
    tries: Annotated[
        int, typer.Option(min=1, max=20, metavar="N", help="How often each file is tried.")
    ] = 4,
) -> None:
    """Send files to a collector, and again where it does not answer.

    Exit status: 0 all are there, 2 bad usage or input, or a file was refused or waits.
    """
    from samebits.cli.collector.send import SendOptions, run

    finish(lambda: run(SendOptions(tuple(files or ()), to, key, match, spool, tries)))


_collector = typer.Typer(
    help="Collect desync reports: serve, and look after what was sent.",
    epilog=examples("collector"),
    no_args_is_help=True,
)
commands.add_typer(_collector, name="collector")


@_collector.command("serve", epilog=examples("collector serve"))
def collector_serve(
    folder: Folder = "collector",
    database: Database = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8484,
    rate: Annotated[
        float, typer.Option(min=0.001, metavar="N", help="Requests a second taken of each key.")
    ] = 50.0,
    burst: Annotated[
        float, typer.Option(min=1, metavar="N", help="Requests of a key taken at once.")
    ] = 500.0,
    workers: Annotated[
        int, typer.Option(min=0, max=256, metavar="N", help="Processes that diagnose reports.")
    ] = 1,
    seconds: Annotated[
        int, typer.Option(min=1, max=3600, help="Of a processor, for each diagnosis.")
    ] = 60,
    keep_days: Annotated[
        int, typer.Option(min=0, metavar="DAYS", help="Remove files after so long; 0 keeps them.")
    ] = 90,
    catalogue: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The team's own known causes, in TOML."),
    ] = None,
    cert: Annotated[str | None, typer.Option(metavar="FILE", help="TLS certificate.")] = None,
    key: Annotated[str | None, typer.Option(metavar="FILE", help="TLS key.")] = None,
) -> None:
    """Take desync reports, bits files and verdicts over HTTP, and group them, until interrupted.

    Logs are lines of JSON on standard error. Exit status: 2 bad usage, or the folder, the database
    or the port cannot be used.
    """
    from samebits.cli.collector.serve import database_url, serve
    from samebits.collector.settings import Settings

    settings = Settings(
        Path(folder), database_url(database), host, port, workers, keep_days, rate, burst, seconds,
        cert=cert, key=key, catalogue=Path(catalogue) if catalogue else None,
    )  # fmt: skip
    finish(lambda: serve(settings))


@_collector.command("groups", epilog=examples("collector groups"))
def collector_groups(
    simulation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Those of one simulation alone.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Those that are resolved too.")] = False,
    folder: Folder = "collector",
    database: Database = None,
    json: AsJson = False,
) -> None:
    """List groups of reports that have one cause, the latest first."""
    from samebits.cli.collector.groups import show

    finish(lambda: show(folder, database, simulation, everything, json))


@_collector.command("resolve", epilog=examples("collector resolve"))
def collector_resolve(
    group: Annotated[int, typer.Argument(metavar="GROUP", help="the group's number")],
    version: Annotated[
        str, typer.Argument(metavar="VERSION", help="the simulation's version that mends it")
    ],
    folder: Folder = "collector",
    database: Database = None,
) -> None:
    """Call a group resolved in VERSION. It reopens when that or a later version reports it."""
    from samebits.cli.collector.groups import resolve

    finish(lambda: resolve(folder, database, group, version))


@_collector.command("compare", epilog=examples("collector compare"))
def collector_compare(
    build_a: Annotated[str, typer.Argument(metavar="BUILD_A", help="the build that is known")],
    build_b: Annotated[str, typer.Argument(metavar="BUILD_B", help="the build beside it")],
    simulation: Annotated[str, typer.Option(metavar="NAME", help="The simulation.")],
    folder: Folder = "collector",
    database: Database = None,
    json: AsJson = False,
) -> None:
    """Compare how often two builds desync: better, worse, or not enough data.

    May be asked at any time: builds that are alike are called better or worse with a probability of
    5 % at most, however often that is. Exit status: 0 better, or not enough data, 1 BUILD_B is
    worse, 2 bad usage, or a build that reported no sessions.
    """
    from samebits.cli.collector.rollout import compare

    finish(lambda: compare(folder, database, simulation, build_a, build_b, json))


@_collector.command("backup", epilog=examples("collector backup"))
def collector_backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="the archive to write, a tar")],
    folder: Folder = "collector",
    database: Database = None,
) -> None:
    """Write database and files to one archive, while the collector runs. Unpack it to restore.

    Of PostgreSQL only the files are in it: pg_dump has the tables.
    """
    from samebits.cli.collector.rollout import backup

    finish(lambda: backup(folder, database, file))


_key = typer.Typer(
    help="Keys, with which others send and read.",
    epilog=examples("collector key"),
    no_args_is_help=True,
)
_collector.add_typer(_key, name="key")


@_key.command("new", epilog=examples("collector key new"))
def collector_key_new(
    scope: Annotated[
        str,
        typer.Option(metavar="A,B", help="What its bearer may do: send, read, admin."),
    ] = "send",
    name: Annotated[str, typer.Option(metavar="TEXT", help="What it is for.")] = "",
    folder: Folder = "collector",
    database: Database = None,
) -> None:
    """Make a key and print it, this once: the database has a hash of it alone."""
    from samebits.cli.collector.serve import key_new

    finish(lambda: key_new(folder, database, scope, name))


@_key.command("list", epilog=examples("collector key list"))
def collector_key_list(
    folder: Folder = "collector", database: Database = None, json: AsJson = False
) -> None:
    """List keys by their ids."""
    from samebits.cli.collector.serve import key_list

    finish(lambda: key_list(folder, database, json))


@_key.command("revoke", epilog=examples("collector key revoke"))
def collector_key_revoke(
    key: Annotated[str, typer.Argument(metavar="ID", help="the key's id, as `key list` shows it")],
    folder: Folder = "collector",
    database: Database = None,
) -> None:
    """Refuse a key from now on."""
    from samebits.cli.collector.serve import key_revoke

    finish(lambda: key_revoke(folder, database, key))
