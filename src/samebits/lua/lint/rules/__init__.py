"""The rules for Lua, in the order of their codes.

SL1 what `samebits.lua` makes the same, SL2 what it refuses, SL3 what stays to the script.
"""

from samebits.lua.lint.rules import numbers, outside, own
from samebits.lua.lint.rules.order import PAIRS_ORDER

RULES = (PAIRS_ORDER, *numbers.RULES, *outside.RULES, *own.RULES)
