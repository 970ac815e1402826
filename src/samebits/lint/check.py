"""The check of one file's text: every rule at every node, without suppressed findings."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from samebits.lang.signal_safe import without_warnings
from samebits.lint.kinds import Kinds
from samebits.lint.names import ModuleScopes
from samebits.lint.rule import Confidence, LintFinding, LintRule
from samebits.lint.rules import RULES

_NOQA = re.compile(
    r"(?:#|--)\s*noqa(?::\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?", re.IGNORECASE
)
_TOO_DEEP = "its expressions are nested too deeply"
_KERNELS = frozenset({"samebits.kernel", "samebits.struct", "samebits.job"})
"""Decorators of code for the compiler, where it has one meaning everywhere or is refused."""


@dataclass
class CheckedFile:
    """The findings in a file; `error` says why it could not be read, and then there are none."""

    path: str
    findings: list[LintFinding] = field(default_factory=list[LintFinding])
    suppressed: int = 0
    lines: int = 0
    error: str | None = None


def check_source(
    text: str,
    path: str,
    rules: Sequence[LintRule] = RULES,
    least: Confidence = Confidence.LOW,
) -> CheckedFile:
    """The hazards in a module's text that are at least so sure, in source order."""
    result = CheckedFile(path, lines=text.count("\n") + 1)
    try:
        with without_warnings():  # warnings on odd escapes and the like are not ours
            tree = ast.parse(text)
    except SyntaxError as error:
        where = "" if error.lineno is None else f"line {error.lineno}: "
        result.error = f"{where}{error.msg}"
        return result
    except ValueError as error:
        result.error = f"Python can't parse it: {error}"
        return result
    except (RecursionError, MemoryError):
        result.error = _TOO_DEEP
        return result
    try:
        found = sorted({*_findings(tree, path, rules, least)})
    except RecursionError:
        result.error = _TOO_DEEP
        return result
    lines = text.splitlines() if found and not text.isascii() else []
    placed = [_in_characters(finding, lines) for finding in found] if lines else found
    settle(result, placed, _suppressions(text) if found else {})
    return result


def settle(
    result: CheckedFile, found: Sequence[LintFinding], quiet: Mapping[int, frozenset[str] | None]
) -> None:
    """Take up the findings but those that a comment on their lines keeps silent."""
    for finding in found:
        codes = quiet.get(finding.line, quiet.get(finding.end_line, ()))
        if codes is None or finding.code in codes:
            result.suppressed += 1
        else:
            result.findings.append(finding)


def named_codes(comment: str) -> frozenset[str] | Literal[False] | None:
    """The codes that a comment `# noqa: …` or `-- noqa: …` names; None for all, False if it is
    another comment."""
    match = _NOQA.search(comment)
    if match is None:
        return False
    codes = match["codes"]
    return None if codes is None else frozenset(re.findall(r"[A-Z]+[0-9]+", codes.upper()))


def _findings(
    tree: ast.Module, path: str, rules: Sequence[LintRule], least: Confidence
) -> Iterable[LintFinding]:
    by_type: dict[type[ast.AST], list[LintRule]] = {}
    for rule in rules:
        for t in rule.nodes:
            by_type.setdefault(t, []).append(rule)
    kinds = Kinds(ModuleScopes(tree))
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if _is_kernel(node, kinds) or _is_annotation_only(node):
            continue
        waiting.extend(_children(node))
        for rule in by_type.get(type(node), ()):
            for place, what, *sure in rule.check(node, kinds):
                start: ast.expr = place  # pyright: ignore[reportAssignmentType]
                (confidence,) = sure or (rule.confidence,)
                if not confidence.reaches(least):
                    continue
                yield LintFinding(
                    path, start.lineno, start.col_offset, rule.code, what,
                    start.end_lineno or start.lineno, start.end_col_offset or start.col_offset + 1,
                    confidence,
                )  # fmt: skip


def _in_characters(finding: LintFinding, lines: Sequence[str]) -> LintFinding:
    """The finding with columns in characters; the parser counts bytes of UTF-8."""

    def column(line: int, count: int) -> int:
        return len(lines[line - 1].encode()[:count].decode(errors="ignore"))

    return replace(
        finding,
        column=column(finding.line, finding.column),
        end_column=column(finding.end_line, finding.end_column),
    )


def _children(node: ast.AST) -> Iterable[ast.AST]:
    """The children of a node without annotations, which compute nothing."""
    match node:
        case ast.AnnAssign(value=value, target=target):
            return [target] if value is None else [target, value]
        case ast.arg():
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, node.args, *node.body]
        case _:
            return ast.iter_child_nodes(node)


def _is_kernel(node: ast.AST, kinds: Kinds) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return False
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if kinds.names.qualified(called) in _KERNELS:
            return True
    return False


def _is_annotation_only(node: ast.AST) -> bool:
    """Whether the node is `if TYPE_CHECKING:`, which is never run."""
    if not isinstance(node, ast.If):
        return False
    test = node.test
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def _suppressions(text: str) -> dict[int, frozenset[str] | None]:
    """The codes that `# noqa: …` names by line; None for all of them."""
    if "noqa" not in text.lower():
        return {}
    found: dict[int, frozenset[str] | None] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                codes = named_codes(token.string)
                if codes is not False:
                    found[token.start[0]] = codes
    except (tokenize.TokenError, IndentationError):
        pass
    return found
