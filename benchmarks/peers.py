"""What a benchmark is made of, and how its C peer is compiled and called."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

C_FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-std=c11", "-Wall", "-Wextra")
"""The strict peer: full optimisation for this machine, no fused multiply-adds."""

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Benchmark:
    """One kernel in three languages.

    The C function is called `name`; it takes the arguments in order (arrays as pointers,
    scalars as they are), then `lengths(arguments)` as `int64_t`. Arrays in the arguments may be
    overwritten: every peer gets copies of its own.

    `exact` says that the kernel uses + - * / sqrt and integers only, so that the C peer must
    leave the same bits. `reason` says why it is not. `numba_goal` is a goal of this kernel alone;
    `numba_view` gives the same memory in the form that Numba is quickest with.
    """

    name: str
    title: str
    kernel: Callable[..., Any]
    c: str
    numba: Callable[..., Any]
    arguments: Callable[[], Arguments]
    lengths: Callable[[Arguments], tuple[int, ...]]
    exact: bool = True
    reason: str = ""
    numba_goal: float | None = None
    numba_view: Callable[[Arguments], Arguments] = lambda arguments: arguments


def copies(arguments: Arguments) -> Arguments:
    """The arguments with fresh arrays, so that a peer can't see what another one wrote."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)


def restore(target: Arguments, source: Arguments) -> None:
    """Bring the arrays in `target` back to the values in `source`."""
    for to, start in zip(target, source, strict=True):
        if isinstance(to, np.ndarray):
            to[...] = start


def compile_c(benchmark: Benchmark, folder: Path) -> Callable[..., None]:
    """Compile the C peer in `folder` and return a function of the same arguments.

    Raises subprocess.CalledProcessError where the compiler refuses the source.
    """
    source = folder / f"{benchmark.name}.c"
    library = folder / f"{benchmark.name}.so"
    source.write_text(benchmark.c)
    command = [sys.executable, "-m", "ziglang", "cc", *C_FLAGS, "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library), "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), benchmark.name)
    function.restype = None

    def call(*arguments: Any) -> None:
        values = [_c_value(a) for a in arguments]
        values += [ctypes.c_int64(n) for n in benchmark.lengths(arguments)]
        function(*values)

    return call


def _c_value(value: Any) -> Any:
    match value:
        case np.ndarray():
            return ctypes.c_void_p(value.ctypes.data)
        case np.float32():
            return ctypes.c_float(float(value))
        case float():
            return ctypes.c_double(value)
        case int():
            return ctypes.c_int64(value)
        case _:
            raise TypeError(f"no C type for {type(value).__name__}")
