"""`samebits play`: the file that it writes, and what it refuses."""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import called
from tests.support.folders import EXAMPLES, SIMULATIONS
from tests.support.runs.exported import needs_zig

import samebits as sb
from samebits.cli import status
from samebits.errors import SimulationError
from samebits.play.bundle import bundled
from samebits.play.pictures import _line, pictures_of
from samebits.play.solo_page import BEGINS
from samebits.replay.reader import read_replay
from samebits.replay.writer import ReplayWriter
from samebits.sim.load import load_simulation

ARENA = EXAMPLES / "arena" / "arena.py"
DUEL = EXAMPLES / "arena" / "replays" / "duel.mcap"
CART = EXAMPLES / "classic_control" / "cart_pole.py"

Run = Callable[..., tuple[int, str, str]]


def parts_of(page: Path) -> dict[str, Any]:
    """What a page's script reads."""
    text = page.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="parts">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def inflated(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = called("play", *arguments)
        return code, *capsys.readouterr()

    return run


@needs_zig
def test_a_page_is_one_file_that_asks_for_nothing(run: Run) -> None:
    code, out, err = run(CART, "--seed", "18446744073709551615", "--frames", "90")
    assert (code, err) == (0, "")
    page = Path("cartpole.html")
    text = page.read_text("utf-8")
    assert (
        out == f"cartpole.html: cartpole 1, a live run of seed {2**64 - 1}, {len(text):,} bytes\n"
    )
    assert page.read_bytes().startswith(BEGINS)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1]
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert [len(scripts), len(styles), text.count("<script")] == [1, 1, 2]
    for kind, inner in (("script", scripts[0]), ("style", styles[0])):
        own = base64.b64encode(sha256(inner.encode()).digest()).decode()
        assert f"{kind}-src &#39;sha256-{own}&#39;" in policy[1]
    assert not re.search(r"""(?:src|href)\s*=\s*["']""", text.split("<script")[0])
    parts = parts_of(page)
    assert parts["run"] == {
        "seed": str(2**64 - 1), "frames": 90, "replay": None, "about": "",
    }  # fmt: skip
    names = [name for name, _ in parts["modules"]]
    places = {name: k for k, name in enumerate(names)}
    for name, module in parts["modules"]:
        for other in re.findall(r'"samebits-part:([^"]+)"', module):
            assert places[other] < places[name]
        assert not re.search(r"""\bfrom\s*["']\.""", module), name
    assert parts["facts"]["input"][0]["range"] == [0, 1]
    assert (parts["view"], parts["pictures"], parts["note"]) == (None, None, "")
    assert base64.b64decode(parts["scene"]["wasm"])[:4] == b"\0asm"
    assert ["assertion failed: the list is full", "cart_pole.py", "picture"] in [
        trap[:3] for trap in parts["scene"]["traps"]
    ]


@needs_zig
def test_the_same_simulation_gives_the_same_page(run: Run) -> None:
    for name in ("a.html", "b.html"):
        assert run(CART, "-o", name)[0] == 0
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


@needs_zig
def test_a_replay_s_inputs_and_hashes_are_in_its_page(run: Run) -> None:
    code, out, _ = run(ARENA, "--replay", DUEL, "--frames", "70", "-o", "duel.html")
    assert (code, out.split(",")[1]) == (0, " 70 frames")
    parts = parts_of(Path("duel.html"))
    assert parts["view"] == "view/arena_view.mjs"
    assert {"view/arena_view_scene.mjs", "view/arena_view_sparks.mjs"} < {
        name for name, _ in parts["modules"]
    }
    data = inflated(parts["run"]["replay"])
    replay = read_replay(DUEL)
    assert replay.hashes is not None
    rows = np.frombuffer(data[64:], np.uint8).reshape(70, -1)
    assert rows[:, -8:].copy().view("<u8").ravel().tolist() == replay.hashes[:70].tolist()
    assert rows[:, :-8].tobytes() == replay.inputs[: rows[:, :-8].size]
    assert parts["run"]["seed"] == str(replay.header.seed)


@needs_zig
def test_pictures_by_python_are_those_of_each_frame(run: Run, tmp_path: Path) -> None:
    alone = shutil.copy(ARENA, tmp_path / "arena.py")  # without its view
    assert run(alone, "--replay", DUEL, "--frames", "40", "-o", "p.html")[0] == 0
    parts = parts_of(tmp_path / "p.html")
    lines = inflated(parts["pictures"]["lines"]).decode().split("\n")
    assert len(lines) == 41
    arena = load_simulation(str(alone))
    assert arena.scene is not None
    session = arena.start(read_replay(DUEL).header.seed)
    session.run(sb.Replay.open(DUEL, arena).inputs[:40])
    assert lines[40] == _line(arena.scene, session.state, parts["pictures"]["scale"])
    state: Any = session.state
    bodies = [body for body in state.bodies[2:] if body.radius > 0]
    discs = next(shape for shape in json.loads(lines[40]) if shape[0] == "d")
    scale = parts["pictures"]["scale"]
    assert discs[3][::3] == [round(float(body.pos.x) * scale) for body in bodies]
    assert run(alone, "-o", "live.html")[0] == 0
    assert "The scene is Python" in parts_of(tmp_path / "live.html")["note"]


def test_states_other_than_those_recorded_are_told(tmp_path: Path) -> None:
    found = read_replay(DUEL)
    assert found.hashes is not None
    hashes = found.hashes.copy()
    hashes[7] ^= np.uint64(1)
    with ReplayWriter(tmp_path / "other.mcap", found.header) as writer:
        writer.add_block(found.inputs, [int(h) for h in hashes], found.frames)
    arena = load_simulation(str(ARENA))
    assert pictures_of(arena, str(tmp_path / "other.mcap"), 20).differs == 7
    assert pictures_of(arena, str(tmp_path / "other.mcap"), 7).differs is None


@needs_zig
def test_names_of_any_characters_are_text(run: Run, tmp_path: Path) -> None:
    text = (SIMULATIONS / "small_simulation.py").read_text()
    name = "</script><b>&\"'"
    assert 'name="small"' in text
    source = tmp_path / "game.py"
    source.write_text(text.replace('name="small"', f"name={name!r}"))
    assert run(source, "-o", "game.html")[0] == 0
    page = (tmp_path / "game.html").read_text("utf-8")
    assert name not in page
    assert "<b>" not in page.partition("<body")[0]
    assert page.count("</script") == page.count("<script") == 2
    assert parts_of(tmp_path / "game.html")["facts"]["name"] == name


@pytest.mark.parametrize(
    ("arguments", "message", "fix"),
    [
        (("--replay", DUEL, "--seed", "3"), "--seed is for a live run", "leave out --seed"),
        (("--seed", "-1"), "the seed is -1", "give seed=1"),
        (("-o", "mine.html"), "mine.html exists already and is not such a page", "another name"),
        (("-o", "there/mine.html"), "--out there/mine.html: there is no folder", "make it"),
        (("--replay", CART), "is not an MCAP file", "give a replay that"),
        (("--replay", "other.mcap"), "is a replay of another simulation", "give a replay of"),
    ],
)
def test_mistakes_are_named(
    run: Run, arguments: tuple[object, ...], message: str, fix: str
) -> None:
    Path("mine.html").write_text("<!doctype html>\n<p>of mine")
    given = ("record", CART, "--players", "random", "--frames", "3", "--out", "other.mcap")
    assert status([str(each) for each in given]) == 0
    code, _, err = run(ARENA, *arguments)
    assert code == 2
    assert message in err
    assert fix in err
    assert Path("mine.html").read_text() == "<!doctype html>\n<p>of mine"


def test_modules_come_after_what_they_import() -> None:
    found = bundled({
        "view/a.mjs": "import { b } from './b.mjs';\nconst c = await import(\"../page/c.mjs\");",
        "view/b.mjs": 'export { d } from "./d.mjs"; import "./e.mjs";',
        "page/c.mjs": "",
        "view/e.mjs": "// from './e'",
    })  # fmt: skip
    assert [name for name, _ in found].index("view/a.mjs") == 3
    texts = dict(found)
    assert texts["view/a.mjs"] == (
        'import { b } from "samebits-part:view/b.mjs";\n'
        'const c = await import("samebits-part:page/c.mjs");'
    )
    assert texts["view/b.mjs"] == (
        'export { d } from "./d.mjs"; import "samebits-part:view/e.mjs";'
    )


def test_modules_in_a_circle_are_refused() -> None:
    with pytest.raises(SimulationError, match=r"v/a\.mjs and v/b\.mjs import each other"):
        bundled({"v/a.mjs": "import './b.mjs'", "v/b.mjs": "import './a.mjs'"})
