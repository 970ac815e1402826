"""Operations in a reader's words: a sum, a comparison, a value that is read.

Owns the words alone; facts and JSON keep the opcodes.
"""

from __future__ import annotations

_SPOKEN = {
    "add": "sum",
    "sub": "difference",
    "mul": "product",
    "div": "quotient",
    "floordiv": "whole quotient",
    "mod": "remainder",
    "neg": "negation",
    "fma": "fused multiply-add",
    "muladd": "product and sum",
    "product_error": "rounding error of a product",
    "copysign": "sign copied",
    "trunc": "truncation",
    "floor": "rounding down",
    "ceil": "rounding up",
    "round": "rounding",
    "flush": "flush to zero",
    "xor": "exclusive or",
    "sqrt": "square root",
    "abs": "absolute value",
    "min": "minimum",
    "max": "maximum",
    "const": "number",
    "get": "variable",
    "set": "assignment",
    "load": "value read",
    "store": "value stored",
    "copy": "copy",
    "zero": "zeroing",
    "local": "local memory",
    "table": "table",
    "field": "field",
    "component": "component",
    "element": "element",
    "row": "row",
    "slice": "slice",
    "view": "view",
    "flat": "view",
    "length": "length",
    "allocate": "local array",
    "index": "index",
    "bound": "bound",
    "overflow": "overflow check",
    "own": "index of an iteration",
    "lt": "comparison",
    "le": "comparison",
    "gt": "comparison",
    "ge": "comparison",
    "eq": "comparison",
    "ne": "comparison",
    "and": "and",
    "or": "or",
    "not": "not",
    "shl": "shift",
    "shr": "shift",
    "select": "choice",
    "narrow": "conversion",
    "convert": "conversion",
    "bitcast": "bits of another type",
    "apart": "test for the same memory",
    "rotl": "rotation",
    "rotr": "rotation",
    "popcount": "count of ones",
    "clz": "count of leading zeros",
    "ctz": "count of trailing zeros",
    "assert": "assertion",
    "if": "branch",
    "for": "loop",
    "while": "loop",
    "parallel": "parallel range",
    "line": "line",
    "state": "state",
}
_FORMS = {"convert to ": "conversion to ", "bitcast to ": "bits as "}


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "neg": "-",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
    "and": "&", "or": "|", "xor": "^", "not": "~", "shl": "<<", "shr": ">>",
}  # fmt: skip


def signed(opcode: str) -> str:
    """An operator as the source has it; of others the words."""
    return _SIGNS.get(opcode, spoken(opcode))


def spoken(opcode: str) -> str:
    """An operation or statement, as facts name it, in words; a name that needs none as it is."""
    for form, words in _FORMS.items():
        if opcode.startswith(form):
            return words + opcode.removeprefix(form)
    return _SPOKEN.get(opcode, opcode)
