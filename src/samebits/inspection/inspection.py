"""The public `inspect` and its result, which prints as text and renders as a page."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS, Target
from samebits.errors import ArgumentError, TargetError, folding
from samebits.inspection.facts import KernelFacts
from samebits.inspection.html import page
from samebits.inspection.text import render
from samebits.jobs.definition import Definition
from samebits.lang.annotations import type_of_annotation
from samebits.lang.calls.kernel_parameters import without_kernels
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.signal_safe import keeps_flags
from samebits.types import ScalarType, Type


class Inspection(KernelFacts):
    """Everything about one kernel on one target; `str()` gives plain text."""

    def html(self) -> str:
        """One self-contained page with everything side by side."""
        return page(self)

    def __str__(self) -> str:
        return render(self)


@folding
@keeps_flags
def inspect(
    kernel: object,
    *,
    types: Sequence[object] | None = None,
    target: str | Target | None = None,
    opt: int = 3,
) -> Inspection:
    """Inspect what a kernel or a job compiles to on a target: IR, LLVM text, assembly, and why.

    `types` are the annotations or types of the parameters of a generic kernel or a function of
    `samebits.math`, such as `[float32, sb.Array[float32]]`, and a kernel for a parameter that takes
    one. `target` is the name of any row of `samebits targets`; by default this machine's. `opt` is
    0 or 3. The result prints as text, and has `html()`, `json()` and the parts. Raises
    CompileError, ArgumentError for a value that is not a kernel, and TargetError.
    """
    row = _target(target)
    if opt not in (0, 3):
        raise ArgumentError(f"opt={opt!r} is not a level", fix="write opt=0 or opt=3")
    if isinstance(kernel, Kernel) and kernel.signature.kernels:
        kernel, types = _with_kernels(kernel, types)
    given = None if types is None else tuple(map(type_of_annotation, types))
    if isinstance(kernel, Overloads):
        kernel = _overload(kernel, given)
    if isinstance(kernel, type) and isinstance(vars(kernel).get("__sb_job__"), Definition):
        kernel = vars(kernel)["__sb_job__"].kernel
    if not isinstance(kernel, Kernel):
        raise ArgumentError(
            f"inspect() takes a kernel, not {kernel!r:.60}",
            fix="give a function decorated with @sb.kernel, or a class with @sb.job",
        )
    if given is not None and len(given) != len(kernel.parameters):
        names = ", ".join(p.name for p in kernel.parameters)
        raise ArgumentError(
            f"{len(given)} types for {len(kernel.parameters)} parameters",
            fix=f"give one for each of ({names})",
        )
    if kernel.fixed_types is None and given is None:
        names = ", ".join(p.name for p in kernel.parameters)
        raise ArgumentError(
            f"{kernel.__name__} is generic: its types are not given",
            fix=f"give types=, one for each of ({names}); on the command line, --types",
        )
    kernel.check_given(kernel.signature.resolve(given or ()))
    return Inspection(kernel, kernel.signature.resolve(given or ()), row, opt)


def _with_kernels(
    kernel: Kernel, types: Sequence[object] | None
) -> tuple[Kernel, Sequence[object]]:
    """The kernel, given those that stand among `types`, and the types of the other parameters."""
    names = [p.name for p in kernel.parameters]
    if types is None or len(types) != len(names):
        raise ArgumentError(
            f"{kernel.__name__} takes kernels, which are not given",
            note=f"its parameters are ({', '.join(names)})",
            fix="give types=, with a kernel for each parameter that takes one, from Python",
        )
    return without_kernels(kernel, types)


def _target(target: str | Target | None) -> Target:
    if isinstance(target, Target):
        return target
    if target is None:
        return engine.host_target()
    if target not in TARGETS:
        raise TargetError(
            f"there is no target '{target}'",
            note=f"the targets are {', '.join(TARGETS)}",
            fix="choose among them; the default is this machine's",
        )
    return TARGETS[target]


def _overload(function: Overloads, types: tuple[Type, ...] | None) -> Kernel:
    scalar = next((t for t in types or () if isinstance(t, ScalarType) and t.is_float), None)
    if scalar is None:
        raise ArgumentError(
            f"math.{function.__name__} has a kernel for each float type",
            fix="give types=[sb.float32]; on the command line, --types float32",
        )
    return function.kernel_for(scalar)
