"""Runs kernels natively: compiles on the first call for each list of parameter types.

Loads the compiler only when a kernel is called that no cache has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.backend.targets import Target
from samebits.lang.dispatch import types_for
from samebits.lang.kernel import Kernel
from samebits.types import Type

Native = Callable[..., Any]


def run(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `kernel` compiled for this host. Raises CompileError, ArgumentError and Trap."""
    bound = kernel.bind(args, kwargs)
    types = types_for(kernel, bound)
    native = kernel.native.get(types)
    if native is None:
        native = kernel.native[types] = compile_native(kernel, types)
        if kernel.fixed_types is not None:
            kernel.fast = native
    return native(*bound)


def compile_native(
    kernel: Kernel, types: tuple[Type, ...], target: Target | None = None, opt: int = 3
) -> Native:
    """A callable that takes one argument a parameter, for one host level and optimisation.

    `target` is a row of `backend.targets` that can run in this process; by default the highest.
    Raises CompileError.
    """
    from samebits.backend import llvm
    from samebits.frontend.compile import compile_kernel, link
    from samebits.passes.pipeline import optimise
    from samebits.runtime.call import native_callable
    from samebits.runtime.native import NativeModule

    unit = compile_kernel(kernel, types)
    entries = [unit.function.name]
    module = optimise(link(unit), entries)
    compiled = llvm.compile_module(module, entries, target or llvm.host_target(), opt)
    entry = NativeModule(compiled, 1).entry(0)
    return native_callable(entry, unit.callee.parameters, unit.callee.result)

