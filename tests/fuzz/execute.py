"""The executions that must agree: managed, evaluated before and after the passes, and compiled.

Each host level compiles at O0 from the front end's IR, and at O3 from what the passes made of it;
the programs of `make test` each at O0 for one of the levels, in turns.

Owns loading programs from source and running one call in each execution. Programs are compiled
many to an object, because starting LLVM costs more than one small kernel.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from samebits.backend.llvm.compile import compile_module
from samebits.backend.llvm.engine import available_targets, load
from samebits.backend.objects import (
    ARENA_KEY,
    OUTPUT,
    RECORDS,
    STATUS_BITS,
    STATUS_MASK,
    TRAP_RECORDS,
    TRAP_WORDS,
    CompiledObject,
)
from samebits.backend.targets.table import Target
from samebits.errors import SamebitsError, Trap
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import array_argument, ref_argument
from samebits.printed import TraceRecord, captured, one_call
from samebits.runtime import arena
from samebits.runtime.cache import current_cache, set_cache_dir
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.objects.output_buffer import OutputBuffer, has_output
from samebits.runtime.threads.pool import set_workers
from samebits.types import ArrayType, ScalarType, StructType, VectorType
from samebits.value_text import filled_from_words
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import DisagreementError, Loaded
from tests.fuzz.outcome import (
    Memory,
    Outcome,
    flatten,
    is_canonical,
    masked,
    passed_bits,
    scalar_bits,
    scalar_value,
    slot_scalar,
    stored_value,
    struct_memory,
    trap_words,
)

HOSTILE_ENVIRONMENTS: tuple[dict[str, int], ...] = (
    {},
    {"mxcsr": 0x9FC0, "fpcr": 0x01000000},  # results and operands flushed
    {"mxcsr": 0x5F80, "fpcr": 0x00400000},  # round up
    {"mxcsr": 0xFFC0, "fpcr": 0x01C00000},  # round to zero, flushed
    {"mxcsr": 0x3F80, "fpcr": 0x00800000},  # round down
)
"""Control registers under which compiled code must give the same bits all the same."""
STICKY = 0x3F
"""Flags of MXCSR that any arithmetic may leave set; FPCR has its controls elsewhere."""

WORKERS = (1, 2, 3, 7)
"""How many threads run the parallel ranges of kernels that are called."""

BREAKDOWNS = (
    SamebitsError, DisagreementError, ArithmeticError, TypeError, ValueError, LookupError,
    AttributeError,
)  # fmt: skip
"""What an execution raises where it has a fault of its own; a Trap is an answer instead."""
CALLED_EVERY = 4
"""One program of so many is also called as users call kernels, which compiles it on its own."""


# Managed


def run_managed(program: Loaded, inputs: InputSet) -> Outcome:
    """The kernel's own Python."""
    return _run_python(program, inputs, program.kernel.managed)


def run_called(program: Loaded, inputs: InputSet, environment: int, managed: bool) -> Outcome:
    """An ordinary call of the kernel, which compiles it for this host, or of `.managed`."""
    call = program.kernel.managed if managed else program.kernel
    return _run_python(program, inputs, lambda *args: in_environment(environment, call, *args))


def _run_python(program: Loaded, inputs: InputSet, call: Callable[..., Any]) -> Outcome:
    memory = Memory(inputs, program.struct_type)
    args = [managed_argument(program, memory, a) for a in inputs.args]
    with captured() as left:
        try:
            result = call(*args)
        except Trap as trap:
            return Outcome(trap_words(trap), (), (), memory.bytes(), told(left))
    values = result if len(program.results) > 1 else (result,)
    scalars: list[int] = []
    structs: list[bytes] = []
    for t, value in zip(program.results, values, strict=False):
        match t:
            case ScalarType():
                scalars.append(scalar_bits(t, value))
            case VectorType():
                scalars += [scalar_bits(t.element, getattr(value, c)) for c in "xyzw"[: t.length]]
            case StructType():
                raw = value.memory.reshape(-1).view("u1")
                structs.append(masked(t, raw))
            case _:
                raise TypeError(repr(t))
    return Outcome(None, tuple(scalars), tuple(structs), memory.bytes(), told(left))


def told(left: Iterable[str | TraceRecord]) -> tuple[str, ...]:
    """What was printed and traced, so that a NaN is equal to itself."""
    return tuple(item if isinstance(item, str) else str(item) for item in left)


def managed_argument(program: Loaded, memory: Memory, argument: tuple[Any, ...]) -> Any:
    import samebits as sb

    kind, name = argument[:2]
    if kind == "scalar":
        t = memory.type_of(name)
        assert isinstance(t, ScalarType)
        value = scalar_value(t, argument[2])
        return value if t.weak or name == "bool" else getattr(sb, name)(value)
    if kind == "vector":
        t = memory.type_of(name)
        assert isinstance(t, VectorType)
        return getattr(sb, name)(*(_strong(t.element, b) for b in argument[2]))
    view = memory.view(argument)
    if kind == "struct":
        return getattr(program.module, name).from_memory(view, 0)
    return view


def _strong(t: ScalarType, bits: int) -> Any:
    import samebits as sb

    value = scalar_value(t, bits)
    return value if t.name == "bool" else getattr(sb, t.name)(value)


# Evaluate


def run_evaluate(program: Loaded, inputs: InputSet, *, optimised: bool = False) -> Outcome:
    """The reference interpreter on the program's IR, or on what the passes made of it."""
    evaluator = program.optimised_evaluator if optimised else program.evaluator
    memory = Memory(inputs, program.struct_type)
    returned = [struct_memory(t) for t in program.structs]
    args: list[Any] = [ref_argument(m) for m in returned]
    for t, argument in zip(program.params, inputs.args, strict=True):
        match t:
            case ScalarType():
                args.append(stored_value(t, argument[2]))
            case VectorType():
                args += [stored_value(t.element, bits) for bits in argument[2]]
            case ArrayType():
                args.append(array_argument(memory.view(argument), t))
            case _:
                args.append(ref_argument(memory.view(argument)))
    with captured() as left, one_call():
        try:
            values = evaluator.run(program.symbol, args)
        except Trap as trap:
            return Outcome(trap_words(trap), (), (), memory.bytes(), told(left))
    scalars = tuple(
        scalar_bits(t.storage, v) for t, v in zip(flatten(program.results), values, strict=True)
    )
    structs = tuple(masked(t, m) for t, m in zip(program.structs, returned, strict=True))
    return Outcome(None, scalars, structs, memory.bytes(), told(left))


# Compiled


@dataclass(frozen=True)
class Level:
    """One compiled execution: a target row that this host can run, and LLVM's effort."""

    target: Target
    opt: int

    def __str__(self) -> str:
        return f"{self.target.name} O{self.opt}"


@cache
def levels() -> tuple[Level, ...]:
    """Every host level at O0 and O3."""
    rows = [row.target for row in available_targets() if row.reason is None]
    return tuple(Level(target, opt) for target in rows for opt in (0, 3))


def in_turns(number: int) -> tuple[Level, ...]:
    """The highest host level at O3, a lower one at O3 and one at O0, which change with `number`."""
    *lower, highest = (level for level in levels() if level.opt)
    plain = [level for level in levels() if not level.opt]
    chosen = {highest, plain[number % len(plain)]}
    if lower:
        chosen.add(lower[number % len(lower)])
    return tuple(level for level in levels() if level in chosen)


class Compiled:
    """The entries of many programs at one level, loaded; `close` unloads them."""

    def __init__(self, programs: Sequence[Loaded], level: Level) -> None:
        module = Module()
        for program in programs:
            ir = program.optimised if level.opt else program.ir
            module.functions.update(ir.functions)
            module.tables.update(ir.tables)
        self.level = level
        symbols = [program.symbol for program in programs]
        self.object: CompiledObject = compile_module(
            module, symbols, level.target, level.opt, threads=True
        )
        names = [f"sb_entry_{k}" for k in range(len(programs))]
        variables = [v for v in (TRAP_RECORDS, ARENA_KEY) if v.encode() in self.object.object_bytes]
        imports = arena.imports() if ARENA_KEY in variables else {}
        variables += [OUTPUT] * has_output(self.object.traps)
        self._loaded = load(self.object.object_bytes, [*names, *variables], imports)
        arena.give_key(self._loaded.addresses)
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
        self._entries: list[Callable[[Any], int]] = [
            prototype(self._loaded.addresses[name]) for name in names
        ]
        if OUTPUT in variables:
            buffer = OutputBuffer(self._loaded.addresses[OUTPUT], self.object.traps)
            self._entries = [buffer.around(entry) for entry in self._entries]

    def close(self) -> None:
        self._loaded.close()

    def _trap(self, status: int) -> Trap:
        site = self.object.traps[(status & STATUS_MASK) - 1]
        said = None
        if site.said is not None:
            at = self._loaded.addresses[TRAP_RECORDS]
            at += 8 * TRAP_WORDS * ((status >> STATUS_BITS) - RECORDS)
            said = filled_from_words(site.said, (ctypes.c_uint64 * TRAP_WORDS).from_address(at))
        return Trap(site.kind, site.span, site.detail, said)

    def run(self, index: int, program: Loaded, inputs: InputSet, environment: int = 0) -> Outcome:
        """Call entry `index`, which is `program`'s, in a row of HOSTILE_ENVIRONMENTS."""
        memory = Memory(inputs, program.struct_type)
        returned = [struct_memory(t) for t in program.structs]
        slots = [int(m.ctypes.data) for m in returned]
        for t, argument in zip(program.params, inputs.args, strict=True):
            match t:
                case ScalarType():
                    slots.append(passed_bits(t, argument[2]))
                case VectorType():
                    slots += [passed_bits(t.element, bits) for bits in argument[2]]
                case ArrayType():
                    view = memory.view(argument)
                    slots += [int(view.ctypes.data), *view.shape[: t.ndim]]
                case _:
                    slots.append(int(memory.view(argument).ctypes.data))
        results = flatten(program.results)
        block = (ctypes.c_uint64 * max(1, len(slots) + len(results)))(*slots)
        with captured() as left:
            status = in_environment(environment, self._entries[index], ctypes.addressof(block))
        if status:
            return Outcome(trap_words(self._trap(status)), (), (), memory.bytes(), told(left))
        scalars = tuple(slot_scalar(t, block[len(slots) + k]) for k, t in enumerate(results))
        for t, bits in zip(results, scalars, strict=True):
            if not is_canonical(t, bits):
                raise DisagreementError(f"{self.level}: result {bits:#x} is no canonical NaN")
        structs = tuple(masked(t, m) for t, m in zip(program.structs, returned, strict=True))
        return Outcome(None, scalars, structs, memory.bytes(), told(left))


def in_environment(number: int, call: Callable[..., Any], *args: Any) -> Any:
    """Call with a control register that a foreign library may have left; it must come back."""
    before = fpenv.read()
    given = HOSTILE_ENVIRONMENTS[number].get(fpenv.describe(before).register, before)
    fpenv.write(given)
    try:
        result = call(*args)
        after = fpenv.read()
    finally:
        fpenv.write(before)
    if after & ~STICKY != given & ~STICKY:
        raise DisagreementError(f"the control register was {given:#x} and came back {after:#x}")
    return result


# All of them


def disagreements(
    programs: Sequence[tuple[Loaded, Sequence[InputSet]]],
    *,
    native: bool = True,
    compiled_at: Sequence[Level] | None = None,
) -> Iterator[tuple[int, int, str]]:
    """Run every program on its inputs everywhere: (program, input set, what differs).

    Managed is the reference, and evaluate of programs that their modes rewrite.

    A lone program meets every hostile environment; of many, each call meets one. Without
    `native` nothing is compiled, else for every host level or those of `compiled_at`.
    """
    expected: dict[tuple[int, int], Outcome] = {}
    for p, (program, input_sets) in enumerate(programs):
        for k, inputs in enumerate(input_sets):
            try:
                first = run_evaluate if program.rewritten else run_managed
                expected[p, k] = first(program, inputs)
                others = (
                    ("evaluate", run_evaluate(program, inputs)),
                    ("evaluate after passes", run_evaluate(program, inputs, optimised=True)),
                )
            except BREAKDOWNS as error:
                yield p, k, f"managed or evaluate: {type(error).__name__}: {error}"
                continue
            for name, other in others:
                if other != expected[p, k]:
                    yield p, k, f"managed and {name}: {expected[p, k].difference(other)}"
    if not native:
        return
    yield from _called(programs, expected)
    for number, level in enumerate(levels() if compiled_at is None else compiled_at):
        compiled = Compiled([program for program, _ in programs], level)
        try:
            for (p, k), outcome in expected.items():
                program, inputs = programs[p][0], programs[p][1][k]
                for environment in _environments(len(programs), p + k + number):
                    text = _differs(outcome, compiled.run, p, program, inputs, environment)
                    if text:
                        yield p, k, f"managed and {level}: {text}"
        finally:
            compiled.close()


def _differs(expected: Outcome, run: Callable[..., Outcome], *args: Any) -> str | None:
    try:
        found = run(*args)
    except BREAKDOWNS as error:
        return f"{type(error).__name__}: {error}"
    return None if found == expected else expected.difference(found)


def _environments(programs: int, number: int) -> Sequence[int]:
    count = len(HOSTILE_ENVIRONMENTS)
    return range(count) if programs == 1 else (number % count,)


def _called(
    programs: Sequence[tuple[Loaded, Sequence[InputSet]]],
    expected: dict[tuple[int, int], Outcome],
) -> Iterator[tuple[int, int, str]]:
    """Ordinary calls of some of the kernels, without the disk cache."""
    kept = current_cache()
    set_cache_dir(None)
    try:
        for (p, k), outcome in expected.items():
            if p % CALLED_EVERY:
                continue
            program, inputs = programs[p][0], programs[p][1][k]
            # After a trap, what the iterations above it have written depends on the workers.
            number = p // CALLED_EVERY + k
            set_workers(WORKERS[number % len(WORKERS)] if outcome.trap is None else 1)
            for environment in _environments(len(programs), p // CALLED_EVERY + k):
                for name, managed in (("called", False), ("managed in an environment", True)):
                    if managed and program.rewritten:
                        continue
                    text = _differs(outcome, run_called, program, inputs, environment, managed)
                    if text:
                        yield p, k, f"managed and {name}: {text}"
    finally:
        set_workers(None)
        set_cache_dir(None if kept is None else kept.directory)
