"""A simulation's own kernels under other options than its source gives: mode, precision, flushing.

Owns what "the same simulation, but FAST" means: every kernel that its author wrote, whatever its
decorator says. samebits' own functions stay, except that a precision selects which are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from samebits import math
from samebits.frontend.compile import compile_kernel, link, symbol_of
from samebits.ir.grammar import Module, Op, Region, Statement
from samebits.ir.refs import is_own
from samebits.ir.rewrite import map_region
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.modes import Precision, checked
from samebits.sim.program import Linked
from samebits.types import ScalarType


def with_options(linked: Linked, given: Mapping[str, Any]) -> Linked:
    """A simulation's two kernels and all they call, with the given options.

    Operations keep their ids. Raises ArgumentError for a wrong option.
    """
    options = dict(checked(given))
    precision = options.pop("precision", None)
    functions = dict(linked.kernels.functions)
    tables = dict(linked.kernels.tables)
    for name, function in linked.kernels.functions.items():
        if is_own(name):
            functions[name] = replace(function, options=function.options.merged(options))
    kernels = Module(functions, tables)
    if precision is not None:
        kernels = _Precise(kernels, precision).run()
    return Linked(kernels, linked.init, linked.step)


def _symbol(kernel: Kernel) -> str:
    assert kernel.fixed_types is not None
    return symbol_of(kernel, kernel.fixed_types)


@cache
def _known() -> dict[str, tuple[Overloads, ScalarType]]:
    """The math functions and their float types, by the symbols of their kernels."""
    values = (getattr(math, name) for name in dir(math))
    return {
        _symbol(kernel): (function, t)
        for function in values
        if isinstance(function, Overloads)
        for t, row in function.kernels.items()
        for kernel in dict.fromkeys(row.values())
    }


class _Precise:
    """Redirects the user's kernels to math functions of another precision."""

    def __init__(self, kernels: Module, precision: Precision) -> None:
        self._kernels = kernels
        self._precision = precision
        self._known = _known()
        self._added = Module()

    def run(self) -> Module:
        """The module, with the functions that are now called."""
        old = self._kernels.functions
        own = {
            n: replace(f, body=map_region(f.body, self._statement))
            for n, f in old.items()
            if is_own(n)
        }
        library = {n: f for n, f in old.items() if n not in own}
        # Callees come before their callers.
        functions = {**library, **self._added.functions, **own}
        return Module(functions, {**self._kernels.tables, **self._added.tables})

    def _statement(self, statement: Statement) -> Region:
        if isinstance(statement, Op) and statement.opcode == "call":
            statement = replace(statement, attr=self._callee(str(statement.attr)))
        return [statement]

    def _callee(self, name: str) -> str:
        found = self._known.get(name)
        if found is None:
            return name
        function, t = found
        kernel = function.kernels[t][self._precision]
        symbol = _symbol(kernel)
        if symbol not in self._kernels.functions and symbol not in self._added.functions:
            unit = link(compile_kernel(kernel, kernel.signature.resolve(())))
            self._added.functions.update(unit.functions)
            self._added.tables.update(unit.tables)
        return symbol
