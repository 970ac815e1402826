"""The kernels of a simulation and the loops over worlds as one module, and its code."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from samebits.backend.objects import CompiledObject
from samebits.backend.request import Request
from samebits.backend.targets.table import Target
from samebits.compiling import lock
from samebits.errors import SimulationError
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import HostFunction, Module
from samebits.lang.executions import executions
from samebits.lang.stacks import with_room
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.runtime.cache import current_cache
from samebits.runtime.objects.library import cached, compiled_here
from samebits.sim.batch.learning_loops import COUNT, LEARN, OBSERVE, LearningKernels, add_learning
from samebits.sim.batch.loops import HASHES, RESET, RUN, Kernels, add_loops
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.cosmetic import fast_paths
from samebits.sim.definition import SimulationDefinition
from samebits.sim.learning import Learning
from samebits.sim.program import Program
from samebits.sim.state.hashing import HASH, hash_functions
from samebits.types import StructType

ENTRIES = (RESET, RUN, HASHES)
LEARNING_ENTRIES = (LEARN, COUNT, OBSERVE)
_made: WeakKeyDictionary[Program, BatchProgram] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class BatchProgram:
    """The loops over worlds of a simulation's program, before the passes, with its `entries`."""

    module: Module
    state: StructType
    input: StructType
    entries: tuple[str, ...]

    @classmethod
    def of(cls, simulation: SimulationDefinition) -> BatchProgram:
        """The loops for a simulation, made once. Raises CompileError, SimulationError."""
        program = simulation.program
        found = _made.get(program)
        if found is None:
            found = with_room(lambda: cls._built(program, simulation))
            _made[program] = found
        return found

    @classmethod
    def _built(cls, program: Program, simulation: SimulationDefinition) -> BatchProgram:
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
            entries = ENTRIES
            if simulation.learning is not None:
                _add_learning(module, program, simulation, simulation.learning, seeds.function.name)
                entries += LEARNING_ENTRIES
            return cls(module, program.state, program.input, entries)

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
        return Request(self.module, self.entries, target, 3)


def _add_learning(
    module: Module,
    program: Program,
    simulation: SimulationDefinition,
    learning: Learning,
    seed: str,
) -> None:
    """Link the kernels of learners, and append their loops."""
    names: dict[str, str] = {}
    for what, kernel in (
        ("observe", learning.observe), ("reward", learning.reward), ("done", learning.done),
    ):  # fmt: skip
        if kernel is None:
            continue
        kernel = kernel.within(simulation.options)
        unit = compile_kernel(kernel, kernel.signature.resolve(()))
        states = {0, 1} if what == "reward" else {0}
        if unit.written & states:
            raise SimulationError(
                f"simulation '{simulation.name}': {what} changes the state",
                span=unit.function.span,
                note="only `init` and `step` may: what is not replayed would change the bits",
                fix="compute it in a local name",
            )
        linked = link(unit)
        for _, span in fast_paths(linked, [unit.function.name]):
            raise SimulationError(
                f"simulation '{simulation.name}': {what} reaches FAST code, whose bits differ "
                "between targets",
                span=span,
                fix="make it sb.DETERMINISTIC",
            )
        lowered = lower_float_modes(linked)
        for name, function in lowered.functions.items():
            module.functions.setdefault(name, function)
        module.tables.update(lowered.tables)
        names[what] = unit.function.name
    f = module.functions
    kernels = LearningKernels(
        f[program.init],
        f[program.step],
        f[seed],
        f[names["observe"]],
        f[names["reward"]] if "reward" in names else None,
        f[names["done"]] if "done" in names else None,
        learning.by_player,
        simulation.players,
    )
    add_learning(module, program.state, program.input, learning.seen, kernels)
