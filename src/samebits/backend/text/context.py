"""What a function that is emitted needs to know of its module, and its own shape in LLVM."""

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
    """What a function needs to know of the module that it is emitted into."""

    @property
    def target(self) -> Target: ...

    @property
    def profile(self) -> CodegenProfile: ...

    @property
    def vector_dominated(self) -> bool:
        """Whether nearly all code is of functions with rare inputs that loops call."""
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
        """The function as one that is kept out of line for rare inputs, if it is such a one."""
        ...

    def is_inlined(self, name: str) -> bool:
        """Whether every call of the function becomes its body."""
        ...

    def is_only_entered(self, name: str) -> bool:
        """Whether one entry or range is all that calls the function, and nearly all that it holds
        is functions that become vectors. LLVM inlines it there in any case, but only after all of
        its passes, which gain nothing by a second run over such functions."""
        ...

    def is_cold(self, name: str) -> bool:
        """Whether the function is rare, or only rare functions lead to it."""
        ...

    def symbol(self, name: str) -> str:
        """LLVM's name of a function: its own, or that of its shared form."""
        ...

    def cold_copy(self, name: str) -> str:
        """The symbol of a copy of a function for code that seldom runs: one with an
        `inlined_size` and a result."""
        ...

    def inlined_size(self, name: str) -> int:
        """Statements that come in place of a call, those of its callees included; 0 where the
        call stays or may trap."""
        ...

    def owns(self, name: str) -> bool:
        """Whether the function checks own indices: its last parameter then is where to put the
        numbers of a trap."""
        ...

    def is_called_twice(self, name: str) -> bool:
        """Whether the function's turns run in line and on threads: one copy of them is enough."""
        ...

    def parallel_range(self, name: str) -> str:
        """The symbol of a range function for a parallel body; empty where the module is to run
        its turns in line."""
        ...

    def divides(self, name: str) -> bool:
        """Whether a function, or what it calls, divides integers by a variable."""
        ...

    @property
    def locations(self) -> Locations | None:
        """Where statements' source locations are kept, if they are wanted in the text."""
        ...

    def loop(
        self, inside: EmittedCounts, function: str, statement: For | While, location: int
    ) -> str:
        """The metadata of a loop of `function` with `inside` in it; empty where LLVM is to choose.
        `location` is the loop's number, or 0."""
        ...

    def access_group(self) -> str:
        """The metadata node of a new access group."""
        ...


DIVISIONS = frozenset({"floordiv", "mod"})


_X87_RESULTS = 2


def returned(function: Function, traps: bool, target: Target) -> list[str]:
    """What the LLVM function returns: status first, if it can trap, then the results, and then
    what keeps them out of x87's registers."""
    items = ["i32"] * traps + [scalar(t) for t in function.results]
    over = sum(t.is_float for t in function.results) - target.float_results
    if target.float_results and 0 < over <= _X87_RESULTS:
        items += ["float"] * (_X87_RESULTS + 1 - over)
    return items


def return_type(function: Function, traps: bool, target: Target) -> str:
    """Of what it returns, one type."""
    items = returned(function, traps, target)
    if not items:
        return "void"
    return items[0] if len(items) == 1 else "{ " + ", ".join(items) + " }"
