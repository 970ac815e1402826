"""Expressions: from an `ast` expression to an operand, in Python's order of evaluation."""

from __future__ import annotations

import ast
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn, TypeVar, cast

from samebits.errors import CompileError, Span
from samebits.frontend import calls, truth_values
from samebits.frontend.core import advice, name_fixes, sequence_fixes
from samebits.frontend.core.characters import NO_INTEGER, code_point
from samebits.frontend.core.context import Context, element_of, of_values, values_of
from samebits.frontend.core.joins import join
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
    dimensions,
)
from samebits.frontend.core.refusals import REFUSED, REFUSED_BUILTINS, REFUSED_OPERATORS
from samebits.frontend.operations import (
    constants,
    halves,
    matrices,
    memory,
    operators,
    struct_items,
    struct_members,
    tuple_items,
    tuples,
    views,
)
from samebits.frontend.operations.conversions import coerce
from samebits.frontend.operations.kernel_calls import items_view
from samebits.frontend.operations.names import attribute, name
from samebits.ir.grammar import OPS, If, Op, Region, Value, can_trap
from samebits.lang.annotations import class_of_type
from samebits.lang.kernel import method_kernel
from samebits.lang.values.powers import MOST
from samebits.types import (
    BOOL,
    COMPONENTS,
    INT,
    ArrayType,
    FixedArrayType,
    MatrixType,
    ScalarType,
    StructType,
)

INLINE_OPS = 8
"""Most statements in a second side of `and`, `or` or a ternary that is computed branchlessly."""


def lower(ctx: Context, node: ast.expr) -> Operand:
    """The operand that `node` stands for."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        refuse(ctx, node)
    operand = handler(ctx, node)
    ctx.types[node] = operand.type
    return operand


def refuse(ctx: Context, node: ast.AST) -> NoReturn:
    """Raise the error of a node that is not in the language."""
    name = type(node).__name__
    message, fix = REFUSED.get(type(node), (f"`{name}` is not in the kernel language", ""))
    if isinstance(node, ast.GeneratorExp):
        fix = sequence_fixes.for_generator(ctx, node)
    if isinstance(node, ast.List):
        fix = _of_list(ctx, node) or fix
    if isinstance(node, ast.With):
        fix = _of_precision(ctx, node) or fix
    ctx.fail(node, message, fix=fix or "see docs/reference/language.md for what is")


def _of_list(ctx: Context, node: ast.List) -> str | None:
    """What to write for a list that is written out to be added to an sb.List."""
    items = sequence_fixes.added_to(ctx, node)
    t = None if items is None else struct_members.struct_of(lower(ctx, items))
    if items is None or t is None or method_kernel(t, "append") is None:
        return None
    return sequence_fixes.appended(ctx, items, node)


def _of_precision(ctx: Context, node: ast.With) -> str | None:
    """What to write for a block of a precision, which a kernel has as a whole."""
    for item in node.items:
        match item.context_expr:
            case ast.Call(
                func=ast.Attribute(attr="precision") | ast.Name(id="precision"), args=[p]
            ):
                return (
                    f"write `@sb.kernel(precision={ctx.text(p)})` above the kernel that it is for: "
                    "a block around the call changes no kernel"
                )
            case _:
                pass
    return None


def condition(ctx: Context, node: ast.expr) -> Value:
    """Whether an expression is true, where nothing else of it counts: in if, while, not, assert and
    a ternary's test. A number is true if it is not 0, as in CPython."""
    if isinstance(node, ast.BoolOp):
        return _chain(ctx, node, condition)
    operand = lower(ctx, node)
    truth = operators.truth(ctx, node, operand)
    return _bool(ctx, node, operand) if truth is None else truth


def _bool(
    ctx: Context,
    node: ast.expr,
    operand: Operand,
    what: str = "a condition is a bool",
    instead: Callable[[], str] = str,
) -> Value:
    """The value of a bool. Refuses all else; `instead` says what else may be meant."""
    if isinstance(operand, Scalar) and operand.type is BOOL:
        return operand.value
    if isinstance(operand, Vector):
        fix = f"write `sb.any({ctx.text(node)})` or `sb.all({ctx.text(node)})`"
    elif dimensions(operand) or struct_items.kernel_of(operand, "len") is not None:
        fix = ctx.filled("write `len({x}) > 0`", node, x=node)
    elif isinstance(operand, MemoryOperand):
        fix = "compare one of its fields"
    else:
        fix = f"write {halves.nonzero(ctx, node, operand)}{instead()}"
    ctx.fail(node, f"{what}, but this is {describe(operand)}", fix=fix)


def _constant(ctx: Context, node: ast.Constant) -> Operand:
    match node.value:
        case bool():
            return Scalar(ctx.builder.const(node.value, BOOL, ctx.span(node)), BOOL)
        case int() | float():
            return Literal(node.value, ctx.span(node))
        case None:
            fix = "what may be absent has a bool beside it, as `there` in `if there: ...`"
            ctx.fail(node, "None is not a value in a kernel", fix=fix)
        case str() | bytes():
            fix = "use an integer code; pass a text as an array of its code points"
            if len(node.value) == 1 and isinstance(node.value, str):
                fix = f"write `ord({ctx.text(node)})`, its code point"
            ctx.fail(node, "strings are not in the kernel language", fix=fix)
        case _:
            ctx.fail(
                node,
                f"{type(node.value).__name__} constants are not in the kernel language",
                fix="use numbers",
            )


def _attribute(ctx: Context, node: ast.Attribute) -> Operand:
    found = constants.field(ctx, node)
    return attribute_of(ctx, node, lower(ctx, node.value)) if found is None else found


def attribute_of(ctx: Context, node: ast.Attribute, base: Operand) -> Operand:
    """`base.attr`, also a shape, or a property, constant or method that a struct's class has."""
    ndim = dimensions(base) if node.attr == "shape" else 0
    if ndim:
        assert isinstance(base, (View, MemoryOperand))
        return Tuple(tuple(Scalar(memory.length(ctx, node, base, k), INT) for k in range(ndim)))
    found: Operand | None = None
    if isinstance(base, MemoryOperand) and isinstance(base.type, StructType):
        if node.attr not in base.type.field_types:
            found = struct_members.member(ctx, node, base)
    elif isinstance(base, Static):
        found = struct_members.of_class(ctx, node, base)
    return attribute(ctx, node, base) if found is None else found


def _fix_of_column(ctx: Context, node: ast.Subscript, base: Vector, index: Operand) -> str:
    """What to write for an index of a matrix."""
    match index:
        case Tuple(items=(Literal(value=int(i)), Literal(value=int(j)))):
            rows, columns = base.type.shape[::-1]
            if 0 <= i < rows and 0 <= j < columns:
                text = ctx.text(node.value)
                return f"write `{text}.c{j}.{COMPONENTS[i]}` for row {i} of column {j}"
        case _:
            pass
    return "write `m.c0`, or keep the columns in a local array `sb.zeros(n, T)`"


def _subscript(ctx: Context, node: ast.Subscript) -> Operand:
    constant = None
    if isinstance(node.value, ast.Attribute):
        constant = constants.field(ctx, node.value)
    if constant is not None:
        base = constant
    elif isinstance(node.value, ast.Attribute):
        owner = lower(ctx, node.value.value)
        if node.value.attr == "shape":
            length = _shape(ctx, node, owner)
            if length is not None:
                return length
        base = attribute_of(ctx, node.value, owner)
    else:
        base = lower(ctx, node.value)
    match base:
        case Vector():
            index = lower(ctx, node.slice)
            matrix = isinstance(base.type, MatrixType)
            count = base.type.shape[0]
            if (
                not isinstance(index, Literal)
                or not isinstance(index.value, int)
                or not (0 <= index.value < count)
            ):
                ctx.fail(
                    node,
                    f"a {'column' if matrix else 'component'} of {base.type} is chosen by a "
                    f"constant 0 to {count - 1}",
                    fix=_fix_of_column(ctx, node, base, index)
                    if matrix
                    else "write `v.x`, or keep the numbers in a local array `sb.zeros(n, T)`",
                )
            if isinstance(base.type, MatrixType):
                return matrices.columns(base, base.type)[index.value]
            return Scalar(base.items[index.value], base.type.element)
        case View() | MemoryOperand(type=FixedArrayType()):
            given = views.parts(ctx, node, lower)
            if views.is_part(base, given):
                return views.part(ctx, node, base, given)
            indices = [item for item in given if not isinstance(item, views.Slice)]
            ref, t = memory.element(ctx, node, base, indices)
            readonly = base.type.readonly if isinstance(base, View) else base.readonly
            return memory.load(ctx, ref, t, base.roots, readonly, ctx.span(node))
        case Static() if base.object is typing.Literal or hasattr(base.object, "__sb_generic__"):
            return _generic(ctx, node, base.object)
        case MemoryOperand(type=StructType()):
            if isinstance(node.slice, ast.Slice) and memory.elements_of(base) is not None:
                given = views.parts(ctx, node, lower)
                view = items_view(ctx, node, node.value, base)
                if view is not None:
                    return views.part(ctx, node, view, given)
            _no_field(ctx, node, base.type)
            return struct_members.item(ctx, node, base, lower(ctx, node.slice))
        case Tuple():
            return tuple_items.subscript(ctx, node, base, lower)
        case _:
            fix = "index an array parameter, a local array or an array field"
            frozen: Any = base.object if isinstance(base, Static) else None
            if isinstance(frozen, list):
                t = "int64" if _whole(cast("list[object]", frozen)) else "float64"
                fix = f"freeze it at module level: `sb.table({ctx.text(node.value)}, {t})`"
            elif isinstance(base, Static) and any(base.object is t for t in _PYTHONS_OWN):
                fix = "write an @sb.struct with a field for each item, and its name here"
            elif isinstance(base, Static) and isinstance(base.object, dict):
                fix = "write `match`, or keep the values in sb.table(values, float64)"
            ctx.fail(node, f"{describe(base)} can't be indexed", fix=fix)


_PYTHONS_OWN: tuple[object, ...] = (tuple, list, dict, set)
"""Types that are none of the language, as in `sb.Heap[tuple[float64, int32], 8]`."""


def _no_field(ctx: Context, node: ast.Subscript, t: StructType | FixedArrayType) -> None:
    """Refuse `p["x"]` of a struct with a field x."""
    match node.slice:
        case ast.Constant(value=str(name)) if isinstance(t, StructType) and name in t.field_types:
            ctx.fail(
                node,
                f"a field of {t} is an attribute, not an item",
                fix=f"write `{ctx.text(node.value)}.{name}`",
            )
        case _:
            pass


def _whole(items: list[object]) -> bool:
    """Whether all numbers in a list, or in lists in it, are integers."""
    return all(
        _whole(cast("list[object]", item)) if isinstance(item, list) else isinstance(item, int)
        for item in items
    )


def _generic(ctx: Context, node: ast.Subscript, maker: Any) -> Static:
    """A class of a family, such as `sb.List[float32, 16]`, or `Literal[16]` for its size."""
    given: list[object] = []
    for part, operand in subscript_indices(ctx, node):
        if isinstance(operand, Static):
            t = ctx.typevars.get(operand.object) if isinstance(operand.object, TypeVar) else None
            given.append(operand.object if t is None else class_of_type(t))
        elif isinstance(operand, Literal):
            given.append(operand.value)
        else:
            ctx.fail(
                part,
                f"what {ctx.text(node.value)} is of is constant, but this is {describe(operand)}",
                fix="write a type or a number",
            )
    try:
        return Static(maker[tuple(given)])
    except CompileError as error:
        ctx.fail(node, error.message, note=error.note, fix=error.fix)


def subscript_indices(ctx: Context, node: ast.Subscript) -> list[tuple[ast.expr, Operand]]:
    """The index expressions of an element `a[...]`, lowered in order."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [(part, lower(ctx, part)) for part in parts]


def _shape(ctx: Context, node: ast.Subscript, base: Operand) -> Operand | None:
    """`base.shape[k]`, if the base is an array."""
    ndim = dimensions(base)
    if not ndim:
        return None
    assert isinstance(base, (View, MemoryOperand))
    axis = lower(ctx, node.slice)
    if not isinstance(axis, Literal) or axis.value not in range(-ndim, ndim):
        ctx.fail(node, f"`shape` has {ndim} entries", fix="write `a.shape[0]`")
    return Scalar(memory.length(ctx, node, base, int(axis.value) % ndim), INT)


def _binop(ctx: Context, node: ast.BinOp) -> Operand:
    if isinstance(node.op, ast.Pow):
        return operators.power(ctx, node, lower(ctx, node.left), lower(ctx, node.right))
    row = operators.BINARY[type(node.op)]
    return operators.binary(ctx, node, row, lower(ctx, node.left), lower(ctx, node.right))


def _unary(ctx: Context, node: ast.UnaryOp) -> Operand:
    if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.BoolOp):
        return operators.unary(ctx, node, Scalar(condition(ctx, node.operand), BOOL))
    return operators.unary(ctx, node, lower(ctx, node.operand))


def _compare(ctx: Context, node: ast.Compare) -> Operand:
    for op, side in zip(node.ops, node.comparators, strict=True):
        if isinstance(side, ast.Constant) and side.value is None:
            lower(ctx, side)  # which refuses it: another comparison would be refused too
        if type(op) in REFUSED_OPERATORS:
            message, fix = REFUSED_OPERATORS[type(op)]
            ctx.fail(node, message, fix=fix)
    _refuse_container(ctx, node)
    sides = [node.left, *node.comparators]
    first = _side_of_comparison(ctx, node.left)
    second = _right_side(ctx, node.ops[0], sides[1])
    _beside_characters(ctx, sides[:2], first, second)
    result = _comparison(ctx, node, node.ops[0], first, second)
    if len(node.ops) == 1:
        return result

    def link(k: int, left: Operand, result: Operand) -> Value:
        if not isinstance(result, Scalar):
            ctx.fail(node, "a chained comparison is for scalars", fix="write `(a < b) & (b < c)`")
        if k == len(node.ops):
            return result.value

        def rest() -> Value:
            right = _right_side(ctx, node.ops[k], sides[k + 1])
            _beside_characters(ctx, sides[k : k + 2], left, right)
            return link(k + 1, right, _comparison(ctx, node, node.ops[k], left, right))

        return _short_circuit(ctx, node, result.value, rest, when=True)

    return Scalar(link(1, second, result), BOOL)


def _comparison(ctx: Context, node: ast.Compare, op: ast.cmpop, a: Operand, b: Operand) -> Operand:
    """`a op b`, also membership."""
    if not isinstance(op, ast.In | ast.NotIn):
        return operators.compare(ctx, node, op, a, b)
    if isinstance(b, Tuple):
        if len(node.ops) > 1:
            ctx.fail(node, "`in` in a chain of comparisons", fix="write `a < b and b in c`")
        found = tuples.contains(ctx, node, a, b.items)
    else:
        found = struct_items.contains(ctx, node, a, b)
    if found is None:
        sign = "not in" if isinstance(op, ast.NotIn) else "in"
        fix = "loop and compare"
        if isinstance(b, MemoryOperand) and isinstance(b.type, StructType):
            fix = f"define `__contains__` in {b.type}"
        ctx.fail(node, f"`{sign}` is not there for {describe(b)}", fix=fix)
    if isinstance(op, ast.In):
        return found
    return Scalar(ctx.builder.value("not", (found.value,), BOOL, ctx.span(node)), BOOL)


def _refuse_container(ctx: Context, node: ast.Compare) -> None:
    """Refuse `in` of a range or a text, which have a form that compiles."""
    for k, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if not isinstance(op, ast.In | ast.NotIn):
            continue
        left, before = node.left if k == 0 else node.comparators[k - 1], ""
        if isinstance(op, ast.NotIn):
            before = "not "
        match right:
            case ast.Constant(value=str(text)) if len(text) > 1:
                items = ", ".join(f'"{c}"' if c not in '"\\' else repr(c) for c in text)
                ctx.fail(
                    right,
                    "strings are not in the kernel language",
                    fix=ctx.filled(f"write `{{x}} {before}in ({items})`: ", x=left)
                    + "each is its code point",
                )
            case ast.Call(func=ast.Name(id="range"), args=[*args]) if 1 <= len(args) <= 3:
                if "range" in ctx.local_names or ctx.kernel.lookup("range") is not range:
                    continue
                start, stop = (ast.Constant(0), *args) if len(args) == 1 else args[:2]
                held = "{start} <= {x} < {stop}"
                if len(args) == 3:
                    held += " and ({x} - {start}) % {by} == 0"
                held = f"write `not ({held})`" if before else f"write `{held}`"
                by = args[-1]
                fix = ctx.filled(held, node, start=start, x=left, stop=stop, by=by)
                ctx.fail(node, "`in` is not there for a range", fix=fix)
            case _:
                pass


def _side_of_comparison(ctx: Context, node: ast.expr) -> Operand:
    """What is compared: a text of one character is its code point."""
    point = code_point(node)
    return lower(ctx, node) if point is None else Literal(point, ctx.span(node))


def _right_side(ctx: Context, op: ast.cmpop, node: ast.expr) -> Operand:
    """What is compared with; of `in` also items that are written out."""
    if isinstance(op, ast.In | ast.NotIn) and isinstance(node, ast.Tuple | ast.List | ast.Set):
        return Tuple(tuple(_side_of_comparison(ctx, item) for item in node.elts))
    return _side_of_comparison(ctx, node)


def _beside_characters(ctx: Context, sides: list[ast.expr], a: Operand, b: Operand) -> None:
    """Refuse a text compared with what is no integer."""
    for text, other, found in ((sides[0], sides[1], b), (sides[1], sides[0], a)):
        if code_point(text) is None:
            continue
        if not (isinstance(found, Literal | Scalar) and found.type.is_int):
            ctx.fail(
                other,
                f"{NO_INTEGER}, but this is {describe(found)}",
                note="it stands for its code point",
                fix=f"compare with a number, such as {code_point(text)}",
            )
        if isinstance(found, Scalar) and (code_point(text) or 0) > found.type.maximum:
            ctx.fail(
                text,
                f"{ctx.text(text)} is {code_point(text)}, which {found.type} does not hold",
                note="a text of one character stands for its code point",
                fix="use a wider type, such as uint32",
            )


def _boolop(ctx: Context, node: ast.BoolOp) -> Operand:
    what = f"`{'or' if isinstance(node.op, ast.Or) else 'and'}` whose value is used is of bools"

    def operand(ctx: Context, side: ast.expr) -> Value:
        found = lower(ctx, side)
        return _bool(ctx, side, found, what, lambda: truth_values.of_value(ctx, node, lower))

    return Scalar(_chain(ctx, node, operand), BOOL)


def _chain(ctx: Context, node: ast.BoolOp, operand: Callable[[Context, ast.expr], Value]) -> Value:
    """The bools of `and` or `or`, as far as they are needed."""

    def chain(k: int) -> Value:
        value = operand(ctx, node.values[k])
        if k + 1 == len(node.values):
            return value
        return _short_circuit(
            ctx, node, value, lambda: chain(k + 1), when=isinstance(node.op, ast.And)
        )

    return chain(0)


def _short_circuit(
    ctx: Context, node: ast.AST, first: Value, rest: Callable[[], Value], *, when: bool
) -> Value:
    """`first` and, where it equals `when`, the value of `rest` instead."""
    span = ctx.span(node)
    with ctx.region(node) as region:
        second = rest()
    if branchless(region):
        for statement in region:
            ctx.builder.append(statement)
        return ctx.builder.value("and" if when else "or", (first, second), BOOL, span)
    slot = ctx.builder.slot(ctx.builder.fresh(), BOOL)
    ctx.builder.set(slot, first, span)
    with ctx.builder.nested() as tail:
        ctx.builder.set(slot, second, span)
    region += tail
    then, orelse = (region, []) if when else ([], region)
    ctx.builder.append(If(ctx.builder.new_id(), first, then, orelse, span))
    return ctx.builder.get(slot, span)


def branchless(region: Region) -> bool:
    """Whether a region is safe and cheap to run even if its branch is not taken."""
    return len(region) <= INLINE_OPS and all(
        isinstance(s, Op)
        and (OPS[s.opcode].pure or s.opcode in ("get", "load"))
        and s.opcode not in ("div", "sqrt", "floordiv", "mod")
        and not can_trap(s)
        for s in region
    )


def _ternary(ctx: Context, node: ast.IfExp) -> Operand:
    test = condition(ctx, node.test)
    span = ctx.span(node)
    with ctx.region(node.body) as then:
        a = lower(ctx, node.body)
    with ctx.region(node.orelse) as orelse:
        b = lower(ctx, node.orelse)
    t = join(a.type, b.type)
    if t is not None:
        if a.type != b.type:
            ctx.joins.places[span] = t
        a = _side(ctx, node, node.body, a, t, then)
        b = _side(ctx, node, node.orelse, b, t, orelse)
    if a.type != b.type:
        ctx.fail(
            node,
            f"the two sides have different types: {describe(a)} and {describe(b)}",
            fix=_ternary_fix(ctx, node, a, b),
        )
    if isinstance(a, View | MemoryOperand) and isinstance(b, View | MemoryOperand):
        a, b = (
            replace(side, roots=side.roots or views.owner(ctx, part))
            for part, side in ((node.body, a), (node.orelse, b))
        )
        chosen = _chosen_place(ctx, test, (then, a), (orelse, b), span)
        if chosen is not None:
            return chosen
    if not isinstance(a, (Scalar, Vector)) or not isinstance(b, (Scalar, Vector)):
        fix = name_fixes.of_choice(ctx, node, a.type)
        ctx.fail(node, f"a ternary gives a number or vector, not {describe(a)}", fix=fix)
    pairs = list(zip(values_of(a), values_of(b), strict=True))
    element = element_of(a.type)
    if branchless(then) and branchless(orelse):
        for statement in (*then, *orelse):
            ctx.builder.append(statement)
        values = [ctx.builder.value("select", (test, x, y), element, span) for x, y in pairs]
    else:
        slots = [ctx.builder.slot(ctx.builder.fresh(), element) for _ in pairs]
        for region, side in ((then, 0), (orelse, 1)):
            with ctx.builder.nested() as tail:
                for slot, pair in zip(slots, pairs, strict=True):
                    ctx.builder.set(slot, pair[side], span)
            region += tail
        ctx.builder.append(If(ctx.builder.new_id(), test, then, orelse, span))
        values = [ctx.builder.get(slot, span) for slot in slots]
    return of_values(tuple(values), a.type)


def _chosen_place(
    ctx: Context,
    test: Value,
    first: tuple[Region, View | MemoryOperand],
    second: tuple[Region, View | MemoryOperand],
    span: Span,
) -> View | MemoryOperand | None:
    """A reference to one of two structs or arrays that parameters' memory holds, or views; None
    where one is new, or of this call's own."""
    (then, a), (orelse, b) = first, second
    if not a.roots or not b.roots:
        return None
    slot = ctx.builder.slot(ctx.builder.fresh("chosen"), a.value.type)
    for region, side in (first, second):
        with ctx.builder.nested() as tail:
            ctx.builder.set(slot, side.value, span)
        region += tail
    ctx.builder.append(If(ctx.builder.new_id(), test, then, orelse, span))
    value, roots = ctx.builder.get(slot, span), a.roots | b.roots
    if isinstance(a, View) or isinstance(b, View):
        return View(value, cast("ArrayType", a.type), roots)
    return MemoryOperand(value, a.type, roots, a.readonly or b.readonly)


def _side(
    ctx: Context, node: ast.IfExp, source: ast.expr, side: Operand, t: ScalarType, region: Region
) -> Operand:
    """A side of a ternary of type `t`, converted at the end of its own region."""
    with ctx.builder.nested() as tail:
        converted = coerce(ctx, node, side, t, "the other side", source)
    region += tail
    return converted


def _ternary_fix(ctx: Context, node: ast.IfExp, a: Operand, b: Operand) -> str:
    for side, mine, other in ((node.body, a, b), (node.orelse, b, a)):
        if isinstance(mine, Scalar) and mine.type.weak:
            return f"write `{other.type}({ctx.text(side)})`"
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        sides = ((ctx.text(node.body), a.type), (ctx.text(node.orelse), b.type))
        common = advice.toward_common(sides)
        if common is not None:
            return f"convert {'both sides' if ' and ' in common else 'one side'}: {common}"
    return f"convert one side: `{a.type}({ctx.text(node.orelse)})`"


def _tuple(ctx: Context, node: ast.Tuple) -> Operand:
    return Tuple(tuple(lower(ctx, item) for item in node.elts))


def _call_target(ctx: Context, call: ast.Call) -> Operand:
    """The callee of a call: as any expression, but a refused builtin gets its own fix."""
    node = call.func
    if isinstance(node, ast.Name) and ctx.variables.get(node.id) is None:
        try:
            value = ctx.kernel.lookup(node.id)
        except LookupError:
            value = None
        if getattr(value, "__module__", None) == "builtins" and node.id in REFUSED_BUILTINS:
            ctx.fail(
                node,
                f"the builtin '{node.id}' is not in the kernel language",
                fix=_fix_of_modular_power(ctx, call) or f"use {REFUSED_BUILTINS[node.id]}",
            )
    return lower(ctx, node)


def _fix_of_modular_power(ctx: Context, node: ast.Call) -> str | None:
    """What to write for `pow(a, n, m)`; None of any other call."""
    match node:
        case ast.Call(func=ast.Name(id="pow"), args=[a, ast.Constant(value=int(n)) as power, m]):
            if 1 <= n <= MOST:
                return ctx.filled("write `{a}**{n} % {m}`", node, a=a, n=power, m=m)
        case _:
            pass
    if isinstance(node.func, ast.Name) and node.func.id == "pow" and len(node.args) == 3:
        text = "multiply in a loop, with the rest of each product: `r = r * {a} % {m}`"
        return ctx.filled(text, a=node.args[0], m=node.args[2])
    return None


def _call(ctx: Context, node: ast.Call) -> Operand:
    if isinstance(node.func, ast.Attribute):
        base = lower(ctx, node.func.value)
        if isinstance(base, MemoryOperand) and isinstance(base.type, StructType):
            return calls.method(ctx, node, node.func.attr, base, lower)
        callee = attribute_of(ctx, node.func, base)
    else:
        callee = _call_target(ctx, node)
    return calls.call(ctx, node, callee, lower)


_HANDLERS: dict[type[ast.expr], Callable[[Context, Any], Operand]] = {
    ast.Constant: _constant,
    ast.Name: name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binop,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolop,
    ast.IfExp: _ternary,
    ast.Tuple: _tuple,
    ast.Call: _call,
}
