"""SB302: NumPy's random numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule

_MAKERS = frozenset({"Generator", "SeedSequence", "PCG64", "Philox", "MT19937", "SFC64",
                     "default_rng", "RandomState"})  # fmt: skip


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func) or ""
    if not name.startswith("numpy.random."):
        return
    last = name.removeprefix("numpy.random.")
    if last not in _MAKERS:
        yield node, f"`{name}` draws from a state that the whole process shares"
    elif last == "default_rng":
        seeded = "with a seed too, its numbers may" if node.args or node.keywords else "unseeded:"
        yield node, f"`{name}`: {seeded} change with NumPy's version"
    elif not node.args and not node.keywords:
        yield node, f"`{name}` without a seed"


NUMPY_RANDOM = LintRule(
    "SB302",
    "numpy-random",
    "NumPy guarantees a generator's bits, but not the numbers that its methods derive: they may "
    "change with any version (NEP 19), and normal ones use the C library",
    "keep a `samebits.random.Random(seed)` in the state",
    (ast.Call,),
    check,
)
