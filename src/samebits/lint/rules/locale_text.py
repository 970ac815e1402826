"""SB601: numbers as text by the user's locale."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import NUMBERS, Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_FUNCTIONS = frozenset(
    f"locale.{name}" for name in ("atof", "atoi", "str", "format_string", "currency", "delocalize",
                                  "localize", "setlocale", "strcoll", "strxfrm")
)  # fmt: skip


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.Call(func=function, args=arguments):
            name = kinds.names.qualified(function)
            if name in _FUNCTIONS:
                yield node, f"`{name}` follows the user's locale"
            elif name == "format" and len(arguments) == 2 and _by_locale(arguments[1]):
                yield node, "the format `n` follows the user's locale"
            elif name == "open" and _is_text_without_encoding(node):
                yield node, "`open` without an encoding follows the user's locale"
        case ast.FormattedValue(value=value, format_spec=ast.JoinedStr(values=[spec])):
            if _by_locale(spec) and kinds.of(value) in (*NUMBERS, Kind.UNKNOWN):
                yield node, "the format `n` follows the user's locale"
        case _:
            pass


def _by_locale(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and str(node.value).endswith("n")


def _is_text_without_encoding(node: ast.Call) -> bool:
    said = {keyword.arg for keyword in node.keywords}
    mode = node.args[1] if len(node.args) > 1 else None
    for keyword in node.keywords:
        mode = keyword.value if keyword.arg == "mode" else mode
    if "encoding" in said or len(node.args) > 3:
        return False
    return mode is None or (isinstance(mode, ast.Constant) and "b" not in str(mode.value))


LOCALE_TEXT = LintRule(
    "SB601",
    "locale-text",
    "a user's locale changes the decimal point, the grouping and the encoding: the same file gives "
    "other numbers on another machine",
    'use `float(text)`, `repr(x)` or `x.hex()`, and `open(..., encoding="utf-8")`',
    (ast.Call, ast.FormattedValue),
    check,
    Confidence.MEDIUM,
)
