"""The errors of Lua scripts, with the script's own lines."""

from __future__ import annotations

from samebits.errors import SamebitsError


class LuaError(SamebitsError):
    """A script that cannot be prepared or run, or a host that asks for what there is not."""


class ScriptError(LuaError):
    """An error in a script as it ran; `traceback` has its calls, the innermost first."""

    traceback: tuple[str, ...] = ()


class ScriptStopped(ScriptError):
    """A script that reached a limit of instructions or memory."""
