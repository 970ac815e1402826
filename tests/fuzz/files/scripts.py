"""What others write and commands read: sim.toml of `diagnose --foreign`, Lua scripts of `lint`."""

from __future__ import annotations

from pathlib import Path
from random import Random

from samebits.errors import SideError
from samebits.foreign.programs.description import filled, read_program
from samebits.lint.output import as_json, as_sarif, as_text
from samebits.lua.lint import RULES, check_script
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import mutated

_DESCRIBED = b"""\
name = "harbour"
sources = ["*.cpp", "b/*.c"]
flags = "-std=c++11 '-DA=b c'"
run = ["{program}", "{record}", "--frames", "90"]
seconds = 5.5
[sides.strict]
compiler = "g++"
flags = ["-O2", "-ffp-contract=off"]
environment = { OMP_NUM_THREADS = "1" }
[sides.arm]
compiler = "python -m ziglang c++"
target = "aarch64-linux-musl"
wrapper = "qemu-aarch64"
"""
_BUILT = b"""\
build = [["cmake", "-B", "{out}", "{flags}"], "make -C {out}"]
program = "{out}/game"
commands = "{out}/all.json"
[sides.a]
compiler = "cc"
build = [["true"]]
"""
_SCRIPT = b"""\
local state <const> = { hp = 3, pos = {1.5, 2} }
local t = setmetatable({}, { __index = function(t, k) return k end })
for name, value in pairs(state) do print(name, value // 2, ("%.14g"):format(value)) end
function step(dt)
  local angle = math.sin(os.clock()) + math.random() + 2 ^ 0.5
  goto done
  ::done::
  state[tostring(t)] = #t > 0 and angle or nil -- samebits: allow
  table.sort(state.pos, function(a, b) return a < b end)
  return [==[ text ]==] .. string.rep("x", 3), coroutine.wrap(step), 0x1p-3, 1e5 ~= 3
end
"""


class Descriptions(Target):
    name = "sim-toml"
    errors = (SideError,)
    words = (
        b"[sides.", b"[[sides]]\n", b"sources = [", b'"**/*"', b'"../*.c"', b'"[a-"', b"build = [[",
        b"{program}", b"{out}", b"{x}", b"nan", b"inf", b"true", b"1979-05-27", b"{ a = 1 }",
        b"'''",
        b"[" * 400, b"a." * 400, b"\\u0000", b'"\\u202e"', b"libm = ", b"seconds = 9e99\n",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self._path = folder / "sim.toml"
        (folder / "b").mkdir()
        for name in ("a.cpp", "b/c.c"):
            (folder / name).touch()

    def seeds(self) -> list[bytes]:
        return [_DESCRIBED, _BUILT]

    def read(self, data: bytes) -> Read:
        self._path.write_bytes(data)
        program = read_program(str(self._path))
        assert bool(program.sources) != bool(program.build), "sources and build, or neither"
        places = {"program": "p", "record": "r", "out": "o", "folder": "f", "link": (), "flags": ()}
        for side in program.sides:
            assert program.side(side.name) is side
            assert side.words
            assert all(isinstance(word, str) for word in filled(side.run or program.run, places))
        return Read(None, True)


class LuaScripts(Target):
    name = "lua"
    errors = ()
    needs = ("tree_sitter", "tree_sitter_lua")
    steps = 100_000, 4_000
    memory = 8 << 20, 4_096
    words = (
        b"(" * 300, b"{" * 3000, b"-" * 500, b"not " * 1000, b"[==[", b"]==]", b"--[[",
        b"#!/bin/lua\n",
        b"function() ", b" end ", b"if x then ", b"x.y" * 300, b"..", b"\xff", b"\0", b"\\z\n",
        b"goto ",
        b"pairs(", b"math.sin(", b"os.time()", b"string.format('%p', {})",
        b"-- samebits: allow LU101",
        b"<close>", b"~=", b"a,b=b,a ", b"1e999", b"0x", b"coroutine.yield()", b"_ENV",
        b'"\\u{110000}"',
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        pass

    def seeds(self) -> list[bytes]:
        return [_SCRIPT, b"#!/usr/bin/lua\nreturn 1\n"]

    def read(self, data: bytes) -> Read:
        checked = check_script(data, "game.lua")
        list(as_text([checked], RULES))
        as_json([checked], RULES)
        as_sarif([checked], RULES)
        return Read(None, checked.error is None)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        return mutated(data, others, self.words, chance)[:6000]
