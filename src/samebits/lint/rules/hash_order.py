"""SB102: the numbers that `hash` gives."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.Call(func=function, args=[argument]):
            if kinds.names.qualified(function) != "hash" or kinds.of(argument) is Kind.INT:
                return
            inside = (n.name for n in kinds.names.above(node) if isinstance(n, ast.FunctionDef))
            if "__hash__" not in inside:
                whole = isinstance(argument, ast.Tuple) and kinds.of(argument) is Kind.INTS
                # Of whole numbers it is another one where it has 32 bits.
                yield node, "`hash` gives a number", Confidence.LOW if whole else Confidence.HIGH
        case ast.keyword(arg="key", value=value):
            if kinds.names.qualified(value) == "hash":
                yield value, "something is ordered by `hash`"
        case _:
            pass


HASH_ORDER = LintRule(
    "SB102",
    "hash-order",
    "`hash` of text, bytes and most objects differs in every process, and that of tuples and "
    "floats between versions of Python",
    "use a checksum of the bytes, such as `hashlib.blake2b(data).digest()` or `zlib.crc32(data)`",
    (ast.Call, ast.keyword),
    check,
)
