"""Builds are reproducible, hold nothing of this machine, and say what is wrong."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import ROOT
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import ARENA, DUEL, SMALL, arena, needs_zig

from samebits.cli import status
from samebits.errors import TargetError
from samebits.export.build import host_row
from samebits.export.toolchain import compile_c


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command line in this process: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@needs_zig
def test_two_processes_in_two_folders_write_the_same_bytes(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ["--target", f"{host_row()},wasm32", "--target", "aarch64-ios"]

    def command_in(name: str) -> list[str]:
        copy = tmp_path / name / "arena.py"  # the source lies elsewhere too
        copy.parent.mkdir(parents=True)
        shutil.copy(ARENA / "arena.py", copy)
        monkeypatch.chdir(copy.parent)
        return ["build", str(copy), *rows, "--out", "out"]

    assert run(*command_in("one"))[0] == 0
    other = [sys.executable, "-m", "samebits", *command_in("another/place")]
    done = subprocess.run(other, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = (contents(tmp_path / name / "out") for name in ("one", "another/place"))
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    for folder in (str(tmp_path), str(ROOT), str(Path.home()), sys.prefix):
        assert [name for name in first if folder.encode() in first[name]] == []


@needs_zig
@pytest.mark.usefixtures("compile_anew")
@pytest.mark.parametrize("target", ["x86_64-windows-gnu", "aarch64-macos", "s390x-linux-musl"])
def test_an_object_holds_no_folder_for_any_system(tmp_path: Path, target: str) -> None:
    objects: list[bytes] = []
    for name in ("one", "another"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "f.c").write_text("int f(int x)\n{\n    return x + 1;\n}\n")
        compile_c(folder, target, "", "f.c", "f.o", "-ffreestanding")
        objects.append((folder / "f.o").read_bytes())
    assert objects[0] == objects[1]
    for folder in (str(tmp_path), str(Path.home()), sys.prefix):
        assert folder.encode() not in objects[0]


@needs_zig
def test_what_a_tool_says_when_it_fails_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("int f(void) { return nothing; }\n")
    with pytest.raises(TargetError, match="zig cc failed") as raised:
        compile_c(tmp_path, "x86_64-linux-musl", "", "f.c", "f.o", "-ffreestanding")
    assert raised.value.note is not None
    assert "use of undeclared identifier 'nothing'" in raised.value.note


@needs_zig
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_readmes_script_runs_as_written(run: Any, tmp_path: Path) -> None:
    assert run("build", ARENA / "arena.py", "--target", "wasm32", "--out", tmp_path)[0] == 0
    text = (tmp_path / "README.md").read_text()
    (tmp_path / "game.mjs").write_text(text.split("```js\n")[1].split("```")[0])
    shown = subprocess.run(["node", "game.mjs"], cwd=tmp_path, capture_output=True, text=True)
    session = arena().start(1)
    session.run(np.zeros((600, 2), arena().input_type.dtype))
    assert shown.stdout == f"{session.hash():016x}\n"


@needs_zig
def test_the_listing_and_the_readme_name_every_file(run: Any, tmp_path: Path) -> None:
    code, out, err = run("build", SMALL, "--target", "wasm32", "--out", tmp_path, "--name", "mine")
    assert (code, err) == (0, "")
    files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    forms = ("d.mts", "d.ts", "mjs", "wasm")
    modules = [f"wasm32/{name}.{form}" for name in ("mine", "mine_match") for form in forms]
    assert files == ["README.md", *modules]
    readme = (tmp_path / "README.md").read_text()
    for file in files[1:]:
        assert str(tmp_path / file) in out
        assert Path(file).name in readme


@needs_zig
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler for cmake")
@pytest.mark.parametrize("link", ["STATIC", "SHARED"])
def test_cmake_and_the_readmes_program_work_as_written(run: Any, tmp_path: Path, link: str) -> None:
    assert run("build", ARENA / "arena.py", "--out", tmp_path / "lib")[0] == 0
    text = (tmp_path / "lib" / "README.md").read_text()
    (tmp_path / "game.c").write_text(text.split("```c\n")[1].split("```")[0])
    cmake = text.split("```cmake\n")[1].split("```")[0].replace("path/to/this/folder", "lib")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(game C)\nadd_executable(game game.c)\n"
        f"set(ARENA_LINK {link})\n{cmake}"
    )
    for command in (["cmake", "-S", ".", "-B", "made"], ["cmake", "--build", "made"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    shown = subprocess.run([tmp_path / "made" / "game"], capture_output=True, text=True)
    session = arena().start(1)
    session.run(np.zeros((600, 2), arena().input_type.dtype))
    assert shown.stdout == f"{session.hash():016x}\n"


def test_an_unknown_target_is_refused_with_the_known_ones(run: Any, tmp_path: Path) -> None:
    code, out, err = run("build", SMALL, "--target", "pdp11", "--out", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith("there is no target 'pdp11'\n  note: the targets are x86-64-v1, ")
    assert err.endswith("  fix: choose among them; without --target, it is this machine's\n")


def test_a_missing_ziglang_names_the_command_that_installs_it(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "ziglang" else find(name, *a)
    )
    code, out, err = run("build", SMALL, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert err == (
        "building for use outside Python needs the ziglang package, which is not installed\n"
        "  fix: pip install samebits[targets]\n"
    )
    assert not (tmp_path / "out").exists()


@needs_zig
def test_a_folder_that_cannot_be_made_is_reported(run: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = run("build", SMALL, "--out", tmp_path / "file" / "out")
    assert (code, out) == (2, "")
    assert err == (
        f"cannot write to {tmp_path / 'file' / 'out'}: Not a directory\n"
        "  fix: --out: give another path: one of its folders is a file\n"
    )


@needs_zig
def test_a_link_among_a_builds_folders_is_not_followed(run: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "wasm32").symlink_to(tmp_path / "elsewhere")
    code, out, err = run("build", SMALL, "--target", "wasm32", "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert "wasm32 is a link, whose target is not written to" in err
    assert not list((tmp_path / "elsewhere").iterdir())


def test_export_says_what_it_wrote(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "duel.inputs"
    code, said, err = run("replay", "export", DUEL, "--out", out, "--frames", 5)
    assert (code, err) == (0, "")
    assert said == f"{out}: inputs of arena, 5 frames, with a hash each\n"
    assert out.stat().st_size == 64 + 5 * (2 * 3 + 8)


def test_export_refuses_what_is_no_replay(run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_bytes(b"hello")
    code, out, err = run("replay", "export", tmp_path / "x.mcap", "--out", tmp_path / "y")
    assert (code, out) == (2, "")
    assert "is not an MCAP file" in err
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize("command", [("build",), ("replay", "export")])
def test_help_has_an_example(run: Any, command: tuple[str, ...]) -> None:
    code, out, _ = run(*command, "--help")
    assert code == 0
    assert "Example" in out


@needs_zig
def test_types_of_the_javascript_side_are_declared(run: Any, tmp_path: Path) -> None:
    assert run("build", ARENA / "arena.py", "--target", "wasm32", "--out", tmp_path)[0] == 0
    types = (tmp_path / "wasm32" / "arena.d.mts").read_text()
    script = (tmp_path / "wasm32" / "arena.mjs").read_text()
    for name in ("Game", "Simulation", "SimulationTrap"):
        assert f"export declare class {name}" in types
        assert f"export class {name}" in script
    assert "readonly bodies: readonly BodyView[];" in types
    assert json.dumps("arena") in script


TSC = shutil.which("tsc")
CLIENT = """
import { load, info, SimulationTrap } from "./wasm32/arena.mjs";
import type { BodyView, Game, StateView } from "./wasm32/arena.mjs";
import { loadPeer, Match, MatchError, PeerCore } from "./wasm32/arena_match.mjs";
import type { MatchEvent, Status } from "./wasm32/arena_match.mjs";

const arena = await load(new Uint8Array(8));
const game: Game = arena.start(1n);
const body: BodyView = game.state.bodies[0]!;
body.pos = [1, 2];
game.inputs[0]!.thrust = 1;
try { game.step(); } catch (e) { if (e instanceof SimulationTrap) console.log(e.line); }
console.log(info.digest);
const saved: Uint8Array = game.save();
game.restore(saved);
const hash: bigint = game.hash();
const match = await Match.join("wss://relay.example/m1", "ticket", {
  worker: false, input: (frame) => ({ thrust: frame % 100 }),
  onframe: (state: StateView, status: Status) => console.log(state.bodies[0]!.pos[0], status.rtt),
});
match.input.thrust = 1;
match.input = { turn: 3, fire: true };
match.ondesync = (event) => console.log(event.frame, event.groups[0]?.hash);
match.onerror = (error: MatchError) => console.log(error.code, error.ours, error.theirs);
const last: MatchEvent = await match.over;
if (last.type === "ended") console.log(last.hash + 1n);
const report: Uint8Array | null = await match.report(3);
const wake: bigint | null = new PeerCore(await loadPeer(), "ticket", { window: 0 }).tick(1n);
// @ts-expect-error: no such field
match.input = { jump: 1 };
// @ts-expect-error: no such field
game.state.nothing;
// @ts-expect-error: a hash is no number
const wrong: number = game.hash();
"""


@needs_zig
@pytest.mark.skipif(TSC is None, reason="tsc is not installed: npm install --global typescript")
@pytest.mark.parametrize("modules", ["nodenext", "bundler"])
def test_a_typescript_client_compiles(run: Any, tmp_path: Path, modules: str) -> None:
    assert run("build", ARENA / "arena.py", "--target", "wasm32", "--out", tmp_path)[0] == 0
    (tmp_path / "client.mts").write_text(CLIENT)
    module = "nodenext" if modules == "nodenext" else "esnext"
    done = subprocess.run(
        [str(TSC), "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom",
         "--module", module, "--moduleResolution", modules, "client.mts"],
        cwd=tmp_path, capture_output=True, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
