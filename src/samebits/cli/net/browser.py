"""`samebits net play`: a match in browser tabs."""

from __future__ import annotations

import asyncio
import signal
import socket
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Literal

from samebits.cli.exit_status import SAME
from samebits.cli.named import file_in, named_simulation, source_of
from samebits.cli.net.relay import need_websockets, shown
from samebits.errors import MatchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from samebits.net.events import MatchEvent
    from samebits.play.files import ServedFile
    from samebits.play.host import PlayHost


_AWAY = 30_000_000_000
"""Nanoseconds that the slot of a closed tab is kept."""


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What `samebits net play` was given."""

    sim: str
    open: bool
    host: str
    port: int
    seed: int
    bots: tuple[int, ...]
    all_bots: bool
    players: str | None
    plant: str | None
    window: int
    frames: int | None
    policy: Literal["heal", "pause", "end", "log"]
    out: str


def play(options: PlayOptions) -> int:
    """Serve the pages and the matches until interrupted."""
    need_websockets()
    from samebits.net.relay.rules import MatchRules
    from samebits.play.host import PlayHost, PlayPlan, module_of

    sim = file_in(options.sim)
    simulation = named_simulation(sim)
    plan = PlayPlan(
        source=source_of(sim), store=Path(options.out), script=options.players, plant=options.plant,
        rules=MatchRules(
            seed=options.seed, frames=options.frames, policy=options.policy, away=_AWAY
        ),
        bots=tuple(range(simulation.players)) if options.all_bots else options.bots,
        window=options.window,
    )  # fmt: skip

    def module() -> Mapping[str, ServedFile]:
        print(f"{simulation.name} {simulation.version}: making its module", flush=True)
        return module_of(simulation)

    host = PlayHost(simulation, plan, options.host, module)
    host.relay.listeners.append(_told)
    asyncio.run(_serve(host, options))
    for match in host.lobby.played:
        print(f"{match}: {host.replay(match)}")
    if host.lobby.played:
        print(f"prove it: samebits verify {join((sim, str(host.replay(host.lobby.played[-1]))))}")
    return SAME


async def _serve(host: PlayHost, options: PlayOptions) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows, where the interrupt is raised
            loop.add_signal_handler(each, stop.set)
    try:
        async with host.running(options.port) as broken:
            own = _address(options.host, host.relay.port, host.code)
            print(f"play at {own}, and stop with Ctrl-C", flush=True)
            if host.code is not None:
                print(f"others join with the code {host.code}", flush=True)
            if options.open:
                webbrowser.open(own)
            stopped = asyncio.ensure_future(stop.wait())
            await asyncio.wait([stopped, broken], return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if broken.done():
                broken.result()
    except OSError as error:
        raise MatchError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
            fix="give another --port or --host",
        ) from None


def _told(match: str, event: MatchEvent) -> None:
    from samebits.net.events import DelayChanged, Substituted

    if not isinstance(event, Substituted | DelayChanged):
        print(f"{match}: {shown(event)}", flush=True)


def _address(host: str, port: int, code: str | None) -> str:
    """What a browser is to open. The code is behind #, where no server sees and logs it."""
    if host in ("0.0.0.0", "::"):
        host = _outward()
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}/" + (f"#{code}" if code else "")


def _outward() -> str:
    """This machine's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found, suppress(OSError):
        found.connect(("192.0.2.1", 9))
        return str(found.getsockname()[0])
    return "127.0.0.1"
