"""SB301: the standard library's random numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule

_ENTROPY = frozenset({
    "os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom",
})  # fmt: skip


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func) or ""
    if name in _ENTROPY or name.startswith("secrets."):
        yield node, f"`{name}` is seeded from the operating system: its values cannot be reproduced"
    elif name == "random.Random":
        if not node.args or (isinstance(node.args[0], ast.Constant) and node.args[0].value is None):
            yield node, "`random.Random` without a seed"
    elif name.startswith("random.") and name.count(".") == 1:
        yield node, f"`{name}` draws from a state that the whole process shares"


STANDARD_RANDOM = LintRule(
    "SB301",
    "standard-random",
    "the module's state is shared by all code of the process and seeded by the system; what "
    "`shuffle`, `sample` or `gauss` make of it has changed between versions of Python",
    "keep a `samebits.random.Random(seed)` in the state",
    (ast.Call,),
    check,
)
