"""Python names as C and JavaScript ones: valid, unreserved, unique."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from samebits.types import (
    COMPOSITES,
    FixedArrayType,
    MatrixType,
    MemoryType,
    StructType,
    VectorType,
)

_RESERVED = frozenset(
    re.findall(
        r"\S+",
        """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const consteval constexpr constinit
    const_cast continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
    restrict return short signed sizeof static static_assert static_cast struct switch template
    this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned
    using virtual void volatile wchar_t while xor xor_eq
    NULL offsetof linux unix i386 near far small interface errno stdin stdout stderr
    constructor prototype __proto__
    """,
    )
)
"""Keywords of C and C++, macros that common headers define, and names with a meaning in
JavaScript objects."""

FUNCTIONS = (
    "init", "step", "run", "hash", "save", "restore", "input_save", "input_restore", "scratch",
    "digest", "trap", "trap_message", "trap_file", "trap_function", "trap_line", "assert",
    "entry_init", "entry_step", "entry_run", "entry_hash", "level", "set_level", "report",
    "history", "xxh64", "peer", "peer_group", "peer_event", "peer_options", "peer_status",
    "peer_open", "peer_receive", "peer_tick", "peer_send", "peer_next_event", "peer_state",
    "peer_get_status", "peer_hash", "peer_inputs", "peer_reconnect", "peer_pause", "peer_go_on",
    "peer_leave", "peer_report",
)  # fmt: skip
"""The endings of a header's names, besides those of structs."""


def file_name(simulation: str) -> str:
    """The simulation's name as a C identifier, which also names its files."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", simulation).strip("_") or "simulation"
    return f"sim_{name}" if name[0].isdigit() else name


def member_names(names: Iterable[str]) -> dict[str, str]:
    """A C name for each of a struct's fields: its own wherever C and C++ allow it."""
    names = list(names)
    result = {name: name for name in names if name == _ascii(name) and name not in _RESERVED}
    used = {*result, *_RESERVED}
    for name in names:
        if name not in result:
            result[name] = _ascii(name) + "_"
            while result[name] in used:
                result[name] += "_"
            used.add(result[name])
    return result


def struct_names(types: Iterable[StructType]) -> dict[StructType, str]:
    """A C name, without the header's prefix, for each struct type."""
    result: dict[StructType, str] = {}
    used = {*FUNCTIONS, *COMPOSITES}
    for t in types:
        plain = wanted = _ascii(t.name)
        k = 1
        while wanted in used:
            k += 1
            wanted = f"{plain}_{k}"
        used.add(wanted)
        result[t] = wanted
    return result


def _ascii(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def structs_in(*roots: MemoryType) -> list[StructType]:
    """Every struct type inside `roots`, each once, parts before wholes."""
    return [t for t in _parts(roots) if isinstance(t, StructType)]


def vectors_in(*roots: MemoryType) -> list[VectorType]:
    """Every vector type inside `roots`, each once."""
    return [t for t in _parts(roots) if isinstance(t, VectorType)]


def _parts(roots: Iterable[MemoryType]) -> dict[MemoryType, None]:
    return dict.fromkeys(t for root in roots for t in _walk(root))


def _walk(t: MemoryType) -> Iterator[MemoryType]:
    if isinstance(t, FixedArrayType):
        yield from _walk(t.element)
    elif isinstance(t, StructType):
        for _, field_type in t.fields:
            yield from _walk(field_type)
    elif isinstance(t, MatrixType):
        yield t.column
    yield t
