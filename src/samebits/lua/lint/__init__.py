"""Hazards in Lua scripts, one row a rule; `samebits lint game.lua` finds them. Nothing is run."""

from samebits.lua.lint.check import check_file, check_script
from samebits.lua.lint.rules import RULES

__all__ = ["RULES", "check_file", "check_script"]
