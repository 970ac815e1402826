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
    "asyncio.get_event_loop.time", "pyglet.clock.tick",
    "pyray.get_frame_time", "pyray.get_time", "raylib.GetFrameTime", "raylib.GetTime",
    "glfw.get_time", "sdl2.SDL_GetTicks", "sdl2.SDL_GetPerformanceCounter",
})  # fmt: skip


_FRAME_CLOCKS = {
    "pygame.time.Clock": frozenset(
        {"tick", "tick_busy_loop", "get_time", "get_rawtime", "get_fps"}
    ),
    "pyglet.clock.Clock": frozenset({"tick", "update_time", "get_frequency"}),
    "panda3d.core.ClockObject": frozenset({"getDt", "get_dt", "getFrameTime", "get_frame_time"}),
}
"""Clocks of game libraries, by their class, and the methods that tell how long a frame took."""


def check(node: ast.Call | ast.Attribute, kinds: Kinds) -> Iterable[Hit]:
    if isinstance(node, ast.Attribute):
        if kinds.names.qualified(node) == "ursina.time.dt":
            yield node, "`ursina.time.dt` tells how long the frame took"
        return
    name = kinds.names.qualified(node.func)
    if isinstance(node.func, ast.Attribute):
        owner = kinds.classes.of(node.func.value)
        if isinstance(owner, str) and node.func.attr in _FRAME_CLOCKS.get(owner, ()):
            yield node, f"`{owner}.{node.func.attr}` tells how long the frame took"
            return
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
    (ast.Call, ast.Attribute),
    check,
)
