"""SB602: floats that lose bits on their way through text."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_WRITERS = frozenset({"json.dumps", "json.dump", "pickle.dumps", "struct.pack", "yaml.dump",
                      "yaml.safe_dump", "float"})  # fmt: skip


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    if name not in _WRITERS:
        return
    for part in ast.walk(node):
        if part is node:
            continue
        if _is_rounded(part, kinds):
            yield part, f"a float is rounded to a few digits, and goes into `{name}`"


def _is_rounded(node: ast.AST, kinds: Kinds) -> bool:
    match node:
        case ast.Call(func=function, args=[value, _]):
            name = kinds.names.qualified(function)
            return name in ("round", "format") and kinds.of(value) in (Kind.FLOAT, Kind.UNKNOWN)
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=str(spec))])):
            return spec[-1:] in "eEfFgG%" and "." in spec
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return any(f"%.{n}{letter}" in text for n in range(17) for letter in "efg")
        case _:
            return False


ROUNDED_TEXT = LintRule(
    "SB602",
    "rounded-text",
    "the value read back differs from the one written, and so does a restored state",
    "write `repr(x)` or `x.hex()`, which keep every bit (`json` does by itself)",
    (ast.Call,),
    check,
    Confidence.MEDIUM,
)
