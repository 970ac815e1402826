"""A Python peer of a match over WebSocket: a thin layer over `PeerCore`.

Owns the socket, the clock and reconnecting. Frames come paced; the state that they show is the
predicted one.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from samebits.bits import to_canonical
from samebits.errors import MatchError
from samebits.net import limits
from samebits.net.events import MatchEvent
from samebits.net.evidence import of_timeline
from samebits.net.peer.core import PeerCore, PeerState
from samebits.sim.inputs import Inputs
from samebits.sim.simulation import Simulation

_SHARE = 4
"""The part of a tick that a rollback over the whole window may take: one in so many."""
_TRIES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 2.0, *[5.0] * 10)
"""Seconds between tries to come back."""

Given = Mapping[str, Any] | Any
"""A player's input: an instance of the input struct, or a dict of its fields."""


@dataclass(frozen=True, slots=True)
class MatchFrame:
    """What a match shows now: `number` frames are over in `state`, the last few of them predicted;
    `confirmed` are final. `events` came since the last one."""

    number: int
    confirmed: int
    state: Any
    events: tuple[MatchEvent, ...]


class MatchPeer:
    """One player, or spectator, of a match; made by `join`."""

    def __init__(
        self,
        simulation: Simulation,
        url: str,
        ticket: str,
        window: int,
        spectator: bool,
        play: Callable[[int], Given] | None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.simulation, self.url, self._tls = simulation, url, tls
        self.latest = bytes(simulation.inputs.to_bytes(self._zeros(simulation)))
        self._play = play
        self.core = PeerCore(
            simulation, ticket, self._sample, window=affordable(simulation, window),
            spectator=spectator, reporter=of_timeline,
        )  # fmt: skip
        self._wake = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    @staticmethod
    def _zeros(simulation: Simulation) -> Inputs:
        return np.zeros((1, 1), simulation.input_type.dtype)

    def send(self, given: Given) -> None:
        """Play this input from now on. Raises ArgumentError if it does not fit."""
        self.latest = self._bytes(given)

    def _bytes(self, given: Given) -> bytes:
        if isinstance(given, bytes):
            return given
        blank: list[Any] = [{}] * (self.simulation.players - 1)
        row = self.simulation.inputs.frame([given, *blank])
        return to_canonical(self.simulation.input_type, row[:, :1])

    def _sample(self, frame: int) -> bytes:
        if self._play is not None:
            self.latest = self._bytes(self._play(frame))
        return self.latest

    async def frames(self) -> AsyncIterator[MatchFrame]:
        """Play: each time there is something new to show, or events. Ends with the match.

        A lost connection is made again. Raises MatchError if there is no relay, or no way back.
        """
        tries = 0
        shown = -1
        was_there = False
        _check_address(self.url)
        more: dict[str, Any] = {} if self._tls is None else {"ssl": self._tls}
        while not self.core.over:
            try:
                async with connect(
                    self.url, compression=None, max_size=limits.MESSAGE, ping_interval=None,
                    max_queue=256, proxy=None, **more,
                ) as socket:  # fmt: skip
                    was_there = True
                    self._socket = socket
                    self._reader = asyncio.get_running_loop().create_task(self._read(socket))
                    while not self.core.over:
                        output = self.core.poll(time.monotonic_ns())
                        for message in output.messages:
                            await socket.send(message)
                        if self.core.state is PeerState.PLAYING:
                            tries = 0
                        if output.events or self.core.frame != shown:
                            shown = self.core.frame
                            yield self._frame(output.events)
                        if self._reader.done() and not self._wake.is_set():
                            raise ConnectionError("the connection is over")
                        await self._wait(output.wake)
            except (OSError, WebSocketException) as error:
                if self.core.over:
                    break
                # A ticket is good again where its answer was lost.
                if not was_there or tries >= len(_TRIES):
                    raise _unreached(self.url, error) from None
                await asyncio.sleep(_TRIES[tries])
                tries += 1
                self.core.reconnect()
            finally:
                if self._reader is not None:
                    self._reader.cancel()
        output = self.core.poll(time.monotonic_ns())
        if output.events:
            yield self._frame(output.events)

    async def _wait(self, wake: int | None) -> None:
        if wake is not None:
            left = (wake - time.monotonic_ns()) / limits.SECOND
            if left > 0 and not self._wake.is_set():
                try:
                    async with asyncio.timeout(left):
                        await self._wake.wait()
                except TimeoutError:
                    pass
            else:
                await asyncio.sleep(0)
        self._wake.clear()

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for data in socket:
                if isinstance(data, str):
                    break
                self.core.receive(time.monotonic_ns(), data)
                self._wake.set()
        except ConnectionClosed:
            pass
        finally:
            self._wake.set()

    def _frame(self, events: list[MatchEvent]) -> MatchFrame:
        timeline = self.core.timeline
        state = None if timeline is None else timeline.rollback.state
        confirmed = 0 if timeline is None else timeline.confirmed
        return MatchFrame(self.core.frame, confirmed, state, tuple(events))

    def pause(self, reason: str = "") -> None:
        """Ask for a pause of the match, which all players see in the same frame."""
        self.core.pause(reason)
        self._wake.set()

    def go_on(self) -> None:
        """Ask for the end of a pause."""
        self.core.go_on()
        self._wake.set()

    async def leave(self, reason: str = "") -> None:
        """Leave the slot for good."""
        if self._socket is not None and not self.core.over:
            self.core.leave(reason)
            for message in self.core.poll(time.monotonic_ns()).messages:
                await self._socket.send(message)
            await self._socket.close()

    async def __aenter__(self) -> MatchPeer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._reader is not None:
            self._reader.cancel()
        if self._socket is not None:
            await self._socket.close()


def join(
    simulation: Simulation,
    url: str,
    ticket: str,
    *,
    window: int = 8,
    spectator: bool = False,
    play: Callable[[int], Given] | None = None,
    tls: ssl.SSLContext | None = None,
) -> MatchPeer:
    """A peer of the match that `url` names, `ws://host:port/match` or `wss://…`, for an `async
    with` block. `window` frames are predicted at most, 0 is lockstep; fewer where this machine is
    too slow to play them again in a quarter of a tick. `play(frame)` gives inputs; without it
    those of `send` are repeated. `tls` says which certificates are trusted, by default those that
    the system trusts.
    """
    return MatchPeer(simulation, url, ticket, window, spectator, play, tls)


def _check_address(url: str) -> None:
    """Raise MatchError for what is no address of a match."""
    try:
        parse_uri(url).host.encode("idna")
    except (InvalidURI, ValueError) as error:
        raise MatchError(
            f"no connection to {url}: {error}"[:300], fix="give ws://host:port/match"
        ) from None


def _unreached(url: str, error: Exception) -> MatchError:
    """Why there is no connection."""
    fix = "start the relay, or ask for its address"
    reason = str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message
        fix = "let SSL_CERT_FILE name the certificate that the relay's rests on"
    elif url.startswith("wss:") and (isinstance(error, ssl.SSLError) or not reason):
        reason, fix = "no TLS is spoken there", "give ws:// where the relay has no certificate"
    return MatchError(f"no connection to {url}: {reason or type(error).__name__}"[:300], fix=fix)


def affordable(simulation: Simulation, window: int) -> int:
    """As many frames of a window as this machine plays in a quarter of a tick."""
    if window <= 0:
        return 0
    rollback = simulation.rollback(0, window)
    rows = np.zeros((window, simulation.players), simulation.input_type.dtype)
    tick = limits.SECOND // simulation.tick_rate
    best = tick
    for _ in range(3):
        begun = time.perf_counter_ns()
        try:
            rollback.play(0, rows, checked=True)
        except Exception:
            return window
        best = min(best, time.perf_counter_ns() - begun)
    return max(1, min(window, tick // _SHARE * window // max(best, 1)))
