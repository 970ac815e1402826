"""Conversions: literals into values, weak into strong, and explicit `T(x)`."""

from __future__ import annotations

import ast

from samebits.bits import float_to_bits, round_scaled
from samebits.frontend.core import literal_fixes, name_fixes
from samebits.frontend.core.context import Context, values_of
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Tuple,
    Vector,
    describe,
    dimensions,
    number_text,
)
from samebits.frontend.core.widened import is_sum
from samebits.frontend.core.widened import widened as widened_sum
from samebits.frontend.operations import fixed_point, halves
from samebits.ir.grammar import FITS, Value
from samebits.lang.values.conversions import narrow_float
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    FLOAT64,
    INT,
    INT64,
    UINT64,
    FixedArrayType,
    FixedPointType,
    MatrixType,
    ScalarType,
    StructType,
    Type,
    VectorType,
    vector_of,
    widens,
)
from samebits.value_text import said_text


def round_literal(value: int | float, t: ScalarType) -> float:
    """`value` rounded once, to nearest even, to the float type `t`."""
    if isinstance(value, int):
        return round_scaled(value, 0, t.bits)
    return narrow_float(value, t.bits)


def _fix_of_a_large(ctx: Context, node: ast.AST, number: int | float) -> str:
    """What to write for a Python int beyond int64, in the expression `node`."""
    constant = not any(isinstance(part, _LEAVES) for part in ast.walk(node))
    if not 0 <= number <= UINT64.maximum:
        return _fix_of_a_larger(ctx, node, constant=constant)
    match node:
        case ast.BinOp() if constant:
            return ctx.filled("write `uint64({x})`", x=node)
        case ast.BinOp(left=a, op=op, right=b) if not _assigned(ctx, node):
            whole = ast.BinOp(widened_sum(a, "uint64"), op, widened_sum(b, "uint64"))
            return ctx.filled("compute in uint64: `{x}`", node, x=whole)
        case ast.BinOp(left=a):
            return ctx.filled("start `{x}` as a uint64, as in `{x} = uint64(0)`", x=a)
        case ast.Compare(left=a, ops=ops, comparators=[b]):
            sides = widened_sum(a, "uint64"), [widened_sum(b, "uint64")]
            whole = ast.Compare(sides[0], ops, sides[1])
            return ctx.filled("compare in uint64: `{x}`", node, x=whole)
        case ast.Call(func=ast.Name(id="int" | "round" | "abs"), args=[x]):
            return ctx.filled("write `uint64({x})`", node, x=x)
        case _:
            text = "write `uint64({x})`, or annotate the name: `name: uint64 = {x}`"
            return ctx.filled(text, x=node)


def _fix_of_a_larger(ctx: Context, node: ast.AST, *, constant: bool) -> str:
    """The same of one that no integer type holds: a float is near it."""
    why, rest = "no integer type is wider than 64 bits: ", ", or use two integers"
    match node:
        case ast.Call(func=ast.Name(id="int" | "round" | "abs"), args=[x]):
            return ctx.filled(f"{why}write `float({{x}})`{rest}", node, x=x)
        case ast.expr() if constant or isinstance(node, _LEAVES):
            return ctx.filled(f"{why}write `float({{x}})`{rest}", node, x=node)
        case ast.BinOp(left=a, op=op, right=b):
            whole = ast.BinOp(widened_sum(a, "float64"), op, widened_sum(b, "float64"))
            return ctx.filled(f"{why}write `{{x}}`{rest}", node, x=whole)
        case _:
            return f"{why}write it as a float{rest}"


def literal(
    ctx: Context, node: ast.AST, value: Literal, t: ScalarType, written: str | None = None
) -> Value:
    """A literal as a constant of type `t`; a CompileError where it doesn't fit. `written` is what
    else advises there than the place does."""
    span = value.span or ctx.span(node)
    number = value.value
    if isinstance(t, FixedPointType):
        return fixed_point.literal(ctx, node, value, t)
    if t.is_float:
        return ctx.builder.const(round_literal(number, t), t, span)
    if t == FLOAT16:
        return ctx.builder.const(float_to_bits(round_literal(number, t), 16), t, span)
    if t is BOOL or isinstance(number, float):
        ctx.fail(
            node,
            f"{describe(value)} is not {_a(t)}",
            fix="write True or False"
            if t is BOOL
            else f"write {t}({ctx.text(node)}) or a whole number",
        )
    if not t.minimum <= number <= t.maximum:
        shown, range_of = number_text(number), str(t)
        if t is INT:
            range_of = "int64, the range of a Python int in a kernel"
        message = f"{'an int ' * shown.startswith('of')}{shown} does not fit {range_of}"
        note = f"the range is {t.minimum} to {t.maximum}"
        if t is not INT:
            fix = literal_fixes.for_place(ctx, node, int(number), t, written)
            ctx.fail(node, message, note=note, fix=fix)
        fix = _fix_of_a_large(ctx, node, number)
        if not 0 <= number <= UINT64.maximum:
            ctx.fail(node, message, note=note, fix=fix)
        # A later line may make the name that it is assigned to a uint64.
        ctx.fail_unless_grown(node, message, note=note, fix=fix)
        number = INT.wrapped(int(number))
    return ctx.builder.const(int(number), t, span)


def _a(t: object) -> str:
    name = str(t)
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def materialize(ctx: Context, node: ast.AST, operand: Operand) -> Operand:
    """A literal becomes a weak scalar; anything else stays."""
    if isinstance(operand, Literal):
        return Scalar(literal(ctx, node, operand, operand.type), operand.type)
    return operand


def to_scalar(ctx: Context, node: ast.AST, operand: Literal | Scalar, t: ScalarType) -> Value:
    """Promote: a literal or weak value to `t`, or a strong value along NumPy's promotion."""
    if isinstance(operand, Literal):
        return literal(ctx, node, operand, t)
    if operand.type is INT and t.is_int and not t.weak:
        return ctx.builder.value("narrow", (operand.value,), t, ctx.span(node))
    return _converted(ctx, node, operand, t)


def _converted(ctx: Context, node: ast.AST, operand: Scalar, t: ScalarType) -> Value:
    """The value as one of type `t`, by the conversion that this has."""
    if operand.type == t:
        return operand.value
    if isinstance(t, FixedPointType) or isinstance(operand.type, FixedPointType):
        return fixed_point.convert(ctx, node, operand, t)
    if FLOAT16 in (operand.type, t):
        return halves.convert(ctx, node, operand, t)
    return ctx.builder.value("convert", (operand.value,), t, ctx.span(node))


def conversion_fix(t: Type, text: str, source: Type | None = None) -> str:
    """The conversion that a user should write."""
    if isinstance(t, FixedPointType) and isinstance(source, ScalarType) and source.is_ieee:
        return f"write {t}.from_float({text})"
    if isinstance(t, ScalarType) and t.weak:
        wanted = source if isinstance(source, ScalarType) and not source.weak else "another type"
        return f"write {'int' if t is INT else 'float64'}({text}), or annotate {wanted}"
    return f"write {t}({text})"


def coerce(
    ctx: Context,
    node: ast.AST,
    operand: Operand,
    t: Type,
    what: str,
    source: ast.AST | None = None,
) -> Operand:
    """`operand` where a value of type `t` is wanted: weak numbers convert, others must match.

    The conversion has the span of `node`; a refusal points at `source`, the expression.
    """
    match operand, t:
        case (Literal(), ScalarType()) if (
            not (operand.type is FLOAT and t.is_int) and t is not BOOL
        ):
            return Scalar(literal(ctx, source or node, operand, t), t)
        case (Scalar(), ScalarType()) if operand.type == t:
            return operand
        case (Scalar(), ScalarType()) if (
            operand.type.weak and t is not BOOL and (t.is_ieee or operand.type is INT)
        ):
            return Scalar(to_scalar(ctx, node, operand, t), t)
        case (Vector() | MemoryOperand(), _) if operand.type == t:
            return operand
        case _:
            pass
    source = source or node
    ctx.fail(
        source,
        f"{what} is {t}, but this is {describe(operand)}",
        fix=_fix(ctx, source, operand, t),
    )


def _fix(ctx: Context, node: ast.AST, operand: Operand, t: Type) -> str:
    text = ctx.text(node)
    if isinstance(t, ScalarType) and isinstance(operand, (Scalar, Literal)):
        if t is BOOL:
            return f"write {halves.nonzero(ctx, node, operand)}"
        fix = conversion_fix(t, text, operand.type)
        own, whole = _assigned(ctx, node), "int" if t is INT else str(t)
        if isinstance(node, ast.expr) and t.is_int and _comes_too_late(ctx, node, operand, t):
            at = None if own else node
            return ctx.filled("write `{own}{w}`", at, own=own, w=widened_sum(node, whole))
        if t.is_int and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            advice = "write `{own}{t}({x})`, cut off towards 0"
            if ctx.are_integers(node.left, node.right):
                advice = (
                    "write `{own}{a} // {b}`, rounded down, or `{own}{t}({x})`, cut off towards 0"
                )
            at = None if own else node
            return ctx.filled(advice, at, own=own, a=node.left, b=node.right, t=whole, x=node)
        if own:
            return f"write `{own}{fix.removeprefix('write ')}`"
        return fix
    if isinstance(t, ScalarType) and dimensions(operand):
        return f"write an element of it, such as `{text}[i]`"
    if isinstance(t, VectorType) and isinstance(operand, (Scalar, Literal, Vector)):
        return f"write {t}({text})"
    if isinstance(t, VectorType) and isinstance(operand, Tuple):
        items = node.elts if isinstance(node, ast.Tuple) else []
        if len(items) == t.length:
            return f"write {t}({', '.join(map(ctx.text, items))})"
    if isinstance(t, (StructType, FixedArrayType)):
        return f"give a value of type {t}"
    return f"give {_a(t)}"


def _assigned(ctx: Context, node: ast.AST) -> str:
    """The beginning of the statement that an in-place operation stands for; empty of all else."""
    if not isinstance(node, ast.BinOp) or not isinstance(
        getattr(node.left, "ctx", None), ast.Store
    ):
        return ""
    return f"{ctx.text(node.left)} = "


def _comes_too_late(ctx: Context, node: ast.AST, operand: Operand, t: ScalarType) -> bool:
    """Whether a sum of integers has wrapped, or been rounded, before it can become a `t`."""
    names = [part for part in ast.walk(node) if isinstance(part, _LEAVES) and part in ctx.types]
    found = operand.type
    if not isinstance(found, ScalarType) or not is_sum(node) or not names:
        return False
    if not ctx.are_integers(*names):
        return False
    return found.is_float or (found.is_int and not found.weak and found.bits < t.bits)


_LEAVES = (ast.Name, ast.Attribute, ast.Subscript)


def passed(
    ctx: Context,
    node: ast.AST,
    operand: Operand,
    t: Type,
    what: str,
    source: ast.AST | None = None,
) -> Operand:
    """`coerce` for a place with a declared type, which takes the numbers of narrower types too."""
    if widened(operand, t):
        assert isinstance(operand, Scalar)
        assert isinstance(t, ScalarType)
        if t is INT:
            return to_int(ctx, node, operand)
        return Scalar(_converted(ctx, node, operand, t), t)
    return coerce(ctx, node, operand, t, what, source)


def widened(operand: Operand, t: Type | None) -> bool:
    """Whether a place declared as `t` takes a number of a narrower type."""
    if not isinstance(operand, Scalar) or not isinstance(t, ScalarType):
        return False
    return not operand.type.weak and operand.type != t and widens(operand.type, t)


def convert_explicit(ctx: Context, node: ast.Call, operand: Operand, t: ScalarType) -> Operand:
    """`T(x)` for a scalar type: saturating, wrapping or rounding as the op table says."""
    argument = node.args[0]
    match operand:
        case Literal():
            number = operand.value
            if t is BOOL:
                fix = f"write {bool(number)}"
                ctx.fail(node, "bool() of a number is not in the language", fix=fix)
            if isinstance(t, FixedPointType):
                return Scalar(fixed_point.literal(ctx, argument, operand, t), t)
            if isinstance(number, float) and t.is_int:
                value = ctx.builder.const(number, FLOAT64, ctx.span(argument))
                return Scalar(ctx.builder.value("convert", (value,), t, ctx.span(node)), t)
            return Scalar(literal(ctx, argument, operand, t, literal_fixes.WRAPS), t)
        case Scalar():
            if operand.type == t:
                ctx.narrow.meant.add(operand.value)
                return operand
            if t is BOOL:
                ctx.fail(
                    node,
                    f"bool() of {describe(operand)} is not in the language",
                    fix=f"write {halves.nonzero(ctx, argument, operand, node)}",
                )
            # An int64 holds every Python int that a kernel has.
            convert = _converted if t is INT64 else to_scalar
            return Scalar(convert(ctx, node, operand, t), t)
        case _:
            ctx.fail(
                node,
                f"{t}() takes a number, but this is {describe(operand)}",
                fix="convert a component, such as `v.x`"
                if isinstance(operand, Vector)
                else "convert each item on its own"
                if isinstance(operand, Tuple)
                else "give a scalar",
            )


def to_int(ctx: Context, node: ast.AST, operand: Scalar) -> Scalar:
    """An integer, bool or float as a weak int; a trap "overflow" where int64 has no such number."""
    t, span, value = operand.type, ctx.span(node), operand.value
    if t is INT:
        return operand
    if t is UINT64:
        most = ctx.builder.const(INT.maximum, t, span)
        too_large = ctx.builder.value("gt", (value, most), BOOL, span)
        ctx.builder.effect("overflow", (too_large, value), span, _misfit(value))
    elif t.is_float:
        ends = (ctx.builder.const(end, t, span) for end in (-(2.0**63), 2.0**63))
        inside = [
            ctx.builder.value(sign, (value, end), BOOL, span)
            for sign, end in zip(("ge", "lt"), ends, strict=True)
        ]
        fits = ctx.builder.value("and", tuple(inside), BOOL, span)  # not where it is NaN
        misfits = ctx.builder.value("not", (fits,), BOOL, span)
        ctx.builder.effect("overflow", (misfits, value), span, _misfit(value))
    tested = FITS if t.is_float else None
    return Scalar(ctx.builder.value("convert", (value,), INT, span, tested), INT)


def _misfit(value: Value) -> str | None:
    """What is said of a value that int64 does not hold."""
    assert isinstance(value.type, ScalarType)
    return said_text("overflow", "narrow", value.type, more=INT)


def fix_of_integer(ctx: Context, node: ast.AST, t: str = "int32") -> str:
    """What to write for a number where an integer is wanted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return ctx.filled("write `{a} // {b}`", node, a=node.left, b=node.right)
    return f"write {t}({ctx.text(node)})"


def index_value(ctx: Context, node: ast.AST, operand: Operand) -> Value:
    """An index of any integer type as weak int."""
    match operand:
        case Literal() if isinstance(operand.value, int):
            return literal(ctx, node, operand, INT)
        case Scalar() if operand.type.is_int:
            if operand.type is INT:
                return operand.value
            ctx.narrow.meant.add(operand.value)
            return ctx.builder.value("convert", (operand.value,), INT, ctx.span(node))
        case _:
            ctx.fail(
                node,
                f"an index is an integer, but this is {describe(operand)}",
                fix=name_fixes.of_float_index(ctx, node) or fix_of_integer(ctx, node)
                if isinstance(operand, (Scalar, Literal))
                else f"loop over its elements: `for k in {ctx.text(node)}:`, and `[k]` there"
                if dimensions(operand)
                else "give an integer",
            )


def build_vector(ctx: Context, node: ast.Call, operands: list[Operand], t: VectorType) -> Vector:
    """`float3(...)`: splat of one scalar, conversion of one vector, or concatenation."""
    arguments = node.args
    for argument, operand in zip(arguments, operands, strict=True):
        if isinstance(operand, Vector) and isinstance(operand.type, MatrixType):
            ctx.fail(
                argument,
                f"{t}() is not made of a {operand.type}",
                fix=f"give its columns: {ctx.text(argument)}.c0",
            )
    single = operands[0] if len(operands) == 1 else None
    if isinstance(single, (Literal, Scalar)):
        item = component(ctx, node, arguments[0], single, t)
        return Vector((item,) * t.length, t)
    if isinstance(single, Vector):
        vector = single
        if vector.type.length != t.length:
            ctx.fail(
                node,
                f"{t}() of a {vector.type}: the lengths differ",
                fix=f"write {t}({ctx.text(arguments[0])}.{'xyzw'[: t.length]})"
                if vector.type.length > t.length
                else f"give the missing components: {t}({ctx.text(arguments[0])}, ...)",
            )
        return Vector(tuple(_cast(ctx, node, v, vector.type.element, t) for v in vector.items), t)
    items: list[Value] = []
    for argument, operand in zip(arguments, operands, strict=True):
        if isinstance(operand, Vector):
            if operand.type.element != t.element:
                ctx.fail(
                    argument,
                    f"{t}() is made of {t.element}, but this is {describe(operand)}",
                    fix="convert it first, such as "
                    f"{vector_of(t.element, operand.type.length)}({ctx.text(argument)})",
                )
            items.extend(values_of(operand))
        else:
            items.append(component(ctx, node, argument, operand, t))
    if len(items) != t.length:
        ctx.fail(
            node,
            f"{t}() takes {t.length} components, but {len(items)} are given",
            fix=f"give {t.length} numbers, one to fill all, or vectors that add up to {t.length}",
        )
    return Vector(tuple(items), t)


def component(
    ctx: Context, node: ast.Call, argument: ast.expr, operand: Operand, t: VectorType
) -> Value:
    """One component of a vector or matrix of type `t`, as a number is given for it."""
    value = passed(ctx, node, operand, t.element, f"a component of {t}", argument)
    assert isinstance(value, Scalar)
    return value.value


def _cast(ctx: Context, node: ast.Call, v: Value, source: ScalarType, t: VectorType) -> Value:
    if t.element is BOOL and source is not BOOL:
        ctx.fail(node, "a bool vector of numbers is not in the language", fix="write `v != 0`")
    return _converted(ctx, node, Scalar(v, source), t.element)
