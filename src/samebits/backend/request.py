"""A request to compile, as data: a module, its entries, and the target.

Loads the passes and LLVM on demand: a process that finds its objects in the cache needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samebits.backend.text.overrides import NONE, CodegenOverrides
from samebits.ir.grammar import Module
from samebits.modes import STRICT, Mode

if TYPE_CHECKING:
    from samebits.backend.objects import CompiledObject
    from samebits.backend.targets.table import Target


@dataclass(frozen=True, eq=False)
class Request:
    """`module` is before the passes, its float modes lowered, the entries in `mode`; `opt` is 0
    or 3. `passed` returns the module after the passes, if the caller makes it."""

    module: Module
    entries: Sequence[str]
    target: Target
    opt: int = 3
    ranges: Sequence[str] = ()
    mode: Mode = STRICT
    overrides: CodegenOverrides = NONE
    passed: Callable[[], Module] | None = None

    @property
    def optimised(self) -> Module:
        """The module after the passes, the input of the backend."""
        if self.passed is not None:
            return self.passed()
        from samebits.passes.pipeline import optimise

        names = [*self.entries, *self.ranges]
        return optimise(self.module, names, blocks=self.target.has_wide_vectors)

    @property
    def is_debugged(self) -> bool:
        """Whether a kernel of the module has `debug_info`, an entry or one that is called: the
        whole module is then compiled for a debugger."""
        return any(function.options.debug_info for function in self.module.functions.values())

    def debuggable(self) -> CompiledObject:
        """The object for this process and a debugger: as the source is written, no pass run over
        it. A loop need not be vectorised in it. Raises CompileError."""
        from samebits.backend.llvm.compile import compile_module
        from samebits.passes.dead import drop_dead_functions

        reached = drop_dead_functions(self.module, [*self.entries, *self.ranges])
        return compile_module(
            reached, self.entries, self.target, 0, vectorise=False,
            ranges=self.ranges, threads=True, overrides=self.overrides, debug=True,
        )  # fmt: skip

    def compiled(self, *, threads: bool = False) -> CompiledObject:
        """The object, which shares no functions; with `threads` it is for this process, whose
        thread team runs its parallel ranges. Raises CompileError."""
        from samebits.backend.llvm.compile import compile_module

        return compile_module(
            self.optimised, self.entries, self.target, self.opt,
            ranges=self.ranges, threads=threads, overrides=self.overrides,
        )  # fmt: skip
