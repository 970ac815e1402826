"""`samebits lua build`: what a C program needs to run a script under samebits' rules.

Owns the folder: the C module with the prelude in it, the script prepared for each engine, and the
math library of the functions that scripts call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from samebits.backend.targets.table import Target
from samebits.export.math_library.build import build_math_library
from samebits.export.output_folder import Built, Show, check_free, write
from samebits.lua.engines import ENGINES, Engine
from samebits.lua.errors import LuaError
from samebits.lua.game import Game, Script
from samebits.lua.layout import lua_type
from samebits.lua.natives import functions
from samebits.lua.runtime import Runtime, engine_text, prelude_text
from samebits.lua.source import prepare
from samebits.types import FixedArrayType
from samebits.version import __version__

FOLDER = "lua"
"""Where in a build all but the math library is."""
_C = Path(__file__).parent / "c"
_SOURCES = ("samebits_lua.h", "samebits_lua.c", "samebits_lua_run.c")
_PRELUDE = "samebits_lua_prelude.h"
_MARKS = (
    b"/* Lua scripts with the same bits everywhere",
    b"/* Runs a prepared script",
    b"/* The prelude of samebits",
    b"# Lua scripts in a C program",
    b"--[[samebits ",
)
"""Each text that a build writes begins with one of these."""


def build_for_hosts(
    script: Script,
    engines: Sequence[Engine],
    targets: Sequence[Target],
    out: Path,
    show: Show | None = None,
) -> list[Built]:
    """Write the module, the script and its modules, and the math library for each target.

    The script is run once in each engine, so that its layouts are known. Raises LuaError for a
    script that cannot be prepared, ScriptError for its own errors, TargetError if a tool fails or
    is missing, SimulationError if `out` cannot be written.
    """
    texts = {f"{FOLDER}/{name}": text for name, text in host_texts(script, engines).items()}
    check_free(out, [FOLDER], list(texts), _MARKS)
    library = build_math_library(targets, out, show, functions())
    return [*library, Built("", write(out, texts))]


def host_texts(script: Script, engines: Sequence[Engine]) -> dict[str, str]:
    """The texts of `FOLDER` by their names."""
    texts = {name: (_C / name).read_text(encoding="utf-8") for name in _SOURCES}
    texts[_PRELUDE] = "".join(_prelude())
    texts["README.md"] = _readme(script)
    for engine in engines:
        head = _head(script, engine)
        texts[f"{engine.name}/{script.name}"] = prepared_file(script, script.name, engine, head)
        for name in script.modules:
            file = f"{name}.lua"
            texts[f"{engine.name}/{file}"] = prepared_file(script, file, engine)
    return texts


def prepared_file(script: Script, file: str, engine: Engine, head: str = "0|0||") -> str:
    """A script or one of its modules as the C module takes it: what it is for, and the text with
    the same lines. Raises LuaError."""
    text = script.text
    if file != script.name:
        text = script.modules[file.removesuffix(".lua")].encode(errors="surrogateescape")
    try:
        ready = prepare(text, file, engine.operators).decode()
    except UnicodeDecodeError:
        raise LuaError(
            f"{file} is not UTF-8", fix="write its odd bytes as escapes, such as \\xe4"
        ) from None
    return f"--[[samebits {engine.name}|{head}]]{ready}"


def _readme(script: Script) -> str:
    modules = "".join(f" --module {name} lua54/{name}.lua" for name in sorted(script.modules))
    text = (_C / "README.md").read_text(encoding="utf-8")
    places = {"@VERSION@": __version__, "@GAME@": script.name, "@MODULES@": modules}
    for place, given in places.items():
        text = text.replace(place, given)
    return text


def _head(script: Script, engine: Engine) -> str:
    """Sizes and types of state and inputs; nothing of a script that is no simulation."""
    runtime = Runtime(engine.name, modules=script.modules)
    runtime.run(script.text, script.name)
    if runtime.field(".state") is None:
        return "0|0||"
    game = Game(script, engine.name)
    given = ""
    if game.input_type is not None:
        given = lua_type(FixedArrayType(game.input_type, (game.players,)))
    return f"{game.state_size}|{game.input_size}|{lua_type(game.state_type)}|{given}"


def _prelude() -> Iterator[str]:
    """The prelude as C texts, a line each."""
    yield "/* The prelude of samebits' Lua states, made by `samebits lua build`. */\n"
    for n, engine in enumerate(ENGINES):
        number = 504 if engine.has_integers else 501
        yield f"#{'el' if n else ''}if LUA_VERSION_NUM == {number}\n"
        yield from _lines("engine", engine_text(engine))
    yield "#endif\n"
    yield from _lines("prelude", prelude_text())
    yield from _lines("host", (_C / "host.lua").read_text(encoding="utf-8"))


def _lines(name: str, text: str) -> Iterator[str]:
    yield f"static const char *const sb_lua_{name}_lines[] = {{\n"
    for line in text.splitlines():
        quoted = line.replace("\\", "\\\\").replace('"', '\\"')
        yield f'  "{quoted}\\n",\n'
    yield "  0};\n"
