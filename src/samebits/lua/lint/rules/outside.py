"""SL201 to SL206: clocks, the world, addresses and memory, which `samebits.lua` refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from samebits.lint.rule import Confidence
from samebits.lua.lint.kinds import FUNCTION, TABLE, THREAD, kind_of
from samebits.lua.lint.rule import LuaHit, LuaRule, text_of
from samebits.lua.lint.script import LuaScript, string_of
from samebits.lua.source import operator_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CLOCKS = frozenset({
    "os.clock", "os.time", "os.date", "socket.gettime", "love.timer.getTime",
    "love.timer.getDelta", "love.timer.getFPS",
})  # fmt: skip
_WORLD = frozenset({
    "os.getenv", "os.tmpname", "os.execute", "os.remove", "os.rename", "os.setlocale", "io.open",
    "io.lines", "io.read", "io.popen", "io.tmpfile", "load", "loadstring", "loadfile", "dofile",
    "string.dump",
})  # fmt: skip
_ADDRESSED = {TABLE: "a table", FUNCTION: "a function", THREAD: "a coroutine"}
DIRECTIVE = re.compile(r"%([-+ #0]*)(\d*)(?:\.(\d+))?([A-Za-z%])")
"""A directive of string.format: flags, width, precision, letter."""
_WEAK = frozenset({"__gc", "__mode"})


def _clock(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    name = script.call_name(node)
    if name in _CLOCKS:
        yield node, f"`{name}` reads a clock"


def _world(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    name = script.call_name(node)
    if name in _WORLD:
        yield node, f"`{name}` depends on this machine"


def formatted(node: Node, script: LuaScript) -> list[tuple[str, int | None, Node | None]]:
    """Each directive of a `string.format` with a literal: its letter, precision and argument."""
    if script.call_name(node) != "string.format":
        return []
    pattern, *given = script.given(node) or [node]
    found = (m for m in DIRECTIVE.finditer(string_of(pattern) or "") if m[4] != "%")
    return [
        (m[4], None if m[3] is None else int(m[3]), given[n] if n < len(given) else None)
        for n, m in enumerate(found)
    ]


def _address(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "binary_expression":
        for side in node.named_children if operator_of(node).type == ".." else ():
            kind = kind_of(side, script)
            if kind in _ADDRESSED:
                yield side, f"`{text_of(side)}` is {_ADDRESSED[kind]}, whose text is its address"
        return
    if script.call_name(node) in ("tostring", "print"):
        told = script.given(node)
    else:
        told = list["Node"]()
        for letter, _, value in formatted(node, script):
            if letter == "p":
                yield node, "`%p` writes an address"
            elif letter == "s" and value is not None:
                told.append(value)
    for value in told:
        kind = kind_of(value, script)
        if kind in _ADDRESSED:
            yield value, f"the text of {_ADDRESSED[kind]} is its address"


def _key(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    key = node.child_by_field_name("name" if node.type == "field" else "field")
    if key is None or (node.type == "field" and node.children[0].type != "["):
        return
    kind = kind_of(key, script)
    if kind in _ADDRESSED:
        yield key, f"`{text_of(key)}` is {_ADDRESSED[kind]}, which is found by its address"


def _memory(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "function_call":
        if script.call_name(node) == "collectgarbage":
            option = string_of(next(iter(script.given(node)), None))
            if option == "count":
                yield node, '`collectgarbage("count")` tells of this machine\'s memory'
        return
    key = node.child_by_field_name("name" if node.type == "field" else "field")
    name = text_of(key).strip("\"'")
    if name in _WEAK:
        yield node, f"`{name}` acts when memory is collected"


def _c_text(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    for letter, _, _ in formatted(node, script):
        if letter in "aA":
            yield node, f"`%{letter}` has the C library's digits"


RULES = (
    LuaRule(
        "SL201",
        "clock",
        "no two runs read the same time: a step that depends on it can't be replayed",
        "count frames, and have the host give times as input",
        ("function_call",),
        _clock,
    ),
    LuaRule(
        "SL202",
        "outside",
        "files, variables of the environment and code from elsewhere are not in a replay",
        "have the host give it as input, and code by `require`",
        ("function_call",),
        _world,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL203",
        "address-text",
        "the text of a table, function or coroutine holds its address, which no two runs share",
        "write its fields, or give it a name or `__tostring`",
        ("function_call", "binary_expression"),
        _address,
    ),
    LuaRule(
        "SL204",
        "address-key",
        "a table or function as a key is found by its address: `pairs` goes by it, and a saved "
        "state cannot hold it",
        "give it a number or a name of its own, and use that as the key",
        ("bracket_index_expression", "field"),
        _key,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL205",
        "collector",
        "memory is collected at another moment in each run, and its size depends on machine and "
        "engine",
        "release and clear by hand, at a place in the step",
        ("function_call", "field", "dot_index_expression", "bracket_index_expression"),
        _memory,
    ),
    LuaRule(
        "SL206",
        "hexadecimal-text",
        "C libraries write `%a` with other digits for the same float",
        "write `%.17g`, which every number can be read back from, or `string.pack`",
        ("function_call",),
        _c_text,
    ),
)
