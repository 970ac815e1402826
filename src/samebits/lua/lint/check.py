"""The check of one script's text: every rule at every node, without suppressed findings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.lint.check import CheckedFile, named_codes, settle
from samebits.lint.rule import Confidence, LintFinding
from samebits.lua.errors import LuaError
from samebits.lua.lint.rule import LuaRule
from samebits.lua.lint.rules import RULES
from samebits.lua.lint.script import LuaScript
from samebits.lua.source import MOST_BYTES, nodes, parse, without_head
from samebits.output import os_reason

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_TOO_DEEP = "its expressions are nested too deeply"


def check_file(
    path: str, rules: Sequence[LuaRule] = RULES, least: Confidence = Confidence.LOW
) -> CheckedFile:
    """The findings in one file."""
    try:
        if not os.path.isfile(path):
            return CheckedFile(path, error="it is not a file")
        if os.path.getsize(path) > MOST_BYTES:
            return CheckedFile(path, error=f"it is larger than {MOST_BYTES >> 20} MiB")
        text = Path(path).read_bytes()
    except OSError as error:
        return CheckedFile(path, error=os_reason(error))
    return check_script(text, Path(path).as_posix(), rules, least)


def check_script(
    text: bytes,
    path: str,
    rules: Sequence[LuaRule] = RULES,
    least: Confidence = Confidence.LOW,
) -> CheckedFile:
    """The hazards in a script's text that are at least so sure, in source order."""
    result = CheckedFile(path, lines=text.count(b"\n") + 1)
    text = without_head(text)
    try:
        tree = parse(text)
        for node in nodes(tree):
            if node.is_error or node.is_missing:
                result.error = f"line {node.start_point[0] + 1}: the parser does not follow this"
                return result
        found = sorted({*_findings(LuaScript(tree), path, rules, least, text.split(b"\n"))})
    except LuaError as error:
        result.error = f"{error.message}: {error.fix}"
    except RecursionError:
        result.error = _TOO_DEEP
    else:
        settle(result, found, _suppressions(tree) if found else {})
    return result


def _findings(
    script: LuaScript,
    path: str,
    rules: Sequence[LuaRule],
    least: Confidence,
    lines: Sequence[bytes],
) -> Iterable[LintFinding]:
    by_type: dict[str, list[LuaRule]] = {}
    for rule in rules:
        for t in rule.nodes:
            by_type.setdefault(t, []).append(rule)
    for node in script.all:
        if not node.is_named:
            continue
        for rule in by_type.get(node.type, ()):
            for place, what, *sure in rule.check(node, script):
                (confidence,) = sure or (rule.confidence,)
                if confidence.reaches(least):
                    yield _finding(rule, place, what, confidence, path, lines)


def _finding(
    rule: LuaRule, node: Node, what: str, sure: Confidence, path: str, lines: Sequence[bytes]
) -> LintFinding:
    """Columns count characters; the parser counts bytes."""

    def column(point: tuple[int, int]) -> int:
        return len(lines[point[0]][: point[1]].decode(errors="replace"))

    start, end = node.start_point, node.end_point
    return LintFinding(
        path, start[0] + 1, column(start), rule.code, what, end[0] + 1, column(end), sure
    )


def _suppressions(tree: Tree) -> dict[int, frozenset[str] | None]:
    """The codes that `-- noqa: …` names by line; None for all of them."""
    found: dict[int, frozenset[str] | None] = {}
    for node in nodes(tree):
        if node.type == "comment":
            said = (node.text or b"").decode(errors="replace")
            codes = named_codes(said)
            if codes is not False:
                found[node.start_point[0] + 1] = codes
    return found
