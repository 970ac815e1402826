"""Every math function on other targets: special values and random bit patterns."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.fuzz.inputs import InputSet
from tests.fuzz.literals import FLOAT_PATTERNS, NAN_PATTERNS
from tests.fuzz.loading import Loaded, Workspace
from tools.prove_targets.finding import Finding
from tools.prove_targets.machine import Machine, machine
from tools.prove_targets.programs import OPT, call

from samebits.backend.llvm import compile_module, host_target
from samebits.backend.targets import Target
from samebits.errors import RunnerError
from samebits.ir.grammar import Module
from samebits.types import FLOAT32, FLOAT64, ScalarType

CHECK = "math functions"
LIMIT_SECONDS = 60.0
INPUTS = 1 << 20
"""Of each function and type."""
PART = 1 << 18
"""Inputs a call."""
NAMED = 5
"""Differing inputs that are named, of each function."""

FUNCTIONS = {
    "sin": 1, "cos": 1, "sqrt": 1, "floor": 1, "ceil": 1, "trunc": 1, "round": 1, "abs": 1,
    "sign": 1, "min": 2, "max": 2, "copysign": 2, "fma": 3, "clamp": 3,
}  # fmt: skip
"""How many numbers each function of `samebits.math` takes that gives a float for floats. Adding
one is adding a row."""
OTHERS = frozenset(
    ("all", "any", "bitcast", "clz", "cross", "ctz", "dot", "e", "length", "normalize", "pi",
     "popcount", "rotl", "rotr", "select", "tau")
)  # fmt: skip
"""What else is in `samebits.math`: the generated programs use it."""
TYPES = (FLOAT32, FLOAT64)


def _kernel(name: str, arity: int, t: ScalarType) -> str:
    operands = "abc"[:arity]
    head = ", ".join(f"{x}: sb.ReadOnly[{t.name}]" for x in operands)
    call_ = f"math.{name}({', '.join(f'{x}[i]' for x in operands)})"
    return (
        f"@sb.kernel\ndef {name}_{t.name}({head}, r: sb.Array[{t.name}]) -> None:\n"
        f"    for i in range(len(r)):\n        r[i] = {call_}\n"
    )


@cache
def _programs() -> dict[tuple[str, ScalarType], Loaded]:
    keys = [(name, t) for t in TYPES for name in FUNCTIONS]
    head = "import samebits as sb\nfrom samebits import float32, float64, math\n\n"
    source = head + "\n".join(_kernel(name, FUNCTIONS[name], t) for name, t in keys)
    with Workspace() as workspace:
        loaded = workspace.load_all(source, [f"{name}_{t.name}" for name, t in keys])
    return dict(zip(keys, loaded, strict=True))


@cache
def module() -> tuple[Module, list[str]]:
    """The functions over arrays in one IR module, and the entries' names."""
    programs = _programs()
    result = Module()
    for program in programs.values():
        result.functions.update(program.optimised.functions)
        result.tables.update(program.optimised.tables)
    return result, [program.symbol for program in programs.values()]


def operands(name: str, t: ScalarType, count: int) -> list[NDArray[Any]]:
    """Bits of `count` inputs for each parameter: every combination of two special values, then
    any bits, then numbers between 2^-12 and 2^20; for fma half of the sums nearly cancel."""
    rng = np.random.default_rng([count, t.bits, *name.encode()])
    unsigned = np.dtype(f"u{t.size}")
    special = np.array((*FLOAT_PATTERNS[t.bits], *NAN_PATTERNS[t.bits]), unsigned)
    mantissa = {32: 23, 64: 52}[t.bits]
    bias = {32: 127, 64: 1023}[t.bits]
    found: list[NDArray[Any]] = []
    for n in range(FUNCTIONS[name]):
        bits = rng.integers(0, 1 << t.bits, count, unsigned, endpoint=False)
        half = count // 2
        exponents = rng.integers(bias - 12, bias + 20, count - half).astype(unsigned)
        keep = unsigned.type((1 << mantissa) - 1 | 1 << (t.bits - 1))
        bits[half:] = bits[half:] & keep | exponents << unsigned.type(mantissa)
        grid = np.repeat(special, len(special)) if n % 2 else np.tile(special, len(special))
        if n == 2:
            grid = rng.permutation(grid)
        shared = min(count, len(grid))
        bits[:shared] = grid[:shared]
        found.append(bits)
    if name == "fma":
        a, b = (x.view(t.dtype) for x in found[:2])
        with np.errstate(all="ignore"):
            product = -(a * b)
        found[2][1::2] = product.view(unsigned)[1::2]
    return found


def _parts(name: str, t: ScalarType, count: int) -> list[InputSet]:
    columns = operands(name, t, count)
    sets: list[InputSet] = []
    for first in range(0, count, PART):
        blobs = [column[first : first + PART].tobytes() for column in columns]
        size = len(blobs[0])
        shape = (size // t.size,)
        args = tuple(("array", t.name, k, 0, shape) for k in range(len(blobs) + 1))
        sets.append(InputSet(args, (*blobs, bytes(size))))
    return sets


def _run(there: Machine, entry: int, program: Loaded, inputs: InputSet) -> NDArray[Any]:
    """The bits of the results."""
    size = program.params[-1].element.size  # type: ignore[union-attr]
    return np.frombuffer(call(there, entry, program, inputs).memory[-1], f"u{size}")


@cache
def _expected(count: int) -> list[list[NDArray[Any]]]:
    """The host's results, by function and part."""
    ir, symbols = module()
    host = host_target()
    here = machine(compile_module(ir, symbols, host, OPT), len(symbols), host, LIMIT_SECONDS)
    try:
        return [
            [_run(here, entry, program, inputs) for inputs in _parts(name, t, count)]
            for entry, ((name, t), program) in enumerate(_programs().items())
        ]
    finally:
        here.close()


def on(target: Target, count: int = INPUTS) -> Finding:
    """`count` inputs of every function on a target, against the host's results."""
    found = Finding(target.name, CHECK)
    ir, symbols = module()
    expected = _expected(count)
    try:
        compiled = compile_module(ir, symbols, target, OPT)
        there = machine(compiled, len(symbols), target, LIMIT_SECONDS)
    except (RunnerError, RuntimeError) as error:
        found.failure = str(error)
        return found
    where = ""
    try:
        for entry, ((name, t), program) in enumerate(_programs().items()):
            where = f"{name} of {t.name}"
            left = NAMED
            for inputs, wanted in zip(_parts(name, t, count), expected[entry], strict=True):
                got = _run(there, entry, program, inputs)
                found.count += len(got)
                for row in np.flatnonzero(got != wanted)[:left]:
                    left -= 1
                    found.differing.append(_row(name, t, inputs, row, got, wanted))
    except RunnerError as error:
        found.failure = f"{where}: {error.message}"
    finally:
        there.close()
    return found


def _row(
    name: str, t: ScalarType, inputs: InputSet, row: int, got: NDArray[Any], wanted: NDArray[Any]
) -> str:
    at = slice(row * t.size, row * t.size + t.size)
    values = [int.from_bytes(blob[at], sys.byteorder) for blob in inputs.blobs[:-1]]
    call_ = f"{name}({', '.join(f'{t.name} {value:#x}' for value in values)})"
    return f"{call_}: {int(got[row]):#x}, the host has {int(wanted[row]):#x}"
