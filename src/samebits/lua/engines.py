"""The Lua engines that `lupa` carries and samebits controls, one row each."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType

from samebits.errors import ArgumentError
from samebits.lua.errors import LuaError


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine: its name here, lupa's module of it, and its own part of the prelude."""

    name: str
    module: str
    part: str
    has_integers: bool
    """Whether whole numbers have a type of their own; else every number is a float."""
    operators: frozenset[str]
    """The operators of numbers that do not have Lua 5.4's bits of floats on every processor."""


ENGINES = (
    Engine("lua54", "lupa.lua54", "engine_lua54.lua", True, frozenset("^")),
    Engine("luajit", "lupa.luajit21", "engine_luajit.lua", False, frozenset("^%*")),
)
"""The first is the default."""


def engine_named(name: str) -> Engine:
    """The engine of that name. Raises ArgumentError."""
    for engine in ENGINES:
        if engine.name == name:
            return engine
    raise ArgumentError(
        f"there is no Lua engine {name[:40]!a}",
        fix=f"write one of {', '.join(engine.name for engine in ENGINES)}",
    )


def load_engine(engine: Engine) -> ModuleType:
    """lupa's module of an engine. Raises LuaError where it is not installed."""
    try:
        return importlib.import_module(engine.module)
    except ImportError as error:
        raise LuaError(
            f"{engine.name} cannot be loaded: {error}", fix="pip install samebits[lua]"
        ) from None
