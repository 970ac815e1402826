"""SB501: the time of day, and elapsed time."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule

_CLOCKS = frozenset({
    *(f"time.{name}{ns}" for name in ("time", "monotonic", "perf_counter", "process_time",
                                      "thread_time") for ns in ("", "_ns")),
    "time.localtime", "time.gmtime", "time.ctime", "time.strftime", "time.clock_gettime",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today",
    "datetime.date.today", "pygame.time.get_ticks", "timeit.default_timer",
    "asyncio.get_event_loop.time",
})  # fmt: skip


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    if name not in _CLOCKS:
        return
    given = name.startswith(("time.localtime", "time.gmtime", "time.ctime")) and node.args
    if not given and not (name == "time.strftime" and len(node.args) > 1):
        yield node, f"`{name}` reads a clock"


WALL_CLOCK = LintRule(
    "SB501",
    "wall-clock",
    "no two runs read the same time: a step that depends on it can't be replayed",
    "count frames, and pass a fixed `dt`; read clocks only to decide when to step",
    (ast.Call,),
    check,
)
