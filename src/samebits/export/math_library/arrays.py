"""The C functions of arrays: each says where its arrays are, and run.c calls the loop."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.targets.table import Target
from samebits.export.math_library.functions import ARRAY_TYPES, WIDTHS, MathFunction
from samebits.types import ScalarType

RUN = "sb_run"
"""The function that calls a loop, in run.c."""


def loop_symbol(function: MathFunction, t: ScalarType) -> str:
    """The entry of a loop, which is of its object alone."""
    return f"sb_loop_{function.name}{WIDTHS[t]}"


def array_declaration(function: MathFunction, t: ScalarType) -> str:
    """The C prototype of a function of arrays, without a semicolon."""
    inputs = [f"const {ARRAY_TYPES[p.name]} *{name}" for name, p in function.parameters(t)]
    outs = [f"{ARRAY_TYPES[r.name]} *{name}" for name, r in array_outs(function, t)]
    return f"void {function.array_symbol(t)}(size_t count, {', '.join([*inputs, *outs])})"


def array_outs(function: MathFunction, t: ScalarType) -> list[tuple[str, ScalarType]]:
    """Names and types of the arrays of results."""
    names = function.outs if function.all_by_pointer else ("out", *function.outs)
    return list(zip(names, function.results(t), strict=True))


def array_texts(
    functions: Sequence[MathFunction], t: ScalarType, target: Target, attributes: str
) -> str:
    """LLVM text of the C functions of arrays, for the module of their loops."""
    size = f"i{target.pointer_bits}"
    declaration = f"declare void @{RUN}(ptr, {size}, ptr, i32 signext, i32 signext)"
    return "\n\n".join([declaration, *(_text(f, t, size, attributes) for f in functions)])


def _text(function: MathFunction, t: ScalarType, size: str, attributes: str) -> str:
    given = [p for _, p in function.parameters(t)]
    arrays = [*given, *(r for _, r in array_outs(function, t))]
    kind = f"[{2 * len(arrays)} x {size}]"
    lines = [f"  %arrays = alloca {kind}"]
    for n, element in enumerate(arrays):
        lines += [
            f"  %w{n} = ptrtoint ptr %a{n} to {size}",
            f"  %p{n} = getelementptr {size}, ptr %arrays, i32 {2 * n}",
            f"  store {size} %w{n}, ptr %p{n}",
            f"  %s{n} = getelementptr {size}, ptr %arrays, i32 {2 * n + 1}",
            f"  store {size} {element.size}, ptr %s{n}",
        ]
    loop = loop_symbol(function, t)
    lines.append(
        f"  call void @{RUN}(ptr @{loop}, {size} %count, ptr %arrays, "
        f"i32 signext {len(given)}, i32 signext {len(arrays)})"
    )
    pointers = "".join(f", ptr %a{n}" for n in range(len(arrays)))
    head = f"define {attributes}void @{function.array_symbol(t)}({size} %count{pointers}) #0 {{"
    return "\n".join([head, "entry:", *lines, "  ret void", "}"])
