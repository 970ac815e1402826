"""Range functions for tests of the pool: compiled kernels over [begin, end), and their tasks."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.native import NativeModule, NativeRange
from samebits.runtime.threads.tasks import ControlBlock, Task


def range_of(kernel: Kernel) -> NativeRange:
    """The native range function of a kernel (begin: int64, end: int64, ...)."""
    unit = compile_kernel(kernel, kernel.fixed_types)
    name = unit.function.name
    module = optimise(link(unit), [name])
    compiled = compile_module(module, [], engine.host_target(), ranges=[name])
    return NativeModule(compiled, 0, 1).range_entry(0)


def slots_of(*arrays: np.ndarray[Any, Any]) -> Any:
    """Slots for one-dimensional array parameters."""
    words = [word for array in arrays for word in (array.ctypes.data, len(array))]
    return (ctypes.c_int64 * len(words))(*words)


def task_of(entry: NativeRange, slots: Any, n: int, batch: int) -> tuple[Task, ControlBlock]:
    block = ControlBlock(n, batch)
    return Task(entry.function, slots, block.words, block.address, (entry, slots, block)), block
