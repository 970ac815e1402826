"""The kernels of a simulation and the loops over worlds as one module, and its code."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.backend.objects import CompiledObject
from samebits.backend.request import Request
from samebits.backend.targets.table import Target
from samebits.compiling import lock
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import HostFunction, Module
from samebits.lang.executions import executions
from samebits.lang.stacks import with_room
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.runtime.cache import current_cache
from samebits.runtime.objects.library import cached, compiled_here
from samebits.sim.batch.loops import HASHES, RESET, RUN, Kernels, add_loops
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.program import Program
from samebits.sim.state.hashing import HASH, hash_functions

ENTRIES = (RESET, RUN, HASHES)


@dataclass(frozen=True, eq=False)
class BatchProgram:
    """The loops over worlds of a simulation's program, before the passes; entries are `ENTRIES`."""

    program: Program
    module: Module

    @classmethod
    def of(cls, program: Program) -> BatchProgram:
        """The loops for a program."""
        return with_room(lambda: cls._built(program))

    @classmethod
    def _built(cls, program: Program) -> BatchProgram:
        with lock():
            seeds = compile_kernel(episode_seed, episode_seed.signature.resolve(()))
            linked = lower_float_modes(link(seeds))
            functions = {**program.kernels.functions, **linked.functions}
            module = Module(functions, {**program.kernels.tables, **linked.tables})
            for function in hash_functions(program.state):
                functions[function.name] = function
            kernels = Kernels(
                functions[program.init],
                functions[program.step],
                functions[HASH],
                functions[seeds.function.name],
            )
            add_loops(module, program.state, program.input, kernels)
            return cls(program, module)

    def cached(self, target: Target) -> CompiledObject:
        """Object code for this process's threads, from the compile cache where it is there."""
        request = self.request(target)
        hosts = any(isinstance(f, HostFunction) for f in self.module.functions.values())
        store = None if hosts else current_cache()

        def make() -> CompiledObject:
            def compiled() -> CompiledObject:
                with lock(), executions.pinned():  # constants are folded with this thread's
                    return compiled_here(request, store)

            return with_room(compiled)

        return cached(request, store, make)[0]

    def request(self, target: Target) -> Request:
        """What a compiler for a target is asked for."""
        return Request(self.module, ENTRIES, target, 3)
