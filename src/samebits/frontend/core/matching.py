"""`match` on numbers and bools as the chain of `if` that it means.

It is written out before anything is lowered or run. What has other patterns stays a `match`, which
is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, cast

from samebits.frontend.core.characters import code_point
from samebits.frontend.core.source import blank

REFUSAL = (
    "`match` takes numbers, texts of one character, True and False, IntEnum members and class "
    "constants, `|` between them, `_`, a name, and guards",
    "write if/elif/else",
)
"""The message and fix of any other pattern."""

_BODIES = ("body", "orelse", "cases", "handlers", "finalbody")
"""The fields that hold statements, or what holds them; expressions hold no `match`."""


def without_matches(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with every such `match` written out; the node itself where it has none."""
    return cast("ast.FunctionDef", _changed(node)) if _has_match(node) else node


def offending(node: ast.Match) -> ast.AST | None:
    """The pattern for which a `match` is refused; None if it is not."""
    for case in node.cases:
        pattern = case.pattern
        if isinstance(pattern, ast.MatchAs):
            if _is_wildcard(pattern):
                continue
            assert pattern.pattern is not None
            pattern = pattern.pattern
        for part in pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]:
            if not _is_simple(part):
                return part
    return None


def refusal(node: ast.Match) -> tuple[ast.AST, str, str]:
    """Where, and with which message and fix, a `match` is refused."""
    return offending(node) or node, *REFUSAL


def _is_wildcard(pattern: ast.MatchAs) -> bool:
    """Whether everything fits: `_`, a name, or `_ as name`."""
    inner = pattern.pattern
    return inner is None or (isinstance(inner, ast.MatchAs) and inner.pattern is None)


def _is_simple(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue():
            value = pattern.value
            is_text = isinstance(value, ast.Constant) and isinstance(value.value, str | bytes)
            return not is_text or code_point(value) is not None
        case ast.MatchSingleton():
            return isinstance(pattern.value, bool)
        case _:
            return False


def _has_match(node: ast.AST) -> bool:
    waiting: list[ast.AST] = [node]
    while waiting:
        outer = waiting.pop()
        if isinstance(outer, ast.Match):
            return True
        for inner in _bodies(outer):
            waiting += inner
    return False


def _bodies(node: ast.AST) -> Iterator[list[ast.AST]]:
    for name in _BODIES:
        inner = getattr(node, name, None)
        if isinstance(inner, list):
            yield cast("list[ast.AST]", inner)


def _changed(node: ast.AST) -> ast.AST:
    """A copy with each `match` inside written out."""
    result = blank(node)
    for name, value in vars(node).items():
        if name in _BODIES and isinstance(value, list):
            value = _block(cast("list[ast.AST]", value))
        setattr(result, name, value)
    return result


def _block(body: Sequence[ast.AST]) -> list[Any]:
    found: list[Any] = []
    for node in body:
        if isinstance(node, ast.Match) and offending(node) is None:
            found += _written_out(node)
        else:
            found.append(_changed(node) if _has_match(node) else node)
    return found


def _written_out(node: ast.Match) -> list[ast.stmt]:
    name, start = f"__match_{node.lineno}_{node.col_offset}", list[ast.stmt]()
    if isinstance(node.subject, ast.Name):
        name = node.subject.id  # no case assigns it before another is tried
    else:
        start = [_assign(node.subject, name, node.subject)]
    rest: list[ast.stmt] = []
    for case in reversed(node.cases):
        rest = _case(case, ast.copy_location(ast.Name(name, ast.Load()), node.subject), rest)
    return [*start, *rest]


def _case(case: ast.match_case, subject: ast.Name, rest: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a case; `rest` is what follows where it does not fit."""
    pattern, body, start = case.pattern, cast("list[ast.stmt]", _block(case.body)), []
    if isinstance(pattern, ast.MatchAs):
        start = [_assign(pattern, pattern.name, subject)] if pattern.name else []
        if _is_wildcard(pattern):
            if case.guard is None:
                return [*start, *body]
            return [*start, _if(pattern, case.guard, body, rest)]
        assert pattern.pattern is not None
        if case.guard is not None:
            return _guarded(pattern, _test(pattern.pattern, subject), start, case.guard, body, rest)
        pattern = pattern.pattern
    test = _test(pattern, subject)
    if case.guard is not None:
        test = ast.copy_location(ast.BoolOp(ast.And(), [test, case.guard]), pattern)
    return [_if(pattern, test, [*start, *body], rest)]


def _guarded(
    pattern: ast.MatchAs, test: ast.expr, bound: Sequence[ast.stmt], guard: ast.expr,
    body: list[ast.stmt], rest: list[ast.stmt],
) -> list[ast.stmt]:  # fmt: skip
    """A guarded case with `as`: its name is bound where the pattern fits, as its guard reads it.

    A bool keeps what the guard said, so that `rest` is written once. The body binds the name anew,
    which it holds already, for those who follow assignments.
    """
    holds = f"__match_{pattern.lineno}_{pattern.col_offset}"
    told = _if(pattern, guard, [_assign(pattern, holds, _constant(pattern, value=True))], [])
    return [
        _assign(pattern, holds, _constant(pattern, value=False)),
        _if(pattern, test, [*bound, told], []),
        _if(pattern, ast.copy_location(ast.Name(holds, ast.Load()), pattern),
            [*bound, *body], rest),
    ]  # fmt: skip


def _test(pattern: ast.pattern, subject: ast.Name) -> ast.expr:
    """Whether a subject fits a pattern."""
    match pattern:
        case ast.MatchOr():
            tests = [_test(part, subject) for part in pattern.patterns]
            return ast.copy_location(ast.BoolOp(ast.Or(), tests), pattern)
        case ast.MatchSingleton():
            value = _constant(pattern, value=pattern.value)
            return ast.copy_location(ast.Compare(subject, [ast.Eq()], [value]), pattern)
        case _:
            value = cast("ast.MatchValue", pattern).value
            return ast.copy_location(ast.Compare(subject, [ast.Eq()], [value]), pattern)


def _assign(at: ast.AST, name: str, value: ast.expr) -> ast.Assign:
    target = ast.copy_location(ast.Name(name, ast.Store()), at)
    return ast.copy_location(ast.Assign([target], value), at)


def _constant(at: ast.AST, *, value: bool | None) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), at)


def _if(at: ast.AST, test: ast.expr, body: list[ast.stmt], rest: list[ast.stmt]) -> ast.If:
    return ast.copy_location(ast.If(test, body, rest), at)
