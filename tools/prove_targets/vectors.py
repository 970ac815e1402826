"""Berkeley TestFloat's vectors on other targets: the operations of IEEE 754, bit by bit."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.support.testfloat import DATA, programs, vectors
from tools.prove_targets.finding import Finding
from tools.prove_targets.programs import OPT, call

from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.table import Target
from samebits.errors import RunnerError
from samebits.ir.grammar import Module
from samebits.runtime.emulation.calls import machine
from samebits.types import SCALARS

CHECK = "TestFloat vectors"
LIMIT_SECONDS = 60.0
NAMED = 5
"""Differing vectors that are named, of each file."""


def missing() -> str | None:
    """Why the vectors cannot be read, if so."""
    return None if DATA.is_dir() else "the folder of TestFloat's vectors is not there"


@cache
def _module() -> tuple[Module, list[str]]:
    module = Module()
    for program in programs().values():
        module.functions.update(program.optimised.functions)
        module.tables.update(program.optimised.tables)
    return module, [program.symbol for program in programs().values()]


def on(target: Target) -> Finding:
    """Every vector on a target, against TestFloat's own results."""
    found = Finding(target.name, CHECK)
    module, symbols = _module()
    try:
        compiled = compile_module(module, symbols, target, OPT)
        there = machine(compiled, len(symbols), target, LIMIT_SECONDS)
    except (RunnerError, RuntimeError) as error:
        found.failure = str(error)
        return found
    name = ""
    try:
        for entry, (name, program) in enumerate(programs().items()):
            inputs, wanted = vectors(name)
            outcome = call(there, entry, program, inputs)
            t = SCALARS[inputs.args[-1][1]]
            got, due = (np.frombuffer(b, f"u{t.size}") for b in (outcome.memory[-1], wanted))
            found.count += len(due)
            if outcome.trap is not None:
                found.differing.append(f"{name}: trap {outcome.trap}")
            for row in np.flatnonzero(got != due)[:NAMED]:
                operands = ", ".join(
                    f"{int.from_bytes(blob[row * w : row * w + w], 'little'):#x}"
                    for blob, argument in zip(inputs.blobs[:-1], inputs.args, strict=False)
                    for w in (SCALARS[argument[1]].size,)
                )
                found.differing.append(
                    f"{name}({operands}): {int(got[row]):#x}, TestFloat has {int(due[row]):#x}"
                )
    except RunnerError as error:
        found.failure = f"{name}: {error.message}"
    finally:
        there.close()
    return found
