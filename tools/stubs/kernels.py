"""Stubs of the modules of kernels, `random` and its like: signatures and docs of the run time."""

from __future__ import annotations

import inspect
from types import ModuleType

from tools.stubs.text import docstring

from samebits.lang.kernel import Kernel
from samebits.lang.memory.structs import Struct

HEAD = """from typing import TypeVar

from samebits.typed.dimensions import Array
from samebits.typed.kernels import Struct, kernel, struct
from samebits.typed.values import (
    double2, double3, double4, float2, float3, float4, float32, float64, int32, int64, quaternion,
    uint2, uint4, uint32, uint64,
)

T = TypeVar("T")
"""


def signature(kernel: Kernel, *, method: bool = False) -> str:
    """The `def` of a kernel's function, with its docstring."""
    found = inspect.signature(kernel.function)
    parts = [
        name if method and i == 0 else f"{name}: {p.annotation}{_default(p)}"
        for i, (name, p) in enumerate(found.parameters.items())
    ]
    head = f"def {kernel.__name__}({', '.join(parts)}) -> {found.return_annotation}:"
    return f"{head}\n{docstring(kernel.function)}"


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else f" = {parameter.default!r}"


def indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())


def struct_stub(cls: type[Struct]) -> str:
    t = cls.__sb_type__
    lines = [f"@struct\nclass {cls.__name__}(Struct):", docstring(cls), ""]
    lines += [f"    {name}: {field}" for name, field in t.fields]
    for name, member in cls.__sb_methods__.items():
        kernel = vars(cls)[name]
        assert isinstance(kernel, Kernel), member
        lines.append(indented(signature(kernel, method=True)))
    return "\n".join(lines) + "\n"


def module(of: ModuleType) -> str:
    """The text of a module's stub: of what its `__all__` names."""
    names: list[str] = vars(of)["__all__"]
    title = (of.__doc__ or "").splitlines()[0]
    parts = [f'"""{title} Written by `python -m tools.stubs`."""\n', HEAD]
    for name in names:
        value = getattr(of, name)
        if isinstance(value, Kernel):
            parts.append(f"@kernel\n{signature(value)}\n")
        else:
            parts.append(struct_stub(value))
    return "\n".join(parts)
