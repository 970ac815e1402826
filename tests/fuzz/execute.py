"""The executions that must agree: managed, evaluated before and after the passes, and compiled.

Each host level compiles at O0 from the front end's IR, and at O3 from what the passes made of it.

Owns loading programs from source and running one call in each execution. Programs are compiled
many to an object, because starting LLVM costs more than one small kernel.
"""

from __future__ import annotations

import ctypes
import importlib.util
import linecache
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from samebits.backend.llvm import CompiledObject, available_targets, compile_module, load
from samebits.backend.targets import Target
from samebits.errors import SamebitsError, Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.evaluate import Evaluator, array_argument, ref_argument
from samebits.ir.grammar import Module
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.types import ArrayType, ScalarType, StructType, Type, VectorType
from tests.fuzz.inputs import InputSet
from tests.fuzz.outcome import (
    Memory,
    Outcome,
    flatten,
    is_canonical,
    masked,
    scalar_bits,
    scalar_value,
    slot_scalar,
    struct_memory,
    trap_place,
)
from tests.fuzz.scope import value_items


class DisagreementError(AssertionError):
    """Two executions gave different bits, or one broke down."""


@dataclass(frozen=True)
class Loaded:
    """A program in this process: its module, the entry kernel and the entry's IR."""

    module: ModuleType
    kernel: Any
    ir: Module
    symbol: str
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    evaluator: Evaluator
    optimised: Module
    optimised_evaluator: Evaluator

    def struct_type(self, name: str) -> StructType:
        t = getattr(self.module, name).__sb_type__
        assert isinstance(t, StructType)
        return t

    @property
    def structs(self) -> tuple[StructType, ...]:
        return tuple(t for t in self.results if isinstance(t, StructType))


class Workspace:
    """A folder of generated modules, which vanish from the process when it is left."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="samebits-fuzz-")
        self._names: list[str] = []

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names:
            sys.modules.pop(name, None)
        linecache.clearcache()
        self._folder.cleanup()

    def load(self, source: str, entry: str) -> Loaded:
        """Import `source` and lower its entry kernel. Raises what the front end raises."""
        return self.load_all(source, [entry])[0]

    def load_all(self, source: str, entries: Sequence[str]) -> list[Loaded]:
        """Import `source` and lower several kernels of it."""
        name = f"fuzzed_{len(self._names)}"
        path = Path(self._folder.name, f"{name}.py")
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        self._names.append(name)
        spec.loader.exec_module(module)
        return [load_kernel(getattr(module, entry)) for entry in entries]


def load_kernel(kernel: Kernel) -> Loaded:
    """Lower a kernel that has been imported in the ordinary way, and run the passes on it.

    Raises DisagreementError where IR breaks a rule or does not survive its text form.
    """
    ir, symbol, params, result = lower(kernel)
    _check_ir(ir, "lowered")
    optimised = optimise(ir, [symbol])
    _check_ir(optimised, "optimised")
    return Loaded(
        sys.modules[kernel.function.__module__], kernel, ir, symbol, params, value_items(result),
        Evaluator(ir), optimised, Evaluator(optimised),
    )  # fmt: skip


def _check_ir(module: Module, state: str) -> None:
    try:
        verify(module)
    except SamebitsError as error:
        raise DisagreementError(f"{state} IR: {error}") from error
    text = print_module(module)
    if print_module(parse_module(text)) != text:
        raise DisagreementError(f"{state} IR: its text does not parse to the same IR")


def lower(kernel: Kernel) -> tuple[Module, str, tuple[Type, ...], Type]:
    """IR module, symbol, parameter types and result type of a kernel without type variables."""
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    return link(unit), unit.function.name, types, unit.callee.result


# Managed


def run_managed(program: Loaded, inputs: InputSet) -> Outcome:
    """The kernel's own Python."""
    memory = Memory(inputs, program.struct_type)
    args = [_managed_argument(program, memory, a) for a in inputs.args]
    try:
        result = program.kernel.managed(*args)
    except Trap as trap:
        return Outcome(trap_place(trap), (), (), memory.bytes())
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
    return Outcome(None, tuple(scalars), tuple(structs), memory.bytes())


def _managed_argument(program: Loaded, memory: Memory, argument: tuple[Any, ...]) -> Any:
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
                args.append(scalar_value(t, argument[2]))
            case VectorType():
                args += [scalar_value(t.element, bits) for bits in argument[2]]
            case ArrayType():
                args.append(array_argument(memory.view(argument), t))
            case _:
                args.append(ref_argument(memory.view(argument)))
    try:
        values = evaluator.run(program.symbol, args)
    except Trap as trap:
        return Outcome(trap_place(trap), (), (), memory.bytes())
    scalars = tuple(
        scalar_bits(t, v) for t, v in zip(flatten(program.results), values, strict=True)
    )
    structs = tuple(masked(t, m) for t, m in zip(program.structs, returned, strict=True))
    return Outcome(None, scalars, structs, memory.bytes())


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
        self.object: CompiledObject = compile_module(module, symbols, level.target, level.opt)
        names = [f"sb_entry_{k}" for k in range(len(programs))]
        self._loaded = load(self.object.object_bytes, names)
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
        self._entries = [prototype(self._loaded.addresses[name]) for name in names]

    def close(self) -> None:
        self._loaded.close()

    def run(self, index: int, program: Loaded, inputs: InputSet) -> Outcome:
        """Call entry `index`, which is `program`'s."""
        memory = Memory(inputs, program.struct_type)
        returned = [struct_memory(t) for t in program.structs]
        slots = [int(m.ctypes.data) for m in returned]
        for t, argument in zip(program.params, inputs.args, strict=True):
            match t:
                case ScalarType():
                    slots.append(argument[2])
                case VectorType():
                    slots += argument[2]
                case ArrayType():
                    view = memory.view(argument)
                    slots += [int(view.ctypes.data), *view.shape[: t.ndim]]
                case _:
                    slots.append(int(memory.view(argument).ctypes.data))
        results = flatten(program.results)
        block = (ctypes.c_uint64 * max(1, len(slots) + len(results)))(*slots)
        status = self._entries[index](ctypes.addressof(block))
        if status:
            site = self.object.traps[status - 1]
            return Outcome(trap_place(Trap(site.kind, site.span)), (), (), memory.bytes())
        scalars = tuple(
            slot_scalar(t, block[len(slots) + k]) for k, t in enumerate(results)
        )
        for t, bits in zip(results, scalars, strict=True):
            if not is_canonical(t, bits):
                raise DisagreementError(f"{self.level}: result {bits:#x} is no canonical NaN")
        structs = tuple(masked(t, m) for t, m in zip(program.structs, returned, strict=True))
        return Outcome(None, scalars, structs, memory.bytes())


# All of them


def disagreements(programs: Sequence[tuple[Loaded, Sequence[InputSet]]]) -> Iterator[
    tuple[int, int, str]
]:
    """Run every program on its inputs everywhere: (program, input set, what differs)."""
    expected: dict[tuple[int, int], Outcome] = {}
    good: list[int] = []
    for p, (program, input_sets) in enumerate(programs):
        for k, inputs in enumerate(input_sets):
            try:
                expected[p, k] = run_managed(program, inputs)
                others = (
                    ("evaluate", run_evaluate(program, inputs)),
                    ("evaluate after passes", run_evaluate(program, inputs, optimised=True)),
                )
            except (SamebitsError, ArithmeticError, TypeError, ValueError, LookupError,
                    AttributeError, AssertionError) as error:  # fmt: skip
                yield p, k, f"managed or evaluate: {type(error).__name__}: {error}"
                continue
            for name, other in others:
                if other != expected[p, k]:
                    yield p, k, f"managed and {name}: {expected[p, k].difference(other)}"
        good.append(p)
    if not good:
        return
    for level in levels():
        compiled = Compiled([programs[p][0] for p in good], level)
        try:
            for index, p in enumerate(good):
                program, input_sets = programs[p]
                for k, inputs in enumerate(input_sets):
                    if (p, k) not in expected:
                        continue
                    try:
                        outcome = compiled.run(index, program, inputs)
                    except DisagreementError as error:
                        yield p, k, str(error)
                        continue
                    if outcome != expected[p, k]:
                        text = expected[p, k].difference(outcome)
                        yield p, k, f"managed and {level}: {text}"
        finally:
            compiled.close()
