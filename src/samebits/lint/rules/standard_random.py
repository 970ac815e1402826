"""SB301: the standard library's random numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_ENTROPY = frozenset({
    "os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom",
})  # fmt: skip

_CHANGING = frozenset({
    "betavariate", "binomialvariate", "choice", "choices", "expovariate", "gammavariate", "gauss",
    "lognormvariate", "normalvariate", "paretovariate", "randint", "randrange", "sample", "shuffle",
    "triangular", "uniform", "vonmisesvariate", "weibullvariate",
})  # fmt: skip
"""Methods whose results no version of Python promises; `random` and `getrandbits` are the same."""


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func) or _through_attribute(node.func, kinds)
    if name in _ENTROPY or name.startswith("secrets."):
        yield node, f"`{name}` is seeded from the operating system: its values cannot be reproduced"
    elif name == "random.Random":
        if not node.args or (isinstance(node.args[0], ast.Constant) and node.args[0].value is None):
            yield node, "`random.Random` without a seed"
    elif (
        not name
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CHANGING
        and kinds.classes.of(node.func.value) == "random.Random"
    ):
        what = f"`{node.func.attr}` of a `random.Random`"
        yield node, f"{what} draws otherwise in other versions of Python", Confidence.MEDIUM
    elif name.startswith("random.") and name.count(".") == 1:
        yield node, f"`{name}` draws from a state that the whole process shares"


def _through_attribute(function: ast.expr, kinds: Kinds) -> str:
    """The name of a function of a module that an attribute holds, as in `self.dice.gauss`; empty
    for any other."""
    if isinstance(function, ast.Attribute) and kinds.classes.held(function.value) == "random":
        return f"random.{function.attr}"
    return ""


STANDARD_RANDOM = LintRule(
    "SB301",
    "standard-random",
    "the module's state is shared by all code of the process and seeded by the system; what "
    "`shuffle`, `sample` or `gauss` make of it has changed between versions of Python",
    "keep a `samebits.random.Random(seed)` in the state",
    (ast.Call,),
    check,
)
