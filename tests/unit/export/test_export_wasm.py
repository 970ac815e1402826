"""The WebAssembly module gives Python's hashes in Node and in a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.browser import needs_chromium, opened, said_by, served
from tests.support.runs.exported import DUEL, arena, duel_inputs, made, needs_zig, small

from samebits import float2
from samebits.errors import Trap
from samebits.export.inputs_file import export_inputs

NODE = shutil.which("node")

pytestmark = needs_zig
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


@pytest.fixture(scope="module")
def arena_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(arena(), tmp_path_factory.mktemp("arena"), "wasm32", "wasm32-simd")
    export_inputs(DUEL, folder / "duel.inputs")
    return folder


@pytest.fixture(scope="module")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(small(), tmp_path_factory.mktemp("small"), "wasm32")


def node(folder: Path, script: str, *arguments: object) -> Any:
    """What a module in `folder` gives to `print`, as JSON."""
    (folder / "client.mjs").write_text(
        "const print = (value) => console.log(JSON.stringify(value, (_, v) =>"
        ' typeof v === "bigint" ? v.toString(16).padStart(16, "0") : v));\n' + script
    )
    done = subprocess.run(
        [str(NODE), "client.mjs", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
@pytest.mark.parametrize("target", ["wasm32", "wasm32-simd"])
def test_node_replays_the_arena_to_the_recorded_hashes(arena_folder: Path, target: str) -> None:
    found = node(
        arena_folder,
        'import { readFile } from "node:fs/promises";\n'
        "const { load } = await import(`./${process.argv[2]}/arena.mjs`);\n"
        "const arena = await load();\n"
        'const { hashes, ...found } = arena.verify(await readFile("duel.inputs"));\n'
        "print(found);",
        target,
    )
    _, inputs, final = duel_inputs()
    assert found == {"frames": len(inputs), "hash": final, "compared": True, "differs": -1}


def test_the_arenas_module_is_small(arena_folder: Path) -> None:
    assert (arena_folder / "wasm32" / "arena.wasm").stat().st_size <= 100 * 1024


@needs_node
def test_fields_of_state_and_inputs_are_read_and_written_as_in_python(small_folder: Path) -> None:
    found = node(
        small_folder,
        'import { load, info } from "./wasm32/small.mjs";\n'
        "const game = (await load()).start(7n);\n"
        "for (let frame = 0; frame < 30; frame++) {\n"
        "  for (const [p, input] of game.inputs.entries()) {\n"
        "    input.push = frame * 0.25; input.turn = frame - 9 * p; input.fire = frame % 7 === 3;\n"
        "    input.at = p;\n"
        "  }\n"
        "  game.step();\n"
        "}\n"
        "const { state } = game, saved = game.save(), before = game.hash();\n"
        "const facts = { frame: state.frame, random: state.random, energy: state.energy,\n"
        "  pos: [...state.bodies[1].pos], alive: state.bodies.map((b) => b.alive),\n"
        "  charge: state.bodies[0].charge, grid: [...state.grid], hash: before, info,\n"
        "  saved: [...saved], inputs: [...game.saveInputs()] };\n"
        "state.bodies[2].pos = [1, 2]; state.bodies[3].alive = true; state.energy = NaN;\n"
        "facts.written = game.hash();\n"
        "game.restore(saved, 30);\n"
        "facts.restored = game.hash();\n"
        "print(facts);",
    )
    session = small().start(7)
    for frame in range(30):
        row = [
            {"push": frame * 0.25, "turn": frame - 9 * p, "fire": frame % 7 == 3, "at": p}
            for p in range(2)
        ]
        session.step(row)
    state = session.state
    assert found["hash"] == found["restored"] == f"{session.hash():016x}"
    assert bytes(found["saved"]) == session.canonical_state()
    assert bytes(found["inputs"]) == small().inputs.to_bytes(small().inputs.frame(row))
    assert found["info"]["digest"] == small().digest
    assert (found["frame"], found["random"]) == (int(state.frame), int(state.random))
    assert found["energy"] == float(state.energy)
    assert np.array(found["pos"], np.float32).tolist() == [
        float(state.bodies[1].pos.x), float(state.bodies[1].pos.y)
    ]  # fmt: skip
    assert found["alive"] == [bool(state.bodies[i].alive) for i in range(5)]
    assert found["grid"] == [int(state.grid[i, j]) for i in range(3) for j in range(4)]
    state.bodies[2].pos = float2(1, 2)
    state.bodies[3].alive = True
    state.energy = np.float64("nan")
    assert found["written"] == f"{session.hash():016x}"


@needs_node
def test_a_trap_has_pythons_line_and_leaves_the_last_whole_frame(small_folder: Path) -> None:
    found = node(
        small_folder,
        'import { load, SimulationTrap } from "./wasm32/small.mjs";\n'
        "const game = (await load()).start(7n);\n"
        "for (let frame = 0; frame < 3; frame++) game.step();\n"
        "const before = game.hash();\n"
        "game.inputs[1].at = 99;\n"
        "try { game.step(); } catch (trap) {\n"
        "  print({ trap: { ...trap }, is: trap instanceof SimulationTrap, same:\n"
        "    game.hash() === before, count: game.frame, message: trap.message });\n"
        "}",
    )
    session = small().start(7)
    for _ in range(3):
        session.step([{}, {}])
    with pytest.raises(Trap) as raised:
        session.step([{}, {"at": 99}])
    span = raised.value.span
    assert span is not None
    assert (found["is"], found["same"], found["count"]) == (True, True, 3)
    assert found["trap"]["line"] == span.line
    assert found["message"] == (
        f"assertion failed: nobody is at 99, in frame 3, at small_simulation.py:{span.line} in step"
    )


@needs_node
@pytest.mark.parametrize(
    "call",
    ["game.run(new Uint8Array(5))", "game.restore(new Uint8Array(3))", "game.run(7)",
     "small.start(-1n)", "small.start(2n ** 64n)", "small.verify(new Uint8Array(64))",
     "small.verify(new Uint8Array(3))", "game.restoreInputs(new Uint8Array(1))",
     "game.restore(saved, -1)", "game.restore(saved, 1.5)", "game.restore(saved, NaN)",
     "game.restore(saved, Infinity)", "game.restore(saved, 2 ** 53)", "game.restore(saved, 3n)",
     "game.restore(saved, '3')", "game.restore(saved, null)", "game.restore(saved, Symbol())",
     "game.restore()", "game.restore(null)", "game.restore([...saved])"],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(small_folder: Path, call: str) -> None:
    found = node(
        small_folder,
        'import { load } from "./wasm32/small.mjs";\n'
        "const small = await load(), game = small.start(1);\n"
        "game.step();\n"
        "const saved = small.start(2).save(), before = game.hash();\n"
        f"try {{ {call}; print(0); }} catch (e) {{\n"
        "  print([e.name, e.message, game.frame, game.hash() === before]);\n"
        "}",
    )
    assert found
    assert found[0] in ("RangeError", "TypeError")
    assert found[2:] == [1, True]


@needs_node
def test_counts_from_outside_stay_inside_the_modules_own_memory(small_folder: Path) -> None:
    found = node(
        small_folder,
        'import { readFile } from "node:fs/promises";\n'
        'const bytes = await readFile("wasm32/small.wasm");\n'
        "const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));\n"
        "exports.init(7n);\n"
        "const memory = () => [...new BigUint64Array(exports.memory.buffer.slice(0))]\n"
        "  .reduce((sum, word) => BigInt.asUintN(64, sum * 31n + word), 0n);\n"
        "const before = memory(), found = [];\n"
        "for (const frames of [4097, 2 ** 20, 2 ** 31, 2 ** 32 - 1])\n"
        "  found.push([exports.restore_inputs(frames), exports.run(frames),\n"
        "              exports.done_count(), memory() === before]);\n"
        "print(found);",
    )
    assert found == [[-1, -1, 0, True]] * 4


PAGE = """<!doctype html><title>arena</title><p id="hash">waiting</p>
<script type="module">
const shown = document.getElementById("hash");
try {
  const { load } = await import("./wasm32/arena.mjs");
  const found = (await load()).verify(await (await fetch("duel.inputs")).arrayBuffer());
  const hash = found.hash.toString(16).padStart(16, "0");
  shown.textContent = `${hash} after ${found.frames}, ${found.differs}`;
} catch (error) {
  shown.textContent = String(error);
}
await fetch("shown", { method: "POST", body: document.body.innerText.trim() });
</script>
"""


@needs_chromium
def test_chromium_shows_the_replays_final_hash_on_a_page(
    arena_folder: Path, tmp_path: Path
) -> None:
    (arena_folder / "page.html").write_text(PAGE)
    with served(arena_folder) as server, opened(f"{server.origin}/page.html", tmp_path) as log:
        shown = said_by(server, log)
    _, inputs, final = duel_inputs()
    assert shown == f"{final} after {len(inputs)}, -1"
