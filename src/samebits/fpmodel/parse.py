"""The expression language of `samebits explain`: arithmetic, functions, names and numbers.

A number is bits in hex, a hex float or a decimal, rounded once to a format.
"""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from functools import lru_cache

from samebits.digits import what_is_no_digit
from samebits.errors import ArgumentError, nearest
from samebits.fpmodel.softfloat import (
    NAN,
    Format,
    Number,
    divided,
    from_bits,
    infinity,
    rounded,
    to_bits,
)
from samebits.fpmodel.tree import Constant, Node, Operand, Tree, count
from samebits.lang.signal_safe import without_warnings
from samebits.types import INT32

OPERATIONS = {"sqrt": 1, "abs": 1, "min": 2, "max": 2, "fma": 3}
"""Functions that are operations, with their number of arguments."""
_ONE_ARGUMENT = (
    "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp "
    "exp2 exp2m1 exp10 exp10m1 expm1 floor lgamma log log1p log2 log2p1 log10 log10p1 rcp round "
    "round_half_away rsqrt sign sin sinh sinpi tan tanh tanpi tgamma trunc"
)
_TWO_ARGUMENTS = (
    "atan2 atan2pi copysign fdim fmax fmin fmod hypot logaddexp nextafter pow powr remainder"
)
FUNCTIONS = {
    **dict.fromkeys(_ONE_ARGUMENT.split(), 1),
    **dict.fromkeys(_TWO_ARGUMENTS.split(), 2),
}
"""Functions of `samebits.math`, with their number of arguments."""
WITH_INTEGER = ("compound", "pown", "rootn")
"""Functions of `samebits.math` of a float and an int32, which is part of the operation: the detail
of its node is `pown 3`."""
CONVERSIONS = ("int32", "uint32", "int64", "uint64")
"""Conversions to an integer, and back to a float."""
_ARGUMENTS = {
    **OPERATIONS,
    **FUNCTIONS,
    **dict.fromkeys(WITH_INTEGER, 2),
    **dict.fromkeys(CONVERSIONS, 1),
}
MOST_OPERATIONS = 8
_LONGEST = 2_000
_ALLOWED = (
    "use + - * /, parentheses, numbers, names, sqrt, abs, min, max, fma, int32 … uint64, "
    "and functions of samebits.math such as sin, exp, pow"
)
_SUFFIXED = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)[fl]\b", re.IGNORECASE)
"""A constant with a suffix of C."""
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div",
}  # fmt: skip


def parse(text: str) -> Tree:
    """Parse an expression. Raises ArgumentError with a caret at anything outside the language.

    At most 8 operations and 2,000 characters.
    """
    if len(text) > _LONGEST:
        raise ArgumentError(f"the expression is longer than {_LONGEST:,} characters")
    source = text.replace("\r\n", "\n").replace("\r", "\n").strip()  # lines as `ast` counts them
    try:
        with without_warnings(SyntaxWarning):  # all that it warns of is refused below
            body = ast.parse(source, "expression", "eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = (error.offset or 1) - 1 if isinstance(error, SyntaxError) else 0
        suffixed = _SUFFIXED.search(source)
        fix = f"write {suffixed[1]}, which has the expression's type" if suffixed else _ALLOWED
        raise _refusal("this is not an expression", source, column, column + 1, fix) from None
    try:
        tree = _Reader(source).read(body)
    except RecursionError:
        raise _refusal("the expression is nested too deeply", source, 0, 1) from None
    operations = count(tree)
    if operations > MOST_OPERATIONS:
        raise ArgumentError(
            f"the expression has {operations} operations, and {MOST_OPERATIONS} are the most",
            fix="explain its parts, with the values between them as operands",
        )
    if not operations:
        raise _refusal("there is no operation to explain", source, 0, len(source))
    return tree


def _refusal(message: str, source: str, start: int, end: int, fix: str = _ALLOWED) -> ArgumentError:
    line = source.replace("\n", " ").replace("\t", " ")
    caret = " " * start + "^" * max(1, min(end, len(line)) - start)
    return ArgumentError(f"{message}\n  {line}\n  {caret}", fix=fix)


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source

    def refused(self, message: str, node: ast.expr, fix: str = _ALLOWED) -> ArgumentError:
        # Columns in `ast` count UTF-8 bytes.
        encoded = self.source.split("\n")[node.lineno - 1].encode()
        before = sum(len(line) + 1 for line in self.source.split("\n")[: node.lineno - 1])
        start = before + len(encoded[: node.col_offset].decode())
        last = node.end_col_offset if node.end_lineno == node.lineno else len(encoded)
        return _refusal(message, self.source, start, before + len(encoded[:last].decode()), fix)

    def read(self, node: ast.expr) -> Tree:
        match node:
            case ast.Name(id=name):
                return Operand(name)
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                text = (ast.get_source_segment(self.source, node) or "").replace("_", "")
                if exact(text) is None:
                    raise self.refused(
                        f"`{text:.40}` is not a decimal number: give bits as an operand", node
                    )
                return Constant(text)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.read(operand)
                if isinstance(inner, Constant):
                    return Constant(inner.text[1:] if inner.text[0] == "-" else f"-{inner.text}")
                return Node("neg", (inner,))
            case ast.BinOp(left=left, op=op, right=right):
                if type(op) not in _BINARY:
                    raise self.refused("this operator is not in the language", node)
                return Node(_BINARY[type(op)], (self.read(left), self.read(right)))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self.call(node, name, args)
            case ast.Call(func=ast.Attribute(attr=name) as function):
                raise self.unknown(ast.unparse(function), name, function)
            case _:
                raise self.refused("this is not in the language", node)

    def call(self, node: ast.Call, name: str, args: list[ast.expr]) -> Tree:
        takes = _ARGUMENTS.get(name)
        if takes is None:
            raise self.unknown(name, name, node.func)
        if len(args) != takes:
            raise self.refused(f"`{name}` takes {takes} arguments, not {len(args)}", node)
        if name in WITH_INTEGER:
            return Node("call", (self.read(args[0]),), f"{name} {self.integer(name, args[1])}")
        read = tuple(self.read(arg) for arg in args)
        if name in OPERATIONS:
            return Node(name, read)
        return Node("convert", read, name) if name in CONVERSIONS else Node("call", read, name)

    def integer(self, name: str, node: ast.expr) -> int:
        """The literal that is the second argument of a function with an integer."""
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, RecursionError):
            value = None
        if type(value) is not int:
            fix = f"write its value, as in {name}(x, 3)"
            raise self.refused(f"the second argument of `{name}` is an integer", node, fix)
        if not INT32.minimum <= value <= INT32.maximum:
            message = f"`{name}` takes an int32, from −2³¹ to 2³¹ − 1"
            raise self.refused(message, node, "give an integer within these")
        return value

    def unknown(self, text: str, name: str, node: ast.expr) -> ArgumentError:
        """The error for an unknown function; `name` may be its name in C or a misspelling."""
        known = tuple(_ARGUMENTS)
        plain = name.removesuffix("f").removeprefix("f" if name.startswith("fabs") else "")
        meant = plain if plain in known else nearest(name, known)
        fix = _ALLOWED if meant is None else f"write {meant}"
        return self.refused(f"there is no function `{text:.40}` here", node, fix)


def operands(tree: Tree) -> list[str]:
    """The operands' names in a tree, in order of appearance."""
    match tree:
        case Operand(name):
            return [name]
        case Node(args=args):
            return list(dict.fromkeys(name for arg in args for name in operands(arg)))
        case Constant():
            return []


_AS_ASCII = re.ASCII | re.IGNORECASE
_BITS = re.compile(r"0x([0-9a-f]+)", _AS_ASCII)
_HEX_FLOAT = re.compile(r"([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d{1,6})", _AS_ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,5})?", _AS_ASCII)
_SPECIAL = re.compile(r"([+-]?)(?:(inf|infinity)|nan)", _AS_ASCII)
_LONGEST_LITERAL = 2_000


@lru_cache(maxsize=256)
def exact(text: str) -> Number | None:
    """The exact value of a decimal or hex float; None if the text is neither."""
    if len(text) > _LONGEST_LITERAL:
        return None
    if match := _HEX_FLOAT.fullmatch(text):
        sign, whole, part, power = match.groups(default="")
        if not whole + part:
            return None
        return Number(sign == "-", int(whole + part, 16), int(power) - 4 * len(part))
    if _DECIMAL.fullmatch(text):
        # A huge exponent would make a huge integer.
        mantissa, _, power = text.lower().partition("e")
        if power and abs(int(power)) > _LONGEST_LITERAL:
            return None
        value = Fraction(text)
        number = divided(Number(False, abs(value.numerator)), Number(False, value.denominator))
        return number._replace(negative=mantissa.startswith("-"))
    return None


def pattern(text: str, form: Format, what: str) -> int:
    """The bit pattern that `text` denotes in a format. Raises ArgumentError, which names `what`."""
    digits = form.bits // 4
    text = text.strip()
    if match := _BITS.fullmatch(text):
        if len(match[1]) == digits:
            return int(match[1], 16)
        other = {4: "float16", 8: "float32", 16: "float64"}.get(len(match[1]))
        raise ArgumentError(
            f"{what} has {len(match[1])} hex digits, and the bits of a {form.name} are {digits}",
            fix=f"give the type {other}, with --type or type="
            if other
            else f"write 0x and {digits} digits",
        )
    if match := _SPECIAL.fullmatch(text):
        negative = match[1] == "-"
        return to_bits(infinity(negative) if match[2] else NAN._replace(negative=negative), form)
    number = exact(text)
    if number is None:
        raise ArgumentError(
            f"{what} is not a number: {text!r:.60}",
            note="a NaN's sign and payload are in its bits alone"
            if "nan" in text.lower()
            else what_is_no_digit(text),
            fix=f"write its bits (0x and {digits} hex digits), a hex float (0x1.8p-3), a decimal "
            "(0.1), inf or nan",
        )
    return to_bits(rounded(number, form), form)


def value(text: str, form: Format, what: str) -> Number:
    """The number that `text` denotes in a format."""
    return from_bits(pattern(text, form, what), form)
