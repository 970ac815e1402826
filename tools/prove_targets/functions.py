"""Every math function on other targets: special values and random bit patterns."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.fuzz.inputs import InputSet
from tests.fuzz.literals import FLOAT_PATTERNS, NAN_PATTERNS
from tests.fuzz.loading import Loaded, Workspace
from tools.prove import inputs as proving
from tools.prove.catalogue import ROWS
from tools.prove.functions import FORMATS, NAMED
from tools.prove.results import key
from tools.prove_targets.finding import Finding
from tools.prove_targets.programs import OPT, call

from samebits import math
from samebits.backend.llvm.compile import compile_module
from samebits.backend.llvm.engine import host_target
from samebits.backend.targets.table import Target
from samebits.errors import RunnerError
from samebits.ir.grammar import Module
from samebits.lang.overloads import Overloads
from samebits.modes import HIGH, Precision
from samebits.runtime.emulation.calls import Machine, machine
from samebits.types import FLOAT32, FLOAT64, INT32, ScalarType

CHECK = "math functions"
LIMIT_SECONDS = 120.0
INPUTS = 1 << 20
"""Of each operation and type."""
LIBRARY_INPUTS = {HIGH: INPUTS, Precision.MEDIUM: 1 << 16, Precision.LOW: 1 << 16}
"""Of each function of the library and type: emulated, 2^17 of float64 take a second or two."""
PART = 1 << 18
"""Inputs a call."""
NAMED_ROWS = 5
"""Differing inputs that are named, of each function."""

FUNCTIONS = {
    "sqrt": 1, "floor": 1, "ceil": 1, "trunc": 1, "round": 1, "abs": 1,
    "sign": 1, "min": 2, "max": 2, "copysign": 2, "fma": 3, "clamp": 3,
    "fmin": 2, "fmax": 2, "fdim": 2, "round_half_away": 1, "mad": 3, "rcp": 1, "chgsign": 2,
    "nextup": 1, "nextdown": 1, "nextafter": 2, "logb": 1,
    "degrees": 1, "radians": 1, "fract": 1, "saturate": 1, "step": 2, "lerp": 3, "unlerp": 3,
    "smoothstep": 3, "remap": 5,
}  # fmt: skip
"""How many numbers each operation takes that gives a float for floats and is proven nowhere else:
what the compiler knows, and a few of its operations in a row. Adding one is adding a row.
The elementary functions are in tools/prove/catalogue.py."""
OTHERS = frozenset((
    "all", "angle", "any", "argmax", "argmin", "axis_angle", "bitcast", "ceillog2", "ceilpow2",
    "clz", "cmax", "cmin", "compress", "conjugate", "cross", "csum", "ctz", "cumsum",
    "determinant", "distance", "distancesq", "dot", "e", "euler_xyz", "euler_xzy", "euler_yxz",
    "euler_yzx", "euler_zxy", "euler_zyx", "exact_sum", "f16_to_f32", "f16_to_f64", "f32_to_f16",
    "f64_to_f16", "faceforward", "floorlog2", "hash", "ilogb", "inf", "inverse", "isfinite",
    "isinf", "isnan", "ispow2", "length", "lengthsq", "look_rotation", "mean", "mul", "nan",
    "nlerp", "norm", "normalize", "normalizesafe", "orthonormal_basis", "pi", "popcount",
    "precision", "project", "reflect", "refract", "remquo", "reversebits", "rotate", "rotl",
    "rotr", "select", "shuffle", "signbit", "slerp", "sum", "tau", "to_matrix", "to_quaternion",
    "transpose", "variance",
))  # fmt: skip
"""What else is in `samebits.math`: the generated programs, the tour of the library
(tests/support/simulations/tour_simulation.py) and tests of their own use it."""
Only = frozenset[str] | None
"""Names of functions; None for all."""
TYPES = (FLOAT32, FLOAT64)


@dataclass(frozen=True)
class Entry:
    """One function at one type, and of the library's at one precision."""

    name: str
    type: ScalarType
    signature: str
    precision: Precision | None = None

    @property
    def symbol(self) -> str:
        """Its kernel's name."""
        precision = f"_{self.precision.name}" if self.precision else ""
        return f"{self.name}_{self.type.name}{precision}"

    @property
    def arity(self) -> int:
        """How many numbers it takes."""
        return self.signature.index("-")

    @property
    def key(self) -> str | None:
        """Its name in `make prove`'s results; None for what is not proven there."""
        return self.precision and key(self.name, self.type.name, self.precision.name)

    def count(self, most: int) -> int:
        """How many inputs it gets."""
        return min(most, LIBRARY_INPUTS[self.precision]) if self.precision else most

    def source(self) -> str:
        """A kernel that calls it on every element of arrays."""
        takes, gives = ("abcde"[: self.arity], "rs"[: len(self.signature) - self.arity - 2])
        letters = self.signature.replace("->", "")
        types = [self.type.name if c == "x" else "int32" for c in letters]
        kinds = ["ReadOnly"] * len(takes) + ["Array"] * len(gives)
        head = ", ".join(
            f"{x}: sb.{kind}[{t}]" for x, kind, t in zip(takes + gives, kinds, types, strict=True)
        )
        arguments = ", ".join(f"{x}[i]" for x in takes)
        precision = f"(precision=sb.{self.precision.name})" if self.precision else ""
        return (
            f"@sb.kernel{precision}\ndef {self.symbol}({head}) -> None:\n"
            f"    for i in range(len(r)):\n"
            f"        {', '.join(f'{x}[i]' for x in gives)} = math.{self.name}({arguments})\n"
        )


def entries(only: Only = None) -> Iterator[Entry]:
    """Every function. A precision that is only another's kernel again is left out."""
    yield from (entry for entry in _every_entry() if only is None or entry.name in only)


def _every_entry() -> Iterator[Entry]:
    for t in TYPES:
        for name, arity in FUNCTIONS.items():
            yield Entry(name, t, f"{'x' * arity}->x")
        for row in ROWS:
            function = getattr(math, row.name, None)
            if not isinstance(function, Overloads) or t not in function.kernels:
                continue
            seen: list[object] = []
            for precision in Precision:
                kernel = function.kernel_for(t, precision)
                if kernel not in seen:
                    yield Entry(row.name, t, row.signature, precision)
                seen.append(kernel)


@cache
def _programs(only: Only) -> dict[Entry, Loaded]:
    every = [*entries(only)]
    head = "import samebits as sb\nfrom samebits import float32, float64, int32, math\n\n"
    source = head + "\n".join(entry.source() for entry in every)
    with Workspace() as workspace:
        loaded = workspace.load_all(source, [entry.symbol for entry in every])
    return dict(zip(every, loaded, strict=True))


@cache
def module(only: Only = None) -> tuple[Module, list[str]]:
    """The functions over arrays in one IR module, and the entries' names."""
    programs = _programs(only)
    result = Module()
    for program in programs.values():
        result.functions.update(program.optimised.functions)
        result.tables.update(program.optimised.tables)
    return result, [program.symbol for program in programs.values()]


def operands(entry: Entry, count: int) -> list[NDArray[Any]]:
    """Bits of `count` inputs for each parameter."""
    return _library_operands(entry, count) if entry.precision else _any_operands(entry, count)


def _library_operands(entry: Entry, count: int) -> list[NDArray[Any]]:
    """Special values, then what `make prove` would try; every eighth from any bits."""
    form = FORMATS[entry.type.name]
    unsigned = np.dtype(f"u{entry.type.size}")
    if entry.signature.startswith("xi"):
        columns = _joined(proving.with_integers(form, count))
        return [columns[0].view(unsigned), columns[1].view(np.uint32)]
    row = next(row for row in ROWS if row.name == entry.name)
    like = NAMED[row.like[0] if row.like else "sin"]
    random = _joined(proving.random(like, form, count, 7, None))
    made = [np.ascontiguousarray(column).view(unsigned).copy() for column in random]
    every = [column.view(unsigned) for column in proving.special(entry.arity, form)]
    step = max(1, len(every[0]) * 8 // count)  # of pairs not all
    for bits, special in zip(made, every, strict=True):
        bits[: len(special[::step])] = special[::step]
    return made


def _joined(blocks: Iterable[proving.Arguments]) -> list[NDArray[Any]]:
    return [np.concatenate(columns) for columns in zip(*blocks, strict=True)]


def _any_operands(entry: Entry, count: int) -> list[NDArray[Any]]:
    """Every combination of two special values, then any bits, then numbers between 2^-12 and
    2^20; for fma half of the sums nearly cancel."""
    name, t = entry.name, entry.type
    rng = np.random.default_rng([count, t.bits, *name.encode()])
    unsigned = np.dtype(f"u{t.size}")
    special = np.array((*FLOAT_PATTERNS[t.bits], *NAN_PATTERNS[t.bits]), unsigned)
    mantissa = {32: 23, 64: 52}[t.bits]
    bias = {32: 127, 64: 1023}[t.bits]
    found: list[NDArray[Any]] = []
    for n in range(entry.arity):
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


def _parts(entry: Entry, count: int) -> list[InputSet]:
    columns = operands(entry, entry.count(count))
    letters = entry.signature.replace("->", "")
    types = [entry.type if c == "x" else INT32 for c in letters]
    results = types[entry.arity :]
    sets: list[InputSet] = []
    for first in range(0, len(columns[0]), PART):
        parts = [column[first : first + PART] for column in columns]
        shape = (len(parts[0]),)
        blobs = [part.tobytes() for part in parts] + [
            bytes(len(parts[0]) * t.size) for t in results
        ]
        args = tuple(("array", t.name, k, 0, shape) for k, t in enumerate(types))
        sets.append(InputSet(args, tuple(blobs)))
    return sets


def _run(there: Machine, number: int, entry: Entry, program: Loaded, inputs: InputSet) -> Any:
    """The bits of the results, a row an input."""
    memory = call(there, number, program, inputs).memory[entry.arity :]
    letters = entry.signature.split("->")[1]
    sizes = [entry.type.size if c == "x" else INT32.size for c in letters]
    columns = [np.frombuffer(m, f"u{n}") for m, n in zip(memory, sizes, strict=True)]
    return np.stack([column.astype(np.uint64) for column in columns], axis=1)


@cache
def _expected(count: int, only: Only = None) -> list[list[NDArray[Any]]]:
    """The host's results, by function and part."""
    ir, symbols = module(only)
    host = host_target()
    here = machine(compile_module(ir, symbols, host, OPT), len(symbols), host, LIMIT_SECONDS)
    try:
        return [
            [_run(here, number, entry, program, inputs) for inputs in _parts(entry, count)]
            for number, (entry, program) in enumerate(_programs(only).items())
        ]
    finally:
        here.close()


def on(target: Target, count: int = INPUTS, only: Only = None) -> Finding:
    """`count` inputs of every operation, fewer of every elementary function, on a target, against
    the host's results."""
    found = Finding(target.name, CHECK)
    ir, symbols = module(only)
    expected = _expected(count, only)
    try:
        compiled = compile_module(ir, symbols, target, OPT)
        there = machine(compiled, len(symbols), target, LIMIT_SECONDS)
    except (RunnerError, RuntimeError) as error:
        found.failure = str(error)
        return found
    where = ""
    try:
        for number, (entry, program) in enumerate(_programs(only).items()):
            where = entry.symbol
            left = NAMED_ROWS
            compared = 0
            for inputs, wanted in zip(_parts(entry, count), expected[number], strict=True):
                got = _run(there, number, entry, program, inputs)
                compared += len(got)
                for row in np.flatnonzero((got != wanted).any(axis=1))[:left]:
                    left -= 1
                    found.differing.append(_row(entry, inputs, row, got, wanted))
            found.count += compared
            if entry.key and left == NAMED_ROWS:
                found.agreed[entry.key] = compared
    except RunnerError as error:
        found.failure = f"{where}: {error.message}"
    finally:
        there.close()
    return found


def _row(entry: Entry, inputs: InputSet, row: int, got: NDArray[Any], wanted: NDArray[Any]) -> str:
    said: list[str] = []
    for (_, name, k, _, _), blob in zip(inputs.args[: entry.arity], inputs.blobs, strict=False):
        size = INT32.size if name == "int32" else entry.type.size
        value = int.from_bytes(blob[row * size : (row + 1) * size], sys.byteorder)
        said.append(f"{name} {value:#x}")
        assert inputs.blobs[k] is blob
    results = (", ".join(f"{int(v):#x}" for v in values[row]) for values in (got, wanted))
    given, host = results
    return f"{entry.symbol}({', '.join(said)}): {given}, the host has {host}"
