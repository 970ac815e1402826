"""The paths of a site over HTTP: pages, the module, the lobby's facts, and tickets.

A ticket is fetched by POST from a page of this host, so that none is in a URL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from samebits.errors import MatchError, ProtocolError, SimulationError
from samebits.net.relay.seats import TokenBucket
from samebits.play import answers
from samebits.play.door import Door
from samebits.play.files import ServedFile, view_file
from samebits.play.lobby import Lobby

_RELAYS_OWN = ("/healthz", "/metrics", "/status")
_RATE, _BURST = 2, 40
"""Requests for tickets a second, and at once: nobody guesses a join code at that pace."""


class Site:
    """The pages of one simulation's matches, for `Relay.site`."""

    def __init__(
        self,
        lobby: Lobby,
        door: Door,
        served: Mapping[str, ServedFile],
        facts: Mapping[str, Any],
        views: Mapping[str, Path],
    ) -> None:
        self.lobby, self.door, self.facts = lobby, door, dict(facts)
        self._files = {**served}
        self._views = {**views}
        players = lobby.relay.simulation.players
        self._pages = {
            "/": "/page/lobby.html",
            "/watch": "/page/match.html",
            **{f"/play/{slot}": "/page/match.html" for slot in range(players)},
        }
        self._tickets: dict[str, int | None] = {
            "/ticket/watch": None,
            **{f"/ticket/{slot}": slot for slot in range(players)},
        }
        self._json: dict[str, Callable[[], Any]] = {
            "/facts.json": lambda: self.facts,
            "/lobby.json": lobby.to_json,
        }
        self._bucket = TokenBucket(_RATE, _BURST, lobby.relay.now())

    def __call__(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer, or None where the relay is to answer or to open a WebSocket."""
        host = self.door.host(request.headers)
        if host is None:
            status = HTTPStatus.MISDIRECTED_REQUEST
            return answers.refusal("none.invalid", status, "this host serves no such name")
        if any("websocket" in each.lower() for each in request.headers.get_all("Upgrade")):
            if self.door.may_connect(request.headers, host):
                return None
            return answers.refusal(host, HTTPStatus.FORBIDDEN, "another site's page may not play")
        path = request.path.partition("?")[0]
        if path in self._tickets:
            return self._ticket(host, request, self._tickets[path])
        if path in _RELAYS_OWN:
            return None
        found = self._found(host, path)
        if found.status_code == HTTPStatus.OK and request.method not in ("GET", "HEAD"):
            return self._wrong_method(host, "GET, HEAD")
        if request.method == "HEAD":
            found.body = b""
        return found

    def _found(self, host: str, path: str) -> Response:
        if path in self._json:
            return answers.json_answer(host, self._json[path]())
        served = self._files.get(self._pages.get(path, path))
        if path in self._views:
            try:
                served = view_file(self._views[path])
            except SimulationError as error:
                return answers.refusal(host, HTTPStatus.INTERNAL_SERVER_ERROR, error.message)
        if served is None:
            return answers.refusal(host, HTTPStatus.NOT_FOUND, "there is no such page")
        return answers.answer(host, served.data, served.type)

    def _ticket(self, host: str, request: Request, slot: int | None) -> Response:
        if request.method != "POST":
            return self._wrong_method(host, "POST")
        if not self.door.is_own_page(request.headers, host):
            return answers.refusal(host, HTTPStatus.FORBIDDEN, "another site's page gets no ticket")
        try:
            self._bucket.take(self.lobby.relay.now())
        except ProtocolError:
            status = HTTPStatus.TOO_MANY_REQUESTS
            return answers.refusal(host, status, "too many ask for tickets: wait some seconds")
        if not self.door.knows_code(request.headers):
            return answers.refusal(host, HTTPStatus.UNAUTHORIZED, "the join code is another one")
        try:
            ticket = self.lobby.ticket(slot)
        except MatchError as error:
            return answers.refusal(host, HTTPStatus.CONFLICT, error.message)
        return answers.json_answer(host, {"match": self.lobby.match, "ticket": ticket})

    def _wrong_method(self, host: str, allowed: str) -> Response:
        status = HTTPStatus.METHOD_NOT_ALLOWED
        return answers.refusal(host, status, f"only {allowed}", {"Allow": allowed})
