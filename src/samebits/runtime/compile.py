"""The native run of a kernel, compiled at the first call with each list of parameter types.

Loads the compiler only when a kernel is called that no cache has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from samebits.backend.objects import CompiledObject
from samebits.compiling import lock
from samebits.lang.executions import executions
from samebits.lang.fingerprint import fingerprint
from samebits.lang.kernel import Kernel
from samebits.lang.signal_safe import default_environment, keeps_flags
from samebits.lang.stacks import with_room
from samebits.runtime import cache, gc_pause
from samebits.runtime.calls.native_call import NativeCall, native_callable
from samebits.runtime.native import NativeModule, NativeRange
from samebits.runtime.objects.host import host, host_target
from samebits.runtime.objects.library import cached, found_in
from samebits.types import NONE, Type

if TYPE_CHECKING:
    from samebits.backend.request import Request
    from samebits.backend.targets.table import Target


def run(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `kernel` compiled for this host. Raises CompileError, ArgumentError and Trap."""
    bound = kernel.signature.bind(args, kwargs)
    if kernel.signature.kernels:
        from samebits.lang.calls.kernel_parameters import without_kernels

        kernel, bound = without_kernels(kernel, bound)
    if len(args) + len(kwargs) < len(bound):
        bound = tuple(map(_own, bound))
    types = kernel.fixed_types
    if types is None:
        from samebits.lang.dispatch import types_for

        types = types_for(kernel, bound)
    native: NativeCall | None = kernel.native.get(types)
    if native is None:
        native = kernel.native[types] = compile_native(kernel, types)
    elif not native.is_called_again:
        _shorten(kernel, native, len(bound))
    return native(*bound)


def _own(value: Any) -> Any:
    """What a call may be given memory of: of a struct that is a default, a copy."""
    freeze: Any = getattr(value, "__sb_freeze__", None)
    return value if freeze is None or freeze() is not value else value.copy()


@keeps_flags
def _shorten(kernel: Kernel, native: NativeCall, count: int) -> None:
    """Make the way from Python to an entry shorter, at its second call: many are called once. What
    two threads do at once is done twice."""
    from samebits.runtime.calls.direct_calls import add_record

    prepared = native.prepared()
    if prepared is not None:
        add_record(kernel, prepared)
    if kernel.fixed_types is not None and kernel.signature.by_position == count:
        kernel.fast = native
    native.is_called_again = True


@keeps_flags
def compile_native(
    kernel: Kernel, types: tuple[Type, ...], target: Target | None = None, opt: int = 3
) -> NativeCall:
    """A callable that takes one argument a parameter, for one host level and optimisation.

    `target` is a row of `backend.targets` that can run in this process; by default the highest.
    Raises CompileError.
    """
    if kernel.options.debug_info:
        with lock():
            from samebits.runtime.objects import debugger
        debugger.prepare()
    with gc_pause.paused():
        compiled = _compiled(kernel, types, target, opt)
        with lock():  # what is imported for some kernels alone
            parameters = [(p.name, t) for p, t in zip(kernel.parameters, types, strict=True)]
            entry = NativeModule(compiled, 1).entry(0)
            result = kernel.signature.result_type(types) or NONE
            return native_callable(entry, parameters, result, kernel.__name__)


def compile_emulated(
    kernel: Kernel, types: tuple[Type, ...], target: Target, opt: int
) -> Callable[..., Any]:
    """As `compile_native`, for a target whose code an emulator runs; never from the cache.
    Raises CompileError, and RunnerError where no emulator can."""
    from samebits.runtime.emulation.kernels import emulated_callable

    def made() -> CompiledObject:
        with executions.pinned(), gc_pause.paused():
            return _request(kernel, types, target, opt).compiled()

    compiled = with_room(made)
    parameters = [(p.name, t) for p, t in zip(kernel.parameters, types, strict=True)]
    result = kernel.signature.result_type(types) or NONE
    return emulated_callable(compiled, target, parameters, result, kernel.__name__)


@keeps_flags
def compile_range(kernel: Kernel, target: Target | None = None, opt: int = 3) -> NativeRange:
    """The range function of a kernel (begin, end, ...) that is not generic. Raises CompileError."""
    types = kernel.fixed_types
    assert types is not None
    compiled = _compiled(kernel, types, target, opt, as_range=True)
    with lock():
        return NativeModule(compiled, 0, 1).range_entry(0)


def _compiled(
    kernel: Kernel, types: tuple[Type, ...], target: Target | None, opt: int, as_range: bool = False
) -> CompiledObject:
    """The object of `kernel`, as an entry or as a range, from the cache where that has it. Without
    a target it is for this host's highest."""
    kernel.check_given(types)
    store, source_key = cache.current_cache(), ""
    if store is not None:
        # Constants are written with this thread's arithmetic.
        with lock(), default_environment() or executions.pinned():
            here = host()
            row = here.row if target is None else target.row
            by = (cache.compiler_fingerprint(), here.llvm, *row, str(opt), "range" * as_range)
            source_key = cache.digest(fingerprint(kernel, types), *by)
            key = store.get_front(source_key)
            compiled = None if key is None else found_in(store, key)
        if compiled is not None:
            return compiled

    def made() -> CompiledObject:
        with lock(), executions.pinned(), gc_pause.paused():
            request = _request(kernel, types, target or host_target(), opt, as_range)
            compiled, key = cached(request, store)
            if store is not None:
                store.put_front(source_key, key, _has_library())
            return compiled

    return with_room(made)


def _has_library() -> bool:
    """Whether this process has loaded any of the math library, by which compilations differ."""
    return any(name.startswith("samebits.mathlib.") for name in list(sys.modules))


def _request(
    kernel: Kernel, types: tuple[Type, ...], target: Target, opt: int, as_range: bool = False
) -> Request:
    from samebits.backend.request import Request
    from samebits.frontend.compile import compile_kernel, link
    from samebits.frontend.job_effects import refuse_output
    from samebits.lang.jobs import JobKernel
    from samebits.passes.semantics.float_modes import lower_float_modes

    unit = compile_kernel(kernel, types)
    if isinstance(kernel, JobKernel):
        refuse_output(kernel)
    names = [unit.function.name]
    entries, ranges = ([], names) if as_range else (names, [])
    return Request(lower_float_modes(link(unit)), entries, target, opt, ranges, kernel.mode)
