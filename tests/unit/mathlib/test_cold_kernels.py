"""The math library's cold kernels are such that loops around them vectorise."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from samebits import mathlib
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module, Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise


def cold_kernels() -> dict[str, Kernel]:
    found: dict[str, Kernel] = {}
    for info in pkgutil.walk_packages(mathlib.__path__, "samebits.mathlib."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if isinstance(value, Kernel) and value.cold:
                found[f"{value.function.__module__}.{name}"] = value
    return found


COLD = cold_kernels()


def traps(module: Module) -> list[str]:
    """What can trap in a module: function and operation."""
    return [
        f"{name}: {op.opcode} at {op.span}"
        for name, function in module.functions.items()
        for op in walk(function.body)
        if isinstance(op, Op) and can_trap(op)
    ]


@pytest.mark.parametrize("name", COLD)
def test_no_cold_kernel_can_trap(name: str) -> None:
    types = COLD[name].fixed_types
    assert types is not None
    unit = compile_kernel(COLD[name], types)
    assert unit.function.cold
    assert traps(optimise(link(unit), [unit.function.name])) == []
