"""The commands of `samebits net` and their options, declared for Typer."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from samebits.cli.application import Players, Sim, finish
from samebits.cli.examples import examples
from samebits.digits import MOST_FRAMES

commands = typer.Typer(
    help="Matches over a network: play, serve, join, watch and soak them.",
    epilog=examples("net"),
    no_args_is_help=True,
)


SecretFile = Annotated[
    str, typer.Option("--secret", metavar="FILE", help="A file with the secret that signs tickets.")
]


@commands.command("serve", epilog=examples("net serve"))
def net_serve(
    sim: Sim,
    secret: SecretFile,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8443,
    store: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Keep matches, replays and verdicts here.")
    ] = None,
    name: Annotated[str, typer.Option(help="The name of this relay in tickets.")] = "",
    seed: Annotated[int, typer.Option(help="The seed of matches.")] = 1,
    players: Annotated[
        int | None, typer.Option(min=1, help="Players that a match begins with; all by default.")
    ] = None,
    frames: Annotated[
        int | None, typer.Option(min=1, max=MOST_FRAMES, help="End a match after so many frames.")
    ] = None,
    deadline: Annotated[
        int, typer.Option(min=0, help="Milliseconds that a frame waits for inputs; 0 for ever.")
    ] = 150,
    on_desync: Annotated[
        Literal["heal", "pause", "end", "log"], typer.Option(help="What follows a desync.")
    ] = "heal",
    referee: Annotated[
        bool, typer.Option(help="Run each match here too, as one more vote.")
    ] = True,
    delay: Annotated[int, typer.Option(min=0, help="Frames that spectators see a match late.")] = 0,
    cert: Annotated[str | None, typer.Option(metavar="FILE", help="TLS certificate.")] = None,
    key: Annotated[str | None, typer.Option(metavar="FILE", help="TLS key.")] = None,
    origin: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="A page that browsers may come from.")
    ] = None,
    per_address: Annotated[
        int,
        typer.Option(
            min=0, help="Most connections from one address; 0 for any number, behind a proxy."
        ),
    ] = 100,
) -> None:
    """Serve matches of SIM until interrupted. Events are printed, one line each.

    `GET /healthz`, `/metrics` and `/status` answer on the same port.
    """
    from samebits.cli.net.relay import ServeOptions, serve

    options = ServeOptions(
        sim, secret, host, port, store, name, seed, players, frames, deadline, on_desync, referee,
        delay, cert, key, tuple(origin or ()), per_address,
    )  # fmt: skip
    finish(lambda: serve(options))


@commands.command("ticket", epilog=examples("net ticket"))
def net_ticket(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match's name.")],
    secret: SecretFile,
    slot: Annotated[int, typer.Option(min=0, help="The player's slot.")] = 0,
    spectator: Annotated[bool, typer.Option("--spectator", help="To watch, not to play.")] = False,
    relay: Annotated[str, typer.Option(help="The only relay that it is for.")] = "",
    seconds: Annotated[int, typer.Option(min=1, max=3600, help="How long it is valid.")] = 60,
) -> None:
    """Print a ticket, which lets its bearer join once."""
    from samebits.cli.net.relay import ticket

    finish(lambda: ticket(match, secret, slot, spectator, relay, seconds))


@commands.command("join", epilog=examples("net join"))
def net_join(
    sim: Sim,
    url: Annotated[str, typer.Argument(metavar="URL", help="ws://host:port/match")],
    ticket: Annotated[str, typer.Option(help="The ticket, or - to read it from standard input.")],
    players: Players = None,
    slot: Annotated[int, typer.Option(min=0, help="Whose part of the script to play.")] = 0,
    window: Annotated[
        int, typer.Option(min=0, max=3600, help="Frames to predict at most; 0 is lockstep.")
    ] = 8,
    side: Annotated[
        str | None,
        typer.Option(
            metavar="SIDE",
            help="Play with a planted hazard, hazard=NAME@PLACE,from=FRAME,until=FRAME.",
        ),
    ] = None,
) -> None:
    """Play a match with a script of SIM: a bot.

    Exit status: 0 played to the end, 1 this peer's bits departed, 2 bad usage, or refused.
    """
    from samebits.cli.net.relay import join

    finish(lambda: join(sim, url, ticket, players, slot, window, side))


@commands.command("watch", epilog=examples("net watch"))
def net_watch(
    sim: Sim,
    url: Annotated[str, typer.Argument(metavar="URL", help="ws://host:port/match")],
    ticket: Annotated[str, typer.Option(help="The ticket, or - to read it from standard input.")],
) -> None:
    """Watch a match, and print what happens in it."""
    from samebits.cli.net.relay import watch

    finish(lambda: watch(sim, url, ticket))


@commands.command("play", epilog=examples("net play"))
def net_play(
    sim: Sim,
    open: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on; others than this machine's need a join code."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8080,
    seed: Annotated[int, typer.Option(min=0, help="The seed of matches.")] = 1,
    bot: Annotated[
        list[int] | None,
        typer.Option(min=0, metavar="SLOT", help="Play this slot by a script. May be repeated."),
    ] = None,
    bots: Annotated[bool, typer.Option("--bots", help="Play all slots by a script.")] = False,
    players: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bots' script, or random.")
    ] = None,
    plant: Annotated[
        str | None,
        typer.Option(
            metavar="SIDE",
            help="Plant a hazard in the last bot: hazard=NAME@PLACE,from=FRAME,until=FRAME; "
            "without until= it acts for 60 frames.",
        ),
    ] = None,
    window: Annotated[
        int, typer.Option(min=0, max=64, help="Frames to predict at most; 0 is lockstep.")
    ] = 8,
    frames: Annotated[
        int | None, typer.Option(min=1, max=MOST_FRAMES, help="End a match after so many frames.")
    ] = None,
    on_desync: Annotated[
        Literal["heal", "pause", "end", "log"], typer.Option(help="What follows a desync.")
    ] = "heal",
    out: Annotated[
        str, typer.Option(metavar="FOLDER", help="Keep replays and verdicts here.")
    ] = "matches",
) -> None:
    """Play SIM in browser tabs: serve a page, its simulation as WebAssembly, and the relay.

    Each tab plays a slot; bots may play others. A view of the simulation, `game_view.mjs` beside
    `game.py`, draws it and reads keys; without one the page shows fields and sliders. Ends with
    Ctrl-C, and says where the replays are.
    """
    from samebits.cli.net.browser import PlayOptions, play

    options = PlayOptions(
        sim, open, host, port, seed, tuple(bot or ()), bots, players, plant, window, frames,
        on_desync, out,
    )  # fmt: skip
    finish(lambda: play(options))


@commands.command("soak", epilog=examples("net soak"))
def net_soak(
    sim: Sim,
    matches: Annotated[int, typer.Option(min=1, help="How many.")] = 16,
    frames: Annotated[int, typer.Option(min=1, max=MOST_FRAMES, help="Frames of each.")] = 600,
    seed: Annotated[int, typer.Option(min=0, help="The first match's seed.")] = 0,
    scene: Annotated[
        str | None, typer.Option(help="One kind of match; by default they take turns.")
    ] = None,
    rtt: Annotated[
        float | None, typer.Option(min=0, help="Milliseconds there and back, of all links.")
    ] = None,
    jitter: Annotated[float, typer.Option(min=0, help="Milliseconds, with --rtt.")] = 0,
    loss: Annotated[float, typer.Option(min=0, max=50, help="Per cent, with --rtt.")] = 0,
    datagrams: Annotated[
        bool | None,
        typer.Option("--datagrams/--ordered", help="Links that lose messages, or only delay them."),
    ] = None,
    window: Annotated[
        str | None, typer.Option(metavar="A,B", help="Frames that each peer predicts at most.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Play seeded matches of SIM over simulated links, and judge each of them.

    The same seed gives the same messages at the same times, which the trace's hash proves. Exit
    status: 0 all good, 1 a match has a fault, 2 bad usage.
    """
    from samebits.cli.net.relay import SoakOptions, soak

    options = SoakOptions(
        sim, matches, frames, seed, scene, rtt, jitter, loss, datagrams, window, json
    )
    finish(lambda: soak(options))


@commands.command("status", epilog=examples("net status"))
def net_status(
    url: Annotated[str, typer.Argument(metavar="URL", help="http://host:port")],
    json: Annotated[
        bool, typer.Option("--json", help="Print the relay's answer as it is.")
    ] = False,
) -> None:
    """Show what a relay serves."""
    from samebits.cli.net.relay import status

    finish(lambda: status(url, json))


@commands.command("verdict", epilog=examples("net verdict"))
def net_verdict(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="a match in a relay's store")],
) -> None:
    """Print the verdicts of a match's desyncs.

    Exit status: 0 none, 1 there are some, 2 no match.
    """
    from samebits.cli.net.relay import verdict

    finish(lambda: verdict(folder))
