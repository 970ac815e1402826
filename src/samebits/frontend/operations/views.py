"""Views of arrays: rows, and slices `a[i:j]`, which are arrays over a part of an array's memory.

Owns which parts there are; they lie in one piece, as every array does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from samebits.frontend.core.context import Context
from samebits.frontend.core.filled import Filling
from samebits.frontend.core.operands import MemoryOperand, Operand, View, describe
from samebits.frontend.operations import memory
from samebits.frontend.operations.conversions import index_value
from samebits.ir.grammar import Value
from samebits.lang.memory import slices
from samebits.types import INT, ArrayType, FixedArrayType, ScalarType
from samebits.value_text import bound_from_end_text

Lower = Callable[[Context, ast.expr], Operand]
Array = View | MemoryOperand
Bound = tuple[ast.expr, Operand] | None


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop` in `a[...]`, evaluated."""

    node: ast.Slice
    start: Bound
    stop: Bound

    @property
    def is_whole(self) -> bool:
        return self.start is None and self.stop is None


Part = tuple[ast.expr, Operand] | Slice


def parts(ctx: Context, node: ast.Subscript, lower: Lower) -> list[Part]:
    """What stands in `a[...]`, evaluated in order."""
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [
        _slice(ctx, part, lower, node.value if len(given) == 1 else None)
        if isinstance(part, ast.Slice)
        else (part, lower(ctx, part))
        for part in given
    ]


def _slice(ctx: Context, node: ast.Slice, lower: Lower, array: ast.expr | None) -> Slice:
    if node.step is not None:
        message, fix = slices.NO_STEP
        if array is not None:
            fix = _stepped(ctx, node, array) or fix
        ctx.fail(node.step, message, note="an array lies in one piece", fix=fix)

    def bound(part: ast.expr | None) -> Bound:
        return None if part is None else (part, lower(ctx, part))

    return Slice(node, bound(node.lower), bound(node.upper))


def _stepped(ctx: Context, node: ast.Slice, array: ast.expr) -> str | None:
    """What to write for `a[::k]`; None where it is neither all backwards nor a step forward."""
    try:
        step = ast.literal_eval(node.step) if node.step is not None else 1
    except ValueError:
        return None
    if step == -1 and node.lower is None and node.upper is None:
        return ctx.filled("loop over `reversed({a})`", a=array)
    if not isinstance(step, int) or step < 1:
        return None
    start = ast.Constant(0) if node.lower is None else node.lower
    if node.upper is None:
        text = "loop over `range({start}, len({a}), {by})`, and index: `{a}[i]`"
        return ctx.filled(text, a=array, start=start, by=str(step))
    text = "loop over `range({start}, {stop}, {by})`, and index: `{a}[i]`"
    return ctx.filled(text, a=array, start=start, stop=node.upper, by=str(step))


def dimensions(array: Array) -> int:
    """How many dimensions an array has."""
    return array.type.ndim if isinstance(array, View) else len(memory.fixed(array).shape)


def is_part(array: Array, given: Sequence[Part]) -> bool:
    """Whether `a[...]` is a view, and not an element."""
    return len(given) < dimensions(array) or any(isinstance(part, Slice) for part in given)


def whole(ctx: Context, node: ast.expr, array: Array) -> View:
    """The array that `node` stands for as a view of all of it, which knows in whose memory it lies,
    be it of this call's own."""
    if isinstance(array, View):
        return array
    view = memory.as_view(ctx, node, array)
    return view if view.roots else replace(view, roots=owner(ctx, node))


def owner(ctx: Context, node: ast.expr) -> frozenset[str]:
    """The local name whose memory an expression leads into; none for what a call gives."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    variable = ctx.variables.get(node.id) if isinstance(node, ast.Name) else None
    return frozenset() if variable is None or variable.local is None else frozenset({variable.name})


def part(ctx: Context, node: ast.Subscript, array: Array, given: Sequence[Part]) -> View:
    """`a[...]` of fewer indices than dimensions, or with slices."""
    ndim, span = dimensions(array), ctx.span(node)
    if len(given) > ndim:
        memory.wrong_count(ctx, node, array, len(given))
    indices = [item for item in given if not isinstance(item, Slice)]
    rest = [item for item in given if isinstance(item, Slice)]
    in_one_piece = [*indices, *rest] == list(given) and all(item.is_whole for item in rest[1:])
    if not in_one_piece:
        message, fix = slices.no_row_of_columns(ctx.text(node.value))
        ctx.fail(node, message, fix=_column(ctx, node, array, given) or fix)
    view = whole(ctx, node.value, array)
    checked = [memory.checked_index(ctx, node, view, k, index) for k, index in enumerate(indices)]
    for index in checked:
        view = row(ctx, node, view, index)
    if not rest or rest[0].is_whole:
        return view
    length = memory.length(ctx, node, view, 0)
    zero = ctx.builder.const(0, INT, span) if rest[0].start is None else None
    start = _checked(ctx, node, rest[0].start, length) if zero is None else zero
    stop = length if rest[0].stop is None else _checked(ctx, node, rest[0].stop, length)
    value = ctx.builder.value("slice", (view.value, start, stop), view.type, span)
    return replace(view, value=value)


def _column(ctx: Context, node: ast.Subscript, array: Array, given: Sequence[Part]) -> str | None:
    """What to write for a column of an array of two dimensions."""
    match given:
        case [Slice(is_whole=True), (column, _)]:
            t = array.type.element if isinstance(array.type, ArrayType | FixedArrayType) else None
        case _:
            return None
    text = (
        "`c = sb.zeros({a}.shape[0], {t})`, and `for i in range({a}.shape[0]): c[i] = {a}[i, {j}]`"
    )
    return "copy the column: " + ctx.filled(text, None, a=node.value, t=str(t), j=column)


def row(ctx: Context, node: ast.AST, view: View, index: Value) -> View:
    """Row `index`, which is checked already."""
    t = ArrayType(view.type.element, view.type.ndim - 1, view.type.readonly)
    value = ctx.builder.value("row", (view.value, index), t, ctx.span(node))
    return View(value, t, view.roots, view.fresh)


def _checked(ctx: Context, node: ast.Subscript, bound: Bound, length: Value) -> Value:
    """A bound of a slice; a negative constant counts from the end."""
    assert bound is not None
    place, operand = bound
    value, span = index_value(ctx, place, operand), ctx.span(node)
    constant = memory.from_end(operand)
    if constant is not None:
        # It is below the length: what is left to check is all that `index` does.
        value = ctx.builder.value("add", (length, value), INT, span)
        text = bound_from_end_text(constant, slices.before(ctx.text(place)))
        ctx.builder.effect("index", (value, length), span, text)
    else:
        ctx.builder.effect("bound", (value, length), span, slices.outside(ctx.text(place)))
    return value


def refuse_assignment(ctx: Context, node: ast.Subscript, array: Operand) -> None:
    """Raise the error of a slice that is assigned, if `node` is one."""
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(item, ast.Slice) for item in given):
        ctx.fail(
            node,
            f"a part of {describe(array)} can't be assigned",
            fix=f"assign its elements in a loop: {_loops(ctx, node, given)}",
        )


def _loops(ctx: Context, node: ast.Subscript, given: list[ast.expr]) -> str:
    """The loops over the elements of a part of an array that is assigned."""
    heads: list[str] = []
    parts: dict[str, Filling] = {"a": node.value}
    indices: list[str] = []
    begins: list[str] = []
    for k, item in enumerate(given):
        if not isinstance(item, ast.Slice):
            parts[f"at{k}"] = item
            indices.append(f"{{at{k}}}")
            continue
        name, size = "ijkl"[k], "len({a})" if len(given) == 1 else f"{{a}}.shape[{k}]"
        ends = {"start": item.lower, "stop": item.upper}
        written: dict[str, str] = {}
        for end, value in ends.items():
            if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
                parts[f"{end}{k}"] = value.operand
                written[end] = f"{size} - {{{end}{k}}}"
            elif value is not None:
                parts[f"{end}{k}"] = value
                written[end] = f"{{{end}{k}}}"
        start, stop = written.get("start"), written.get("stop", size)
        heads.append(f"for {name} in range({f'{start}, ' if start else ''}{stop}):")
        indices.append(name)
        begins.append(f"{name} - {start}" if start else name)
    sign, value = _assigned(ctx, node)
    right = "..."
    if value is not None:
        t = ctx.types.get(value)
        parts["value"] = value
        if isinstance(t, ScalarType) or isinstance(value, ast.Constant):
            right = "{value}"
        elif isinstance(t, ArrayType | FixedArrayType):
            right = f"{{value}}[{', '.join(begins)}]"
    *outer, last = heads
    body = f"{last} {{a}}[{', '.join(indices)}] {sign} {right}"
    text = ", and in it ".join(f"`{code}`" for code in (*outer, body))
    return ctx.filled(text, None, **parts)


def _assigned(ctx: Context, target: ast.expr) -> tuple[str, ast.expr | None]:
    """The sign of the statement that assigns to a target, and what it assigns."""
    for statement in ast.walk(ctx.source.node):
        match statement:
            case ast.Assign(targets=[place], value=value) if place is target:
                return "=", value
            case ast.AugAssign(target=place, op=op, value=value) if place is target:
                return f"{_SIGNS.get(type(op), '')}=", value
            case _:
                pass
    return "=", None


_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
