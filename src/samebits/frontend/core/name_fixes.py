"""Fixes of names that can't be given a value: one of another type, or other memory."""

from __future__ import annotations

import ast

from samebits.frontend.core.context import Context, Variable
from samebits.frontend.core.filled import code
from samebits.frontend.core.joins import NARROWEST
from samebits.frontend.core.operands import MemoryOperand
from samebits.frontend.core.widened import is_sum, widened
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT64,
    INT,
    ScalarType,
    StructType,
    Type,
    VectorType,
    promote,
)

_LONGEST = 60
"""Characters of a statement that a note shows."""


def one_type(ctx: Context, variable: Variable) -> str:
    """A note that says where a name got its type."""
    name, t = variable.name, variable.type
    if variable.parameter:
        arguments = ctx.source.node.args
        line = next(a.lineno for a in (*arguments.args, *arguments.kwonlyargs) if a.arg == name)
        return f"a name has one type: '{name}' is a parameter, {t} at line {line}"
    where = ctx.joins.origins.get(name) or ctx.first_use.get(name)
    if where is None:
        return "a name has one type"
    text = _statement(ctx, where)
    if not text or len(text) > _LONGEST:
        return f"a name has one type: '{name}' is {t} by line {where.lineno}"
    return f"a name has one type: `{text}` at line {where.lineno} makes it {t}"


def _statement(ctx: Context, target: ast.Name) -> str:
    """The statement that assigns to a name there; of a loop its head."""
    for node in ast.walk(ctx.source.node):
        match node:
            case ast.Assign(targets=targets):
                places: list[ast.expr] = targets
            case ast.AnnAssign(target=place) | ast.AugAssign(target=place):
                places = [place]
            case ast.For(target=place):
                places = [place]
            case _:
                continue
        if any(part is target for place in places for part in ast.walk(place)):
            if isinstance(node, ast.For):
                return f"for {ctx.text(node.target)} in {ctx.text(node.iter)}"
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                return f"{ctx.text(node.targets[0]).strip('()')} = {ctx.text(node.value)[1:-1]}"
            return ctx.text(node)
    return ""


def of_type(
    ctx: Context, variable: Variable, first: ast.Name | None, t: Type, source: ast.expr
) -> str:
    """What to write where a name would change its type to `t`."""
    name, was = variable.name, variable.type
    if not isinstance(was, ScalarType | VectorType) or not isinstance(t, ScalarType | VectorType):
        return "use another name"
    if _is_unpacked(ctx, source):
        return "use another name"
    if variable.counts:
        return "use another name: a loop counts in Python's own ints"
    if not (isinstance(was, ScalarType) and was.weak):
        return _of_strong(ctx, variable, was, first, t, source)
    if first is None:
        other = f"annotate the parameter `{name}: {t}`, or use another name"
        whole = _whole_quotient(ctx, source) if was is INT else None
        return other if whole is None else f"write `{name} = {whole}`, or {other}"
    start = _start(ctx, first, t)
    if t is BOOL:
        return "use another name, or start with True or False"
    if isinstance(t, VectorType) or not t.is_int:
        return start
    if was is FLOAT:
        return f"write `{name} = float64({ctx.text(source)})`"
    fits = _starts_within(ctx, first, t)
    # A sum in 8 or 16 bits would wrap: that has to be written, and is seldom what is meant.
    if isinstance(source, ast.BinOp):
        before = made_before(ctx, name, source)
        if before is not None:
            made, line = before
            whole = ctx.filled("`{x} = {w}`", x=made.targets[0], w=_wide_beside(made.value, name))
            wide = f"write {whole} at line {line}, where {t} wraps already"
            return f"{wide}, or {start} to wrap as {t}" if fits else wide
        if is_sum(source):
            whole = ctx.filled("`{x} = {w}`", x=name, w=_wide_beside(source, name))
            wide = f"write {whole}, which does not wrap"
            return f"{wide}, or {start} to wrap as {t}" if fits else wide
    kept = ctx.filled("write `{x} = {w}`", x=name, w=_wide_beside(source, name))
    return f"{kept}, or {start}" if fits else kept


def _wide_beside(node: ast.expr, name: str) -> ast.expr:
    """A sum, or an operation on the name `name`, a Python int, in which all but that is converted
    to int: the whole would be of the other side's type."""
    if isinstance(node, ast.Name) and node.id == name:
        return node
    reads = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))
    if not isinstance(node, ast.BinOp) or not (is_sum(node) or reads):
        return widened(node, "int")
    left, right = _wide_beside(node.left, name), _wide_beside(node.right, name)
    return ast.copy_location(ast.BinOp(left, node.op, right), node)


def made_before(ctx: Context, name: str | None, source: ast.expr) -> tuple[ast.Assign, int] | None:
    """The assignment that computed a name in `source`, other than `name`, from narrow parts, and
    its line: a conversion of the sum at hand would come too late."""
    for used in ast.walk(source):
        if not isinstance(used, ast.Name) or used.id == name or not _is_narrow(ctx, used):
            continue
        for node in ast.walk(ctx.source.node):
            if isinstance(node, ast.Assign) and any(
                isinstance(part, ast.Name) and part.id == used.id for part in node.targets
            ):
                if not isinstance(node.value, ast.BinOp):
                    continue
                if any(_is_narrow(ctx, part) for part in ast.walk(node.value)):
                    return node, node.lineno
    return None


def _is_narrow(ctx: Context, node: ast.AST) -> bool:
    """Whether a part of an expression may be of a type in which sums wrap unseen: a name that is
    one, or an element or a field."""
    if isinstance(node, ast.Name):
        variable = ctx.variables.get(node.id)
        t = None if variable is None else variable.type
        return isinstance(t, ScalarType) and t.is_int and t.bits < NARROWEST
    return isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Load)


def _of_strong(
    ctx: Context,
    variable: Variable,
    was: ScalarType | VectorType,
    first: ast.Name | None,
    t: ScalarType | VectorType,
    source: ast.expr,
) -> str:
    """The fix for a name of a strong type, which seldom is to lose what the new value has more."""
    name, text = variable.name, ctx.text(source)
    if isinstance(t, VectorType) and isinstance(was, VectorType) and t.shape != was.shape:
        return "use another name"
    if isinstance(t, VectorType) and isinstance(was, ScalarType):
        return ctx.filled("use another name, or a component: `{n} = {x}.x`", n=name, x=source)
    whole = None
    if isinstance(was, ScalarType) and was.is_int:
        whole = _whole_quotient(ctx, source)
        t = FLOAT64 if t is FLOAT else t
    converted = f"`{name} = {was}({text})`" if whole is None else f"`{name} = {whole}`"
    if BOOL in (was, was.element if isinstance(was, VectorType) else was):
        converted = f"`{name} = {_truth(ctx, source)}`"
    elif _is_float_for_int(t, was):
        assert isinstance(t, ScalarType)
        assert isinstance(was, ScalarType)
        wide = promote(t, was) or FLOAT64
        kept = "" if wide == t else f", and `{name} = {wide}({text})` here"
        start = ""
        if first is not None:
            start = f"{_start(ctx, first, wide)}{kept}"
        elif variable.parameter:
            start = f"annotate the parameter `{name}: {wide}`{kept}"
        if whole is not None:
            return f"write {converted}, rounded down" + f", or {start}" * bool(start)
        if start:
            return f"{start}, or write {converted} to stay with {was}"
    elif _is_wider(t, was):
        if first is not None:
            start = _start(ctx, first, t)
            return f"{start}, or write {converted} to stay with {was}"
        if variable.parameter:
            return f"annotate the parameter `{name}: {t}`, or write {converted}"
    return f"write {converted}, or use another name"


def _whole_quotient(ctx: Context, source: ast.expr) -> str | None:
    """A quotient of two integers as `//` gives it; None of all else."""
    match source:
        case ast.BinOp(op=ast.Div(), left=a, right=b) if ctx.are_integers(a, b):
            return _floored(ctx, a, b)
        case _:
            return None


def _floored(ctx: Context, a: ast.expr, b: ast.expr) -> str:
    return code("{a} // {b}", {"a": a, "b": b}, within=ctx.source.node)


def of_float_index(ctx: Context, node: ast.AST) -> str | None:
    """What to write where a name is an index, and a quotient has made it a float."""
    if not isinstance(node, ast.Name):
        return None
    where = ctx.joins.origins.get(node.id) or ctx.first_use.get(node.id)
    if where is None:
        return None
    for part in ast.walk(ctx.source.node):
        match part:
            case ast.Assign(targets=[target], value=ast.BinOp() as value) if target is where:
                whole = _whole_quotient(ctx, value)
            case ast.AugAssign(target=target, op=ast.Div(), value=value) if target is where:
                whole = _floored(ctx, target, value)
            case _:
                continue
        return None if whole is None else f"write `{where.id} = {whole}` at line {where.lineno}"
    return None


def _is_wider(t: ScalarType | VectorType, was: ScalarType | VectorType) -> bool:
    """Whether `t` is what arithmetic gives where it meets `was`."""
    if isinstance(t, VectorType) and isinstance(was, VectorType):
        return t.shape == was.shape and promote(t.element, was.element) == t.element
    if isinstance(t, ScalarType) and isinstance(was, ScalarType):
        return not t.weak and promote(t, was) == t
    return False


def _truth(ctx: Context, source: ast.expr) -> str:
    """The bool that a number stands for."""
    if isinstance(source, ast.Constant):
        return str(bool(source.value))
    return code("{x} != 0", {"x": source}, within=ctx.source.node)


def _is_float_for_int(t: ScalarType | VectorType, was: ScalarType | VectorType) -> bool:
    """Whether a name of an integer would get a float."""
    if not isinstance(t, ScalarType) or not isinstance(was, ScalarType):
        return False
    return t.is_float and not t.weak and was.is_int


def _start(ctx: Context, first: ast.Name, t: Type) -> str:
    value, line = _first_value(ctx, first), first.lineno
    for node in ast.walk(ctx.source.node):
        if isinstance(node, ast.AnnAssign) and node.target is first:
            return f"write `{first.id}: {t} = {value}` at line {line}"
    return f"start with `{first.id} = {t}({value})` at line {line}"


def _starts_within(ctx: Context, first: ast.Name, t: ScalarType) -> bool:
    """Whether a type has the integer that a name starts with, or may have it."""
    try:
        value = ast.literal_eval(_first_value(ctx, first))
    except (ValueError, SyntaxError):
        return True
    return not isinstance(value, int) or t.minimum <= value <= t.maximum


def _is_unpacked(ctx: Context, source: ast.expr) -> bool:
    """Whether several names are given what one expression has, which no conversion takes."""
    return any(
        isinstance(node, ast.Assign) and node.value is source and not isinstance(source, ast.Tuple)
        and isinstance(node.targets[0], ast.Tuple | ast.List)
        for node in ast.walk(ctx.source.node)
    )  # fmt: skip


def _first_value(ctx: Context, first: ast.Name) -> str:
    for node in ast.walk(ctx.source.node):
        if isinstance(node, ast.Assign) and first in node.targets:
            return ctx.text(node.value)
        if isinstance(node, ast.AnnAssign) and node.target is first and node.value is not None:
            return ctx.text(node.value)
    return "0"


def of_reference(ctx: Context, name: str, source: ast.expr, value: MemoryOperand) -> str:
    """What to write where a name would refer to memory of this call's own."""
    if not isinstance(value.type, StructType):
        return "use the first name, or copy in a loop"
    text, before = ctx.text(source), ""
    copied = f"`{name} = {text}.copy()`"
    if isinstance(source, ast.Subscript) and any(
        isinstance(part, ast.Call) for part in ast.walk(source.slice)
    ):  # which each use would evaluate anew
        before = f"`k = {ctx.text(source.slice)}` above, and "
        text = f"{ctx.text(source.value)}[k]"
    field = _field_written(ctx, name)
    if field is not None:
        return (
            f"write {before}`{text}{field}` for `{name}{field}`; a copy, {copied}, would change "
            "alone"
        )
    return f"write {copied} to read it as it is there, or {before}`{text}` for `{name}`"


def of_owner(ctx: Context, name: str, source: ast.expr, value: MemoryOperand) -> str:
    """What to write where a name that holds a struct of its own would refer to other memory."""
    if _is_looped_over(ctx, source):
        first = ctx.first_use.get(name)
        held = "" if first is None else f": '{name}' holds what line {first.lineno} gave it"
        return f"use another name in this loop{held}"
    if not isinstance(value.type, StructType):
        return "use another name"
    if _field_written(ctx, name):
        text = "write `{x}.copy()`, which changes alone, or use another name"
        return ctx.filled(text, x=source)
    return ctx.filled("write `{x}.copy()`, or use another name", x=source)


def _is_looped_over(ctx: Context, source: ast.expr) -> bool:
    """Whether a loop draws its items from an expression: one has no place for a copy."""
    return any(
        isinstance(node, ast.For) and any(part is source for part in ast.walk(node.iter))
        for node in ast.walk(ctx.source.node)
    )


def of_other_memory(ctx: Context, name: str, source: ast.expr, value: MemoryOperand) -> str:
    """What to write where a name refers to memory that is written, and would now refer to other
    that is not, or the other way round."""
    if _is_looped_over(ctx, source):
        return "use another name in this loop"
    if not isinstance(value.type, StructType):
        return "use another name, and do what is done with it in each branch"
    field = _field_written(ctx, name)
    text = ctx.text(source)
    if field is not None:
        return f"change each by its own name, as `{text}{field}`: a copy would lose the write"
    return f"write `{name} = {text}.copy()`, and `.copy()` where else '{name}' is assigned"


def of_new(ctx: Context, name: str, value: MemoryOperand) -> str:
    """What to write where a name refers to a parameter's memory, and would now hold a new value."""
    first = ctx.first_use.get(name)
    if first is None or not isinstance(value.type, StructType) or _field_written(ctx, name):
        return "use another name"
    start = f"`{name} = {_first_value(ctx, first)}.copy()` at line {first.lineno}"
    return f"start with {start}, or use another name"


def of_choice(ctx: Context, node: ast.IfExp, t: Type) -> str:
    """What to write for a ternary of two objects."""
    if not isinstance(t, StructType):
        return "write if/else, and do what is done with it in each branch"
    a, b = node.body, node.orelse
    name = _name_given(ctx, node)
    field = None if name is None else _field_written(ctx, name)
    if field is not None:
        return (
            f"change each by its own name in if/else, as `{_object(a, ctx.text(a))}{field}`: "
            "a copy would lose the write"
        )
    name = name or "p"
    sides = [f"`{name} = {_copied(ctx, side)}`" for side in (a, b)]
    return f"write if/else: {sides[0]}, and {sides[1]}"


def _object(source: ast.expr, text: str) -> str:
    """An object as one that an attribute can follow."""
    return text if isinstance(source, (*_PLACES, ast.Call)) else f"({text})"


_PLACES = (ast.Name, ast.Attribute, ast.Subscript)


def _copied(ctx: Context, side: ast.expr) -> str:
    """An object as one that a name can own: a call has made a new one."""
    copied = isinstance(side, _PLACES)
    return ctx.text(side) + ".copy()" * copied


def _name_given(ctx: Context, value: ast.expr) -> str | None:
    """The one name that is assigned `value`."""
    for node in ast.walk(ctx.source.node):
        if isinstance(node, ast.Assign) and node.value is value:
            target = node.targets[0]
            return target.id if isinstance(target, ast.Name) else None
    return None


def _field_written(ctx: Context, name: str) -> str | None:
    """What follows the name where the function assigns to a part of it, or calls a method of it
    that may; None where it does neither."""
    for node in ast.walk(ctx.source.node):
        part: ast.expr | None = None
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            part = node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            part = node.func if node.func.attr != "copy" else None
        if part is None:
            continue
        root = part
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name) and root.id == name:
            return ctx.text(part).removeprefix(name)
    return None
