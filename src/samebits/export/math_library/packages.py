"""The library as packages: for CMake, pkg-config, Cargo and npm."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.targets.table import Target
from samebits.export.math_library.arrays import array_outs
from samebits.export.math_library.functions import WIDTHS, MathFunction
from samebits.export.templates import render
from samebits.types import ScalarType
from samebits.version import __version__

_LETTERS = {"float64": "d", "float32": "f", "int32": "i", "bool": "b"}
_RUST = {"float64": "f64", "float32": "f32", "int32": "i32", "bool": "bool"}
_SCRIPT = {"float64": "number", "float32": "number", "int32": "number", "bool": "boolean"}
_SCRIPT_ARRAYS = {
    "float64": "Float64Array", "float32": "Float32Array", "int32": "Int32Array",
    "bool": "Uint8Array",
}  # fmt: skip
_RUST_ARCHITECTURES = {
    "i686": "x86", "armv7": "arm", "powerpc64le": "powerpc64", "mips64el": "mips64",
}  # fmt: skip
"""Cargo's names of processors, where they are others."""
_RUST_SYSTEMS = ("windows", "macos", "ios", "android", "linux")


def linked_packages(functions: Sequence[MathFunction], targets: Sequence[Target]) -> dict[str, str]:
    """The texts of the CMake package and of the crate, by their names in the folder of all
    targets; none where no target has a library to link."""
    linked = [target for target in targets if target.zig]
    if not linked:
        return {}
    names = " ".join(target.name for target in linked)
    rows = (f'    ("{t.name}", "{_architecture(t)}", "{_system(t)}"),' for t in linked)
    return {
        "sbmathConfig.cmake": render("math/config.cmake", TARGETS=names, TARGET=linked[0].name),
        "rust/Cargo.toml": render("math/Cargo.toml", VERSION=__version__),
        "rust/build.rs": render("math/build.rs", ROWS="\n".join(rows)),
        "rust/lib.rs": _crate(functions),
    }


def target_packages(functions: Sequence[MathFunction], target: Target) -> dict[str, str]:
    """The texts beside the libraries of one target: pkg-config's files, or the npm package."""
    if target.zig:
        files = ("sbmath.pc", "sbmath-libm.pc")
        return {file: render(f"math/{file}", VERSION=__version__) for file in files}
    each = [(function, t) for function in functions for t in WIDTHS]
    return {
        "package.json": render("math/package.json", VERSION=__version__),
        "sbmath.mjs": render("math/sbmath.mjs", ROWS="\n".join(_row(f, t) for f, t in each)),
        "sbmath.d.mts": _script_types(each),
    }


def _architecture(target: Target) -> str:
    return _RUST_ARCHITECTURES.get(target.architecture, target.architecture)


def _system(target: Target) -> str:
    return next(system for system in _RUST_SYSTEMS if system in target.zig)


def _name(function: MathFunction, t: ScalarType) -> str:
    return function.symbol(t).removeprefix("sb_")


def _row(function: MathFunction, t: ScalarType) -> str:
    given = "".join(_LETTERS[p.name] for _, p in function.parameters(t))
    results = "".join(_LETTERS[r.name] for r in function.results(t))
    return f"{_name(function, t)} {given} {results}"


def _script_types(each: Sequence[tuple[MathFunction, ScalarType]]) -> str:
    numbers: list[str] = []
    arrays: list[str] = []
    for function, t in each:
        for lines, types in ((numbers, _SCRIPT), (arrays, _SCRIPT_ARRAYS)):
            given = ", ".join(f"{name}: {types[p.name]}" for name, p in function.parameters(t))
            results = [types[r.name] for r in function.results(t)]
            result = results[0] if len(results) == 1 else f"[{', '.join(results)}]"
            lines.append(f"{_name(function, t)}({given}): {result};")
    return render(
        "math/sbmath.d.mts",
        NUMBERS="\n".join(f"  {line}" for line in numbers),
        ARRAYS="\n".join(f"    {line}" for line in arrays),
    )


def _crate(functions: Sequence[MathFunction]) -> str:
    each = [(function, t) for function in functions for t in WIDTHS]
    return render(
        "math/lib.rs",
        VERSION=__version__,
        DECLARATIONS="\n".join(line for f, t in each for line in _rust_declarations(f, t)),
        FUNCTIONS="\n\n".join(text for f, t in each for text in _rust_functions(f, t)),
    )


def _rust_declarations(function: MathFunction, t: ScalarType) -> list[str]:
    given = [f"{name}: {_RUST[p.name]}" for name, p in function.parameters(t)]
    results = [_RUST[r.name] for r in function.results(t)]
    through = results if function.all_by_pointer else results[1:]
    given += [f"{name}: *mut {r}" for name, r in zip(function.outs, through, strict=True)]
    returned = results[0].replace("bool", "i32")
    result = "" if function.all_by_pointer else f" -> {returned}"
    arrays = [f"{name}: *const {_RUST[p.name]}" for name, p in function.parameters(t)]
    arrays += [f"{name}: *mut {_RUST[r.name]}" for name, r in array_outs(function, t)]
    return [
        f"        pub fn {function.symbol(t)}({', '.join(given)}){result};",
        f"        pub fn {function.array_symbol(t)}(count: usize, {', '.join(arrays)});",
    ]


def _rust_functions(function: MathFunction, t: ScalarType) -> list[str]:
    name, parameters = _name(function, t), function.parameters(t)
    results = [_RUST[r.name] for r in function.results(t)]
    given = ", ".join(f"{each}: {_RUST[p.name]}" for each, p in parameters)
    passed = ", ".join(
        [*(each for each, _ in parameters), *(f"&mut {each}" for each in function.outs)]
    )
    as_bool = " != 0" if results == ["bool"] else ""
    call = f"unsafe {{ c::{function.symbol(t)}({passed}){as_bool} }}"
    through = results if function.all_by_pointer else results[1:]
    lines = [
        f"let mut {each} = {_zero(r)};" for each, r in zip(function.outs, through, strict=True)
    ]
    if not lines:
        lines = [call]
    elif function.all_by_pointer:
        lines += [f"{call};", f"({', '.join(function.outs)})"]
    else:
        lines += [f"let first = {call};", f"(first, {', '.join(function.outs)})"]
    result = results[0] if len(results) == 1 else f"({', '.join(results)})"
    body = "\n".join(f"    {line}" for line in lines)
    number = f"/// {function.summary}\n#[inline]\npub fn {name}({given}) -> {result} {{\n{body}\n}}"
    outs = array_outs(function, t)
    slices = [f"{each}: &[{_RUST[p.name]}]" for each, p in parameters]
    slices += [f"{each}: &mut [{_RUST[r.name]}]" for each, r in outs]
    first, *others = [each for each, _ in (*parameters, *outs)]
    checks = "\n".join(f"    assert_eq!({each}.len(), count);" for each in others)
    places = [f"{each}.as_ptr()" for each, _ in parameters]
    places += [f"{each}.as_mut_ptr()" for each, _ in outs]
    array = (
        f"/// [`{name}`] of each element; panics where lengths differ.\n"
        f"pub fn {name}_array({', '.join(slices)}) {{\n    let count = {first}.len();\n{checks}\n"
        f"    unsafe {{ c::{function.array_symbol(t)}(count, {', '.join(places)}) }}\n}}"
    )
    return [number, array]


def _zero(t: str) -> str:
    return "0" if t == "i32" else "0.0"
