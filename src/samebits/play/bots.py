"""Bots: peers in this process that play slots by a script, one of them perhaps with a fault."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread

from samebits.errors import MatchError
from samebits.net.client import join
from samebits.sim.players import Player
from samebits.sim.simulation import Simulation

ACTS = 60
"""Frames that a planted hazard acts for unless its words say until when: the heal that follows is
proven by the frames after them."""
_LOOK = 0.1
"""Seconds from one look for the next match to another."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A slot's script, and the simulation that its peer runs: the match's own, or a faulty one."""

    slot: int
    simulation: Simulation
    script: Player
    window: int

    def input(self, frame: int) -> bytes:
        """The slot's canonical input of a frame."""
        row = self.script(frame, 1)[:, self.slot : self.slot + 1]
        return self.simulation.inputs.to_bytes(row)

    async def play(self, url: str, ticket: str) -> None:
        """Play one match to its end. A match that has no place for it is over for it."""
        with suppress(MatchError):
            async with join(
                self.simulation, url, ticket, window=self.window, play=self.input
            ) as peer:
                async for _ in peer.frames():
                    pass

    async def play_all(self, url: Callable[[], str], ticket: Callable[[int], str]) -> None:
        """Play one match after the other: `url` names the current one."""
        while True:
            mine = url()
            await self.play(mine, ticket(self.slot))
            while url() == mine:
                await asyncio.sleep(_LOOK)


class BotThread(Thread):
    """Bots that play one match after the other, in a thread of their own: a report that one of
    them makes keeps nobody waiting. `broken` is called there with what ends them but `stop`."""

    def __init__(
        self,
        bots: Sequence[Bot],
        url: Callable[[], str],
        ticket: Callable[[int], str],
        broken: Callable[[BaseException], None],
    ) -> None:
        super().__init__(name="samebits bots", daemon=True)
        self._broken = broken
        self._loop = asyncio.new_event_loop()
        self._all = self._loop.create_task(_all(bots, url, ticket))

    def run(self) -> None:
        try:
            self._loop.run_until_complete(self._all)
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            self._broken(error)
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def stop(self) -> None:
        """End them, from the host's own loop."""
        with suppress(RuntimeError):  # they have ended themselves
            self._loop.call_soon_threadsafe(self._all.cancel)
        await asyncio.to_thread(self.join)


async def _all(bots: Sequence[Bot], url: Callable[[], str], ticket: Callable[[int], str]) -> None:
    tasks = [asyncio.create_task(bot.play_all(url, ticket)) for bot in bots]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
