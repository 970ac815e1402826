"""Whatever peers do, and whenever, the match is the same everywhere."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.limits import SECOND
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import MILLI, shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import EPOCH, PeerPlan, World

SLOTS = st.integers(0, 2)


class MatchMachine(RuleBasedStateMachine):
    """One match of three peers that drop out, stand still, pause, go on, leave and are cut off."""

    world: World

    @initialize(
        ordered=st.booleans(),
        names=st.lists(st.sampled_from(["lan", "wifi", "mobile"]), min_size=3, max_size=3),
        windows=st.lists(st.sampled_from([0, 4, 8]), min_size=3, max_size=3),
        seed=st.integers(0, 1000),
    )
    def begin(self, ordered: bool, names: list[str], windows: list[int], seed: int) -> None:
        links = shapes(ordered)
        peers = [
            PeerPlan(links[name], links[name], player(crowd(3), n, seed, 2000), window=window)
            for n, (name, window) in enumerate(zip(names, windows, strict=True))
        ]
        self.world = World(crowd(3), peers, MatchRules(seed=seed, ordered=ordered), seed)
        self.run_for(1000)

    @rule(milliseconds=st.integers(1, 1500))
    def run_for(self, milliseconds: int) -> None:
        self.world.run(self.world.now - EPOCH + milliseconds * MILLI)

    @rule(slot=SLOTS)
    def drop(self, slot: int) -> None:
        self.world.do("drop", slot)

    @rule(slot=SLOTS, what=st.sampled_from(["pause", "go on"]))
    def ask(self, slot: int, what: str) -> None:
        self.world.do(what, slot)

    @rule(slot=SLOTS, milliseconds=st.integers(10, 3000))
    def stop(self, slot: int, milliseconds: int) -> None:
        since = self.world.now - EPOCH
        plan = self.world.nodes[slot].plan
        plan.frozen = (*plan.frozen, (since, since + milliseconds * MILLI))

    @rule(slot=st.integers(1, 2), what=st.sampled_from(["leave", "cut"]))
    def go(self, slot: int, what: str) -> None:
        self.world.do(what, slot)

    def teardown(self) -> None:
        world = self.world
        self.run_for(4000)
        for slot in range(3):
            world.do("go on", slot)
        self.run_for(4000)
        before = len(world.frames)
        self.run_for(1000)
        assert len(world.frames) > before + 30, "the match does not go on"
        world.relay.end("the test is over")
        world.run(world.now - EPOCH + 20 * SECOND)
        assert faults(world) == []


TestMatches = MatchMachine.TestCase
TestMatches.settings = settings(
    max_examples=15, stateful_step_count=12, deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
