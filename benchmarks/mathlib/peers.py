"""Each peer's loop over arrays: samebits compiled, Numba, NumPy's ufunc, the C library in C."""

# No postponed annotations: the kernels below take their types from variables.

import ctypes
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from tools.prove.subject import host_rows, kernel_of, linked, slots

from benchmarks.mathlib.functions import FUNCTIONS, Function

C_FLAGS = ("-O3", "-march=native", "-std=gnu11", "-fno-sanitize=all", "-shared", "-fPIC")
C_TYPES = {"float32": "float", "float64": "double"}
SUFFIXES = {"float32": "f", "float64": ""}


def _as_they_are(arrays: list[Any]) -> list[Any]:
    return arrays


@dataclass(frozen=True)
class Loop:
    """A peer's loop: `function(*prepare(arrays))` with the inputs, then the results."""

    function: Callable[..., Any]
    prepare: Callable[[list[Any]], list[Any]] = _as_they_are


def dtype(letter: str, type_name: str) -> Any:
    """The NumPy type for a letter of a signature."""
    return np.dtype(np.int32 if letter == "i" else type_name)


def samebits(function: Function, type_name: str, precision: str, level: str, place: str) -> Loop:
    """Our own. `place` is a name in samebits.math or module:kernel. LookupError if not there."""
    kernel = kernel_of(place, type_name, precision)
    entry = linked(kernel, type_name, function.signature).native(host_rows()[level]).entry(0)
    return Loop(entry.run, lambda arrays: [slots(arrays)])


def levels() -> tuple[str, str]:
    """The baseline and the best level here."""
    rows = [*host_rows()]
    return rows[0], rows[-1]


def jitted(function: Function, type_name: str) -> Loop | None:
    """Numba's loop, with its default options."""
    if function.numba is None:
        return None
    arguments, results = ("xy"[: len(function.samplers)], "rs"[: len(function.results)])
    names = ", ".join(f"{a}_array" for a in arguments + results)
    lines = [f"def loop({names}):", "    for i in range(len(x_array)):"]
    lines += [f"        {a} = {a}_array[i]" for a in arguments]
    lines += [f"        {line}" for line in function.numba.split("; ")]
    lines += [f"        {r}_array[i] = {r}" for r in results]
    scalar = np.dtype(type_name).type
    import math

    scope: dict[str, Any] = {
        "math": math, "np": np, "one": scalar(1), "ten": scalar(10), "pi": scalar(np.pi),
    }  # fmt: skip
    exec("\n".join(lines), scope)
    return Loop(numba.njit(scope["loop"]))


def ufunc(function: Function) -> Loop | None:
    """NumPy's own."""
    if function.numpy is None:
        return None
    return Loop(getattr(np, function.numpy))


def c_source(type_name: str) -> str:
    """One loop a function, over the C library."""
    real = C_TYPES[type_name]
    lines = ["#define _GNU_SOURCE", "#include <math.h>", "#include <stdint.h>", ""]
    lines.append(f"static const {real} pi = ({real})3.14159265358979323846;")
    for function in FUNCTIONS:
        letters = function.signature.replace("->", "")
        names = "xyrs" if len(function.samplers) == 2 else "xrs"
        count = len(function.samplers)
        types = ["int32_t" if letter == "i" else real for letter in letters]
        parameters = [
            f"{'const ' if k < count else ''}{t} *restrict {name}_array"
            for k, (t, name) in enumerate(zip(types, names, strict=False))
        ]
        body = [f"{types[k]} {names[k]} = {names[k]}_array[i];" for k in range(count)]
        body += [f"{types[k]} {names[k]};" for k in range(count, len(types))]
        body.append(function.c.replace("F(", f"{SUFFIXES[type_name]}(") + ";")
        body += [f"{names[k]}_array[i] = {names[k]};" for k in range(count, len(types))]
        lines.append(
            f"void loop_{function.name}(int64_t n, {', '.join(parameters)}) {{\n"
            f"    for (int64_t i = 0; i < n; i++) {{ {' '.join(body)} }}\n}}"
        )
    return "\n".join(lines) + "\n"


def c_library(type_name: str, folder: Path) -> ctypes.CDLL:
    """The C loops, compiled in `folder`."""
    source, library = folder / f"{type_name}.c", folder / f"{type_name}.so"
    source.write_text(c_source(type_name))
    compiler = [sys.executable, "-m", "ziglang", "cc"]
    subprocess.run([*compiler, *C_FLAGS, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def c_loop(library: ctypes.CDLL, function: Function) -> Loop:
    """The C library in a scalar loop."""
    found = getattr(library, f"loop_{function.name}")
    found.restype = None

    def prepare(arrays: list[Any]) -> list[Any]:
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        return [ctypes.c_int64(len(arrays[0])), *pointers]

    return Loop(found, prepare)
