"""Statements: control flow, assignment, and which names are certainly assigned where."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from samebits.frontend import assignment, loops, results, targets
from samebits.frontend.core.context import Context, merge
from samebits.frontend.core.joins import takes_weak
from samebits.frontend.core.matching import refusal
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    describe,
    dimensions,
)
from samebits.frontend.core.refusals import REFUSED
from samebits.frontend.core.source import copied_items, given_names, named_items, too_deep
from samebits.frontend.expressions import condition, lower, refuse
from samebits.frontend.operations import memory, operators, struct_items, texts
from samebits.frontend.operations.conversions import passed, widened
from samebits.ir.grammar import Break, Continue, If, While
from samebits.lang.memory.struct_members import REFERENCES
from samebits.types import BOOL, COMPONENTS, FLOAT, FLOAT64, INT, INT64, ScalarType, StructType
from samebits.value_text import outline


def block(ctx: Context, body: Sequence[ast.stmt]) -> None:
    """Lower statements in order; those after `return`, `break`, `continue` or `assert False`, which
    control can't reach, are left out."""
    for node in body:
        if ctx.assigned is None:
            return
        handler = _HANDLERS.get(type(node))
        if handler is None:
            refuse(ctx, node)
        try:
            handler(ctx, node)
        except RecursionError:
            raise too_deep(ctx.span(node), ctx.calls) from None


def _if(ctx: Context, node: ast.If) -> None:
    test = condition(ctx, node.test)
    before = ctx.assigned
    then = loops.nested(ctx, node, node.body, block)
    after_then, ctx.assigned = ctx.assigned, before
    orelse = loops.nested(ctx, node, node.orelse, block)
    ctx.assigned = merge(after_then, ctx.assigned)
    ctx.builder.append(If(ctx.builder.new_id(), test, then, orelse, ctx.span(node)))


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (True, 1)


def _while(ctx: Context, node: ast.While) -> None:
    with ctx.region(node) as head:
        test = condition(ctx, node.test)
    before = ctx.assigned
    at_end = None if _is_true(node.test) else before
    body, orelse, wanted = loops.body_and_else(ctx, node, block, at_end)
    number = ctx.builder.new_id()
    ctx.builder.append(While(number, head, test, body, orelse, ctx.span(node), wanted))


def _for(ctx: Context, node: ast.For) -> None:
    loops.lower_for(ctx, node, block)


def _break(ctx: Context, node: ast.Break) -> None:
    if ctx.assigned is not None:
        ctx.breaks[-1].append(ctx.assigned)
    ctx.builder.append(Break(ctx.span(node)))
    ctx.assigned = None


def _continue(ctx: Context, node: ast.Continue) -> None:
    ctx.builder.append(Continue(ctx.span(node)))
    ctx.assigned = None


def _pass(ctx: Context, node: ast.Pass) -> None:
    del ctx, node


def _delete(ctx: Context, node: ast.Delete) -> None:
    for target in node.targets:
        struct_items.delete(ctx, target, lower)


def _assert(ctx: Context, node: ast.Assert) -> None:
    if isinstance(node.test, ast.Tuple) and len(node.test.elts) == 2:
        test, message = map(ctx.text, node.test.elts)
        fix = f"write `assert {test}, {message}`"
        ctx.fail(node.test, "an assertion of a tuple always holds", fix=fix)
    test = condition(ctx, node.test)
    message: str | None = None
    span = ctx.span(node)
    if isinstance(node.msg, ast.JoinedStr):
        # Its values are computed where it fails alone; the assertion after it tells the passes.
        fails = ctx.builder.value("not", (test,), BOOL, span)
        with ctx.region(node) as region:
            text, values = texts.text_with_places(ctx, node.msg, lower)
            shown = text if values else outline(text)
            ctx.builder.effect("assert", (test, *values), span, shown)
        ctx.builder.append(If(ctx.builder.new_id(), fails, region, [], span))
        message = outline(text)
    elif node.msg is not None:
        message = _message(ctx, node.msg)
    ctx.builder.effect("assert", (test,), span, message)
    if isinstance(node.test, ast.Constant) and not node.test.value:
        ctx.assigned = None


def _message(ctx: Context, node: ast.expr) -> str:
    """The text of an assertion: a literal, or what an outer name is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    found = lower(ctx, node) if isinstance(node, ast.Name | ast.Attribute) else None
    if isinstance(found, Static) and isinstance(found.object, str):
        return found.object
    ctx.fail(
        node,
        "the message of an assert is a text that is known when it is compiled",
        fix='write plain text, a name of the module that is one, or an f-string: f"x is {x}"',
    )


def _expression(ctx: Context, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return
    if not isinstance(node.value, ast.Call):
        if isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await):
            refuse(ctx, node.value)
        fix = _meant(ctx, node.value) or "assign it, or take it out"
        ctx.fail(node, "this expression has no effect", fix=fix)
    lower(ctx, node.value)


def _meant(ctx: Context, node: ast.expr) -> str | None:
    """The statement that an expression without effect may be meant as."""
    match node:
        case ast.UnaryOp(
            op=ast.UAdd() | ast.USub() as op, operand=ast.UnaryOp(op=twice, operand=n)
        ):
            if type(op) is type(twice):
                return f"write `{ctx.text(n)} {'+' if isinstance(op, ast.UAdd) else '-'}= 1`"
        case ast.Compare(left=ast.Name() | ast.Attribute() | ast.Subscript(), ops=[ast.Eq()]):
            return ctx.filled("write `{a} = {b}`", a=node.left, b=node.comparators[0])
        case _:
            pass
    return None


def _assign(ctx: Context, node: ast.Assign) -> None:
    value = _assigned_value(ctx, node)
    if len(node.targets) > 1 and isinstance(value, MemoryOperand):
        ctx.fail(
            node,
            "in Python both names would mean the same object",
            fix="assign one name, and `.copy()` of it to the other",
        )
    for target in node.targets:
        _assign_target(ctx, target, value, node.value)


def _assigned_value(ctx: Context, node: ast.Assign) -> Operand:
    """The value of an assignment. In `a[i], a[j] = a[j], a[i]` structs are copied first: Python
    would keep references, and the second would see the first's change. Names alone refer to what
    they are given, as in Python, or change places."""
    if not isinstance(node.value, ast.Tuple):
        return lower(ctx, node.value)
    copied, named = {*copied_items(node), *_exchanged(ctx, node)}, named_items(node)
    items: list[Operand] = []
    for source in node.value.elts:
        item = lower(ctx, source)
        is_copied = source in copied or (source in named and isinstance(item.type, StructType))
        if is_copied and isinstance(item, MemoryOperand) and not item.temporary:
            item = memory.fresh_copy(ctx, source, item)
        items.append(item)
    return Tuple(tuple(items))


def _exchanged(ctx: Context, node: ast.Assign) -> list[ast.expr]:
    """The names in `p, q = q, p` that own their structs: each one's is nobody else's afterwards, so
    that its values can change place."""
    given = given_names(node)
    owned = [source for source in given if isinstance(source, ast.Name) and _owns(ctx, source.id)]
    names = {source.id for source in owned}
    alone = len(names) == len(owned) and names <= set(given.values())
    return [source for source in owned if alone and _owns(ctx, given[source])]


def _owns(ctx: Context, name: str) -> bool:
    variable = ctx.variables.get(name)
    return variable is not None and variable.local is not None


def _assign_target(ctx: Context, target: ast.expr, value: Operand, source: ast.expr) -> None:
    match target:
        case ast.Name():
            assignment.to_name(ctx, target, value, source)
        case ast.Attribute() | ast.Subscript():
            targets.target(ctx, target).store(ctx, value, source)
        case ast.Tuple() | ast.List():
            starred = next((part for part in target.elts if isinstance(part, ast.Starred)), None)
            if starred is not None:
                message, fix = REFUSED[ast.Starred]
                fix = _fix_of_starred(ctx, target, value, source) or fix
                ctx.fail(starred, message, fix=fix)
            if not isinstance(value, Tuple):
                ctx.fail(
                    target,
                    f"{describe(value)} can't be unpacked",
                    fix=_fix_of_unpacked(ctx, target, value, source),
                )
            if len(value.items) != len(target.elts):
                ctx.fail(
                    target,
                    f"{len(target.elts)} names for {len(value.items)} values",
                    fix="give one name a value",
                )
            in_memory = not all(isinstance(part, ast.Name) for part in target.elts)
            if in_memory and any(
                isinstance(v, MemoryOperand) and not v.temporary for v in value.items
            ):
                ctx.fail(
                    source,
                    REFERENCES,
                    fix="write `.copy()` of each, or assign on lines of their own",
                )
            sources = source.elts if isinstance(source, ast.Tuple) else [source] * len(target.elts)
            for part, item, item_source in zip(target.elts, value.items, sources, strict=True):
                _assign_target(ctx, part, item, item_source)
        case _:
            refuse(ctx, target)


_NAMED = "assign it to one name, and use its components or elements"
_UNPACKS = "unpack a tuple or a call with several results"


def _fix_of_unpacked(
    ctx: Context, target: ast.Tuple | ast.List, value: Operand, source: ast.expr
) -> str:
    names, text = ", ".join(ctx.text(part) for part in target.elts), ctx.text(source)
    count = range(len(target.elts))
    if not isinstance(source, ast.Name | ast.Attribute | ast.Subscript):
        return _UNPACKS if isinstance(value, Scalar | Literal) else _NAMED
    if isinstance(value, Vector) and len(count) <= len(COMPONENTS):
        return f"write `{names} = {', '.join(f'{text}.{COMPONENTS[k]}' for k in count)}`"
    if dimensions(value):
        return f"write `{names} = {', '.join(f'{text}[{k}]' for k in count)}`"
    return _UNPACKS


def _fix_of_starred(
    ctx: Context, target: ast.Tuple | ast.List, value: Operand, source: ast.expr
) -> str | None:
    """What to write for `a, *rest = array`: elements, and a view; None of anything else."""
    if not dimensions(value) or not isinstance(source, ast.Name | ast.Attribute | ast.Subscript):
        return None
    at = next(k for k, part in enumerate(target.elts) if isinstance(part, ast.Starred))
    after = len(target.elts) - at - 1
    items = [
        *range(at),
        f"{at or ''}:{-after if after else ''}",
        *range(-after, 0),
    ]
    pairs = zip(target.elts, items, strict=True)
    text = ctx.text(source)
    lines = [
        f"`{ctx.text(part.value if isinstance(part, ast.Starred) else part)} = {text}[{item}]`"
        for part, item in pairs
    ]
    return f"write {', '.join(lines)}"


def _augmented(ctx: Context, node: ast.AugAssign) -> None:
    target = node.target
    # What is assigned, for errors: a conversion of the right side alone would be another value.
    whole = ast.copy_location(ast.BinOp(target, node.op, node.value), node)
    if isinstance(target, ast.Name):
        current = lower(ctx, target)
        if isinstance(current, Static):
            ctx.fail(
                node,
                f"'{target.id}' is not assigned in this kernel",
                note="a module constant can't be changed by a kernel",
                fix=f"write `{target.id} = ...` first, under another name",
            )
        result = _changed(ctx, node, current)
        assignment.to_name(ctx, target, result, whole)
        return
    assert isinstance(target, (ast.Attribute, ast.Subscript))
    if isinstance(node.op, ast.Pow):
        ctx.fail(
            node,
            "`**=` is for names",
            note="CPython would compute it by the element's own `**`",
            fix=ctx.filled("write `{x} = {x}**{n}`", x=target, n=node.value),
        )
    place = targets.target(ctx, target)
    current = place.load(ctx)
    ctx.types[target] = current.type
    place.store(ctx, _changed(ctx, node, current), whole)


def _changed(ctx: Context, node: ast.AugAssign, current: Operand) -> Operand:
    """What `current` becomes."""
    value = lower(ctx, node.value)
    if isinstance(node.op, ast.Pow):
        return operators.power(ctx, node, current, value)
    return operators.binary(ctx, node, operators.BINARY[type(node.op)], current, value)


def _annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is None or not isinstance(node.target, ast.Name):
        name, t = ctx.text(node.target), ctx.text(node.annotation)
        ctx.fail(
            node,
            "a name gets its type when it is assigned",
            fix=f"write `{name} = {t}(0)`, or the value that it begins with",
        )
    value = lower(ctx, node.value)
    annotation = lower(ctx, node.annotation)
    found: Any = annotation.object if isinstance(annotation, Static) else None
    t = getattr(found, "__sb_type__", None) or {bool: BOOL, int: INT, float: FLOAT}.get(found)
    _keeps_its_type(ctx, node, node.target.id, t)
    if widened(value, t):
        assert isinstance(t, ScalarType)
        ctx.joins.places[ctx.span(node.target)] = t
        value = passed(ctx, node.target, value, t, f"'{node.target.id}'", node.value)
    elif (
        isinstance(value, Literal | Scalar)
        and isinstance(t, ScalarType)
        and t is not INT
        and takes_weak(t, value.type)
    ):
        t = ctx.joins.names.setdefault(node.target.id, t)  # or what a float has joined
        value = assignment.weak_to_name(ctx, node.target, value, t, node.value)
    if str(t) != str(value.type):
        ctx.fail(
            node,
            f"'{node.target.id}' is annotated {ctx.text(node.annotation)}, "
            f"but the value is {describe(value)}",
            note="CPython ignores the annotation of a local name, so it can't convert",
            fix=_fix_of_annotated(ctx, node.target.id, value, node),
        )
    assignment.to_name(ctx, node.target, value, node.value)


_WIDEST = {INT: INT64, FLOAT: FLOAT64}
"""What a name that is annotated int or float may be, besides a number of Python's."""


def _keeps_its_type(ctx: Context, node: ast.AnnAssign, name: str, t: Any) -> None:
    """Refuse a later assignment to make another type of a name that is annotated int or float: a
    sum that the annotation says is wide would wrap, or be rounded, unseen."""
    joined = ctx.joins.names.get(name)
    if t not in _WIDEST or joined is None or joined in (t, _WIDEST[t]):
        return
    assert node.value is not None
    value = ctx.text(node.value)
    is_narrower = joined.bits < _WIDEST[t].bits and joined.is_int == t.is_int
    wide = f"`{name}: {_WIDEST[t]} = {value}` or " if is_narrower else ""
    ctx.fail(
        node,
        f"'{name}' is annotated {t}, and another line makes it {joined}",
        note=f"int and float give way to types that they meet: it would be {joined} throughout",
        fix=f"write {wide}`{name}: {joined} = {value}`",
    )


def _fix_of_annotated(ctx: Context, name: str, value: Operand, node: ast.AnnAssign) -> str:
    assert node.value is not None
    annotation, source = ctx.text(node.annotation), ctx.text(node.value)
    if annotation == "float":  # which is no conversion of the language
        return f"write `{name}: {value.type} = {source}`"
    return f"write `{name} = {annotation}({source})`"


def _match(ctx: Context, node: ast.Match) -> NoReturn:
    """What is refused: any other `match` is written out."""
    place, message, fix = refusal(node)
    ctx.fail(place, message, fix=fix)


_HANDLERS: dict[type[ast.stmt], Callable[[Context, Any], None]] = {
    ast.If: _if,
    ast.Match: _match,
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Pass: _pass,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Return: results.lower_return,
}
