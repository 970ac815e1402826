"""Make a failing program small: fewer statements, smaller expressions, plainer inputs.

Works on syntax alone: a candidate that is ill-typed fails in another way and is dropped.
"""

from __future__ import annotations

import ast
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tests.fuzz.check import Failure, check_programs
from tests.fuzz.generator import Program
from tests.fuzz.inputs import Argument, InputSet

Attempt = tuple[str, InputSet]
Interesting = Callable[[Attempt], bool]


CANDIDATE_SECONDS = {True: 4.0, False: 0.5}
"""Processor time that a candidate may take, compiled or not: one may loop for ever."""


class TooLongError(BaseException):
    """Not an Exception, so that nothing below takes it for a fault of an execution."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TooLongError inside after so many seconds of processor time."""

    def stop(_signal: int, _frame: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    # Again and again: what is raised inside a destructor goes nowhere.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def shrink(
    failure: Failure,
    rounds: int = 6,
    check: Callable[[Program], Sequence[Failure]] | None = None,
) -> Failure:
    """The smallest program found that still fails in the same way, as `check` sees it: by default
    `check_programs`."""
    program = failure.program
    found: dict[Attempt, Failure] = {}
    native = not failure.kind.startswith(("managed and evaluate", "managed or", "refused"))

    def interesting(attempt: Attempt) -> bool:
        source, inputs = attempt
        candidate = replace(program, source=source, inputs=(inputs,))
        try:
            with warnings.catch_warnings(action="ignore"), time_limit(CANDIDATE_SECONDS[native]):
                failures = (
                    check(candidate)
                    if check is not None
                    else check_programs([candidate], native=native).failures
                )
        except (Exception, TooLongError):  # a candidate may be anything, and break anything
            return False
        for f in failures:
            if f.kind == failure.kind:
                found[attempt] = f
                return True
        return False

    best: Attempt = (ast.unparse(ast.parse(program.source)), failure.inputs)
    if not interesting(best):
        return failure
    for _ in range(rounds):
        before = best
        for strategy in STRATEGIES:
            best = _exhaust(best, strategy, interesting)
        if best == before:
            break
    return found[best]


def _exhaust(
    best: Attempt, strategy: Callable[[Attempt], Iterator[Attempt]], interesting: Interesting
) -> Attempt:
    """Apply a strategy again and again, going on behind the place that last succeeded."""
    skip = 0
    while True:
        for k, attempt in enumerate(strategy(best)):
            if k >= skip and attempt != best and interesting(attempt):
                best, skip = attempt, k
                break
        else:
            return best


# Statements


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield body


def drop_statements(attempt: Attempt) -> Iterator[Attempt]:
    """Without some run of statements, long runs first."""
    source, inputs = attempt
    for width in (8, 4, 2, 1):
        tree = ast.parse(source)
        for body in list(_bodies(tree)):
            for start in range(0, len(body), width):
                saved = list(body)
                del body[start : start + width]
                if not body:
                    body.append(ast.Pass())
                yield ast.unparse(ast.fix_missing_locations(tree)), inputs
                body[:] = saved


def unwrap_blocks(attempt: Attempt) -> Iterator[Attempt]:
    """An `if` or loop replaced by what it holds, an else dropped."""
    source, inputs = attempt
    tree = ast.parse(source)
    for body in list(_bodies(tree)):
        for k, statement in enumerate(list(body)):
            if not isinstance(statement, ast.If | ast.For | ast.While):
                continue
            saved = list(body)
            for inner in (statement.body, statement.orelse):
                body[:] = [*saved[:k], *inner, *saved[k + 1 :]] or [ast.Pass()]
                yield ast.unparse(tree), inputs
                body[:] = saved
            if statement.orelse:
                orelse, statement.orelse = statement.orelse, []
                yield ast.unparse(tree), inputs
                statement.orelse = orelse


# Expressions


def _expressions(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.arguments):
            continue
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "ctx", "targets", "target",
                        "func"):  # fmt: skip
                continue
            if isinstance(value, ast.expr):
                yield node, name, None, value
            elif isinstance(value, list):
                for k, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield node, name, k, item


def _set(node: ast.AST, name: str, k: int | None, value: ast.expr) -> None:
    if k is None:
        setattr(node, name, value)
    else:
        getattr(node, name)[k] = value


def simplify_expressions(attempt: Attempt) -> Iterator[Attempt]:
    """An expression replaced by a part of it, or by a plain constant."""
    source, inputs = attempt
    tree = ast.parse(source)
    constants = [ast.parse(text, mode="eval").body for text in ("True", "False", "0", "1", "1.0")]
    for node, name, k, old in list(_expressions(tree)):
        parts = [e for e in ast.walk(old) if isinstance(e, ast.expr) and e is not old]
        plain = isinstance(old, ast.Constant) and old.value in (0, 1, 1.0, True, False)
        for new in [*parts[:12], *([] if plain else constants)]:
            _set(node, name, k, new)
            try:
                text = ast.unparse(tree)
            except Exception:
                text = source
            yield text, inputs
        _set(node, name, k, old)


def drop_operands(attempt: Attempt) -> Iterator[Attempt]:
    """`a and b and c` and comparison chains with a link less."""
    source, inputs = attempt
    tree = ast.parse(source)
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.BoolOp) and len(node.values) > 2:
            for k in range(len(node.values)):
                saved = list(node.values)
                del node.values[k]
                yield ast.unparse(tree), inputs
                node.values[:] = saved
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            ops, right = node.ops, node.comparators
            node.ops, node.comparators = ops[:-1], right[:-1]
            yield ast.unparse(tree), inputs
            node.ops, node.comparators = ops, right


def drop_results(attempt: Attempt) -> Iterator[Attempt]:
    """A function that returns a tuple, with one item less."""
    source, inputs = attempt
    names = [n.name for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    for name in names:
        for k in range(6):
            tree = ast.parse(source)
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    _drop_result(node, k)
            yield ast.unparse(tree), inputs


def _drop_result(function: ast.FunctionDef, k: int) -> None:
    match function.returns:
        case ast.Subscript(slice=ast.Tuple(elts=types)) if k < len(types):
            del types[k]
            if len(types) == 1:
                function.returns = types[0]
        case _:
            return
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            items = node.value.elts
            if k < len(items):
                del items[k]
            if len(items) == 1:
                node.value = items[0]


def drop_imports(attempt: Attempt) -> Iterator[Attempt]:
    """Without the imported names that nothing uses."""
    source, inputs = attempt
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            node.names = [alias for alias in node.names if alias.name in used] or node.names[:1]
    yield ast.unparse(tree), inputs


# Inputs


def drop_parameters(attempt: Attempt) -> Iterator[Attempt]:
    """The entry without one of its parameters."""
    source, inputs = attempt
    for k in range(len(inputs.args)):
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "entry":
                del node.args.args[k]
        yield ast.unparse(tree), replace(inputs, args=inputs.args[:k] + inputs.args[k + 1 :])


def plain_inputs(attempt: Attempt) -> Iterator[Attempt]:
    """Scalars that are 0 or 1, arrays of zeros, and memory with 8 bytes cleared."""
    source, inputs = attempt
    for k, argument in enumerate(inputs.args):
        for plain in _plain(argument):
            args = (*inputs.args[:k], plain, *inputs.args[k + 1 :])
            yield source, replace(inputs, args=args)
    seen = {argument[2] for argument in inputs.args if argument[0] in ("array", "struct")}
    used = tuple(blob if k in seen else b"" for k, blob in enumerate(inputs.blobs))
    yield source, replace(inputs, blobs=used)
    for k, blob in enumerate(inputs.blobs):
        for start, stop in [(0, len(blob)), *((i, i + 8) for i in range(0, len(blob), 8))]:
            cleared = blob[:start] + bytes(len(blob[start:stop])) + blob[stop:]
            yield (
                source,
                replace(inputs, blobs=(*inputs.blobs[:k], cleared, *inputs.blobs[k + 1 :])),
            )


def _plain(argument: Argument) -> Iterator[Argument]:
    if argument[0] == "scalar":
        yield ("scalar", argument[1], 0)
        yield ("scalar", argument[1], 1)
    elif argument[0] == "vector":
        yield ("vector", argument[1], (0,) * len(argument[2]))


STRATEGIES = (
    drop_statements,
    unwrap_blocks,
    drop_parameters,
    drop_results,
    simplify_expressions,
    drop_operands,
    plain_inputs,
    drop_statements,
    drop_imports,
)
"""In the order in which they are tried, until none helps."""
