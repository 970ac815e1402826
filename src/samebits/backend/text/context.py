"""The module as an emitted function sees it, and a function's signature in LLVM."""

from __future__ import annotations

from typing import Protocol

from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import Target
from samebits.backend.text.cold_calls import ColdFunction
from samebits.backend.text.locations import Locations
from samebits.backend.text.loop_metadata import EmittedCounts
from samebits.backend.text.overrides import CodegenOverrides
from samebits.backend.text.profiles import CodegenProfile
from samebits.backend.text.types import scalar
from samebits.ir.grammar import For, Function, While


class ModuleContext(Protocol):
    """The module that a function is emitted into."""

    @property
    def target(self) -> Target: ...

    @property
    def profile(self) -> CodegenProfile: ...

    @property
    def vector_dominated(self) -> bool:
        """Whether nearly all code is functions with cold callees that loops call."""
        ...

    @property
    def overrides(self) -> CodegenOverrides: ...

    def function(self, name: str) -> Function: ...

    def traps(self, name: str) -> bool:
        """Whether the function can trap, itself or through what it calls."""
        ...

    def trap_status(self, site: TrapSite) -> int:
        """The status, from 1, that stands for `site`."""
        ...

    def table(self, name: str) -> str:
        """The symbol of a constant table of the module."""
        ...

    def helper(self, name: str) -> str:
        """The symbol of a function that the backend provides, such as `fma.f64`."""
        ...

    def cold_function(self, name: str) -> ColdFunction | None:
        """The function as a cold one, which stays out of line; None if it is not cold."""
        ...

    def is_inlined(self, name: str) -> bool:
        """Whether every call of the function becomes its body."""
        ...

    def is_only_entered(self, name: str) -> bool:
        """Whether the function's only caller is one entry or range of a vector-dominated module.
        LLVM inlines it there in any case, but only after all of its passes, which gain nothing by a
        second run over such functions."""
        ...

    def is_cold(self, name: str) -> bool:
        """Whether the function is cold, or reached from cold functions only."""
        ...

    def symbol(self, name: str) -> str:
        """The symbol of a function, or of its shared form."""
        ...

    def cold_copy(self, name: str) -> str:
        """The symbol of the cold copy of a function that has an `inlined_size` and a result."""
        ...

    def inlined_size(self, name: str) -> int:
        """Statements that replace a call, callees included; 0 if the call stays or may trap."""
        ...

    def owns(self, name: str) -> bool:
        """Whether the function checks own indices: its last parameter is then the address for the
        numbers of a trap."""
        ...

    def is_called_twice(self, name: str) -> bool:
        """Whether the function is called both in line and by threads: one copy is enough."""
        ...

    def parallel_range(self, name: str) -> str:
        """The symbol of a range function for a parallel body; empty if the module runs its
        iterations in line."""
        ...

    def divides(self, name: str) -> bool:
        """Whether a function, callees included, divides integers by a variable."""
        ...

    @property
    def locations(self) -> Locations | None:
        """The collected source locations; None if the text has none."""
        ...

    def loop(
        self, inside: EmittedCounts, function: str, statement: For | While, location: int
    ) -> str:
        """The metadata node of a loop of `function` with `inside` in it; empty if LLVM chooses.
        `location` is the loop's location number, or 0."""
        ...

    def access_group(self) -> str:
        """The metadata node of a new access group."""
        ...


DIVISIONS = frozenset({"floordiv", "mod"})


_X87_RESULTS = 2


def returned(function: Function, traps: bool, target: Target) -> list[str]:
    """The types that the LLVM function returns: the status, if it can trap, then the results, then
    padding that keeps them out of x87 registers."""
    items = ["i32"] * traps + [scalar(t) for t in function.results]
    over = sum(t.is_float for t in function.results) - target.float_results
    if target.float_results and 0 < over <= _X87_RESULTS:
        items += ["float"] * (_X87_RESULTS + 1 - over)
    return items


def return_type(function: Function, traps: bool, target: Target) -> str:
    """The return type of the LLVM function."""
    items = returned(function, traps, target)
    if not items:
        return "void"
    return items[0] if len(items) == 1 else "{ " + ", ".join(items) + " }"
