"""The subject of a check: one kernel of the math library, compiled into a loop over arrays."""

import ctypes
import hashlib
import importlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tools.prove.catalogue import ROWS
from tools.prove.results import key

from samebits import math
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.table import Target
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.ir.text import print_module
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import Array, ReadOnly
from samebits.lang.overloads import Overloads
from samebits.lang.values.scalars import float32, float64, int32
from samebits.modes import Precision
from samebits.passes.pipeline import optimise
from samebits.runtime.native import NativeModule
from samebits.types import FLOAT32, FLOAT64

TYPES = {"float32": FLOAT32, "float64": FLOAT64}


def kernel_of(function: str, type_name: str, precision: str) -> Kernel:
    """A function of `samebits.math` by name, or a kernel as `module:kernel` in mathlib.

    Raises LookupError where there is none.
    """
    if ":" in function:
        module, name = function.split(":")
        module = module if module.startswith("samebits.") else f"samebits.mathlib.{module}"
        return getattr(importlib.import_module(module), name)
    found = getattr(math, function, None)
    if not isinstance(found, Overloads):
        raise LookupError(f"samebits.math has no library function {function}")
    if not any(t.name == type_name for t in found.kernels):
        raise LookupError(f"{function} has no version for {type_name}")
    return found.kernel_for(TYPES[type_name], Precision[precision])


def host_rows() -> dict[str, Target]:
    """The levels that run in this process, by name."""
    return {h.target.name: h.target for h in engine.available_targets() if h.reason is None}


def _scalars(signature: str, type_name: str) -> tuple[list[Any], list[Any]]:
    """The types of arguments and results; in a signature, x is the float type and i int32."""
    real = {"float32": float32, "float64": float64}[type_name]
    arguments, results = signature.split("->")
    return [real if c == "x" else int32 for c in arguments], [
        real if c == "x" else int32 for c in results
    ]


def over_arrays(kernel: Kernel, type_name: str, signature: str = "x->x") -> Kernel:
    """A loop of `kernel` over arrays of its arguments, then of its results."""
    takes, gives = _scalars(signature, type_name)
    a, b = takes[0], takes[-1]
    c, d = gives[0], gives[-1]

    def one(x: ReadOnly[a], result: Array[c]) -> None:
        for i in range(len(result)):
            result[i] = kernel(x[i])

    def two(x: ReadOnly[a], y: ReadOnly[b], result: Array[c]) -> None:
        for i in range(len(result)):
            result[i] = kernel(x[i], y[i])

    def both(x: ReadOnly[a], first: Array[c], second: Array[d]) -> None:
        for i in range(len(first)):
            first[i], second[i] = kernel(x[i])

    return Kernel({(1, 1): one, (2, 1): two, (1, 2): both}[len(takes), len(gives)])


@dataclass(frozen=True)
class Linked:
    """A loop's IR with everything that it calls."""

    module: Module
    entries: list[str]

    def digest(self) -> str:
        """Of the IR's text without places in files and with functions and tables numbered: equal
        while the bits must be, wherever the kernels stand."""
        text = re.sub(r" @[-0-9:!]+$|^  source .*$", "", print_module(self.module), flags=re.M)
        names = {json.dumps(name): f"f{n}" for n, name in enumerate(self.module.functions)}
        names |= {json.dumps(name): f"t{n}" for n, name in enumerate(self.module.tables)}
        text = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: names.get(found[0], found[0]), text)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def fuses(self) -> bool:
        """Whether a target with fused hardware runs other operations than one without."""
        return any(f" {op} " in print_module(self.module) for op in ("muladd", "product_error"))

    def native(self, target: Target, opt: int = 3) -> NativeModule:
        """Compiled for a level of this host. Entry 0 takes an address and a length an array."""
        with executions.pinned():
            optimised = optimise(self.module, self.entries)
            made = compile_module(optimised, self.entries, target, opt)
        return NativeModule(made, 1)


def linked(kernel: Kernel, type_name: str, signature: str) -> Linked:
    """The loop of `kernel` over arrays."""
    loop = over_arrays(kernel, type_name, signature)
    assert loop.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(loop, loop.fixed_types)
        return Linked(link(unit), [unit.function.name])


def library_loops() -> dict[str, Linked]:
    """Every function of the catalogue that is there, at every type and precision."""
    found: dict[str, Linked] = {}
    for row in ROWS:
        for type_name in TYPES:
            for precision in Precision:
                try:
                    kernel = kernel_of(row.name, type_name, precision.name)
                except LookupError:
                    continue
                name = key(row.name, type_name, precision.name)
                found[name] = linked(kernel, type_name, row.signature)
    return found


def slots(arrays: Sequence[Any]) -> Any:
    """What an entry takes for contiguous arrays of one dimension."""
    words = [word for a in arrays for word in (a.ctypes.data, len(a))]
    return (ctypes.c_int64 * len(words))(*words)


def compiled_loop(
    kernel: Kernel, type_name: str, signature: str, target: Target
) -> Callable[..., None]:
    """`run(*arguments, *results)` over contiguous arrays, on a level of this host."""
    entry = linked(kernel, type_name, signature).native(target).entry(0)
    return lambda *arrays: entry.run(slots(arrays))
