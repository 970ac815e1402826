"""The parts of a benchmark; compiles and calls its C and Numba peers."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
import numpy as np

C_FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-std=c11",
           "-Wall", "-Wextra")  # fmt: skip
"""The strict peer: full optimisation for this machine, no fused multiply-adds."""

C_FAST_FLAGS = ("-O3", "-ffast-math", "-march=native", "-std=c11", "-Wall", "-Wextra")
"""What clang's -Ofast means. zig's driver reads -Ofast as -O2 with no fast-math flag at all."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler's command, its flags, and what its libraries' names end in."""

    command: tuple[str, ...]
    flags: tuple[str, ...]
    suffix: str = ""
    fast: bool = False

    @property
    def is_here(self) -> bool:
        """Whether it is installed."""
        return shutil.which(self.command[0]) is not None


ZIG = (sys.executable, "-m", "ziglang", "cc")
CLANG = Compiler(ZIG, C_FLAGS)
FAST_CLANG = Compiler(ZIG, C_FAST_FLAGS, "_fast", fast=True)
GNU = Compiler(("gcc",), C_FLAGS, "_gcc")
"""The system's own; no other peer has to be installed by hand."""

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Benchmark:
    """One kernel in three languages.

    The C functions are called `name`; they take the arguments in order (arrays as pointers,
    scalars as they are), then `lengths(arguments)` as `int64_t`. Arrays in the arguments may be
    overwritten: every peer gets copies of its own.

    `c` is compiled as `C_FLAGS` say; `c_fast` as `C_FAST_FLAGS` say, and is `c` unless the loop
    that fast-math likes best is another one. `plain` is `kernel` with its accumulations as plain
    loops, for modes that may regroup them. `parallel` is `plain` (or `kernel`) with `sb.prange`;
    `heavy` gives arguments on which that takes long enough to be worth two threads.
    `numba` is a Python function whose parallel loops are `numba.prange`.

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
    plain: Callable[..., Any] | None = None
    parallel: Callable[..., Any] | None = None
    heavy: Callable[[], Arguments] | None = None
    c_fast: str | None = None
    exact: bool = True
    reason: str = ""
    numba_goal: float | None = None
    numba_view: Callable[[Arguments], Arguments] = lambda arguments: arguments

    @cached_property
    def numba_fast(self) -> Callable[..., Any]:
        """The Numba peer with fastmath, on the calling thread."""
        return numba.njit(fastmath=True)(self.numba)

    @cached_property
    def numba_parallel(self) -> Callable[..., Any]:
        """The Numba peer with fastmath and parallel=True."""
        return numba.njit(fastmath=True, parallel=True)(self.numba)


def arrays(arguments: Arguments) -> list[np.ndarray]:
    """The arrays among the arguments."""
    return [a for a in arguments if isinstance(a, np.ndarray)]


LINE, PAGE = 64, 4096


def copies(arguments: Arguments) -> Arguments:
    """The arguments with fresh arrays, so that a peer can't see what another one wrote.

    Every peer's arrays start on cache lines, at the same places in a page: loads that cross lines,
    and stores that look like loads from another page, cost as much as what is measured.
    """
    return tuple(
        _placed(a, LINE * (1 + 5 * place)) if isinstance(a, np.ndarray) else a
        for place, a in enumerate(arguments)
    )


def _placed(array: np.ndarray, at: int) -> np.ndarray:
    """A copy whose address is `at` modulo the size of a page."""
    memory = np.empty(array.nbytes + PAGE, np.uint8)
    first = (at - memory.ctypes.data) % PAGE
    copy = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def restore(target: Arguments, source: Arguments) -> None:
    """Bring the arrays in `target` back to the values in `source`."""
    for to, start in zip(target, source, strict=True):
        if isinstance(to, np.ndarray):
            to[...] = start


def bind_numba(
    benchmark: Benchmark, function: Callable[..., Any], arguments: Arguments
) -> Callable[..., None]:
    """A function that runs the Numba peer on these arguments, whatever it is given; compiled."""
    view = benchmark.numba_view(arguments)

    def call(*_: object) -> None:
        function(*view)

    with warnings.catch_warnings():
        # A kernel without a parallel loop stays in the suite: parallel=True then gains nothing.
        warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
        call()
    return call


def compile_c(
    benchmark: Benchmark, folder: Path, compiler: Compiler = CLANG
) -> Callable[..., None]:
    """Compile a C peer in `folder` and return a function of the same arguments.

    Raises subprocess.CalledProcessError where the compiler refuses the source.
    """
    stem = benchmark.name + compiler.suffix
    source, library = folder / f"{stem}.c", folder / f"{stem}.so"
    source.write_text((compiler.fast and benchmark.c_fast) or benchmark.c)
    command = [*compiler.command, *compiler.flags, "-shared", "-fPIC"]
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
