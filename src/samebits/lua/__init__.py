"""Lua scripts with the same bits everywhere: `Runtime` runs them, `Game` as a simulation."""

from samebits.lua.errors import LuaError, ScriptError, ScriptStopped
from samebits.lua.game import Game, Script
from samebits.lua.runtime import Runtime

__all__ = ["Game", "LuaError", "Runtime", "Script", "ScriptError", "ScriptStopped"]
