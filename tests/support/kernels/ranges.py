"""Range functions for tests of the pool: compiled kernels over [begin, end), and their tasks."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import samebits as sb
from samebits import int64
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
    """Slots for one-dimensional array parameters, which they keep alive."""
    words = [word for array in arrays for word in (array.ctypes.data, len(array))]
    slots = (ctypes.c_int64 * len(words))(*words)
    slots.arrays = arrays  # a task may run until its process has ended
    return slots


def task_of(entry: NativeRange, slots: Any, n: int, batch: int) -> tuple[Task, ControlBlock]:
    block = ControlBlock(n, batch)
    return Task(entry.function, slots, block.words, block.address, (entry, slots, block)), block


@sb.kernel
def mark(begin: int64, end: int64, out: sb.Array[int64]):
    for i in range(begin, end):
        out[i] += int64(i) * int64(i) + int64(1)


@sb.kernel
def stumble(begin: int64, end: int64, bad: sb.Array[int64]):
    for i in range(begin, end):
        assert bad[i] == int64(0), "bad"
        bad[i] = int64(7)


@sb.kernel
def burn(begin: int64, end: int64, out: sb.Array[int64]):
    for i in range(begin, end):
        x = int64(i)
        for _ in range(3_000_000):
            x = x * int64(6364136223846793005) + int64(1442695040888963407)
        out[i] = x


MARK, STUMBLE, BURN = range_of(mark), range_of(stumble), range_of(burn)
