"""A job as a kernel over a range: `self.field` becomes a parameter, `execute` a loop's body.

Works on syntax trees; every node keeps its place in the file. Owns what `execute` may do to `self`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypeVar, cast

from samebits.errors import CompileError
from samebits.frontend.core.source import Source, blank, too_deep
from samebits.lang.annotations import Access
from samebits.lang.jobs import BEGIN, ELEMENT, END, INDEX_TYPE, RANGE, UNSAFE, JobKernel
from samebits.types import INT

ITERATION = "job.iteration"
"""The loop variable where the index has another type than loop variables have. Digests of programs
have it in them."""

AT = "job.at"
"""Position in its row at which an index appends next."""

_APPEND = """\
__at = __counts[{index}]
assert __at < {most}, "an index appends at most {values} to `{field}`"
__rows[{index}, __at] = None
__counts[{index}] += 1
"""

_Node = TypeVar("_Node", bound=ast.AST)


def job_source(kernel: JobKernel, source: Source) -> Source:
    """The source of a job's kernel, from that of its `execute`. Raises CompileError."""
    try:
        return replace(source, node=_Rewriting(kernel, source).function())
    except RecursionError:
        raise too_deep(source.span(source.node)) from None


def _returns(body: Sequence[ast.AST], inside: bool = False) -> Iterator[bool]:
    """For each `return`, whether it is inside a loop."""
    for node in body:
        if isinstance(node, ast.Return):
            yield inside
        loop = isinstance(node, ast.For | ast.While)
        for name in ("body", "orelse"):
            yield from _returns(getattr(node, name, ()), inside or (loop and name == "body"))


class _Rewriting:
    """Rewrites `execute` as one function of the kernel language."""

    def __init__(self, kernel: JobKernel, source: Source) -> None:
        self._kernel = kernel
        self._source = source
        self._own = source.node.args.args[0].arg
        self._fields = {field.name: field for field in kernel.fields}
        self._stored: set[int] = set()
        """Nodes of write-only fields that are stored through or asked for their length alone."""
        self._in_loop = False

    def function(self) -> ast.FunctionDef:
        kernel, node = self._kernel, self._source.node
        arguments = [ast.copy_location(ast.arg(p.name), node) for p in kernel.parameters]
        parameters = ast.arguments([], arguments, None, [], [], None, [])
        function = ast.FunctionDef(node.name, parameters, self._body(node), [], None)
        for name in ("type_comment", "type_params"):
            if hasattr(node, name):
                setattr(function, name, getattr(node, name))
        return ast.copy_location(function, node)

    def _body(self, node: ast.FunctionDef) -> list[ast.stmt]:
        kernel = self._kernel
        if kernel.element or not kernel.arguments:
            return self._statements(node.body)
        if len(kernel.arguments) == 2:
            first, count = node.args.args[1:]
            begin, end = self._name(BEGIN, first), self._name(END, count)
            length = ast.copy_location(ast.BinOp(end, ast.Sub(), begin), count)
            types = kernel.argument_types
            starts = [
                self._converted(first, begin, types[0] == INT),
                self._converted(count, length, types[1] == INT),
            ]
            return [*starts, *self._statements(node.body)]
        (index,) = node.args.args[1:]
        plain = kernel.argument_types[0] == INT
        iteration = index.arg if plain else ITERATION
        kernel.by_calls = any(_returns(node.body))
        if kernel.by_calls:
            names = [index.arg, *(p.name for p in kernel.parameters[2:])]
            call = ast.Call(self._name(ELEMENT, node), [self._name(n, node) for n in names], [])
            iterations: list[ast.stmt] = [self._at(ast.Expr(self._at(call, node)), node)]
        else:
            self._in_loop = True
            iterations = self._statements(node.body)
        if not plain:
            iterations.insert(0, self._converted(index, self._name(ITERATION, index), False))
        bounds = [self._name(BEGIN, index), self._name(END, index)]
        over = self._at(ast.Call(self._name(RANGE, index), cast("Any", bounds), []), index)
        target = ast.copy_location(ast.Name(iteration, ast.Store()), index)
        return [self._at(ast.For(target, over, iterations, [], None), node)]

    def _at(self, node: _Node, place: ast.AST) -> _Node:
        return ast.copy_location(node, place)

    def _name(self, name: str, place: ast.AST) -> ast.expr:
        return ast.copy_location(ast.Name(name, ast.Load()), place)

    def _converted(self, argument: ast.arg, value: ast.expr, plain: bool) -> ast.stmt:
        """`argument = int32(value)`."""
        if not plain:
            value = self._at(ast.Call(self._name(INDEX_TYPE, argument), [value], []), argument)
        target = self._at(ast.Name(argument.arg, ast.Store()), argument)
        return self._at(ast.Assign([target], value), argument)

    # Copies, with the fields in place ------------------------------------------------------

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return cast("list[ast.stmt]", self._copies(body))

    def _copies(self, nodes: Sequence[object]) -> list[object]:
        """Copies of a list's items: nodes and other values."""
        found: list[object] = []
        for node in nodes:
            appended = self._append(node) if isinstance(node, ast.Expr) else None
            if appended is not None:
                found += appended
            else:
                found.append(self._copy(node) if isinstance(node, ast.AST) else node)
        return found

    def _append(self, statement: ast.Expr) -> list[ast.stmt] | None:
        """`self.field.append(value)` of an appender as statements; None for anything else."""
        match statement.value:
            case ast.Call(func=ast.Attribute(value=base, attr="append"), args=[value]) as call:
                pass
            case _:
                return None
        if not self._is_field(base) or call.keywords:
            return None
        field = self._fields.get(cast("ast.Attribute", base).attr)
        if field is None or not field.appends:
            return None
        index = self._kernel.arguments[0]
        values = f"{field.appends} value{'s' if field.appends > 1 else ''}"
        statements = ast.parse(_APPEND.format(index=index, most=field.appends, values=values,
                                              field=field.name)).body  # fmt: skip
        names = {"__at": AT, "__counts": field.counts, "__rows": field.symbol}
        for part in statements:
            for node in ast.walk(part):
                ast.copy_location(node, call)
                if isinstance(node, ast.Name):
                    node.id = names.get(node.id, node.id)
        cast("ast.Assign", statements[2]).value = cast("ast.expr", self._copy(value))
        return statements

    def _copy(self, node: ast.AST) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id=owner)) if owner == self._own:
                return self._field(node)
            case ast.Name(id=name) if name == self._own:
                self._fail(
                    node,
                    f"`{name}` is the job itself, which `execute` can't use as a value",
                    fix=f"use its fields, as in `{name}.{next(iter(self._fields), 'field')}`",
                )
            case ast.Name(id=name, ctx=ast.Store()) if name in self._kernel.arguments:
                if self._kernel.form.parallel:
                    self._fail(
                        node,
                        f"'{name}' says which elements are this iteration's own, "
                        "and stays as it is",
                        fix="use another name",
                    )
            case ast.Return():
                return self._return(node)
            case ast.FunctionDef() | ast.Lambda() | ast.ClassDef():
                self._fail(node, "a definition inside a job", fix="make it a kernel of the module")
            case _:
                self._note_stores(node)
        result = blank(node)
        for name, value in vars(node).items():
            if isinstance(value, ast.AST):
                value = self._copy(value)
            elif isinstance(value, list):
                value = self._copies(cast("list[object]", value))
            setattr(result, name, value)
        return result

    def _return(self, node: ast.Return) -> ast.stmt:
        if node.value is not None and not (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            self._fail(
                node, "`execute` of a job can't return anything", fix="write it into an array"
            )
        return ast.copy_location(ast.Continue() if self._in_loop else ast.Return(None), node)

    def _note_stores(self, node: ast.AST) -> None:
        """Remember the fields in `node` that it mentions without reading them."""
        match node:
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                base: ast.expr = node
                while isinstance(base, ast.Subscript | ast.Attribute) and not self._is_field(base):
                    base = base.value
                if base is not node:
                    self._stored.add(id(base))
            case ast.Call(func=ast.Name(id="len"), args=[argument]):
                self._stored.add(id(argument))
            case ast.Attribute(value=value, attr="shape"):
                self._stored.add(id(value))
            case ast.AugAssign(target=ast.Subscript(value=value)) if self._is_field(value):
                self._check_read(cast("ast.Attribute", value))
            case _:
                pass

    def _is_field(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == self._own
        )

    def _check_read(self, node: ast.Attribute) -> None:
        field = self._fields.get(node.attr)
        if field is not None and field.access is Access.WRITE:
            self._fail(
                node,
                f"'{field.symbol}' is write-only here, and this reads it",
                note="the field is annotated sb.WriteOnly",
                fix=f"annotate it {field.type!s}",
            )

    def _field(self, node: ast.Attribute) -> ast.expr:
        field = self._fields.get(node.attr)
        if field is None:
            names = ", ".join(self._fields) or "none"
            self._fail(
                node,
                f"this job has no field '{node.attr}'",
                note=f"its fields are {names}",
                fix=f"annotate it in the class: `{node.attr}: sb.Array[float32]`, or a kernel's "
                "argument",
            )
        if field.appends:
            self._fail(
                node,
                f"'{field.symbol}' is an appender, which can only be appended to here",
                fix=f"write `{field.symbol}.append(value)` as a statement",
            )
        if not isinstance(node.ctx, ast.Load):
            self._fail(
                node,
                f"'{field.symbol}' can't be assigned in `execute`",
                note="a job has a copy of its fields, which is discarded afterwards",
                fix="write into an array that the job was given",
            )
        if id(node) not in self._stored:
            self._check_read(node)
        name = self._name(field.symbol, node)
        if field.unsafe:
            return self._at(ast.Call(self._name(UNSAFE, node), [name], []), node)
        return name

    def _fail(
        self, node: ast.AST, message: str, *, note: str | None = None, fix: str | None = None
    ) -> NoReturn:
        raise CompileError(message, span=self._source.span(node), note=note, fix=fix)
