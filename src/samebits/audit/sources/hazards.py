"""The rules of C and C++ sources, one function a rule: a cursor to what is wrong there.

Knows libclang's cursors, not how files are found or parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from samebits.audit.rules.imports import rule_of_import

Hit = tuple[str, str]
"""A rule's code and a clause on what the code does there, with how sure that is."""

_UNORDERED = re.compile(r"\bunordered_(?:flat_|node_)?(?:multi)?(?:map|set)\b|\bhash_(?:map|set)\b")
_POINTER_KEYED = re.compile(r"\b(?:multi)?(?:map|set)<[^<>,]*\*(?: const)?(?:,|>)")
_LIBRARY_RANDOM = re.compile(
    r"\b(?:\w+_distribution|default_random_engine|random_shuffle|generate_canonical)\b"
)
_ORDERED_BY_LIBRARY = frozenset({"shuffle", "sample", "random_shuffle", "generate_canonical"})
_PURE = frozenset(
    (
        "sqrt", "sqrtf", "fabs", "fabsf", "abs", "labs", "min", "max", "clamp", "floor", "ceil",
        "floorf", "ceilf", "size", "length", "empty", "begin", "end", "cbegin", "cend", "data",
        "get", "at", "front", "back", "c_str", "move", "forward", "make_pair", "make_tuple", "tie",
        "ref", "cref", "sin", "cos", "tan", "sinf", "cosf", "tanf", "exp", "log", "pow", "powf",
        "fmin", "fmax", "fminf", "fmaxf", "to_string",
    )
)  # fmt: skip
"""Functions without effects, by name."""
_FLOATS = frozenset({"FLOAT", "DOUBLE", "LONGDOUBLE", "HALF", "FLOAT128"})
_INTS = frozenset({"CHAR_S", "CHAR_U", "SCHAR", "UCHAR", "SHORT", "USHORT", "INT", "UINT", "LONG",
                   "ULONG", "LONGLONG", "ULONGLONG", "INT128", "UINT128"})  # fmt: skip
_CASTS = frozenset({"CSTYLE_CAST_EXPR", "CXX_STATIC_CAST_EXPR", "CXX_FUNCTIONAL_CAST_EXPR",
                    "VAR_DECL", "RETURN_STMT", "BINARY_OPERATOR"})  # fmt: skip
_WRITES = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")


def _kind(cursor: Any) -> str:
    try:
        return str(cursor.kind.name)
    except ValueError:  # a kind that these bindings do not know
        return ""


def _type(cursor: Any) -> str:
    return str(cursor.type.get_canonical().kind.name)


def _inside(cursor: Any) -> Iterator[Any]:
    """The cursors below one, without the bodies of lambdas, which run later."""
    for child in cursor.get_children():
        if _kind(child) != "LAMBDA_EXPR":
            yield child
            yield from _inside(child)


def _effects(argument: Any) -> tuple[set[str], bool]:
    """The functions that an argument calls which may have effects, and whether it writes."""
    called: set[str] = set()
    writes = False
    for cursor in (argument, *_inside(argument)):
        kind = _kind(cursor)
        if kind == "CALL_EXPR":
            target = cursor.referenced
            name = str(cursor.spelling)
            if not name or name.startswith("operator") or name in _PURE or target is None:
                continue
            if _kind(target) in ("CONSTRUCTOR", "CONVERSION_FUNCTION"):
                continue
            if _kind(target) == "CXX_METHOD" and target.is_const_method():
                continue
            called.add(name)
        elif kind in ("UNARY_OPERATOR", "BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"):
            words = [str(token.spelling) for token in cursor.get_tokens()]
            writes = writes or any(_WRITES.fullmatch(word) for word in words)
            writes = writes or kind == "COMPOUND_ASSIGNMENT_OPERATOR"
    return called, writes


def argument_order(cursor: Any) -> Iterator[Hit]:
    """Calls two of whose arguments have effects."""
    if _kind(cursor) != "CALL_EXPR" or str(cursor.spelling).startswith("operator"):
        return
    arguments = list(cursor.get_arguments())
    if len(arguments) < 2:
        return
    effects = [_effects(argument) for argument in arguments]
    active = [(called, writes) for called, writes in effects if called or writes]
    if len(active) < 2:
        return
    shared = active[0][0] & active[1][0]
    every: set[str] = set()
    for called, _ in active:
        every |= called
    names = sorted(every)
    sure = "high" if shared or any(writes for _, writes in active) else "medium"
    what = f"calls {', '.join(names[:3])}" if names else "writes variables"
    yield "AU501", f"{cursor.spelling or 'a call'}: more than one argument {what} ({sure})"


def iteration_order(cursor: Any) -> Iterator[Hit]:
    """Loops in the order of hashes or addresses."""
    kind = _kind(cursor)
    if kind == "CXX_FOR_RANGE_STMT":
        children = list(cursor.get_children())[:-1]
    elif kind == "CALL_EXPR" and cursor.spelling in ("begin", "cbegin"):
        children = list(_inside(cursor))
    else:
        return
    texts = [str(child.type.get_canonical().spelling) for child in children]
    if any(map(_UNORDERED.search, texts)):
        yield "AU502", "goes through an unordered container (high)"
    elif any(map(_POINTER_KEYED.search, texts)):
        yield "AU503", "goes through a container that is ordered by addresses (high)"


def randomness(cursor: Any) -> Iterator[Hit]:
    """What C++'s library leaves open about random numbers, and the C library's."""
    kind = _kind(cursor)
    if kind in ("VAR_DECL", "FIELD_DECL"):
        found = _LIBRARY_RANDOM.search(str(cursor.type.get_canonical().spelling))
        if found is not None:
            yield "AU504", f"std::{found[0]} has other numbers in each library (high)"
    elif kind == "CALL_EXPR" and cursor.referenced is not None:
        name = str(cursor.spelling)
        in_library = bool(cursor.referenced.location.is_in_system_header)
        if name in _ORDERED_BY_LIBRARY and in_library:
            yield "AU504", f"std::{name} draws as each library likes (high)"
        elif rule_of_import(name) == "AU304" and _kind(cursor.referenced) == "FUNCTION_DECL":
            yield "AU505", f"calls {name} (high)"


def float_to_int(cursor: Any) -> Iterator[Hit]:
    """Conversions of floats to integers, which differ out of range."""
    if _kind(cursor) not in _CASTS or _type(cursor) not in _INTS:
        return
    for child in cursor.get_children():
        inner = child
        while _kind(inner) == "UNEXPOSED_EXPR" and _type(inner) in _INTS:
            deeper = list(inner.get_children())
            if len(deeper) != 1:
                break
            inner = deeper[0]
        if _type(inner) in _FLOATS and _kind(cursor) != "BINARY_OPERATOR":
            yield "AU506", f"{_type(inner).lower()} to {cursor.type.spelling} (low)"
            return


def long_double(cursor: Any) -> Iterator[Hit]:
    """Declarations of long double."""
    if _kind(cursor) in ("VAR_DECL", "FIELD_DECL", "PARM_DECL") and _type(cursor) == "LONGDOUBLE":
        yield "AU507", f"{cursor.spelling} is a long double (high)"


def double_constants(cursor: Any) -> Iterator[Hit]:
    """A float that is widened for a constant without an f."""
    if _kind(cursor) != "BINARY_OPERATOR" or _type(cursor) != "DOUBLE":
        return
    children = list(cursor.get_children())
    literals = [c for c in children if _kind(c) == "FLOATING_LITERAL" and _type(c) == "DOUBLE"]
    widened = [
        c
        for c in children
        if _kind(c) == "UNEXPOSED_EXPR" and any(_type(d) == "FLOAT" for d in c.get_children())
    ]
    if literals and widened:
        text = "".join(str(token.spelling) for token in literals[0].get_tokens())
        yield "AU508", f"{text} makes a float expression double (low)"


RULES: tuple[Callable[[Any], Iterator[Hit]], ...] = (
    argument_order, iteration_order, randomness, float_to_int, long_double, double_constants,
)  # fmt: skip
