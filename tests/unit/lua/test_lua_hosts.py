"""Scripts in C programs, with the Lua 5.4 and the LuaJIT that are installed here."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from samebits.cli import status
from samebits.lua import Game, LuaError, Runtime, Script
from samebits.lua.engines import engine_named
from samebits.lua.host_files import prepared_file
from samebits.lua.hosts import host_hashes

pytest.importorskip("lupa")
pytest.importorskip("ziglang")
SCRIPTS = Path(__file__).parents[2] / "support" / "lua"
PACKAGES = {"lua54": "lua5.4", "luajit": "luajit"}
GOLDEN = {"lua54": "54e8278c4fdf2607", "luajit": "752095897f6eb808"}
"""Of battery.lua after 200 frames: of any build of an engine, on any processor."""
FRAMES = 200
BAD = """
local game = {state = "{x:f64}"}
function game.init(state) state.x = 1 end
function game.step(state) state.x = require("half").of(state.x) end
function slow() while true do end end
function where() return nil + 1 end
function twice(x) return 2 * x end
return game
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `samebits lua build` writes, for two scripts in one folder."""
    folder = tmp_path_factory.mktemp("hosts")
    for name in ("battery.lua", "pinball.lua"):
        shutil.copy(SCRIPTS / name, folder)
    assert status(["lua", "build", str(folder / "battery.lua"), "-o", str(folder / "dist")]) == 0
    return folder / "dist"


def compiled(dist: Path, engine: str, *sources: str | Path, flags: str = "-O2") -> Path:
    """A program of C files of the build or elsewhere, and the module."""
    if shutil.which("pkg-config") is None or shutil.which("cc") is None:
        pytest.skip("pkg-config and cc find Lua: apt install pkg-config gcc")
    asked = ["pkg-config", "--cflags", "--libs", PACKAGES[engine]]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no {PACKAGES[engine]} to link with: apt install liblua5.4-dev, "
                    "libluajit-5.1-dev")  # fmt: skip
    library = next(dist.glob("*/libsbmath.a"))
    program = dist / f"{Path(sources[0]).stem}-{engine}"
    subprocess.run(
        ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", *flags.split(), *sources,
         "samebits_lua.c", "-I", "..", *done.stdout.split(), library, "-lm", "-o", program],
        cwd=dist / "lua", check=True,
    )  # fmt: skip
    return program


@pytest.mark.parametrize("engine", PACKAGES)
def test_a_host_has_the_bits_of_the_runtime(
    dist: Path, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers, order and texts of 200 frames, and a game of two players; a changed script's
    first other frame is told."""
    game = Game(SCRIPTS / "battery.lua", engine, seed=3)
    game.start()
    for _ in range(FRAMES):
        game.step(bytes(8))
    assert f"{game.hash:016x}" == GOLDEN[engine]
    runner = compiled(dist, engine, "samebits_lua_run.c")
    found = host_hashes(
        f"{runner} {dist}/lua/{engine}/battery.lua", 3, [bytes(8) for _ in range(FRAMES)]
    )
    assert list(found) == list(range(-1, FRAMES))
    assert f"{found[FRAMES - 1]:016x}" == GOLDEN[engine]

    record = str(tmp_path / "run.sbt")
    pinball = str(SCRIPTS / "pinball.lua")
    assert status(["lua", "record", pinball, "-o", record, "--frames", "30"]) == 0
    host = f"{runner} {dist}/lua/{engine}/pinball.lua"
    asked = ["lua", "verify", pinball, record, "--no-restore", "--engines", engine, "--json"]
    capsys.readouterr()
    assert status([*asked, "--host", host]) == 2
    assert "no script with a state was run" in capsys.readouterr().err
    script = Script("pinball.lua", (SCRIPTS / "pinball.lua").read_bytes())
    other = script.text.replace(b"spin * 0.9", b"spin * 0.8")
    for name, text in (("same", script.text), ("other", other)):
        changed = Script("pinball.lua", text)
        for file, made in whole(changed, engine).items():
            (tmp_path / file).write_text(made)
        capsys.readouterr()
        code = status([*asked, "--host", f"{runner} {tmp_path}/pinball.lua"])
        row = json.loads(capsys.readouterr().out)["rows"][1]
        assert (row["what"], code) == ("host", int(name == "other"))
        assert (row["frame"] is None) == (name == "same")


def whole(script: Script, engine: str) -> dict[str, str]:
    from samebits.lua.host_files import host_texts

    texts = host_texts(script, [engine_named(engine)])
    return {Path(name).name: text for name, text in texts.items() if name.startswith(engine)}


HOST = r"""
#include <stdio.h>
#include <string.h>
#include "lauxlib.h"
#include "lualib.h"
#include "samebits_lua.h"

static char text[1 << 16];

static size_t whole(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  return size;
}

static int told(lua_State *L) { lua_pushnumber(L, lua_tonumber(L, 1) + 1); return 1; }

static void say(lua_State *L, int status) {
  printf("%d %s\n", status != 0, lua_isstring(L, -1) ? lua_tostring(L, -1) : luaL_typename(L, -1));
  lua_settop(L, 0);
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  char kept[64];
  size_t size;
  (void)argc;
  luaL_openlibs(L);
  say(L, sb_lua_start(L));
  say(L, sb_lua_open(L, 0.5, 2e5));
  say(L, sb_lua_open(L, 7, 2e5));
  say(L, sb_lua_open(L, 7, 2e5));
  say(L, sb_lua_run(L, "raw.lua", "return 1", 8));
  say(L, sb_lua_module(L, "half", text, whole(argv[2])));
  say(L, sb_lua_run(L, "bad.lua", text, whole(argv[1])));
  say(L, sb_lua_call(L, "slow", 0));
  say(L, sb_lua_call(L, "where", 0));
  say(L, sb_lua_call(L, "missing", 0));
  lua_pushnumber(L, 4);
  say(L, sb_lua_call(L, "twice", 1));
  lua_pushcfunction(L, told);
  say(L, sb_lua_set(L, "told"));
  lua_pushnumber(L, 4);
  say(L, sb_lua_call(L, "told", 1));
  say(L, sb_lua_step(L, "x", 1));
  sb_lua_start(L);
  memcpy(kept, lua_tolstring(L, -1, &size), 40);
  printf("%016llx\n", (unsigned long long)sb_lua_hash(kept, size));
  sb_lua_step(L, "", 0);
  printf("%016llx\n", (unsigned long long)sb_lua_hash(lua_tostring(L, -1), 40));
  lua_settop(L, 0);
  say(L, sb_lua_restore(L, kept, 39));
  sb_lua_restore(L, kept, 40);
  sb_lua_step(L, "", 0);
  printf("%016llx %d\n", (unsigned long long)sb_lua_hash(lua_tostring(L, -1), 40), lua_gettop(L));
  lua_close(L);
  return 0;
}
"""


@pytest.mark.parametrize("engine", PACKAGES)
def test_errors_and_states_of_a_host(dist: Path, engine: str, tmp_path: Path) -> None:
    script = Script("bad.lua", BAD.encode(), None, {"half": "return {of = function(x) "
                    "return x ^ -1.5 + math.random() end}"})  # fmt: skip
    files = whole(script, engine)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "host.c").write_text(HOST)
    program = compiled(dist, engine, tmp_path / "host.c", "-I", dist / "lua")
    out = subprocess.run(
        [program, tmp_path / "bad.lua", tmp_path / "half.lua"], capture_output=True, check=True,
        text=True,
    ).stdout  # fmt: skip
    game = Game(script, engine, seed=7)
    game.start()
    first = game.hash
    game.step()
    assert out.splitlines() == [
        "1 samebits: sb_lua_open was not called for this state",
        "1 samebits: the seed is a whole number up to 2^53",
        "0 nil",
        "1 samebits: sb_lua_open was called for this state",
        "1 raw.lua is not prepared: samebits lua build",
        "0 nil",
        "0 nil",
        "1 it ran more than 200000 instructions",
        "1 bad.lua:6: attempt to perform arithmetic on a nil value",
        "1 there is no function missing",
        f"0 {'8' if engine == 'luajit' else '8.0'}",
        "0 nil",
        f"0 {'5' if engine == 'luajit' else '5.0'}",
        "1 inputs of 1 bytes, where the script takes 0",
        f"{first:016x}",
        f"{game.hash:016x}",
        "1 a state of 39 bytes is none of the script's",
        f"{game.hash:016x} 2",
    ]


def test_what_a_host_cannot_run_is_said(dist: Path, tmp_path: Path) -> None:
    runner = compiled(dist, "lua54", "samebits_lua_run.c")
    with pytest.raises(LuaError, match="ended with 1") as caught:
        host_hashes(f"{runner} {dist}/lua/luajit/battery.lua", 3, [])
    assert "is prepared for luajit, and this is lua54" in str(caught.value.note)
    with pytest.raises(LuaError, match="ended with 2") as caught:
        host_hashes(f"{runner} {tmp_path}/none.lua", 3, [])
    with pytest.raises(LuaError, match="cannot be run"):
        host_hashes(str(tmp_path / "none"), 3, [])
    with pytest.raises(LuaError, match="prints 'game 3 0'"):
        host_hashes("echo game", 3, [])


def test_an_interpreter_requires_the_module(dist: Path, tmp_path: Path) -> None:
    script = Script("g", b"function f(x) return x ^ 2.5 + math.random() end")
    ready = prepared_file(script, "g", engine_named("lua54"))
    text = f"""
package.cpath = "{dist}/lua/?.so;" .. package.cpath
local host = require("samebits_lua")
host.open(5)
host.run("game.lua", [==[{ready}]==])
io.write(string.format("%a", host.call("f", 3.0)))
"""
    (tmp_path / "main.c").write_text(
        '#include "lauxlib.h"\n#include "lualib.h"\n#include "samebits_lua.h"\n'
        "int main(int argc, char **argv) { lua_State *L = luaL_newstate(); luaL_openlibs(L);\n"
        '  luaL_requiref(L, "samebits_lua", luaopen_samebits_lua, 0);\n'
        "  if (luaL_dofile(L, argv[argc - 1])) puts(lua_tostring(L, -1));\n"
        "  return 0; }\n"
        .replace("int main", '#include <stdio.h>\nint main')
    )  # fmt: skip
    (tmp_path / "game.lua").write_text(text)
    program = compiled(dist, "lua54", tmp_path / "main.c", "-I", dist / "lua")
    out = subprocess.run([program, tmp_path / "game.lua"], capture_output=True, text=True)
    lua = Runtime(seed=5)
    lua.run("function f(x) return x ^ 2.5 + math.random() end")
    value = lua.call("f", 3.0)
    assert isinstance(value, float)
    assert float.fromhex(out.stdout) == value


def test_prepared_files_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another's file is not overwritten, and a script that cannot be written is said."""
    script = tmp_path / "game.lua"
    script.write_bytes(b"local x = '\xff'")
    assert status(["lua", "build", str(script), "-o", str(tmp_path / "out")]) == 2
    assert "game.lua is not UTF-8" in capsys.readouterr().err
    script.write_text("return 1")
    own = tmp_path / "out" / "lua" / "README.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    assert status(["lua", "build", str(script), "-o", str(tmp_path / "out")]) == 2
    assert "exists already and was not written by a build" in capsys.readouterr().err
