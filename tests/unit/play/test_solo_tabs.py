"""Pages of `samebits play` in tabs of Chromium, opened as files: replays and live runs."""

from __future__ import annotations

import asyncio
import base64
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import called
from tests.support.folders import EXAMPLES
from tests.support.machines.tabs import CHROMIUM, Browser, browser
from tests.support.runs.exported import needs_zig

from samebits.replay.reader import read_replay
from samebits.replay.writer import ReplayWriter
from samebits.sim.load import load_simulation

ARENA = EXAMPLES / "arena" / "arena.py"
DUEL = EXAMPLES / "arena" / "replays" / "duel.mcap"
CART = EXAMPLES / "classic_control" / "cart_pole.py"

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="the browser is ended as on Linux"),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
]
Act = Callable[[Browser, str], Awaitable[Any]]
INKS = """(() => {
  const { width, height } = stage;
  const { data } = stage.getContext("2d").getImageData(0, 0, width, height);
  const colours = new Set(new Uint32Array(data.buffer));
  return [...colours].map((each) => [each & 255, (each >> 8) & 255, (each >> 16) & 255]);
})()"""
"""The colours of the picture."""


def shown(tmp_path: Path, act: Act, sim: Path, *arguments: object) -> Any:
    """What `act` gives of a page; no page has said an error."""
    page = tmp_path / "page.html"
    assert called("play", sim, *arguments, "-o", page) == 0

    async def run() -> Any:
        async with browser(tmp_path / "profile") as found:
            result = await act(found, page.as_uri())
            assert found.said == []
            return result

    return asyncio.run(run())


def test_a_replay_is_gone_through_with_the_recorded_hashes(tmp_path: Path) -> None:
    replay = read_replay(DUEL)
    assert replay.hashes is not None
    hashes = [f"{int(value):016x}" for value in replay.hashes]

    async def act(found: Browser, url: str) -> None:
        tab = await found.tab(url)
        await tab.until("proof.textContent === 'all 3,600 hashes are the recorded ones'")
        for frame in (3600, 17, 1, 900, 899, 1024, 2047):
            await tab.run(f"page.go({frame})")
            await tab.until(f"frame.textContent === ({frame}).toLocaleString('en')")
            assert await tab.run("hash.textContent") == hashes[frame - 1]
            assert await tab.run("same.textContent") == "as recorded"
        await tab.run("document.getElementById('on').click()")
        await tab.until("frame.textContent === '2,048'")
        assert await tab.run("hash.textContent") == hashes[2047]
        await tab.run("back.click(); back.click()")
        await tab.until("frame.textContent === '2,046'")
        await tab.run("seek.value = 50; seek.oninput(); seek.onchange()")
        await tab.until("frame.textContent === '50'")
        for code in ("Home", "End"):
            await tab.key(code, True)
            await tab.key(code, False)
        await tab.until("frame.textContent === '3,600'")
        await tab.run("speed.value = '16'; speed.onchange(); play.click()")
        await tab.until("page.isPlaying && page.timeline.frame > 300")
        await tab.until("!page.isPlaying && page.timeline.frame === 3600")
        assert await tab.run("hash.textContent") == hashes[-1]
        assert await tab.run("notice.hidden && note.hidden") is True

    shown(tmp_path, act, ARENA, "--replay", DUEL)


def test_the_first_frame_with_another_hash_is_named(tmp_path: Path) -> None:
    replay = read_replay(DUEL)
    assert replay.hashes is not None
    hashes = [int(value) for value in replay.hashes[:500]]
    hashes[321] ^= 1
    size = len(replay.inputs) // replay.frames * 500
    with ReplayWriter(tmp_path / "other.mcap", replay.header) as writer:
        writer.add_block(replay.inputs[:size], hashes, 500)

    async def act(found: Browser, url: str) -> tuple[str, str]:
        tab = await found.tab(url, 390, 844, ratio=2, mobile=True)
        await tab.until("proof.textContent === 'the same up to frame 321'")
        await tab.run("page.go(322)")
        await tab.until("same.className === 'departed'")
        assert await tab.run("document.documentElement.scrollWidth <= innerWidth") is True
        return await tab.run("notice.textContent"), await tab.run("same.textContent")

    notice, same = shown(tmp_path, act, ARENA, "--replay", tmp_path / "other.mcap")
    assert notice.startswith("From frame 321 on the states here are not those that were recorded")
    assert f"samebits diagnose {ARENA} {tmp_path / 'other.mcap'}" in notice
    assert same == f"recorded {hashes[321]:016x}"


def test_a_live_run_is_steered_and_gives_the_session_s_bits(tmp_path: Path) -> None:
    async def act(found: Browser, url: str) -> dict[str, Any]:
        tab = await found.tab(url)
        await tab.until("globalThis.page && note.textContent.includes('Press a key')")
        inks = await tab.run(INKS)
        for ink in ("4c566a", "88c0d0", "ebcb8b", "bf616a"):
            assert [*bytes.fromhex(ink)] in inks
        for code in ("ArrowRight", "ArrowLeft", "KeyD"):
            await tab.key(code, True)
            frame = await tab.run("page.timeline.frame")
            await tab.until(f"page.timeline.frame > {frame + 6}")
            await tab.key(code, False)
        # Back within what was played, and on from its end with other keys.
        await tab.run("page.go(5)")
        await tab.until("frame.textContent === '5'")
        length = await tab.run("page.timeline.length")
        await tab.run("play.click()")
        await tab.until(f"page.timeline.frame >= {length} && page.timeline.length > {length + 3}")
        await tab.key("KeyP", True)
        return await tab.run(
            """(() => {
              const { timeline } = page;
              timeline.seek(0);
              const [inputs, hashes] = [[], []];
              while (timeline.frame < timeline.length) {
                timeline.step();
                hashes.push(timeline.hash.toString());
                inputs.push(timeline.inputs[0].right);
              }
              return { inputs, hashes };
            })()"""
        )

    found = shown(tmp_path, act, CART, "--seed", "9")
    assert set(found["inputs"]) == {0, 1}
    simulation = load_simulation(str(CART))
    inputs = np.zeros((len(found["inputs"]), 1), simulation.input_type.dtype)
    inputs["right"][:, 0] = found["inputs"]
    session = simulation.start(9)
    assert [str(int(value)) for value in session.run(inputs)] == found["hashes"]


def test_players_of_an_arena_are_steered_by_its_view_with_thumbs(tmp_path: Path) -> None:
    async def act(found: Browser, url: str) -> list[list[int]]:
        tab = await found.tab(url, 390, 844, ratio=2, mobile=True)
        await tab.until("globalThis.page && slot.options.length === 2")
        await tab.run("slot.value = '1'; slot.onchange()")
        point = {"x": 60, "y": 600, "id": 1}
        await tab.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        point["y"] = 500
        await tab.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[point])
        await tab.until("page.timeline.frame > 20")
        await tab.until("page.timeline.inputs[1].thrust + page.timeline.inputs[1].turn !== 0")
        assert await tab.run("document.documentElement.scrollWidth <= innerWidth") is True
        return await tab.run("page.timeline.inputs.map(({ thrust, turn }) => [thrust, turn])")

    (first, second) = shown(tmp_path, act, ARENA)
    assert first == [0, 0]
    assert second != [0, 0]


def test_a_scene_of_python_is_drawn_in_a_replay_and_is_a_table_in_a_live_run(
    tmp_path: Path,
) -> None:
    alone = Path(shutil.copy(ARENA, tmp_path / "arena.py"))  # without its view

    async def drawn(found: Browser, url: str) -> bytes:
        tab = await found.tab(url, 800, 700)
        await tab.until("globalThis.page && proof.textContent.startsWith('all 60')")
        await tab.run("page.go(60)")
        await tab.until("frame.textContent === '60'")
        inks = await tab.run(INKS)
        assert [0x8D, 0x93, 0xA6] in inks
        assert [0xFF, 0xAB, 0x5E] in inks
        await tab.run("fields.click()")
        await tab.until("table.innerText.includes('bodies[0].pos')")
        await tab.picture(tmp_path / "drawn.png")
        return base64.b64encode((tmp_path / "drawn.png").read_bytes())

    assert len(shown(tmp_path, drawn, alone, "--replay", DUEL, "--frames", "60")) > 1000

    async def table(found: Browser, url: str) -> None:
        tab = await found.tab(url, 390, 844)
        await tab.until("panel.innerText.includes('ships[0].angle')")
        assert "The scene is Python" in await tab.run("note.textContent")
        await tab.run("document.getElementById('input-thrust').value = 90; play.click()")
        await tab.until("page.timeline.frame > 10 && page.timeline.inputs[0].thrust === 90")

    shown(tmp_path, table, alone)


PUSHED = """
from typing import Literal

import samebits as sb
from samebits import float2, float32, int32, uint64


@sb.struct
class Pad(sb.Struct):
    level: int32 = 0
    keys: sb.FixedArray[bool, Literal[2]] = sb.zero


@sb.struct
class Input(sb.Struct):
    push: float2 = sb.zero
    pad: Pad = sb.zero


@sb.struct
class State(sb.Struct):
    place: float2 = sb.zero
    sum: int32 = 0


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.place = float2(0, 1)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.place += inputs[0].push
    state.sum += inputs[0].pad.level + int32(inputs[0].pad.keys[1])


SIM = sb.Simulation(
    name="pushed", version="1", state=State, input=Input, players=1, init=init, step=step
)
"""
READ = """(({ push, pad }) => [Number(push[0]), Number(push[1]), pad.level, Boolean(pad.keys[1])])(
  page.timeline.inputs[0])"""


def test_numbers_inside_of_vectors_structs_and_arrays_are_given(tmp_path: Path) -> None:
    path = tmp_path / "pushed.py"
    path.write_text(PUSHED)

    async def act(found: Browser, url: str) -> list[list[Any]]:
        tab = await found.tab(url, 390, 844)
        await tab.until("panel.innerText.includes('place')")
        ids = await tab.run("[...document.querySelectorAll('.sliders input')].map((e) => e.id)")
        assert [each.removeprefix("input-") for each in ids] == [
            "push-0", "push-1", "pad-level", "pad-keys-0", "pad-keys-1",
        ]  # fmt: skip
        await tab.run(
            "document.getElementById('input-push-1').value = 0.5;"
            "document.getElementById('input-pad-level').value = 7;"
            "document.getElementById('input-pad-keys-1').click(); play.click()"
        )
        await tab.until("page.timeline.frame > 4")
        return [await tab.run(READ)]

    assert shown(tmp_path, act, path) == [[0, 0.5, 7, True]]
