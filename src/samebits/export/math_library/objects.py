"""The library's object files: each group of functions and width, and the pinned call.

Functions of scalars have C's own convention; loops over arrays are the entries that Python's calls
have, which pin the floating-point environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_emitted
from samebits.backend.targets.fp_control import definitions, pinned_call
from samebits.backend.targets.table import Target
from samebits.export.library import named
from samebits.export.math_library.arrays import array_texts, loop_symbol
from samebits.export.math_library.functions import WIDTHS, MathFunction
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.stacks import with_room
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.types import ScalarType

PINNED = "sb_pinned"
"""The function that calls another one in the pinned environment."""


def objects(functions: Sequence[MathFunction], target: Target) -> Iterator[tuple[str, bytes]]:
    """File names and bytes of the objects of `functions` for `target`, made one by one. Raises
    CompileError."""
    groups: dict[str, list[MathFunction]] = {}
    for function in functions:
        groups.setdefault(function.group, []).append(function)
    for group, rows in groups.items():
        for t, ending in WIDTHS.items():
            yield f"{group}{ending}.o", scalar_object(rows, t, target)
            yield f"{group}{ending}_loops.o", _of_arrays(rows, t, target)
    yield "pinned.o", engine.compile_text(_pinned_text(target), target)


def _exported(target: Target) -> str:
    """What Windows wants to see at what a library exports."""
    return "dllexport " if "-windows-" in target.triple else ""


def scalar_object(rows: Sequence[MathFunction], t: ScalarType, target: Target) -> bytes:
    """The object of the functions of numbers of one float type. Raises CompileError."""
    with executions.pinned():
        module, names = _module([row.kernel(t) for row in rows], target)
        direct = {name: row.entry(t) for name, row in zip(names, rows, strict=True)}
        emitted = emit_module(
            module, names, target, direct=direct, direct_attributes=_exported(target)
        )
        return compile_emitted(replace(emitted, text=named(emitted.text, "sbmath", ())), target)


def _of_arrays(rows: Sequence[MathFunction], t: ScalarType, target: Target) -> bytes:
    with executions.pinned():
        module, names = _module([row.loop(t) for row in rows], target)
        emitted = emit_module(module, names, target)
        text = named(emitted.text, "sbmath", [loop_symbol(row, t) for row in rows])
        text = text.replace("define hidden i32 @sb_loop_", "define internal i32 @sb_loop_")
        head, line, rest = text.partition("\n")
        text = f"{head}{line}\n{array_texts(rows, t, target, _exported(target))}\n{rest}"
        return compile_emitted(replace(emitted, text=text), target)


def _module(kernels: Sequence[Kernel], target: Target) -> tuple[Module, list[str]]:
    """The optimised module of the kernels, and their names in it."""
    module, names = Module(), list[str]()
    for kernel in kernels:
        unit = with_room(lambda kernel=kernel: compile_kernel(kernel, kernel.fixed_types or ()))
        linked = link(unit)
        module.functions.update(linked.functions)
        module.tables.update(linked.tables)
        names.append(unit.function.name)
    lowered = lower_float_modes(module)
    return optimise(lowered, names, blocks=target.has_wide_vectors), names


def _pinned_text(target: Target) -> str:
    """LLVM text of `int sb_pinned(int (*body)(void *), void *context)`."""
    return f"""\
target triple = "{target.triple}"

{definitions(target.fp_control)}

define internal i32 @sbmath.body(ptr %args) noinline #0 {{
entry:
  %body = load ptr, ptr %args
  %place = getelementptr [2 x ptr], ptr %args, i32 0, i32 1
  %context = load ptr, ptr %place
  %status = call signext i32 %body(ptr %context)
  ret i32 %status
}}

define internal i32 @sbmath.pin(ptr %args) noinline #0 {{
entry:
{pinned_call(target.fp_control, "@sbmath.body")}}}

define {_exported(target)}signext i32 @{PINNED}(ptr %body, ptr %context) #0 {{
entry:
  %args = alloca [2 x ptr]
  store ptr %body, ptr %args
  %place = getelementptr [2 x ptr], ptr %args, i32 0, i32 1
  store ptr %context, ptr %place
  %status = call i32 @sbmath.pin(ptr %args)
  ret i32 %status
}}

attributes #0 = {{ nounwind "no-trapping-math"="true" }}
!0 = !{{!"branch_weights", i32 1, i32 1048575}}
"""
