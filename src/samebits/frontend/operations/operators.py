"""Operators on typed operands: the opcode of each, by type, and their promotion."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import isinf
from typing import Any

from samebits.bits import flushed
from samebits.frontend.core import advice, literal_fixes
from samebits.frontend.core.context import Context, element_of, of_values, values_of
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Vector,
    View,
    describe,
    dimensions,
)
from samebits.frontend.operations import fixed_point, halves, matrices, struct_members
from samebits.frontend.operations.conversions import literal, round_literal, to_scalar
from samebits.frontend.operations.shifts import past_width
from samebits.ir.grammar import Value
from samebits.lang.executions import executions
from samebits.lang.values.enums import fix_of_enum
from samebits.lang.values.operators import no_common
from samebits.lang.values.powers import MOST, by_products
from samebits.lang.values.quaternions import no_component_product
from samebits.lang.values.weak import EXACT
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT64,
    INT,
    INT64,
    UINT64,
    FixedPointType,
    Kind,
    QuaternionType,
    ScalarType,
    VectorType,
    promote,
)
from samebits.value_text import said_text


@dataclass(frozen=True, slots=True)
class Operator:
    """A row: the sign as written, the opcode on floats and on ints (None: not there), on bools."""

    sign: str
    on_float: str | None
    on_int: str | None
    on_bool: str | None
    fold: Callable[[Any, Any], int | float]

    def on(self, t: ScalarType) -> str | None:
        """The opcode on operands of type `t`."""
        return self.on_bool if t is BOOL else self.on_float if t.is_float else self.on_int


BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: Operator("+", "add", "add", None, operator.add),
    ast.Sub: Operator("-", "sub", "sub", None, operator.sub),
    ast.Mult: Operator("*", "mul", "mul", None, operator.mul),
    ast.Div: Operator("/", "div", "div", None, lambda a, b: a / b),
    ast.FloorDiv: Operator("//", "floordiv", "floordiv", None, lambda a, b: a // b),
    ast.Mod: Operator("%", "mod", "mod", None, operator.mod),
    ast.BitAnd: Operator("&", None, "and", "and", lambda a, b: a & b),
    ast.BitOr: Operator("|", None, "or", "or", lambda a, b: a | b),
    ast.BitXor: Operator("^", None, "xor", "xor", lambda a, b: a ^ b),
    ast.LShift: Operator("<<", None, "shl", None, lambda a, b: a << b),
    ast.RShift: Operator(">>", None, "shr", None, lambda a, b: a >> b),
    ast.MatMult: Operator("@", None, None, None, lambda a, b: a @ b),
}

COMPARE: dict[type[ast.cmpop], tuple[str, str, Callable[[Any, Any], bool]]] = {
    ast.Eq: ("==", "eq", operator.eq),
    ast.NotEq: ("!=", "ne", operator.ne),
    ast.Lt: ("<", "lt", operator.lt),
    ast.LtE: ("<=", "le", operator.le),
    ast.Gt: (">", "gt", operator.gt),
    ast.GtE: (">=", "ge", operator.ge),
}

UNARY: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.USub: ("-", "neg"),
    ast.UAdd: ("+", ""),
    ast.Invert: ("~", "not"),
}

FOLD_BITS = 4096
"""Literals are folded up to this many bits; a shift or product beyond it is refused."""


def binary(ctx: Context, node: ast.AST, row: Operator, a: Operand, b: Operand) -> Operand:
    """`a row b`; `node` is the expression that errors and traps point at."""
    if struct_members.struct_of(a) or struct_members.struct_of(b):
        return struct_members.binary(ctx, node, row.sign, a, b)
    halves.refuse_binary(ctx, node, row.sign, a, b)
    if row.sign == "@":
        return matrices.mul(ctx, node, a, b)
    if isinstance(a, Literal) and isinstance(b, Literal):
        folded = fold(row, a, b)
        if folded is not None:
            return Literal(folded.value, ctx.span(node))
    match a, b:
        case (Literal() | Scalar(), Literal() | Scalar()):
            t = _operand_type(ctx, node, row, a, b)
            if row.sign == "/" and a.type is INT and b.type is INT:
                _exact_as_floats(ctx, node, a, b)
            b = past_width(ctx, node, row.sign, b, t) or b
            left, right = to_scalar(ctx, node, a, t), to_scalar(ctx, node, b, t)
            value = _value(ctx, node, row, left, right, t)
            ctx.narrow.note(value, node, row.sign, t)
            return Scalar(value, t)
        case (Vector(), _):
            return _vector(ctx, node, row, a, past_width(ctx, node, row.sign, b, a.type) or b)
        case (_, Vector()):
            return _vector(ctx, node, row, a, b)
        case _:
            wrong = b if isinstance(a, (Literal, Scalar)) else a
            ctx.fail(
                node,
                f"`{row.sign}` works on numbers and vectors, but this is {describe(wrong)}",
                fix=_fix_of_enum(wrong) or _fix_of_array(ctx, node, row.sign, a, b),
            )


def _exact_as_floats(ctx: Context, node: ast.AST, a: Literal | Scalar, b: Literal | Scalar) -> None:
    """A trap where a float64 does not hold one of two Python ints exactly: CPython rounds the
    quotient of the ints, which is that of the floats else."""
    span = ctx.span(node)
    ends = [ctx.builder.const(end, INT, span) for end in (-EXACT, EXACT)]
    values = [to_scalar(ctx, node, operand, INT) for operand in (a, b)]
    outside = [
        ctx.builder.value(sign, (value, end), BOOL, span)
        for value, operand in zip(values, (a, b), strict=True)
        if not _exact_literal(operand)
        for sign, end in zip(("lt", "gt"), ends, strict=True)
    ]
    if outside:
        either = reduce(lambda x, y: ctx.builder.value("or", (x, y), BOOL, span), outside)
        text = said_text("overflow", "div", INT, INT)
        ctx.builder.effect("overflow", (either, *values), span, text)


def _fix_of_array(ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand) -> str:
    most = max(dimensions(a), dimensions(b))
    if not most or not isinstance(node, ast.BinOp | ast.AugAssign):
        return "use a component, a field or an element of it"
    own = isinstance(node, ast.AugAssign)
    sides = (node.target, node.value) if own else (node.left, node.right)
    index = f"[{', '.join('ijkl'[:most])}]"
    left, right = (
        f"{{{name}}}{index * (dimensions(operand) > 0)}" for name, operand in (("a", a), ("b", b))
    )
    array = "b" if not dimensions(a) else "a"
    text = advice.for_elements(sign, left, right, array, most, own=own)
    return ctx.filled(text, a=sides[0], b=sides[1])


def _fix_of_enum(operand: Operand) -> str | None:
    return fix_of_enum(operand.object) if isinstance(operand, Static) else None


def power(ctx: Context, node: ast.BinOp | ast.AugAssign, a: Operand, b: Operand) -> Operand:
    """`a**b` of a constant b, by products."""
    exponent = node.right if isinstance(node, ast.BinOp) else node.value
    n = b.value if isinstance(b, Literal) else None
    if not isinstance(n, int) or not 1 <= n <= MOST:
        base = node.left if isinstance(node, ast.BinOp) else node.target
        ctx.fail(
            node,
            f"`**` takes a constant Python int from 1 to {MOST:,}, but this is {describe(b)}",
            note="it is made of products; what other exponents give, a function rounds",
            fix=_fix_of_a_power(ctx, node, (base, exponent), a, b),
        )
    row = BINARY[ast.Mult]
    return by_products(lambda x, y: binary(ctx, node, row, x, y), a, n)


def _fix_of_a_power(
    ctx: Context,
    node: ast.BinOp | ast.AugAssign,
    sides: tuple[ast.expr, ast.expr],
    a: Operand,
    b: Operand,
) -> str:
    """What to write for an exponent that is not an int of the range."""
    codes = _powers(a, b)
    if not codes:
        return "multiply in a loop"
    own = "{x} = " if isinstance(node, ast.AugAssign) else ""
    text = ", or ".join(f"`{own}{code}`" for code in codes)
    at = None if own else node
    return ctx.filled(f"write {text}", at, x=sides[0], y=sides[1])


def _powers(a: Operand, b: Operand) -> tuple[str, ...]:
    """What `{x}` to the power of `{y}` is written as, of operands that `**` refuses."""
    n = b.value if isinstance(b, Literal) else None
    t = element_of(a.type) if isinstance(a, Literal | Scalar | Vector) else FLOAT64
    kind = FLOAT64 if t.weak else a.type if isinstance(a, Vector) else t
    if t.is_int and isinstance(b, Scalar) and b.type.is_float and not b.type.weak:
        named = {2: "exp2", 10: "exp10"}.get(int(a.value)) if isinstance(a, Literal) else None
        return (f"math.pow({b.type}({{x}}), {{y}})" if named is None else f"math.{named}({{y}})",)
    if t.is_int and not (isinstance(a, Literal) and n is not None):
        if isinstance(a, Literal) and a.value == 2:
            return ("1 << {y}",)
        return (f"{kind}(1)",) if n == 0 and not t.weak else ()
    if n in (0.5, -0.5):
        return ("math.sqrt({x})" if n == 0.5 else "1 / math.sqrt({x})",)
    if n == 0:
        return ("1.0" if t.weak else f"{kind}(1)",)
    if isinstance(n, int) and -MOST <= n < 0:
        return (f"1 / {{x}}**{-n}" if n < -1 else "1 / {x}",)
    y = "{y}" if b.type == kind or n is not None else f"{kind}({{y}})"
    power = f"math.pow({{x}}, {y})"
    if isinstance(n, float) and n.is_integer() and 1 <= n <= MOST:
        return f"{{x}}**{int(n)}", power
    return (power,)


def fold(row: Operator, a: Literal, b: Literal) -> Literal | None:
    """`a row b` of literals, as CPython computes it; None where that is left to run time."""
    x, y = a.value, b.value
    floats = isinstance(x, float) or isinstance(y, float)
    if row.sign == "@" or (floats and row.on_float is None) or (row.sign in "/ // %" and y == 0):
        return None
    if row.sign == "<<" and (y < 0 or y + int(x).bit_length() > FOLD_BITS):
        return None
    if row.sign == ">>" and y < 0:
        return None
    if row.sign == "*" and not floats and int(x).bit_length() + int(y).bit_length() > FOLD_BITS:
        return None
    try:
        return Literal(row.fold(x, y))
    except OverflowError:
        return None


def _operand_type(
    ctx: Context, node: ast.AST, row: Operator, a: Literal | Scalar, b: Literal | Scalar
) -> ScalarType:
    """The type at which `a row b` is computed."""
    if BOOL in (a.type, b.type):
        if row.on_bool and a.type == b.type:
            return BOOL
        ctx.fail(
            node,
            f"`{row.sign}` on {describe(a)} and {describe(b)}: a bool is not a number here",
            fix=_fix_of_bool(ctx, node, a, b),
        )
    t = promote(a.type, b.type)
    if _is_mixed(a.type, b.type):
        fixed_point.mixed(ctx, node, row.sign, a, b)
    if isinstance(t, FixedPointType):
        return t
    if t is FLOAT and any(_beyond_float(operand) for operand in (a, b)):
        ctx.fail(
            node,
            f"`{row.sign}` on {describe(a)} and {describe(b)}: the int is too large for a float",
            note="CPython raises OverflowError here",
            fix="write the number as a float",
        )
    if t is None:
        ctx.fail(
            node,
            f"`{row.sign}` on {describe(a)} and {describe(b)}: they have no common type",
            fix="convert one of them by calling a type",
        )
    if row.sign == "/" and t.is_int:
        return FLOAT if t.weak else FLOAT64
    two_integers = t.is_float and a.type.is_int and b.type.is_int and row.sign in ("%", "//")
    if two_integers or (row.on_float if t.is_float else row.on_int) is None:
        ctx.fail(
            node,
            f"`{row.sign}` is for integers{' of one type' * two_integers}, but this is "
            f"{describe(a)} and {describe(b)}",
            fix="convert both to one type, such as `int64(n)`"
            if two_integers
            else _fix_of_bits(ctx, node, row.sign, a, b),
        )
    return t


def _sides(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The operands as they are written."""
    match node:
        case ast.BinOp():
            return node.left, node.right
        case ast.AugAssign():
            return node.target, node.value
        case _:
            return None


def _fix_of_bool(ctx: Context, node: ast.AST, a: Literal | Scalar, b: Literal | Scalar) -> str:
    sides = _sides(node)
    if sides is None:
        return "convert it, as in `int(flag)`"
    if a.type is BOOL and b.type is BOOL:
        text = "write `int({a})` for `{a}`, and `int({b})` for `{b}`"
        return ctx.filled(text, a=sides[0], b=sides[1])
    flag, other = (0, b) if a.type is BOOL else (1, a)
    t = other.type
    name = {INT: "int", FLOAT: "float"}.get(t, str(t))
    return ctx.filled("write `{t}({x})` for `{x}`", t=name, x=sides[flag])


def _fix_of_bits(
    ctx: Context, node: ast.AST, sign: str, a: Literal | Scalar, b: Literal | Scalar
) -> str:
    if not isinstance(node, ast.BinOp):
        return "convert to an integer first"
    power = "a power is `{x}**{y}`; or " if sign == "^" and isinstance(b, Literal) else ""
    left = "{x}" if a.type.is_int else "int({x})"
    right = "{y}" if b.type.is_int else "int({y})"
    text = f"{power}convert to an integer first: `{left} {sign} {right}`"
    return ctx.filled(text, node, x=node.left, y=node.right)


def _is_mixed(a: ScalarType, b: ScalarType) -> bool:
    """Whether one operand is fixed-point and the other neither of that type nor a Python int."""
    fixed = Kind.FIXED in (a.kind, b.kind)
    return fixed and a != b and INT not in (a, b) and FLOAT not in (a, b)


def _beyond_float(operand: Literal | Scalar) -> bool:
    return (
        isinstance(operand, Literal)
        and isinstance(operand.value, int)
        and isinf(round_literal(operand.value, FLOAT))
    )


def _value(ctx: Context, node: ast.AST, row: Operator, a: Value, b: Value, t: ScalarType) -> Value:
    if isinstance(t, FixedPointType):
        return fixed_point.binary(ctx, node, row.sign, a, b, t)
    if t.is_float and row.sign in ("%", "//"):
        return _remainder(ctx, node, row.sign, a, b, t)
    opcode = row.on(t)
    assert opcode is not None
    return ctx.builder.value(opcode, (a, b), t, ctx.span(node))


def _remainder(ctx: Context, node: ast.AST, sign: str, a: Value, b: Value, t: ScalarType) -> Value:
    """`%` and `//` of floats, which are functions of the library. Python's own floats trap where
    the divisor is 0, as in `/`."""
    span, element = ctx.span(node), FLOAT64 if t.weak else t
    if t.weak:
        ctx.builder.value("div", (a, b), t, span)
        a, b = (ctx.builder.value("convert", (x,), element, span) for x in (a, b))
    kernel = executions.remainder(sign).kernel_for(element)
    (found,) = ctx.call(kernel, (a, b), span)
    return ctx.builder.value("convert", (found,), t, span) if t.weak else found


def vector_operands(
    ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand
) -> tuple[list[Value], list[Value], VectorType]:
    """Two operands, at least one a vector, as components; a scalar is broadcast."""
    vector = a if isinstance(a, Vector) else b
    assert isinstance(vector, Vector)
    t = vector.type

    def items(operand: Operand) -> list[Value]:
        match operand:
            case Vector() if operand.type == t:
                return list(operand.items)
            case Literal() if t.element is not BOOL and not (
                operand.type is FLOAT and t.element.is_int
            ):
                return [literal(ctx, node, operand, t.element, literal_fixes.ELEMENTS)] * t.length
            case Scalar() if operand.type == t.element:
                return [operand.value] * t.length
            case Scalar() if (
                operand.type.weak
                and t.element is not BOOL
                and (t.element.is_float or operand.type is INT)
            ):
                return [to_scalar(ctx, node, operand, t.element)] * t.length
            case _:
                what = "the element types differ"
                fix = f"convert one side: {t.element}(...) or {t}(...)"
                fix = _fix_of_enum(operand) or fix
                if isinstance(a, Vector) and isinstance(b, Vector):
                    what, fix = no_common(sign, a.type, b.type)
                ctx.fail(node, f"`{sign}` on {describe(a)} and {describe(b)}: {what}", fix=fix)

    return items(a), items(b), t


def _vector(ctx: Context, node: ast.AST, row: Operator, a: Operand, b: Operand) -> Vector:
    left, right, t = vector_operands(ctx, node, row.sign, a, b)
    element = t.element
    if row.on(element) is None:
        ctx.fail(node, f"`{row.sign}` is not there for {t}", fix="use it on components")
    if isinstance(t, QuaternionType) and row.sign in "*/" and a.type == b.type:
        error = no_component_product(row.sign, t)
        ctx.fail(node, error.message, fix=error.fix)
    if row.sign == "/" and element.is_int:
        t = t.of(FLOAT64)
        left, right = (
            [ctx.builder.value("convert", (v,), FLOAT64, ctx.span(node)) for v in side]
            for side in (left, right)
        )
    pairs = zip(left, right, strict=True)
    return Vector(tuple(_value(ctx, node, row, x, y, t.element) for x, y in pairs), t)


def fold_unary(op: ast.unaryop, a: Literal) -> Literal | None:
    """`op a` of a literal; None where it is not in the language."""
    match op:
        case ast.USub():
            return Literal(-a.value)
        case ast.UAdd():
            return a
        case ast.Invert() if isinstance(a.value, int):
            return Literal(~a.value)
        case _:
            return None


def truth(ctx: Context, node: ast.expr, a: Operand) -> Value | None:
    """Whether a number is not 0, or a bool True; None of all else."""
    at = ctx.span(node)
    if isinstance(a, Literal):
        return ctx.builder.const(bool(_compared(ctx, a)), BOOL, at)
    if not isinstance(a, Scalar) or halves.is_half(a) or isinstance(a.type, FixedPointType):
        return None
    if a.type is BOOL:
        return a.value
    zero = ctx.builder.const(0.0 if a.type.is_float else 0, a.type, at)
    return ctx.builder.value("ne", (a.value, zero), BOOL, at)


def _compared(ctx: Context, a: Literal) -> int | float:
    """A literal as comparisons see it: flushed, where the kernel flushes."""
    flushes = ctx.kernel.options.denormals == "flush" and isinstance(a.value, float)
    return flushed(a.value, 64) if flushes else a.value


def unary(ctx: Context, node: ast.UnaryOp, a: Operand) -> Operand:
    """`-a`, `+a`, `~a` and `not a`."""
    if isinstance(node.op, ast.Not):
        value = truth(ctx, node.operand, a)
        if value is not None:
            return Scalar(ctx.builder.value("not", (value,), BOOL, ctx.span(node)), BOOL)
        ctx.fail(
            node,
            f"`not` takes a bool, but this is {describe(a)}",
            fix="write `~v`"
            if isinstance(a, Vector)
            else ctx.filled("write `len({x}) == 0`", node, x=node.operand)
            if isinstance(a, MemoryOperand | View)
            else ctx.filled("write a comparison, such as `{x} == 0`", node, x=node.operand),
        )
    sign, opcode = UNARY[type(node.op)]
    if struct_members.struct_of(a):
        return struct_members.unary(ctx, node, sign, a)
    if isinstance(a, Literal):
        folded = fold_unary(node.op, a)
        if folded is not None:
            return Literal(folded.value, ctx.span(node))
    halves.refuse(ctx, f"`{sign}`", node.operand, a)
    if not isinstance(a, (Scalar, Vector)) or not _takes(sign, a):
        ctx.fail(
            node,
            f"`{sign}` is not there for {describe(a)}",
            fix=ctx.filled(f"loop over its elements: `out[i] = {sign}{{x}}[i]`", x=node.operand)
            if dimensions(a)
            else "use a number"
            if sign != "~"
            else f"write `~int({ctx.text(node.operand)})`, of an integer"
            if isinstance(a, Literal | Scalar) and a.type.is_float
            else ctx.filled("write `not {x}`", node, x=node.operand),
        )
    if not opcode:
        return a
    span, element = ctx.span(node), element_of(a.type)
    items = tuple(
        fixed_point.negative(ctx, node, v, element)
        if isinstance(element, FixedPointType)
        else ctx.builder.value(opcode, (v,), element, span)
        for v in values_of(a)
    )
    return of_values(items, a.type)


def _takes(sign: str, a: Scalar | Vector) -> bool:
    """Whether the unary operator `sign` works on `a`."""
    t = element_of(a.type)
    # CPython's ~True is -2; a bool is negated by `not`.
    return t.is_int or (t is BOOL and isinstance(a, Vector)) if sign == "~" else t is not BOOL


def _of_elements(ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand) -> str:
    """What to write for a comparison of whole arrays."""
    fix = "compare its elements in a loop"
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return fix
    sides = [
        f"{{{name}}}[{', '.join('ijkl'[: dimensions(side)])}]"
        if dimensions(side)
        else f"{{{name}}}"
        for name, side in (("a", a), ("b", b))
    ]
    return ctx.filled(f"{fix}: `{sides[0]} {sign} {sides[1]}`", a=node.left, b=node.comparators[0])


def compare(ctx: Context, node: ast.AST, op: ast.cmpop, a: Operand, b: Operand) -> Scalar | Vector:
    """One comparison: a bool, or a bool vector for vectors."""
    sign, opcode, fold = COMPARE[type(op)]
    span = ctx.span(node)
    if struct_members.struct_of(a) or struct_members.struct_of(b):
        return struct_members.compare(ctx, node, sign, a, b)
    if isinstance(a, Literal) and isinstance(b, Literal):
        found = fold(_compared(ctx, a), _compared(ctx, b))
        return Scalar(ctx.builder.const(found, BOOL, span), BOOL)
    halves.refuse_binary(ctx, node, sign, a, b)
    if isinstance(a, Vector) or isinstance(b, Vector):
        left, right, t = vector_operands(ctx, node, sign, a, b)
        if t.element is BOOL and sign not in ("==", "!="):
            ctx.fail(node, f"`{sign}` is not there for {t}", fix="write `==` or `!=`")
        pairs = zip(left, right, strict=True)
        items = tuple(ctx.builder.value(opcode, pair, BOOL, span) for pair in pairs)
        return Vector(items, t.of(BOOL))
    if not isinstance(a, (Literal, Scalar)) or not isinstance(b, (Literal, Scalar)):
        wrong = b if isinstance(a, (Literal, Scalar)) else a
        ctx.fail(
            node,
            f"`{sign}` compares numbers and vectors, but this is {describe(wrong)}",
            fix=_fix_of_enum(wrong)
            or (_of_elements(ctx, node, sign, a, b) if dimensions(wrong) else "compare its fields"),
        )
    number = _beyond(a, b)
    if number is not None:
        held = fold(*(side.value if isinstance(side, Literal) else 0 for side in (a, b)))
        ctx.fixed.append((span, number, held, sign))
        return Scalar(ctx.builder.const(held, BOOL, span), BOOL)
    t = _compare_type(ctx, node, sign, a, b)
    pair = (to_scalar(ctx, node, a, t), to_scalar(ctx, node, b, t))
    return Scalar(ctx.builder.value(opcode, pair, BOOL, span), BOOL)


def _compare_type(
    ctx: Context, node: ast.AST, sign: str, a: Literal | Scalar, b: Literal | Scalar
) -> ScalarType:
    if a.type is BOOL and b.type is BOOL and sign in ("==", "!="):
        return BOOL
    if BOOL in (a.type, b.type):
        ctx.fail(
            node,
            f"`{sign}` on {describe(a)} and {describe(b)}: a bool is not a number here",
            fix="use the bool itself, or `not` of it",
        )
    if a.type.weak and b.type.weak and a.type != b.type:
        if not (_exact_literal(a) or _exact_literal(b)):
            ctx.fail_unless_grown(
                node,
                "CPython compares an int with a float exactly; a kernel does not",
                fix="convert one: `float64(n) < x`",
            )
        return FLOAT
    if a.type.is_int and b.type.is_int and not (a.type.weak or b.type.weak):
        t = promote(a.type, b.type)
        if t is None or t.is_float:
            ctx.fail(
                node,
                f"{a.type} and {b.type} have no common integer type to compare in",
                fix="convert the unsigned one, `int64(x)`, or the signed one, `uint64(x)`, as fits "
                "all that may come",
            )
        return t
    if _is_mixed(a.type, b.type):
        fixed_point.mixed(ctx, node, sign, a, b)
    t = promote(a.type, b.type)
    assert t is not None
    return t


def _beyond(a: Literal | Scalar, b: Literal | Scalar) -> int | None:
    """The Python int beyond int64 in a comparison with numbers of int64, which has one outcome.

    In one with numbers of fewer bits, or of uint64, a number that these have was meant; in one of a
    Python int with what uint64 has, a comparison in that.
    """
    number, other = (a, b) if isinstance(a, Literal) else (b, a)
    if not isinstance(number, Literal) or other.type not in (INT, INT64):
        return None
    most = INT64.maximum if other.type is INT64 else UINT64.maximum
    if isinstance(number.value, float) or INT64.minimum <= number.value <= most:
        return None
    return number.value


def _exact_literal(operand: Literal | Scalar) -> bool:
    """A literal int that a float64 holds exactly: then the comparison is exact too."""
    return (
        isinstance(operand, Literal)
        and isinstance(operand.value, int)
        and abs(operand.value) <= EXACT
    )
