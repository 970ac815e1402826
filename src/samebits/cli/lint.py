"""`samebits lint`: hazards in ordinary Python code and Lua scripts, as text, JSON or SARIF."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence

from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import words
from samebits.cli.terminal import underlying
from samebits.errors import ArgumentError
from samebits.lint import RULES, CheckedFile, Confidence, LintRule, check_paths, check_reached
from samebits.lint.files import Checks
from samebits.lint.output import as_json, as_sarif, as_text, summary
from samebits.lint.rule import ToldRule
from samebits.lua.lint import RULES as LUA_RULES
from samebits.lua.lint import check_file as check_lua
from samebits.lua.lint.rule import LuaRule

_SHOW_AFTER = 0.5
"""Seconds until progress shows on a terminal."""
_NO_RULE = "no rule is left that checks these files"
_FEWER = "ignore fewer; `samebits lint --list-rules` shows them"


def run(
    paths: Sequence[str],
    select: str | None,
    ignore: str | None,
    form: str,
    list_rules: bool,
    least: str,
) -> int:
    """Check and print; return 0 for no hazard, 1 for some, 2 if a file could not be checked."""
    rules = _chosen((*RULES, *LUA_RULES), select, ignore)
    if list_rules:
        for rule in rules:
            print(f"{rule.code} {rule.name} ({rule.confidence.value} confidence)")
            print(f"  why: {rule.why}\n  instead: {rule.instead}")
        return SAME
    if not paths:
        raise ArgumentError(
            "no file or folder is given", fix="write `samebits lint .`, or --list-rules"
        )
    checked = _checked(paths, rules, Confidence(least))
    if not checked:
        raise ArgumentError(
            f"there is no Python or Lua file in {', '.join(paths)}", fix="check the path"
        )
    if not any(result.path.endswith(".lua") for result in checked):
        rules = tuple(rule for rule in rules if isinstance(rule, LintRule))
    # A file whose language has no rule left was not checked, and is not counted.
    checked = [result for result in checked if _has_rules(result.path, rules)]
    if not checked:
        raise ArgumentError(_NO_RULE, fix=_FEWER)
    if form == "json":
        print(json.dumps(as_json(checked, rules), indent=1))
    elif form == "sarif":
        print(json.dumps(as_sarif(checked, rules), indent=1))
    else:
        for block in as_text(checked, rules):
            print(block)
        print(summary(checked))
    if any(result.error is not None for result in checked):
        return BAD
    return DIFFERS if any(result.findings for result in checked) else SAME


def _checked(
    paths: Sequence[str], rules: Sequence[LintRule | LuaRule], least: Confidence
) -> list[CheckedFile]:
    """Check all files, with a line of progress on a terminal."""
    found: list[CheckedFile] = []
    started, shows = time.monotonic(), sys.stderr.isatty()
    for result in _results(paths, rules, least):
        found.append(result)
        if shows and time.monotonic() - started > _SHOW_AFTER:
            print(f"\r{len(found):,} files\x1b[K", end="", file=underlying(sys.stderr), flush=True)
    if shows:
        print("\r\x1b[K", end="", file=underlying(sys.stderr))
    return found


def _results(
    paths: Sequence[str], told: Sequence[LintRule | LuaRule], least: Confidence
) -> Iterator[CheckedFile]:
    """Of `game.py:NAME` what that simulation can reach, of all else every file."""
    rules = [rule for rule in told if isinstance(rule, LintRule)]
    for_lua = [rule for rule in told if isinstance(rule, LuaRule)]
    others: Checks = {".lua": lambda path: check_lua(path, for_lua, least)}
    whole: list[str] = []
    for path in paths:
        file, _, name = path.rpartition(":")
        if file.endswith(".py") and name.isidentifier() and not os.path.exists(path):
            if not os.path.exists(file):
                raise ArgumentError(f"there is no file {file}", fix="check the path")
            yield from check_reached(file, name, rules, least)
        else:
            whole.append(path)
    yield from check_paths(whole, rules, least, others)


def _chosen(
    every: Sequence[LintRule | LuaRule], select: str | None, ignore: str | None
) -> tuple[LintRule | LuaRule, ...]:
    """The rules whose codes begin with one in `select` and with none in `ignore`."""
    wanted = _codes("--select", select, every)
    unwanted = _codes("--ignore", ignore, every)
    rules = tuple(
        rule
        for rule in every
        if (not wanted or rule.code.startswith(wanted)) and not rule.code.startswith(unwanted)
    )
    if not rules:
        raise ArgumentError(_NO_RULE, fix=_FEWER)
    return rules


def _has_rules(path: str, rules: Sequence[LintRule | LuaRule]) -> bool:
    if path.endswith(".lua"):
        return any(isinstance(rule, LuaRule) for rule in rules)
    return any(isinstance(rule, LintRule) for rule in rules)


def _codes(option: str, text: str | None, every: Sequence[ToldRule]) -> tuple[str, ...]:
    codes = () if text is None else words(option, text.upper())
    for code in codes:
        if not any(rule.code.startswith(code) for rule in every):
            raise ArgumentError(
                f"there is no rule {code}",
                fix="`samebits lint --list-rules` shows them; SB2 selects all that begin with it",
            )
    return codes
