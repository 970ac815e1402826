"""Generated programs of the differential fuzzer, many in one object, on one target after another.

The host's compiled answers are the reference; of some programs evaluate's besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tests.fuzz.execute import BREAKDOWNS, run_evaluate
from tests.fuzz.generator import Program, generate
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import DisagreementError, Loaded, Workspace
from tests.fuzz.outcome import (
    Memory,
    Outcome,
    flatten,
    is_canonical,
    masked,
    passed_bits,
    slot_scalar,
    struct_memory,
    trap_place,
)
from tools.prove_targets.finding import Finding

from samebits.backend.llvm.compile import compile_module
from samebits.backend.llvm.engine import host_target
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import Target
from samebits.errors import RunnerError, SamebitsError, Trap
from samebits.ir.grammar import Module
from samebits.runtime.emulation.calls import (
    CallImage,
    ImageAddress,
    ImageBuilder,
    Machine,
    Slot,
    is_here,
    machine,
)
from samebits.types import ArrayType, ScalarType, VectorType

CHECK = "fuzz programs"
OPT = 3
EVALUATED_EVERY = 10
"""One program of so many is also interpreted, and compared with the host's compiled answer."""
LIMIT_SECONDS = 20.0


@dataclass(frozen=True)
class Case:
    """One program, loaded, and what it is called with."""

    seed: int
    program: Loaded
    inputs: tuple[InputSet, ...]


class Batch:
    """The programs of some seeds in one IR module, while it is open; `make` makes them of seeds and
    the number of calls."""

    def __init__(
        self,
        seeds: Sequence[int],
        input_sets: int = 3,
        make: Callable[[int, int], Program] = generate,
    ) -> None:
        self._workspace = Workspace(texts=4)
        self.seeds = tuple(seeds)
        self.refused: list[str] = []
        """What is said of programs that did not get through the front end."""
        self.cases: list[Case] = []
        for seed in seeds:
            program = make(seed, input_sets)
            try:
                loaded = self._workspace.load(program.source, program.entry)
            except (SamebitsError, DisagreementError) as error:
                self.refused.append(f"seed {seed}: refused: {str(error).splitlines()[0]}")
            else:
                self.cases.append(Case(seed, loaded, tuple(program.inputs)))
        self.module = Module()
        for case in self.cases:
            self.module.functions.update(case.program.optimised.functions)
            self.module.tables.update(case.program.optimised.tables)
        self.symbols = [case.program.symbol for case in self.cases]

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self._workspace.__exit__()

    def compiled(self, target: Target) -> CompiledObject:
        """All programs in one object; what runs in this process has its threads."""
        return compile_module(self.module, self.symbols, target, OPT, threads=is_here(target))

    @cached_property
    def expected(self) -> dict[tuple[int, int], Outcome]:
        """What the host's best level gives, by program and input set."""
        host = host_target()
        here = machine(self.compiled(host), len(self.symbols), host, LIMIT_SECONDS)
        try:
            return {
                (p, k): call(here, p, case.program, inputs)
                for p, case in enumerate(self.cases)
                for k, inputs in enumerate(case.inputs)
            }
        finally:
            here.close()

    def evaluated(self) -> Finding:
        """Some programs in the reference interpreter."""
        found = Finding("evaluate", CHECK)
        for p, case in list(enumerate(self.cases))[::EVALUATED_EVERY]:
            for k, inputs in enumerate(case.inputs):
                try:
                    found_here = _placed(run_evaluate(case.program, inputs))
                    text = _difference(_placed(self.expected[p, k]), found_here)
                except BREAKDOWNS as error:
                    text = f"{type(error).__name__}: {error}"
                if text:
                    found.differing.append(f"seed {case.seed}: input set {k}: {text}")
                    break
            found.count += 1
        return found

    def on(self, target: Target) -> Finding:
        """Every program on a target; what differs is named by its seed."""
        found = Finding(target.name, CHECK)
        try:
            there = machine(self.compiled(target), len(self.symbols), target, LIMIT_SECONDS)
        except (SamebitsError, RuntimeError) as error:
            found.failure = f"seeds {self.seeds[0]} to {self.seeds[-1]}: {error}"
            return found
        try:
            for p, case in enumerate(self.cases):
                for text in self._disagreements(there, p, case):
                    found.differing.append(f"seed {case.seed}: {text}")
                    break
                found.count += 1
        except RunnerError as error:
            said = f" ({error.note})" if error.note else ""
            found.failure = f"seed {self.cases[found.count].seed}: {error.message}{said}"
        finally:
            there.close()
        return found

    def _disagreements(self, there: Machine, p: int, case: Case) -> Iterator[str]:
        for k, inputs in enumerate(case.inputs):
            try:
                text = _difference(self.expected[p, k], call(there, p, case.program, inputs))
            except DisagreementError as error:
                text = str(error)
            if text:
                yield f"input set {k}: {text}"


def _placed(outcome: Outcome) -> Outcome:
    """An outcome whose trap is kind and place alone: targets do not say the values behind it."""
    trap = outcome.trap
    outcome = replace(outcome, left=())  # which entries without the runtime do not keep
    return outcome if trap is None else replace(outcome, trap=(trap[0], None, *trap[2:]))


def _difference(expected: Outcome, found: Outcome) -> str | None:
    return None if expected == found else expected.difference(found)


def call(there: Machine, entry: int, program: Loaded, inputs: InputSet) -> Outcome:
    """One call of a program as comparable bits. Raises DisagreementError where a result is a NaN
    other than the canonical one, RunnerError."""
    memory = Memory(inputs, program.struct_type)
    builder = ImageBuilder()
    returned = [builder.add(struct_memory(t).tobytes(), t) for t in program.structs]
    slots: list[Slot] = [*returned]
    types = {a[2]: memory.type_of(a[1]) for a in inputs.args if a[0] in ("array", "struct")}
    blobs = [builder.add(blob, types[k]) for k, blob in enumerate(inputs.blobs)]
    for t, argument in zip(program.params, inputs.args, strict=True):
        match t:
            case ScalarType():
                slots.append(passed_bits(t, argument[2]))
            case VectorType():
                slots += [passed_bits(t.element, bits) for bits in argument[2]]
            case _:
                blob: ImageAddress = blobs[int(argument[2])]
                slots.append(ImageAddress(blob.offset + int(argument[3])))
                if isinstance(t, ArrayType):
                    slots += argument[4][: t.ndim]
    results = flatten(program.results)
    image: CallImage = builder.image()
    answer = there.call(entry, [*slots, *(0 for _ in results)], image)
    for buffer, place in zip(memory.buffers, blobs, strict=True):
        _fill(buffer, answer.data, place.offset)
    if answer.trap is not None:
        site = answer.trap
        trap = Trap(site.kind, site.span, site.detail)
        return Outcome(trap_place(trap), (), (), memory.bytes())
    scalars = tuple(slot_scalar(t, answer.slots[len(slots) + n]) for n, t in enumerate(results))
    for t, bits in zip(results, scalars, strict=True):
        if not is_canonical(t, bits):
            raise DisagreementError(f"result {bits:#x} is no canonical NaN")
    structs: list[bytes] = []
    for t, place in zip(program.structs, returned, strict=True):
        one = struct_memory(t)
        _fill(one, answer.data, place.offset)
        structs.append(masked(t, one))
    return Outcome(None, scalars, tuple(structs), memory.bytes())


def _fill(buffer: NDArray[np.uint8], data: bytes, offset: int) -> None:
    buffer[:] = np.frombuffer(data, np.uint8, len(buffer), offset)
