"""`python -m tools.prove_foreign.lua_hosts`: Lua scripts in C programs, on many processors.

Lua 5.4 and LuaJIT are built from the sources that lupa's source distribution holds, fetched from
the package index into a build folder, each with `samebits lua build`'s module; the scripts are
those of the tests. Writes docs/results/lua-hosts.md. Exit status 1 where a hash is another one
than that of `samebits.lua`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from samebits.errors import SamebitsError
from samebits.export.build import choose_targets
from samebits.lua import Game, Script
from samebits.lua.engines import ENGINES
from samebits.lua.host_files import build_for_hosts
from samebits.lua.hosts import host_hashes
from samebits.output import write_file

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "tests" / "support" / "lua"
BUILD = ROOT / "build" / "lua-hosts"
RESULTS = ROOT / "docs" / "results" / "lua-hosts.md"
TARGETS = ("x86-64-v1", "i686", "aarch64", "s390x")
FRAMES, SEED = 200, 3
_ZIG = f"{sys.executable} -P -m ziglang cc -fno-sanitize=all"
_I686 = "gcc -m32 -isystem /usr/include/x86_64-linux-gnu"
_X87 = "-DSB_LUA_X87"


@dataclass(frozen=True, slots=True)
class Host:
    """A build of an engine: compiler, target of the math library, what runs it, and whether it is
    a build that must be refused."""

    name: str
    compiler: str
    library: str
    wrapper: str = ""
    flags: str = ""
    is_refused: bool = False


LUA54 = (
    Host("GCC, glibc, x86-64", "gcc", "x86-64-v1"),
    Host("GCC, glibc, x86-64, -march=native", "gcc -march=native", "x86-64-v1"),
    Host("zig, musl, x86-64", f"{_ZIG} -target x86_64-linux-musl", "x86-64-v1"),
    Host("GCC, glibc, i686, SSE2", f"{_I686} -msse2 -mfpmath=sse", "i686"),
    Host("zig, musl, i686, SSE2", f"{_ZIG} -target x86-linux-musl", "i686"),
    Host("GCC, glibc, i686, x87, -DSB_LUA_X87", _I686, "i686", flags=_X87),
    Host("zig, musl, aarch64", f"{_ZIG} -target aarch64-linux-musl", "aarch64", "qemu-aarch64"),
    Host("GCC, glibc, s390x", "s390x-linux-gnu-gcc -static", "s390x", "qemu-s390x"),
    Host("GCC, glibc, i686, x87", _I686, "i686", is_refused=True),
    Host("GCC -Ofast", "gcc", "x86-64-v1", flags="-Ofast", is_refused=True),
)
_ARM = f"{_ZIG} -target aarch64-linux-musl"
LUAJIT = (
    Host("GCC, glibc, x86-64", "gcc", "x86-64-v1"),
    Host("GCC, glibc, i686", _I686, "i686"),
    Host("zig, musl, aarch64", _ARM, "aarch64", "qemu-aarch64", "-lunwind"),
)


def sources() -> Path:
    """The engines' sources. Raises CalledProcessError where they are not to be had."""
    version = metadata.version("lupa")
    folder = BUILD / f"lupa-{version}"
    if not folder.is_dir():
        BUILD.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary",
             "lupa", "--dest", BUILD, f"lupa=={version}"], check=True,
        )  # fmt: skip
        with tarfile.open(BUILD / f"lupa-{version}.tar.gz") as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since 3.11.4
            archive.extractall(BUILD)
    return folder / "third-party"


def lua54(host: Host, dist: Path, engines: Path) -> Path:
    """A program of a build of Lua 5.4."""
    lua = engines / "lua54"
    left_out = ("lua.c", "luac.c", "onelua.c", "ltests.c")
    files = [str(file) for file in sorted(lua.glob("*.c")) if file.name not in left_out]
    return _compiled(host, dist, "lua54", ["-std=gnu99", f"-I{lua}", *files])


def luajit(host: Host, dist: Path, engines: Path) -> Path:
    """A program of a build of LuaJIT, whose own build makes its library."""
    folder = BUILD / f"luajit-{host.library}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(engines / "luajit21", folder)
    (folder / ".relver").write_text("1700000000\n")
    words = ["make", "-s", "-C", str(folder / "src"), "BUILDMODE=static", "libluajit.a"]
    if host.wrapper:
        words += ["HOST_CC=gcc", "CROSS=", f"STATIC_CC={host.compiler}", "TARGET_AR=ar rcs",
                  f"DYNAMIC_CC={host.compiler} -fPIC", f"TARGET_LD={host.compiler}",
                  "TARGET_STRIP=true", "TARGET_SYS=Linux"]  # fmt: skip
    else:
        words += [f"HOST_CC={host.compiler}", f"CC={host.compiler}"]
    subprocess.run(words, check=True, capture_output=True)
    library = folder / "src" / "libluajit.a"
    return _compiled(host, dist, "luajit", ["-std=gnu99", f"-I{folder / 'src'}", str(library)])


def _compiled(host: Host, dist: Path, engine: str, words: Sequence[str]) -> Path:
    places = [*LUA54, *LUAJIT]
    program = BUILD / f"run-{engine}-{places.index(host)}"
    own = [str(dist / "lua" / name) for name in ("samebits_lua.c", "samebits_lua_run.c")]
    library = dist / host.library / "libsbmath.a"
    subprocess.run(
        [*host.compiler.split(), "-O2", "-ffp-contract=off", *host.flags.split(), f"-I{dist}",
         *own, *words, str(library), "-lm", "-ldl", *host.flags.split(), "-o", str(program)],
        check=True, capture_output=True,
    )  # fmt: skip
    return program


def rows(dist: Path, engines: Path) -> Iterator[tuple[str, str, str, bool]]:
    """Engine, host, what came out, and whether that is right."""
    for engine, hosts, made in (("lua54", LUA54, lua54), ("luajit", LUAJIT, luajit)):
        expected = {name: _expected(name, engine) for name in ("battery", "pinball")}
        for host in hosts:
            words = host.compiler.split()[0], *([host.wrapper] if host.wrapper else [])
            absent = [word for word in words if shutil.which(word) is None]
            if absent:
                yield engine, host.name, f"not run: {absent[0]} is not here", True
                continue
            program = made(host, dist, engines)
            yield engine, host.name, *_told(host, program, dist / "lua" / engine, expected)


def _told(
    host: Host, program: Path, scripts: Path, expected: dict[str, tuple[list[bytes], list[int]]]
) -> tuple[str, bool]:
    said: list[str] = []
    fine = True
    for name, (inputs, hashes) in expected.items():
        command = f"{host.wrapper} {program} {scripts / name}.lua"
        try:
            found = list(host_hashes(command, SEED, inputs).values())
        except SamebitsError as error:
            is_refusal = "computes" in (error.note or "")
            return f"refused: {error.note}", host.is_refused and is_refusal
        frame = next((n for n, h in enumerate(hashes, -1) if found[n + 1] != h), None)
        said.append(f"{name} {'same' if frame is None else f'parts in frame {frame}'}")
        # Subnormal results, which battery.lua has, are x87's own.
        fine = fine and (frame is None or (host.flags == _X87 and name == "battery"))
    return ", ".join(said), fine and not host.is_refused


def _expected(name: str, engine: str) -> tuple[list[bytes], list[int]]:
    game = Game(Script(f"{name}.lua", (SCRIPTS / f"{name}.lua").read_bytes()), engine, seed=SEED)
    inputs = [bytes(game.input_size)] * FRAMES
    game.start()
    hashes = [game.hash]
    for given in inputs:
        game.step(given)
        hashes.append(game.hash)
    return inputs, hashes


def main() -> int:
    """Build, run, write the page; the exit status."""
    engines = sources()
    dist = BUILD / "dist"
    for name in ("battery", "pinball"):
        script = Script(f"{name}.lua", (SCRIPTS / f"{name}.lua").read_bytes())
        build_for_hosts(script, ENGINES, choose_targets(TARGETS), dist)
    found = list(rows(dist, engines))
    lines = [
        "# Lua scripts in C programs", "",
        "Made by `python -m tools.prove_foreign.lua_hosts`: Lua 5.4 and LuaJIT 2.1, built from the "
        f"sources in lupa {metadata.version('lupa')}, with the module of `samebits lua build`. "
        f"Each runs two scripts of the tests for {FRAMES} frames, of numbers, order and texts "
        "(battery, with subnormal numbers) and a game (pinball); every frame's hash is compared "
        "with that of `samebits.lua`. Processors other than x86 are emulated.", "",
        "| engine | build | |", "|---|---|---|",
    ]  # fmt: skip
    lines += [f"| {engine} | {host} | {said} |" for engine, host, said, _ in found]
    write_file(RESULTS, "\n".join([*lines, ""]))
    print("\n".join(lines))
    return 0 if all(fine for *_, fine in found) else 1


if __name__ == "__main__":
    sys.exit(main())
