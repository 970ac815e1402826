"""Soak: many seeded matches over all kinds of links, each judged by the oracle.

Owns what a match's seed decides: players, links, windows, who comes late, drops out, stands still,
pauses or leaves, and where a fault is planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from samebits.net.limits import SECOND
from samebits.net.relay.closing import ClosingRules
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import MILLI, Link, shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.world import EPOCH, PeerPlan, World
from samebits.sim.players import random_inputs
from samebits.sim.simulation import Simulation

HELD = 6
"""Frames for which a player of a soak holds the same input at most."""
SCENES = (
    "lan", "wifi", "mobile", "far", "mixed", "mixed", "one bad", "thin", "partition", "drops",
    "late", "frozen", "leaves", "pauses", "fault", "fault, no referee",
)  # fmt: skip
"""What a match is about; they take turns."""


@dataclass(frozen=True, slots=True)
class SoakMatch:
    """One match of a soak and what came of it."""

    seed: int
    scene: str
    players: int
    ordered: bool
    frames: int
    seconds: float
    trace: int
    faults: tuple[str, ...]
    rollbacks: int
    deepest: int
    replayed: int
    stalls: int
    substituted: int
    up: float
    """Bytes a second of a player to the relay: all messages, with WebSocket's or UDP's framing."""
    down: float

    def __str__(self) -> str:
        kind = "ordered" if self.ordered else "datagrams"
        result = "; ".join(self.faults) or "good"
        return (
            f"seed {self.seed}: {self.scene}, {self.players} players, {kind}, {self.frames} "
            f"frames, {self.rollbacks} rollbacks, at most {self.deepest} frames, "
            f"{self.stalls} stalls, {self.substituted} substituted, trace {self.trace:016x}: "
            f"{result}"
        )


@dataclass
class SoakPlan:
    """What a soak varies. A `link` takes the place of the scenes' own; `window` of theirs."""

    frames: int = 600
    scene: str | None = None
    ordered: bool | None = None
    window: tuple[int, ...] | None = None
    link: Link | None = None
    players: int | None = None


def player(simulation: Simulation, slot: int, seed: int, frames: int) -> Callable[[int], bytes]:
    """Inputs of random values that are held for some frames."""
    count = frames // HELD + 2
    rows = random_inputs(simulation, 0, count, seed)
    data = [simulation.inputs.to_bytes(rows[n : n + 1, slot]) for n in range(count)]
    return lambda frame: data[(frame + slot) // HELD % count]


def soak(
    simulation_of: Callable[[int], Simulation], seeds: Iterator[int], plan: SoakPlan
) -> Iterator[SoakMatch]:
    """Run a match for each seed; `simulation_of` gives the simulation for 2 to 8 players."""
    for seed in seeds:
        world, scene = made(simulation_of, seed, plan)
        world.run(_time(world, plan))
        yield judged(world, scene, seed, plan)


def made(
    simulation_of: Callable[[int], Simulation], seed: int, plan: SoakPlan
) -> tuple[World, str]:
    """The match of a seed, not run yet, and what it is about."""
    random = Random(seed)
    scene = plan.scene or SCENES[seed % len(SCENES)]
    players = plan.players or random.randint(2, 8)
    ordered = random.random() < 0.5 if plan.ordered is None else plan.ordered
    simulation = simulation_of(players)
    length = plan.frames * SECOND // simulation.tick_rate
    rules = MatchRules(
        seed=seed, frames=plan.frames, ordered=ordered, away=60 * SECOND,
        referee=scene != "fault, no referee", closing=ClosingRules(),
    )  # fmt: skip
    peers: list[PeerPlan] = []
    for slot in range(players):
        link = plan.link or _link(scene, slot, random, ordered, length)
        window = random.choice((0, 4, 8, 8)) if plan.window is None else (
            plan.window[slot % len(plan.window)]
        )  # fmt: skip
        inputs = player(simulation, slot, seed + 1, plan.frames + 200)
        clock = random.randint(-80, 80)
        peers.append(PeerPlan(link, link, inputs, window=window, clock=clock))
    needed = _happenings(scene, peers, random, length, plan.frames)
    if scene == "fault, no referee" and players == 2:
        rules = replace(rules, policy="log")
    return World(simulation, peers, replace(rules, needed=needed), seed), scene


def _link(scene: str, slot: int, random: Random, ordered: bool, length: int) -> Link:
    links = shapes(ordered)
    if scene in links:
        return links[scene]
    if scene == "one bad":
        return links["bad" if slot == 0 else "cable"]
    if scene == "partition":
        begin = length // 4 + random.randrange(max(1, length // 4))
        cut = begin + (SECOND + random.randrange(2 * SECOND))
        parts = ((begin, cut),) if slot == 0 else ()
        return replace(links["cable"], partitions=_since_epoch(parts))
    return links[random.choice(("lan", "wifi", "cable", "mobile", "far"))]


def _since_epoch(parts: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    return tuple((EPOCH + begin, EPOCH + end) for begin, end in parts)


def _happenings(scene: str, peers: list[PeerPlan], random: Random, length: int, frames: int) -> int:
    """Plan what happens to peers; how many are needed for the start."""

    def some(least: int, most: int) -> int:
        return SECOND + length * random.randint(least, most) // 100

    one = random.choice(peers)
    if scene == "drops":
        one.drops = (some(20, 40), some(60, 70))
        one.again = random.randint(1, 800) * MILLI
    elif scene == "late":
        one.joins = some(30, 60)
        return len(peers) - 1
    elif scene == "frozen":
        begin = some(20, 40)
        one.frozen = ((begin, begin + random.randint(300, 4000) * MILLI),)
    elif scene == "leaves":
        one.leaves = some(30, 60)
    elif scene == "pauses":
        begin = some(30, 50)
        one.pauses = ((begin, begin + 3 * SECOND),)
    elif scene.startswith("fault"):
        one.flip = frames // 3 + random.randrange(frames // 3)
    return len(peers)


def _time(world: World, plan: SoakPlan) -> int:
    """Far more than the match takes, after which it is stuck."""
    return 60 * SECOND + 3 * plan.frames * SECOND // world.simulation.tick_rate


def judged(world: World, scene: str, seed: int, plan: SoakPlan) -> SoakMatch:
    """What came of a match."""
    found = faults(world, frames=plan.frames)
    stats = [n.core.timeline.stats for n in world.nodes if n.core.timeline is not None]
    far = any(n.plan.up.latency > 20 * MILLI for n in world.nodes)
    # One alone may have come to a delay that covers its link: it guesses nothing wrong then.
    predicting = sum(n.plan.window > 0 for n in world.nodes) > 1
    rollbacks = sum(s.rollbacks for s in stats)
    if predicting and far and not rollbacks:
        found.append("no rollback: such a match proves nothing of them")
    seconds = max(1, world.now - world.started) / SECOND
    return SoakMatch(
        seed=seed,
        scene=scene,
        players=len(world.nodes),
        ordered=world.relay.rules.ordered,
        frames=len(world.frames),
        seconds=seconds,
        trace=world.trace,
        faults=tuple(found),
        rollbacks=rollbacks,
        deepest=max((s.deepest for s in stats), default=0),
        replayed=sum(s.replayed for s in stats),
        stalls=sum(n.core.stalls for n in world.nodes),
        substituted=sum(frame.substituted.bit_count() for frame in world.frames),
        up=float(np.mean([n.up.carried for n in world.nodes])) / seconds,
        down=float(np.mean([n.down.carried for n in world.nodes])) / seconds,
    )
