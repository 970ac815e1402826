"""The report on matches: NET.md as figures beside their goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.machines import machine
from benchmarks.net.costs import Shape, per_minute
from benchmarks.net.relay_load import Loaded

PLACE = Path(__file__).parents[1] / "NET.md"


@dataclass
class Found:
    """What was measured: CPU seconds of a relay's core for a second of a match, bytes of memory of
    it, milliseconds of a rollback in one call and by a session, frames a second caught up with."""

    core: float
    memory: int
    rollback: tuple[float, float]
    catch_up: float
    shapes: list[Shape]
    realtime: bool = False
    """Whether the relays under load ran before all else on the machine."""
    loads: list[Loaded] = field(default_factory=list[Loaded])
    stored: Loaded | None = None


def document(found: Found) -> str:
    """The whole page."""
    return "\n".join([*_head(found), *_goals(found), *_loads(found), *_shapes(found)]) + "\n"


def _head(found: Found) -> Iterator[str]:
    yield "# Matches over a network"
    yield ""
    yield "Made by `make bench-net`; the machine:"
    yield ""
    yield from machine()
    yield ""
    beside = (
        "relays and players run before all else on the machine, by a real-time priority"
        if found.realtime
        else "those of lateness are of the clock"
    )
    yield (
        "No library publishes what a relay of lockstep matches costs, so that goals stand in for "
        "peers; what Fortress Rollback publishes of its mesh is beside the links below. A match "
        "is `benchmarks/net/ships.py`: four players at 60 frames a second, three bytes of input "
        "each, which change ten times a second; a hash of every frame from every player, and the "
        "relay's own run as one more vote. Players are recorded once and played back in real time "
        "over loopback sockets without TLS. Figures of a core are of CPU time, so that what else "
        f"runs on the machine counts little; {beside}."
    )


def _goals(found: Found) -> Iterator[str]:
    held = [load for load in found.loads if not load.lost] or found.loads
    best = max(held, key=lambda load: load.a_core)
    up = max(shape.ordered.up for shape in found.shapes if shape.ordered.players == 4)
    down = max(shape.ordered.down for shape in found.shapes if shape.ordered.players == 4)
    half = max(
        (load for load in found.loads if load.share <= 0.55), key=lambda load: load.share,
        default=found.loads[0],
    )  # fmt: skip
    rows = (
        ("four-player matches a core, with sockets", 150, best.a_core, "{:.0f}", True),
        ("late by at half load at most, p99, ms", 2, half.late[1], "{:.2f}", False),
        ("bytes a second of a player up, 4 players", 1500, up, "{:,.0f}", False),
        ("bytes a second of a player down, 4 players", 1500, down, "{:,.0f}", False),
        ("8 frames of the arena again, ms", 0.1, found.rollback[0], "{:.3f}", False),
        ("frames a tick caught up with, arena", 500, found.catch_up / 60, "{:,.0f}", True),
        ("memory of a match beside its states, MB", 1, found.memory / 1e6, "{:.2f}", False),
    )
    yield from ("", "## Goals", "", "| | goal | found | |", "|---|--:|--:|---|")
    for what, goal, value, shown, least in rows:
        reached = value >= goal if least else value <= goal
        sign = "≥" if least else "≤"
        yield (
            f"| {what} | {sign} {goal:,} | {shown.format(value)} | "
            f"{'reached' if reached else 'missed'} |"
        )


def _loads(found: Found) -> Iterator[str]:
    yield from ("", "## A relay under load", "")
    yield (
        f"The core alone, without sockets: {1 / found.core:.0f} matches a core. Late is how long "
        "after a frame was due its players had it."
    )
    yield from ("", "| matches | loop | core | matches a core | late, median | late, p99 |")
    yield "|--:|---|--:|--:|--:|--:|"
    stored = [] if found.stored is None else [found.stored]
    for load in [*found.loads, *stored]:
        loop = load.loop + (", with a store" if load in stored else "")
        lost = "" if not load.lost else f" ({load.lost} connections ended)"
        yield (
            f"| {load.matches} | {loop} | {load.share:.0%} | {load.a_core:.0f}{lost} | "
            f"{load.late[0]:.2f} ms | {load.late[1]:.2f} ms |"
        )


def _shapes(found: Found) -> Iterator[str]:
    yield from ("", "## Over simulated links", "")
    yield (
        "One minute each, prediction of eight frames; bytes a second of a player with the "
        "framing of WebSocket or UDP, rollbacks and stalls of a player in a minute, the most "
        "frames at once. Ordered is as WebSocket: what is lost holds up what follows. Two players "
        "fly the arena, four the ships. Fortress Rollback's figures for its second and third row, "
        "of its mesh: 66.7 rollbacks in 100 frames, 4 frames and no stalls; 71.1, 7 frames and 15 "
        "stalls."
    )
    yield ""
    yield "| link, by round trip | transport | up | down | rollbacks | deepest | stalls |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for shape in found.shapes:
        for name, match in (("ordered", shape.ordered), ("datagrams", shape.datagrams)):
            yield (
                f"| {shape.title} | {name} | {match.up:,.0f} | {match.down:,.0f} | "
                f"{per_minute(match.rollbacks, match):.0f} | {match.deepest} | "
                f"{per_minute(match.stalls, match):.1f} |"
            )
    yield ""
    yield (
        f"Eight frames of the arena played again: {found.rollback[0]:.3f} ms in one call, "
        f"{found.rollback[1]:.3f} by a session's restore and run. A peer far behind plays "
        f"{found.catch_up:,.0f} frames of the arena in a second of CPU."
    )
