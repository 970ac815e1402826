"""Functions of the math library that are compiled once for all kernels.

They are cold functions, cold copies, and functions called outside loops.

Owns their kinds, keys and symbols. Knows the typed IR, not how it becomes text, nor where objects
are stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from samebits.backend.objects import symbol_of
from samebits.backend.targets.table import Target
from samebits.backend.text.profiles import COLD_PASSES, SPEED, CodegenProfile
from samebits.ir.grammar import Function, Module, Op, walk
from samebits.ir.once import Once, callees
from samebits.ir.text import print_module

Kind = Literal["cold", "copy", "call"]
"""A cold function; a cold copy; a function called outside loops, which gets all passes."""

LEAST_CALLED = 32
"""Fewest statements, callees included, of a function that is shared for calls outside loops: a call
costs a nanosecond or two. Smaller ones take no time to compile."""

_ONE = replace(SPEED, vectorise=False, slp=False)
SHARED_PROFILES: Mapping[Kind, CodegenProfile] = {
    "cold": replace(_ONE, passes=COLD_PASSES),
    "copy": replace(_ONE, passes=COLD_PASSES, optnone=True),
    "call": _ONE,
}
"""The compilation of each kind. No row changes a result's bits."""


@dataclass(frozen=True, slots=True)
class SharedFunction:
    """One function with all that it reaches. If a kernel has many cold functions, these are
    compiled without optimised code generation (`optnone`), and whatever calls them calls such
    ones."""

    name: str
    kind: Kind
    optnone: bool
    module: Module
    key: str
    """Equal only for equal IR, compiled for one target in one way."""

    @property
    def symbol(self) -> str:
        """The symbol in LLVM text."""
        return f"@{symbol_of(self.key)}"

    @property
    def profile(self) -> CodegenProfile:
        profile = SHARED_PROFILES[self.kind]
        return replace(profile, optnone=True) if self.optnone and self.kind == "cold" else profile


def shared_function(
    module: Module, name: str, kind: Kind, optnone: bool, target: Target
) -> SharedFunction:
    """The shared form of a function of `module`."""
    also = kind, optnone, target
    function = module.functions[name]

    def make() -> SharedFunction:
        return _made(module, function, kind, optnone, target)

    found = _MADE.of(function, make, also)
    return found if _is_in(module, found.module) else make()


def _is_in(module: Module, part: Module) -> bool:
    """Whether the functions and tables of `part` are still those of `module`."""
    functions, tables = module.functions, module.tables
    return all(functions.get(n) is f for n, f in part.functions.items()) and all(
        tables.get(n) is t for n, t in part.tables.items()
    )


_MADE: Once[SharedFunction] = Once()


def _made(
    module: Module, function: Function, kind: Kind, optnone: bool, target: Target
) -> SharedFunction:
    functions: dict[str, Function] = {}

    def add(name: str) -> None:
        for callee in callees(module.functions[name]):
            if callee not in functions:
                add(callee)
        functions[name] = module.functions[name]

    add(function.name)  # in an order that does not depend on what else the module has
    read = {
        str(s.attr)
        for f in functions.values()
        for s in walk(f.body)
        if isinstance(s, Op) and s.opcode == "table"
    }
    part = Module(functions, {name: module.tables[name] for name in sorted(read)})
    state = hashlib.blake2b(digest_size=20)
    for text in (print_module(part), function.name, kind, str(optnone), repr(target)):
        data = text.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return SharedFunction(function.name, kind, optnone, part, state.hexdigest())
