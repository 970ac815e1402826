"""A simulation's matches with pages, bots and relay, as one thing to run."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from samebits.errors import MatchError
from samebits.export.build import build, choose_targets
from samebits.export.interface import interface_of
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay
from samebits.net.tickets import make_ticket
from samebits.play.bots import ACTS, Bot, BotThread
from samebits.play.door import Door, is_loopback, new_code
from samebits.play.facts import facts_of
from samebits.play.files import ServedFile, module_files, page_files, view_path, views_beside
from samebits.play.lobby import SECONDS, Lobby
from samebits.play.site import Site
from samebits.runtime.work_folders import work_folder
from samebits.sides.planted import planted
from samebits.sim.players import player
from samebits.sim.simulation import Simulation

TARGET = "wasm32"
_FAREWELL = 3
"""Seconds that players have to be told of the end."""


@dataclass(frozen=True, slots=True)
class PlayPlan:
    """What is played: where, by whom, and what is kept. `plant` is the fault of the last bot."""

    source: str | None
    store: Path
    rules: MatchRules = field(default_factory=MatchRules)
    bots: tuple[int, ...] = ()
    script: str | None = None
    plant: str | None = None
    window: int = 8


def module_of(simulation: Simulation) -> Mapping[str, ServedFile]:
    """The simulation's module for browsers, made in a folder that is removed.

    Raises CompileError, and TargetError where zig is missing or fails.
    """
    with work_folder() as folder:
        built = build(simulation, choose_targets([TARGET]), folder)
        return module_files(path for part in built if part.target for path in part.files)


class PlayHost:
    """Serves one match after the other of a simulation, and the pages that play them, on an
    address that is `host`. `module` gives the files of `module_of`, once all else is there.

    Raises MatchError for bots that cannot be, SideError and HazardError for a fault that cannot be
    planted, CompileError, and what `module` raises.
    """

    def __init__(
        self,
        simulation: Simulation,
        plan: PlayPlan,
        host: str,
        module: Callable[[], Mapping[str, ServedFile]],
    ) -> None:
        self.plan = plan
        self._bots = _bots(simulation, plan)
        self.code = None if is_loopback(host) else new_code()
        self._host = host
        self.relay = Relay(
            simulation, secrets.token_bytes(32), rules=plan.rules, store=plan.store,
            source=plan.source,
        )  # fmt: skip
        self.lobby = Lobby(self.relay, plan.bots)
        source = None if plan.source is None else Path(plan.source)
        views: Mapping[str, Path] = {} if source is None else views_beside(source)
        view = view_path(source) if source is not None and views else "/page/fields_view.mjs"
        interface = interface_of(simulation)
        self.relay.site = Site(
            self.lobby,
            Door(self.code is None, self.code),
            {**page_files(), **module()},
            {
                **facts_of(interface, view),
                "needsCode": self.code is not None,
                "bots": sorted(plan.bots),
                "window": plan.window,
            },
            views,
        )

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncGenerator[asyncio.Future[None]]:
        """Serve while the block runs; the future gets what breaks the bots, if anything does.
        Players are told of the end. Raises OSError."""
        loop = asyncio.get_running_loop()
        broken: asyncio.Future[None] = loop.create_future()

        def fail(error: BaseException) -> None:
            if not broken.done():
                broken.set_exception(error)

        def told(error: BaseException) -> None:
            loop.call_soon_threadsafe(fail, error)

        async with self.relay.running(self._host, port):
            bots = BotThread(self._bots, self._url, self._ticket, told)
            bots.start()
            try:
                yield broken
            finally:
                await bots.stop()
                await self._farewell()

    async def _farewell(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                for match in list(self.relay.matches.values()):
                    await match.finish("the host stopped")

    def _url(self) -> str:
        host = "127.0.0.1" if self._host in ("0.0.0.0", "localhost") else self._host
        host = f"[{host}]" if ":" in host else host
        return f"ws://{host}:{self.relay.port}/{self.lobby.match}"

    def _ticket(self, slot: int) -> str:
        now, match = self.relay.now(), self.lobby.match
        return make_ticket(self.relay.secret, match, slot, now_ns=now, seconds=SECONDS)

    def replay(self, match: str) -> Path:
        """Where a match's replay lies."""
        return self.plan.store / match / "match.mcap"


def _bots(simulation: Simulation, plan: PlayPlan) -> list[Bot]:
    slots = plan.bots
    for slot in slots:
        if not 0 <= slot < simulation.players or slots.count(slot) > 1:
            raise MatchError(
                f"--bot {slot}: there is one bot for each slot from 0 to {simulation.players - 1}",
                fix="name such slots, each once",
            )
    if plan.plant is not None and not slots:
        raise MatchError("a fault is planted in a bot, and there is none", fix="add --bot 1")
    script = player(simulation, plan.script, plan.rules.seed)
    found = [Bot(slot, simulation, script, plan.window) for slot in slots]
    if plan.plant is not None:
        faulty = planted(simulation, plan.plant, ACTS)
        faulty.rollback(plan.rules.seed, plan.window)  # compiled before anybody waits for it
        found[-1] = Bot(slots[-1], faulty, script, plan.window)
    return found
