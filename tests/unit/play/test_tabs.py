"""Matches in tabs of Chromium: two people, a person and a bot with a fault, and a reload."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import EXAMPLES, SIMULATIONS
from tests.support.machines.tabs import CHROMIUM, Browser, Tab, browser
from tests.support.runs.exported import needs_zig

from samebits.bits import from_canonical
from samebits.cli import status
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.rules import MatchRules
from samebits.play.files import ServedFile
from samebits.play.host import PlayHost, PlayPlan, module_of
from samebits.sim.load import load_simulation
from samebits.sim.recording import Replay
from samebits.types import StructType

ARENA = EXAMPLES / "arena" / "arena.py"

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="the browser is ended as on Linux"),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
]
Act = Callable[[PlayHost, Browser, str], Awaitable[Any]]


@pytest.fixture(scope="module")
def module() -> Any:
    return module_of(load_simulation(str(ARENA)))


UNDER_A_TOUCH = """(({{ left, top, width, height }}) =>
  document.elementFromPoint(left + width / 2, top + height / 2).id === "{1}"
)({0}.getBoundingClientRect())"""
"""Whether a touch of the middle of an element goes to the one that is called so."""


def played(
    tmp_path: Path, source: Path, module: dict[str, ServedFile], act: Act, **plan: Any
) -> Any:
    """What `act` gives while a host serves, and a browser is there; no page has said an error."""

    async def run() -> Any:
        made = PlayPlan(str(source), tmp_path / "matches", **plan)
        host = PlayHost(load_simulation(str(source)), made, "127.0.0.1", lambda: module)
        async with host.running(), browser(tmp_path / "profile") as found:
            result = await act(host, found, f"http://127.0.0.1:{host.relay.port}")
            assert found.said == []
            return result

    return asyncio.run(run())


async def press(tab: Tab, *codes: str) -> None:
    """Press and let go keys, some frames each, over and over, until cancelled."""
    await tab.until("match.status().phase === 'playing'")
    while True:
        for code in codes:
            await tab.key(code, True)
            frame = await tab.run("match.status().frame")
            await tab.until(
                f"match.status().frame > {frame + 12} || match.status().phase == 'over'"
            )
            await tab.key(code, False)


KEYS = ("thrust", "turn", "fire")
PRESSED = ([{0, 127}, {0, 127}, {False, True}], [{0, 127}, {0, -127}, {False, True}])
"""What two players' keys give, held and let go."""


def pressed(log: FrameLog, inputs: StructType, slot: int) -> list[set[Any]]:
    """What a player has pressed in the latest frames."""
    rows = [log.row(frame) for frame in range(log.oldest, log.closed)]
    given = from_canonical(inputs, b"".join(rows), 2 * len(rows)).reshape(-1, 2)[:, slot]
    return [set(given[name].tolist()) for name in KEYS]


def test_two_tabs_play_and_the_log_proves_their_bits(tmp_path: Path, module: Any) -> None:
    """However long it takes the pages to see every key on a busy machine."""
    simulation = load_simulation(str(ARENA))
    inputs = simulation.input_type

    async def act(host: PlayHost, found: Browser, base: str) -> dict[str, Any]:
        tabs = [await found.tab(f"{base}/play/{slot}") for slot in (0, 1)]
        presses = [
            asyncio.create_task(press(tabs[0], "KeyW", "KeyD", "Space")),
            asyncio.create_task(press(tabs[1], "ArrowUp", "ArrowLeft", "Space")),
        ]
        match = host.lobby.hosted
        while match is None or any(
            pressed(match.core.log, inputs, slot) != PRESSED[slot] for slot in (0, 1)
        ):
            await asyncio.sleep(0.2)
            match = host.lobby.hosted
        match.core.end("all keys were seen")
        await match.ended.wait()
        for tab in tabs:
            await tab.until("notice.innerText.includes('The match is over')")
        for task in presses:
            task.cancel()
        await asyncio.gather(*presses, return_exceptions=True)
        return {
            "agreed": match.core.votes.counted,
            "frames": match.core.log.closed,
            "desyncs": match.core.desyncs,
            "texts": [await tab.run("notice.innerText") for tab in tabs],
        }

    found = played(tmp_path, ARENA, module, act, rules=MatchRules(seed=7))
    assert found["agreed"] == found["frames"] > 30
    assert found["desyncs"] == []
    assert found["texts"][0] == found["texts"][1]
    path = tmp_path / "matches" / "match-1" / "match.mcap"
    replay = Replay.open(path, simulation)
    assert replay.hashes is not None
    assert replay.hashes.tolist() == simulation.start(7).run(replay.inputs).tolist()
    assert f"{int(replay.hashes[-1]):016x}" in found["texts"][0]
    for slot in (0, 1):
        assert [set(replay.inputs[name][:, slot].tolist()) for name in KEYS] == PRESSED[slot]
    assert status(["verify", str(ARENA), str(path), "--targets", "wasm32-O3"]) == 0


def test_a_bots_fault_is_shown_with_its_cause_and_healed(tmp_path: Path, module: Any) -> None:
    async def act(host: PlayHost, found: Browser, base: str) -> list[str]:
        tab = await found.tab(f"{base}/play/0")
        await tab.until("document.querySelector('#verdict.healed') !== null")
        await tab.until("verdict.innerText.includes('Cause\\n+')")
        shown = await tab.run("verdict.innerText")
        await tab.form(844, 390, ratio=2, mobile=True)
        # Thumbs steer through it, and its button is still one.
        await tab.until(UNDER_A_TOUCH.format("verdict", "stage"))
        await tab.until(UNDER_A_TOUCH.format("verdict.querySelector('button')", ""))
        await tab.run("document.querySelector('#verdict button').click()")
        await tab.until("verdict.hidden")
        await tab.until("document.querySelector('#hud .agrees') !== null")
        return str(shown).splitlines()

    plant = "hazard=fma@bounce,from=60,until=61"
    shown = played(tmp_path, ARENA, module, act, bots=(1,), plant=plant)
    told = dict(pairwise(shown))
    assert shown[0].startswith("Player 2 departed in frame 60")
    assert told["Field"].startswith("bodies[")
    assert told["Line"] == "arena.py:262, bounce"
    assert told["Operation"].startswith("add: 0x")
    assert told["Cause"] == "+ became fused multiply-add (likely)"
    assert told["Now"].startswith("healed in frame ")


def test_a_tab_that_is_loaded_again_goes_on_with_its_slot(tmp_path: Path, module: Any) -> None:
    async def act(host: PlayHost, found: Browser, base: str) -> dict[str, Any]:
        tab = await found.tab(f"{base}/play/0")
        await tab.until("match.status().confirmed > 60")
        seat = host.lobby.hosted.core.seats[0]  # type: ignore[union-attr]
        before, match = seat.epoch, host.lobby.match
        await tab.go("about:blank")
        while seat.connection is not None:
            await asyncio.sleep(0.01)
        states = [host.lobby.state_of(0)]
        await tab.go(f"{base}/play/0")
        await tab.until("match.status().phase === 'playing'")
        frames = await tab.run("match.status().confirmed")
        await tab.until(f"match.status().confirmed > {frames + 30}")
        states.append(host.lobby.state_of(0))
        other = await found.tab(f"{base}/play/0")
        await other.until("notice.innerText.includes('This place is taken')")
        same = host.lobby.match == match and host.lobby.hosted is not None
        return {"states": states, "epochs": seat.epoch - before, "same": same}

    found = played(tmp_path, ARENA, module, act, bots=(1,))
    assert found == {"states": ["away", "playing"], "epochs": 1, "same": True}


def test_thumbs_steer_and_fire_and_spectators_see_it(tmp_path: Path, module: Any) -> None:
    """The left thumb says where to, so that the ship turns there, on a screen that turns it."""

    async def act(host: PlayHost, found: Browser, base: str) -> tuple[Any, ...]:
        phone = await found.tab(f"{base}/play/0", 390, 844, ratio=2, mobile=True)
        await phone.until("match.status().phase === 'playing'")
        down = [{"x": 90, "y": 600, "id": 1}, {"x": 310, "y": 600, "id": 2}]
        await phone.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=down)
        down[0]["x"] = 150  # to the right of the screen, the arena's top
        await phone.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=down)
        await phone.until("Math.abs(match.state.ships[0].angle + Math.PI / 2) < 0.05")
        await phone.until("match.state.shots.some(({ life, owner }) => life > 0 && owner === 0)")
        watcher = await found.tab(f"{base}/watch")
        await watcher.until("match.status().frame > 60")
        await watcher.until("notice.hidden")
        told = await watcher.run("[match.status().slot, document.getElementById('pause').hidden]")
        return (*told, host.lobby.to_json()["watching"])

    assert played(tmp_path, ARENA, module, act, bots=(1,)) == (2, True, 1)


def test_who_leaves_frees_the_slot_and_the_code_is_asked_for_once(
    tmp_path: Path, module: Any
) -> None:
    async def run() -> list[str]:
        plan = PlayPlan(str(ARENA), tmp_path / "matches", bots=(1,))
        host = PlayHost(load_simulation(str(ARENA)), plan, "0.0.0.0", lambda: module)
        async with host.running(), browser(tmp_path / "profile") as found:
            base = f"http://127.0.0.1:{host.relay.port}"
            tab = await found.tab(f"{base}/play/0")
            await tab.until("notice.innerText.includes('The join code')")
            await tab.go(f"{base}/play/0#{host.code}")
            await tab.run("location.reload()")
            await tab.until("match.status().phase === 'playing'")
            addresses = [await tab.run("location.href")]
            await tab.run("document.getElementById('leave').click()")
            await tab.until("location.pathname === '/'")
            await tab.until("document.querySelector('#slots a') !== null")
            addresses.append(await tab.run("document.querySelector('#slots a').href"))
            addresses.append(await tab.run("document.querySelector('#slots a').innerText"))
            assert found.said == []
            return [each.removeprefix(base) for each in addresses]

    assert asyncio.run(run()) == ["/play/0", "/play/0", "Play"]


def test_a_simulation_without_a_view_has_fields_and_sliders(tmp_path: Path) -> None:
    async def act(host: PlayHost, found: Browser, base: str) -> tuple[str, str]:
        tab = await found.tab(f"{base}/play/0")
        await tab.until("match.status().phase === 'playing'")
        await tab.run("(() => { const bar = document.getElementById('input-x');"
                      " bar.value = 100; bar.dispatchEvent(new Event('input')); })()")  # fmt: skip
        await tab.until("match.state.runners[0].vel[0] > 0.1")
        await tab.until("document.querySelector('.fields td').innerText !== ''")
        table = await tab.run("document.querySelector('.fields').innerText")
        return str(table), str(await tab.run("document.querySelector('.sliders').innerText"))

    source = SIMULATIONS / "crowd_simulation.py"
    copy = tmp_path / "crowd2.py"
    copy.write_text(f"import sys\nsys.path.insert(0, {str(SIMULATIONS)!r})\n"
                    f"from {source.stem} import crowd\nCROWD = crowd(2)\n")  # fmt: skip
    module = module_of(load_simulation(str(copy)))
    table, sliders = played(tmp_path, copy, dict(module), act, bots=(1,))
    assert "runners[0].pos" in table
    assert "State of crowd" in table
    assert sliders.split()[0] == "x"
    assert "reach" in sliders
