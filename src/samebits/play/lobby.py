"""The lobby of a relay's current match: who sits where, what happened, and tickets for free slots.

Owns which match is current: when one is over the next begins. Knows nothing of HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from samebits.errors import MatchError
from samebits.net import limits
from samebits.net.events import Desynced, Ended, Healed, Left, MatchEvent, VerdictKnown
from samebits.net.server import HostedMatch, Relay
from samebits.net.tickets import make_ticket, read_ticket

SECONDS = 30
"""How long a ticket is valid, and a slot kept for who fetched it."""


@dataclass
class DesyncFacts:
    """What is known of a desync, as the page shows it."""

    event: Desynced
    what: str = ""
    details: dict[str, Any] = field(default_factory=dict[str, Any])
    healed: dict[int, int] = field(default_factory=dict[int, int])
    """The frames in which slots were proven to hold the agreed state again."""

    def to_json(self) -> dict[str, Any]:
        event = self.event
        return {
            "frame": event.frame,
            "decided": event.decided,
            "wrong": list(event.wrong),
            "groups": [
                {"hash": f"{g.hash:016x}", "slots": list(g.slots), "referee": g.referee}
                for g in event.groups
            ],
            "what": self.what,
            "details": self.details,
            "healed": {str(slot): frame for slot, frame in self.healed.items()},
        }


class Lobby:
    """Matches of a relay, one after the other, called `match-1` and so on: the first names that
    its store does not have. The slots in `bots` are not given to people."""

    def __init__(self, relay: Relay, bots: Collection[int] = ()) -> None:
        self.relay, self.bots = relay, frozenset(bots)
        self.played: list[str] = []
        """The matches that frames were played in."""
        self._number = 0
        self._given: dict[int, tuple[str, int]] = {}
        self.match = ""
        self.desyncs: dict[str, list[DesyncFacts]] = {}
        """Those of the current match and of the one before."""
        self._next()
        relay.listeners.append(self._happened)

    @property
    def hosted(self) -> HostedMatch | None:
        """The current match, once somebody came."""
        return self.relay.matches.get(self.match)

    def ticket(self, slot: int | None) -> str:
        """A ticket for a slot of the current match, or to watch it. Raises MatchError where the
        slot is not free."""
        relay, now = self.relay, self.relay.now()
        if slot is None:
            return make_ticket(
                relay.secret, self.match, now_ns=now, seconds=SECONDS, role="spectator"
            )
        state = self.state_of(slot)
        if state != "free":
            raise MatchError(f"player {slot + 1} is {_STATES[state]}")
        text = make_ticket(relay.secret, self.match, slot, now_ns=now, seconds=SECONDS)
        ticket = read_ticket(relay.secret, text)
        self._given[slot] = ticket.nonce, ticket.expires
        return text

    def state_of(self, slot: int) -> str:
        """`free`, `reserved` for who fetched a ticket, `playing`, `away`, or `bot`. Raises
        MatchError where there is no such slot."""
        if not 0 <= slot < self.relay.simulation.players:
            raise MatchError(f"there is no player {slot + 1}")
        hosted = self.hosted
        seat = None if hosted is None else hosted.core.seats[slot]
        if seat is not None and seat.occupied:
            if slot in self.bots:
                return "bot"
            return "away" if seat.connection is None else "playing"
        if slot in self.bots:
            return "bot"
        nonce, expires = self._given.get(slot, ("", 0))
        waits = expires > self.relay.now() and not self.relay.booth.has_used(nonce)
        return "reserved" if waits else "free"

    def to_json(self) -> dict[str, Any]:
        """What the pages show of the match."""
        hosted = self.hosted
        slots = range(self.relay.simulation.players)
        core = None if hosted is None else hosted.core
        return {
            "match": self.match,
            "frames": 0 if core is None else core.log.closed,
            "agreed": 0 if core is None else core.votes.counted,
            "running": core is not None and core.closing.running,
            "paused": core is not None and core.closing.paused,
            "watching": 0 if core is None else sum(c.spectator for c in core.connections.values()),
            "slots": [self.state_of(slot) for slot in slots],
            "desyncs": {
                match: [each.to_json() for each in found] for match, found in self.desyncs.items()
            },
        }

    def _happened(self, match: str, event: MatchEvent) -> None:
        known = self.desyncs.get(match)
        if known is None:
            return
        match event:
            case Desynced() if len(known) < limits.REPORTS:
                known.append(DesyncFacts(event))
            case VerdictKnown():
                self._verdict(match, event)
            case Healed():
                for each in known:
                    if event.slot in each.event.wrong:
                        each.healed.setdefault(event.slot, event.frame)
            case Left() if match == self.match:
                self._end_without_people()
            case Ended() if match == self.match:
                if event.frames:
                    self.played.append(match)
                self._next()
            case _:
                pass

    def _verdict(self, match: str, event: VerdictKnown) -> None:
        hosted = self.relay.matches.get(match)
        for each in self.desyncs[match]:
            if each.event.frame == event.frame:
                each.what = event.what
                if hosted is not None and hosted.store is not None:
                    each.details = details(hosted.store.path, event.frame)

    def _end_without_people(self) -> None:
        hosted = self.hosted
        if hosted is None or not self.bots:
            return
        people = [s for s in hosted.core.seats if s.slot not in self.bots]
        if people and not any(seat.occupied for seat in people):
            hosted.core.end("the players left")

    def _next(self) -> None:
        store = self.relay.store
        self._number += 1
        while store is not None and (store / f"match-{self._number}").exists():
            self._number += 1
        self.match = f"match-{self._number}"
        self._given.clear()
        self.desyncs = {**dict([*self.desyncs.items()][-1:]), self.match: []}


_STATES = {
    "reserved": "taken: somebody is on the way",
    "playing": "taken",
    "away": "taken: its player lost the connection and may come back",
    "bot": "a bot",
}
_SHOWN = {
    "field": ("path", "a", "b", "ulps"),
    "cause": ("title", "expression", "remedy"),
    "place": ("line", "function", "source"),
    "operation": ("opcode", "a", "b", "ulps"),
}
"""What the page shows of each part of a diagnosis."""


def details(folder: Path, frame: int) -> dict[str, Any]:
    """The parts of a verdict that a diagnosis left beside a match's replay; those that it knows."""
    for path in sorted(folder.glob(f"frame-{frame}-*.verdict.json")):
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            continue
        if isinstance(found, dict):
            return _parts(cast("dict[str, Any]", found))
    return {}


def _parts(found: dict[str, Any]) -> dict[str, Any]:
    operation = _part(found, "operation")
    place = _part(operation, "place")
    parts = {name: found.get(name) for name in ("differing", "certainty")}
    for name, key in (("field", "fields"), ("cause", "causes")):
        rows = cast("list[dict[str, Any]]", found.get(key) or [])
        if rows:
            parts[name] = {each: rows[0].get(each) for each in _SHOWN[name]}
    if place:
        file = Path(str(place.get("file"))).name
        parts["place"] = {**{each: place.get(each) for each in _SHOWN["place"]}, "file": file}
        parts["operation"] = {each: operation.get(each) for each in _SHOWN["operation"]}
    return parts


def _part(found: dict[str, Any], name: str) -> dict[str, Any]:
    return cast("dict[str, Any]", found.get(name) or {})
