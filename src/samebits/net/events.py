"""The events of a match, for the program that plays or serves it."""

from __future__ import annotations

from dataclasses import dataclass


class MatchEvent:
    """Something that happened in a match. Subclasses say what."""


@dataclass(frozen=True, slots=True)
class Joined(MatchEvent):
    """A slot is played from `frame` on."""

    slot: int
    frame: int


@dataclass(frozen=True, slots=True)
class Left(MatchEvent):
    """A slot is empty from `frame` on; its inputs are zeros."""

    slot: int
    frame: int


@dataclass(frozen=True, slots=True)
class Away(MatchEvent):
    """A slot's connection is gone at `frame`; its inputs are substituted until it comes back."""

    slot: int
    frame: int


@dataclass(frozen=True, slots=True)
class Substituted(MatchEvent):
    """The inputs of some slots did not come in time for `frame`: their latest were repeated."""

    slots: tuple[int, ...]
    frame: int


@dataclass(frozen=True, slots=True)
class Started(MatchEvent):
    """Frames close from `frame` on: at the beginning, after a pause, or for who came later."""

    frame: int


@dataclass(frozen=True, slots=True)
class Paused(MatchEvent):
    """No frame closes from `frame` on, until the match goes on."""

    frame: int


@dataclass(frozen=True, slots=True)
class DelayChanged(MatchEvent):
    """A slot's input delay is `delay` frames."""

    slot: int
    delay: int
    frame: int


@dataclass(frozen=True, slots=True)
class HashGroup:
    """Who reported one hash: slots, and whether the referee did."""

    hash: int
    slots: tuple[int, ...]
    referee: bool = False


@dataclass(frozen=True, slots=True)
class Desynced(MatchEvent):
    """After `frame` the states differed, for the first time. With `decided` the first group is
    right: the referee is in it, or more peers than in any other."""

    frame: int
    groups: tuple[HashGroup, ...]
    decided: bool

    @property
    def wrong(self) -> tuple[int, ...]:
        """The slots whose bits departed; none if undecided."""
        return tuple(s for g in self.groups[1:] for s in g.slots) if self.decided else ()

    def __str__(self) -> str:
        shown = "; ".join(
            f"{group.hash:016x} of "
            + (
                ", ".join(
                    [*["the referee"] * group.referee, *(f"slot {slot}" for slot in group.slots)]
                )
                or "those who agreed before"
            )
            for group in self.groups
        )
        named = f"slots {', '.join(map(str, self.wrong))} departed" if self.wrong else "undecided"
        return f"frame {self.frame}: {named} ({shown})"


@dataclass(frozen=True, slots=True)
class Healed(MatchEvent):
    """A slot holds the agreed state again: its hash of `frame` was proven."""

    slot: int
    frame: int


@dataclass(frozen=True, slots=True)
class Refused(MatchEvent):
    """The relay has no place; both values where two differ."""

    code: str
    reason: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Ended(MatchEvent):
    """The match is over. `hash` is that after its last frame, 0 if nobody reported it."""

    reason: str
    frames: int
    hash: int


@dataclass(frozen=True, slots=True)
class TrapMet(MatchEvent):
    """A trap ended `frame`, of which all inputs are known: the same on every machine."""

    frame: int
    what: str


@dataclass(frozen=True, slots=True)
class Broken(MatchEvent):
    """The other end broke the protocol, or is silent: the connection is over."""

    reason: str


@dataclass(frozen=True, slots=True)
class VerdictKnown(MatchEvent):
    """What a diagnosis found of the desync in `frame`."""

    frame: int
    what: str
