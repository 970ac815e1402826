"""The sticky floating-point flags are the caller's after the entries of each part of the package.

Environments, studies, scripts of Lua, containers, scenes, and what the commands do in a process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS
from tests.support.simulations.crowd_simulation import crowd
from tests.support.simulations.duel_simulation import DUEL
from tests.support.simulations.fragile_simulation import FRAGILE
from tests.support.simulations.walk_simulation import WALK, State
from tests.support.sticky_flags import answer_and_flags, flags_after, in_fork, needs_flags

import samebits as sb
from samebits import ensemble, float32, float64, lua, scene
from samebits.farm.entries import content_of
from samebits.farm.labels import facts
from samebits.farm.once import Runner
from samebits.farm.rows import Key, Task
from samebits.minimise.minimise import minimise
from samebits.net.input_codec import InputCodec
from samebits.net.limits import SECOND
from samebits.net.peer.timeline import Timeline
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import shapes
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows
from samebits.verify.verification import Verification

sg = pytest.importorskip("samebits.gym", reason="pip install 'samebits[gym]'")
pytest.importorskip("gymnasium", reason="pip install 'samebits[gym]'")

pytestmark = needs_flags

FRAGILE_FILE = SIMULATIONS / "fragile_simulation.py"

SCRIPT = """
local game = {state = "{x:f64}", input = "{push:f32}"}
function game.init(state) state.x = 1 / 3 end
function game.step(state, inputs) state.x = state.x + 0.1 * inputs[1].push end
function third(x) return math.sin(x) / 3 end
return game
"""


@sb.kernel
def drawn(state: State, marks: sb.List[scene.Mark, 4]) -> None:
    marks.append(scene.disc(sb.float2(state.place / float32(3), 0.0), 0.1, 0x102030))


def drawn_plainly(state: Any) -> list[scene.Shape]:
    return [scene.Discs([(0.1, 0.2)], 0.3, "#ff0000")]


SCENES = [scene.Scene(draw, ((0.0, 0.0), (3.0, 1.0))) for draw in (drawn, drawn_plainly)]


class Given:
    """What entries are given, made before the flags are put down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = sg.make(WALK)
        self.envs = sg.make_vec(WALK, 3)
        self.again = sg.make_vec(WALK, 3, autoreset="SameStep", reuse=True)
        self.both = sg.make_parallel(DUEL)
        for env in (self.env, self.envs, self.again, self.both):
            env.reset(seed=3)
        act = {"move": 1, "push": np.array([0.3]), "jump": 1}
        self.acts = dict.fromkeys(self.both.agents, act)
        self.study = ensemble.Study(WALK, 4, {"x": "place"}, runs=3)
        self.results = ensemble.run(self.study, folder / "study")
        self.script = folder / "game.lua"
        self.script.write_text(SCRIPT)
        self.lua = lua.Runtime()
        self.lua.run(SCRIPT)
        self.game = lua.Game(self.script)
        self.first = self.game.start()
        self.pushed = np.float32(0.3).tobytes()
        self.list = sb.List[float32, 8]([0.1, 0.2])
        self.map = sb.Map[sb.int32, float64, 8]({1: 0.1})
        self.heap = sb.Heap[float64, sb.int32, 8]()
        self.place = sb.float2(0.1, 0.2)
        self.state = WALK.start(1).state
        self.codec = InputCodec(crowd(2))
        replay = folder / "replay.mcap"
        with FRAGILE.record(replay, seed=1) as recording:
            recording.run(np.zeros((9, FRAGILE.players), FRAGILE.input_type.dtype))
        key = Key(content_of(str(replay)), FRAGILE.digest, facts().best, facts().fingerprint, 0)
        self.task = Task(key, str(replay), f"{FRAGILE_FILE}:FRAGILE", FRAGILE.name, FRAGILE.version)
        self.rows = [r for r in all_rows() if r.reason is None and not r.emulated]
        self.number = 0

    def path(self) -> Path:
        self.number += 1
        return self.folder / f"{os.getpid()}-{self.number}"


def _source(frames: int = 30) -> PlayerSource:
    return PlayerSource(FRAGILE, "random", 1, frames)


def _verified(g: Given) -> None:
    run = Verification(FRAGILE, _source(), g.rows)
    run.run(lambda what, done: None)
    assert run.same


def _minimised() -> object:
    sides = parse_side("", FRAGILE), parse_side("hazard=fma", FRAGILE)
    return minimise(PlayerSource(FRAGILE, "press", 1, 150), *sides, seconds=0.5)


def _timeline(g: Given) -> None:
    timeline = Timeline(crowd(2), g.codec, 4, 1)
    timeline.confirm(g.codec.zeros)
    timeline.advance(4)
    timeline.settle()


Entry = Callable[[Given], object]
ENTRIES: dict[str, Entry] = {
    "gym.make": lambda g: sg.make(WALK),
    "gym.make_vec": lambda g: sg.make_vec(WALK, 2),
    "gym.make_parallel": lambda g: sg.make_parallel(DUEL),
    "gym.register": lambda g: sg.register(WALK, f"mine/Walk{g.path().name.replace('-', 'x')}-v1"),
    "env.reset": lambda g: g.env.reset(),
    "env.reset with a seed": lambda g: g.env.reset(seed=1),
    "env.step": lambda g: (g.env.reset(), g.env.step(1)),
    "env.save and restore": lambda g: g.env.batch.restore(g.env.batch.save()),
    "envs.reset": lambda g: g.envs.reset(),
    "envs.step": lambda g: g.envs.step(np.ones(3, np.int64)),
    "envs.step that reset": lambda g: [g.again.step(np.ones(3, np.int64)) for _ in range(12)],
    "parallel.reset": lambda g: g.both.reset(seed=2),
    "parallel.step": lambda g: (g.both.reset(seed=2), g.both.step(g.acts)),
    "Study": lambda g: ensemble.Study(WALK, 4, {"x": "place"}, runs=3),
    "a study's digest": lambda g: ensemble.Study(WALK, 4, {"x": "place"}, runs=3).digest,
    "ensemble.run": lambda g: ensemble.run(g.study, g.path()),
    "results.summaries": lambda g: g.results.summaries("x"),
    "results.digest": lambda g: g.results.digest,
    "ensemble.summary": lambda g: ensemble.summary([0.1, 0.2, 0.7]),
    "lua.Runtime": lambda g: lua.Runtime(),
    "runtime.run": lambda g: g.lua.run("return 1 / 3"),
    "runtime.call": lambda g: g.lua.call("third", 0.3),
    "runtime.field": lambda g: g.lua.field("third_of"),
    "runtime.reseed": lambda g: g.lua.reseed(7),
    "lua.Game": lambda g: lua.Game(g.script),
    "game.start": lambda g: g.game.start(),
    "game.step": lambda g: g.game.step(g.pushed),
    "game.restore": lambda g: g.game.restore(g.first),
    "game.hash": lambda g: g.game.hash,
    "list": lambda g: sb.List[float32, 8]([0.1, 0.2, 1 / 3]),
    "list.append": lambda g: (g.list.clear(), g.list.append(0.1)),
    "list.extend": lambda g: (g.list.clear(), g.list.extend([0.1, 0.3])),
    "list ==": lambda g: g.list == [0.1, 0.2],
    "list's item": lambda g: (g.list.clear(), g.list.append(0.1), g.list[0]),
    "list's repr": lambda g: repr(g.list),
    "map": lambda g: sb.Map[sb.int32, float64, 8]({1: 0.1, 2: 0.3}),
    "map's item": lambda g: g.map[1],
    "heap": lambda g: (g.heap.push(0.1, 4), g.heap.pop()),
    "bit set": lambda g: sb.BitSet[100]([1, 5]),
    "Scene": lambda g: scene.Scene(drawn_plainly, ((0.0, 0.0), (3.0, 0.7))),
    "a kernel's shapes": lambda g: [*SCENES[0].shapes(g.state)],
    "a function's shapes": lambda g: [*SCENES[1].shapes(g.state)],
    "a shape": lambda g: scene.Discs([(0.1, 0.2)], 0.3, "#ff0000"),
    "a mark": lambda g: scene.disc(g.place, 0.1, 3),
    "verify": _verified,
    "minimise": lambda g: _minimised(),
    "diagnose": lambda g: sb.diagnose(FRAGILE, b="hazard=fma", frames=30),
    "explain": lambda g: sb.explain("a * b + c", {"a": 0.1, "b": 0.2, "c": 0.3}, 0.32),
    "a timeline": _timeline,
    "a farm's run": lambda g: Runner(f"{FRAGILE_FILE}:FRAGILE").run(g.task, lambda how: None),
}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return Given(tmp_path_factory.mktemp("flags"))


@pytest.mark.parametrize("flags", [0, 0x04], ids=["none", "one"])
@pytest.mark.parametrize("name", ENTRIES)
def test_the_flags_are_the_callers_after_each_part(name: str, flags: int, given: Given) -> None:
    found = in_fork(lambda: flags_after(lambda: ENTRIES[name](given), flags))
    assert found == hex(flags) * 3


@pytest.mark.parametrize("flags", [0, 0x04], ids=["none", "one"])
def test_the_flags_are_the_callers_after_the_cores_of_a_match(flags: int) -> None:
    """Of peers and the relay, each time that something is received or that they are asked."""
    cable = shapes(True)["cable"]
    plans = [PeerPlan(cable, cable, player(crowd(2), n, 0, 500)) for n in range(2)]
    world = World(crowd(2), plans, MatchRules(seed=0, frames=200), 0)
    changed: dict[str, int] = {}

    def watch(core: Any, name: str) -> None:
        function = getattr(core, name)

        def call(*given: Any) -> Any:
            found, after = answer_and_flags(lambda: function(*given), flags)
            at = f"{type(core).__name__}.{name}"
            changed[at] = changed.get(at, 0) | after ^ flags
            return found

        setattr(core, name, call)

    for core in (world.relay, *(node.core for node in world.nodes)):
        for name in ("connect", "receive", "poll", "disconnect", "reconnect"):
            if hasattr(core, name):
                watch(core, name)
    world.run(20 * SECOND)
    assert len(world.frames) == 200
    assert {"RelayCore.receive", "RelayCore.poll", "PeerCore.receive", "PeerCore.poll"} <= {
        *changed
    }
    assert {at: hex(other) for at, other in changed.items() if other} == {}
