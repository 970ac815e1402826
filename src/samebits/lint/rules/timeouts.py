"""SB503: what happens when time has run out."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_TIMERS = frozenset({
    "asyncio.wait_for", "asyncio.timeout", "asyncio.timeout_at", "threading.Timer", "signal.alarm",
    "signal.setitimer", "socket.setdefaulttimeout",
})  # fmt: skip
_FUNCTIONS = frozenset({
    "select.select", "concurrent.futures.wait", "asyncio.wait", "subprocess.run",
    "subprocess.check_output", "subprocess.check_call", "subprocess.call",
})  # fmt: skip
"""Functions that may be given a time."""
_METHODS = frozenset({
    "get", "put", "join", "wait", "wait_for", "result", "exception", "acquire", "recv", "poll",
    "communicate", "select",
})  # fmt: skip
"""Methods that take `timeout=`."""
_WAITING = {
    "threading.Event": "wait", "threading.Condition": "wait", "threading.Thread": "join",
    "multiprocessing.Event": "wait", "multiprocessing.Process": "join",
}  # fmt: skip
"""Methods whose first argument is a time, by class."""


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    given = any(k.arg == "timeout" and not _is_none(k.value) for k in node.keywords)
    if name in _TIMERS or (name in _FUNCTIONS and (given or len(node.args) > 3)):
        yield node, f"`{name}` depends on how long something took"
    elif isinstance(node.func, ast.Attribute) and name is None:
        method = node.func.attr
        owner = kinds.classes.of(node.func.value)
        by_place = isinstance(owner, str) and _WAITING.get(owner) == method and node.args
        if (given and method in _METHODS) or by_place or method == "settimeout":
            yield node, f"`{method}` depends on how long something took"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


TIMEOUTS = LintRule(
    "SB503",
    "timeouts",
    "whether something is ready in time differs in every run, and so does all that follows",
    "decide by frames: what has not come by frame n is taken as not come, and recorded as such",
    (ast.Call,),
    check,
    Confidence.MEDIUM,
)
