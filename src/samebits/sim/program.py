"""A simulation's kernels as one IR module with three entries: init, run over frames, hash.

Owns the frame loop, which is IR like the kernels, so that every target runs the same one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from samebits.backend.objects import CompiledObject
from samebits.backend.request import Request
from samebits.backend.targets.table import Target
from samebits.backend.text.overrides import NONE, CodegenOverrides
from samebits.compiling import lock
from samebits.errors import TargetError
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, HostFunction, Module, plain_name
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.stacks import with_room
from samebits.modes import DEFAULTS, Goal
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes, rewrites
from samebits.passes.without_output import without_output
from samebits.runtime.cache import current_cache
from samebits.runtime.emulation.machines import EmulatedProgram
from samebits.runtime.objects.library import cached, compiled_here
from samebits.sim.cosmetic import refuse_fast
from samebits.sim.state.hashing import HASH, PACK, hash_functions, word_type
from samebits.sim.state.unpacking import (
    UNPACK,
    UNPACK_INPUTS,
    unpack_function,
    unpack_inputs_function,
)
from samebits.types import INT, UINT64, ArrayType, RefType, StructType

RUN = "samebits.run"
FILE = "samebits/sim/program.py"


@dataclass(frozen=True, eq=False)
class Program:
    """`kernels` holds init, step and what they call; `module` the frame loop and hash besides.

    `rewritten` is the name of a kernel that DETERMINISTIC rewrites, if there is one: then the
    managed run, which follows the source, is no reference. Code has `overrides` where a diagnosis
    wants them.
    """

    state: StructType
    input: StructType
    init: str
    step: str
    kernels: Module
    module: Module
    rewritten: str | None = None
    overrides: CodegenOverrides = NONE
    _objects: dict[tuple[Target, int, bool], CompiledObject] = field(
        default_factory=dict[tuple[Target, int, bool], CompiledObject], init=False, repr=False
    )
    _programs: dict[tuple[Target, int], EmulatedProgram] = field(
        default_factory=dict[tuple[Target, int], EmulatedProgram], init=False, repr=False
    )

    @property
    def memory(self) -> StructType:
        """What lies where the kernels' state does: a `state`, with what no hash or file sees
        behind it in a build that has such a thing."""
        return state_memory(self.kernels, self.step)

    def with_kernels(self, kernels: Module, goal: Goal | None = "compile_time") -> Program:
        """The same simulation with other kernels, their float modes lowered, and the same entries.

        The state that they take may have more fields behind its own, which start as zeros and
        live as long as the state, and which the hash and saved states leave out. What is changed
        for a diagnosis runs for a few frames, so it is compiled for "compile_time"; without a
        `goal` for that of the step.
        """
        module = _assembled(self.state, self.input, self.step, kernels, goal)
        return replace(self, kernels=kernels, module=module)

    @property
    def entries(self) -> tuple[str, str, str, str]:
        """`init(state, seed)`, `run(state, shadow, inputs, hashes, words, done)`,
        `hash(state, words)` and its inverse, `unpack(state, words)`."""
        return self.init, RUN, HASH, UNPACK

    @property
    def own_entries(self) -> tuple[str, str, str, str, str]:
        """As `entries`, then `pack(state, words)`, the hash without its sum; for this process."""
        return *self.entries, PACK

    @property
    def exported_entries(self) -> tuple[str, str, str, str, str]:
        """As `entries`, then `unpack_inputs(inputs, words)`, by which a host of another byte
        order fills memory."""
        return *self.entries, UNPACK_INPUTS

    def compiled(self, target: Target, opt: int, exported: bool = False) -> CompiledObject:
        """Object code for one target, compiled by this process, once; `exported` says whether it
        has `exported_entries`, for anywhere, or `own_entries`, for this process's threads."""
        found = self._objects.get((target, opt, exported))
        if found is None:
            if exported and self._hosts:
                raise TargetError(
                    f"{self._hosts[0]} is a function of this machine, which code for elsewhere "
                    "cannot call"
                )
            found = with_room(lambda: self._made(target, opt, exported))
            self._objects[target, opt, exported] = found
        return found

    def _made(self, target: Target, opt: int, exported: bool) -> CompiledObject:
        request = self._request(target, opt, exported)
        with lock(), executions.pinned():  # constants are folded with this thread's arithmetic
            return request.compiled() if exported else compiled_here(request, current_cache())

    def _request(self, target: Target, opt: int, exported: bool = False) -> Request:
        def passed() -> Module:
            return self._with_more(self._ready(target)) if exported else self._own(target)

        entries = self.exported_entries if exported else self.own_entries
        return Request(self.module, entries, target, opt, overrides=self.overrides, passed=passed)

    @cached_property
    def _hosts(self) -> list[str]:
        """The functions of this machine, whose addresses hold for this process."""
        return [n for n, f in self.kernels.functions.items() if isinstance(f, HostFunction)]

    def emulated(self, target: Target, opt: int) -> EmulatedProgram:
        """A program for one target, linked once, with `exported_entries`. Raises RunnerError."""
        found = self._programs.get((target, opt))
        if found is None:
            compiled = self.compiled(target, opt, exported=True)
            found = EmulatedProgram(compiled, len(self.exported_entries), target)
            self._programs[target, opt] = found
        return found

    def cached(self, target: Target, opt: int) -> CompiledObject:
        """As `compiled`, from the compile cache where it is there."""
        store = None if self._hosts or self.overrides != NONE else current_cache()
        make = partial(self.compiled, target, opt)
        found, _ = cached(self._request(target, opt), store, make)
        return found

    @cached_property
    def optimised(self) -> Module:
        """The module after the passes that serve every target."""
        return optimise(self.module, self.entries, blocks=False)

    @cached_property
    def _optimised_for_wide_vectors(self) -> Module:
        return optimise(self.module, self.entries)

    def _ready(self, target: Target) -> Module:
        return self._optimised_for_wide_vectors if target.has_wide_vectors else self.optimised

    def _own(self, target: Target) -> Module:
        return optimise(self.module, self.own_entries, blocks=target.has_wide_vectors)

    @cached_property
    def exported(self) -> Module:
        """As `optimised`, with what `exported_entries` has more, and without prints, which nobody
        would read."""
        return self._with_more(self.optimised)

    def _with_more(self, module: Module) -> Module:
        module = without_output(module)
        more = unpack_inputs_function(self.input)
        functions = {**module.functions, more.name: more}
        return Module(functions, self.module.tables)


def build_program(state: StructType, input: StructType, init: Kernel, step: Kernel) -> Program:
    """Compile and link both kernels and the loop around them.

    Raises CompileError, and SimulationError where FAST code could reach the state.
    """
    linked = link_kernels(init, step)
    refuse_fast(linked.kernels, (linked.init, linked.step))
    return assemble(state, input, linked)


@dataclass(frozen=True, eq=False)
class Linked:
    """Both kernels of a simulation and what they call, their options not yet seen to."""

    kernels: Module
    init: str
    step: str


def link_kernels(init: Kernel, step: Kernel) -> Linked:
    """Compile and link both kernels. Raises CompileError."""
    units = [compile_kernel(kernel, kernel.signature.resolve(())) for kernel in (init, step)]
    kernels = Module()
    for unit in units:
        linked = link(unit)
        kernels.functions.update(linked.functions)
        kernels.tables.update(linked.tables)
    return Linked(kernels, *(unit.function.name for unit in units))


def assemble(state: StructType, input: StructType, linked: Linked) -> Program:
    """The program of linked kernels, whatever their modes: nothing is refused here."""
    rewritten = next(iter(rewrites(linked.kernels)), None)
    reordered = None if rewritten is None else plain_name(linked.kernels.functions[rewritten])
    kernels = lower_float_modes(linked.kernels)
    module = _assembled(state, input, linked.step, kernels)
    return Program(state, input, linked.init, linked.step, kernels, module, reordered)


def state_memory(kernels: Module, step: str) -> StructType:
    """The struct that `step` takes as the state."""
    _, t = kernels.functions[step].params[0]
    assert isinstance(t, RefType)
    assert isinstance(t.target, StructType)
    return t.target


def _assembled(
    state: StructType, input: StructType, step: str, kernels: Module, goal: Goal | None = None
) -> Module:
    """Kernels with the frame loop and the hash, for a goal or that of the step."""
    module = Module(dict(kernels.functions), kernels.tables)
    memory = state_memory(kernels, step)
    pack_hash = hash_functions(state, memory)
    run = _run(state, memory, input, kernels.functions[step], pack_hash[-1])
    if goal is not None:
        run.options = replace(run.options, optimize_for=goal)
    for function in (*pack_hash, run, unpack_function(state, memory)):
        module.functions[function.name] = function
    return module


def _run(
    state: StructType, memory: StructType, input: StructType, step: Function, hash_: Function
) -> Function:
    """The frame loop: before each step the state is copied to `shadow`, so that a trap in the
    step leaves the last whole frame's state there; `done` counts the whole frames."""
    b = Builder(
        RUN,
        {
            "state": RefType(memory),
            "shadow": RefType(memory),
            "inputs": ArrayType(input, 2, readonly=True),
            "hashes": ArrayType(UINT64, 1),
            "words": ArrayType(word_type(state), 1),
            "done": ArrayType(UINT64, 1),
        },
        slots={"frame": INT},
        file=FILE,
    )
    b.function.options = replace(DEFAULTS, optimize_for=step.options.optimize_for)
    zero = b.const(INT, 0)
    frames = b.length(b.get("inputs"))
    loop = b.for_("frame", zero, frames)
    with b.into(loop.body):
        b.emit("copy", b.get("shadow"), b.get("state"))
        b.call(step, b.get("state"), b.row(b.get("inputs"), b.get("frame")))
        (value,) = b.call(hash_, b.get("state"), b.get("words"))
        b.store(b.element(b.get("hashes"), b.get("frame")), value)
        count = b.op("add", b.to(UINT64, b.get("frame")), b.const(UINT64, 1))
        b.store(b.element(b.get("done"), zero), count)
    return b.ret()
