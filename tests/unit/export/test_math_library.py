"""The built math library gives samebits' own bits, in numbers and in arrays, on every processor."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.runs.exported import needs_zig
from tools.prove_math_library.inputs import columns_of
from tools.prove_math_library.program import Running, expected, linked

from samebits import math
from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.cli import status
from samebits.errors import SamebitsError
from samebits.export.build import choose_targets
from samebits.export.math_library.build import build_math_library, exported_symbols
from samebits.export.math_library.functions import FUNCTIONS, WIDTHS, MathFunction
from samebits.export.math_library.header import header_text
from samebits.lang.overloads import Overloads
from samebits.types import FLOAT32, FLOAT64

BY_NAME = {function.name: function for function in FUNCTIONS}
SOME = [BY_NAME[name] for name in ("sin", "sincos", "cbrt", "frexp", "ldexp", "ilogb", "isnan")]
"""Every shape of a C function."""
FEW = [BY_NAME[name] for name in ("cbrt", "frexp", "isnan")]
ENGINE_MATH = {
    "degrees", "fract", "lerp", "radians", "remap", "saturate", "smoothstep", "step", "unlerp",
}  # fmt: skip
"""Functions of docs/reference/engine-math.md, which C has no use for."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux")


def made(out: Path, *targets: str, functions: list[MathFunction] = SOME) -> Path:
    build_math_library(choose_targets(targets), out, functions=functions)
    return out


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a build for this machine."""
    return made(tmp_path_factory.mktemp("host"), engine.host_target().name)


def test_every_function_of_floats_is_in_the_library() -> None:
    names: list[str] = vars(math)["__all__"]
    public = {name for name in names if isinstance(getattr(math, name), Overloads)}
    assert public - {function.python for function in FUNCTIONS} == ENGINE_MATH
    assert len(BY_NAME) == len(FUNCTIONS)


@needs_zig
@linux
@pytest.mark.parametrize("name", ["aarch64", "s390x", "riscv64", "i686"])
def test_a_program_on_another_processor_gets_the_same_bits(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    if shutil.which(target.qemu) is None:
        pytest.skip(f"{target.qemu} is not installed")
    functions = SOME if name == "s390x" else FEW
    built = made(tmp_path / "built", name, functions=functions)
    program = linked(tmp_path, functions, target, built)
    with Running(program, functions, target, emulated=True) as running:
        for function in functions:
            for t in WIDTHS:
                for columns in columns_of(function, t, 500, seed=2):
                    found = running.call(function, t, columns)
                    for mine, other in zip(expected(function, columns), found, strict=True):
                        assert np.array_equal(mine, other), function.symbol(t)


@needs_zig
@linux
def test_results_may_replace_arguments_in_arrays_of_any_length(host: Path) -> None:
    library = ctypes.CDLL(str(host / engine.host_target().name / "libsbmath.so"))
    for count in (0, 1, 127, 128, 129, 1000):
        values = np.linspace(-9, 9, count)
        place = values.copy()
        library.sb_sin_array(ctypes.c_size_t(count), _at(place), _at(place))
        assert place.tobytes() == math.sin(values).tobytes()
        powers = np.arange(count, dtype=np.int32)
        library.sb_ldexp_array(ctypes.c_size_t(count), _at(values), _at(powers), _at(values))
        assert values.tobytes() == math.ldexp(np.linspace(-9, 9, count), powers).tobytes()


@needs_zig
@linux
def test_arrays_and_pinned_calls_do_not_heed_the_rounding_mode(host: Path) -> None:
    folder = host / engine.host_target().name
    program = """\
#include "sbmath.h"
#include <fenv.h>
#include <stdio.h>
static int body(void *context)
{
    *(double *)context = sb_cbrt(*(double *)context);
    return 7;
}
int main(void)
{
    double x = 2, y = 2, z = 2;
    fesetround(FE_UPWARD);
    sb_cbrt_array(1, &x, &y);
    int given = sb_pinned(body, &z);
    printf("%d %d %a %a\\n", given, fegetround() == FE_UPWARD, y, z);
    return 0;
}
"""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (host / "program.c").write_text(program)
    subprocess.run(
        [compiler, "-std=c99", "-Wall", "-Werror", "-I.", "program.c",
         str(folder / "libsbmath.a"), "-lm", "-o", "program"],
        cwd=host, check=True,
    )  # fmt: skip
    shown = subprocess.run([host / "program"], capture_output=True, text=True, check=True).stdout
    given, mode, *roots = shown.split()
    assert (given, mode) == ("7", "1")
    assert [float.fromhex(root) for root in roots] == [float(math.cbrt(2.0))] * 2


@needs_zig
@linux
def test_a_library_needs_nothing_but_memory_functions(host: Path) -> None:
    names = subprocess.run(
        [sys.executable, "-m", "ziglang", "ar", "t", "libsbmath.a"],
        cwd=host / engine.host_target().name, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert {"trigonometric.o", "run.o"} <= {*names}
    library = ctypes.CDLL(str(host / engine.host_target().name / "libsbmath.so"))
    for symbol in exported_symbols(SOME):
        assert getattr(library, symbol)
    for hidden in ("sb_run", "sb_loop_sin"):
        assert not hasattr(library, hidden)


@needs_zig
def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    rows = ("aarch64-ios", engine.host_target().name, "wasm32")
    one = [BY_NAME["cbrt"]]
    first = _contents(made(tmp_path / "a", *rows, functions=one))
    assert first == _contents(made(tmp_path / "b" / "c", *rows, functions=one))
    assert [name for name in first if str(tmp_path).encode() in first[name]] == []
    assert {"aarch64-ios/libsbmath.a", "wasm32/sbmath.wasm", "sbmath.h"} <= first.keys()


@needs_zig
def test_a_webassembly_module_has_every_function(tmp_path: Path) -> None:
    wasmtime: Any = pytest.importorskip("wasmtime")
    made(tmp_path, "wasm32", functions=[BY_NAME["sin"], BY_NAME["frexp"]])
    store = wasmtime.Store()
    module = wasmtime.Module.from_file(store.engine, str(tmp_path / "wasm32" / "sbmath.wasm"))
    exports = wasmtime.Instance(store, module, []).exports(store)
    for x in (0.5, 1e22, -0.0):
        assert exports["sb_sin"](store, x) == float(math.sin(x))
        single = float(math.sin(np.float32(x)))
        assert exports["sb_sinf"](store, float(np.float32(x))) == single
    memory, place = exports["memory"], exports["__heap_base"].value(store)
    given = np.array([3.0, -0.75, 1e-310, np.inf])
    memory.write(store, given.tobytes(), place)
    exports["sb_frexp_array"](store, 4, place, place + 64, place + 128)
    fractions, exponents = math.frexp(given)
    assert bytes(memory.read(store, place + 64, place + 96)) == fractions.tobytes()
    assert bytes(memory.read(store, place + 128, place + 144)) == exponents.tobytes()


@pytest.mark.parametrize(
    ("compiler", "standard"), [("cc", ["-std=c99"]), ("c++", ["-x", "c++", "-std=c++11"])]
)
def test_the_header_is_c99_and_cpp11(compiler: str, standard: list[str], tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    text = header_text(FUNCTIONS)
    assert text.isascii()
    (tmp_path / "sbmath.h").write_text(text)
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-fsyntax-only"]
    subprocess.run([compiler, *standard, *strict, "sbmath.h"], cwd=tmp_path, check=True)


def test_the_header_says_what_each_function_gives() -> None:
    text = header_text(FUNCTIONS)
    for symbol in exported_symbols(FUNCTIONS):
        assert text.count(f" {symbol}(") == 1
    assert "/* Sine of x radians; any float32 or float64, NaN for NaN" in text


def test_the_command_takes_a_simulation_or_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["build", "--out", str(tmp_path)]) == 2
    assert "takes SIM or --math-library\n" in capsys.readouterr().err
    assert status(["build", "game.py", "--math-library", "-o", str(tmp_path)]) == 2
    assert "not both" in capsys.readouterr().err


@needs_zig
def test_several_levels_in_one_library_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SamebitsError, match="several levels") as raised:
        made(tmp_path, "x86-64")
    assert raised.value.fix == "name the level: --target x86-64-v1,x86-64-v4"


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
def test_every_function_has_arguments_of_c(t: Any) -> None:
    for function in FUNCTIONS:
        assert len(function.outs) == len(function.results(t)) - (not function.all_by_pointer)
        assert "count" not in dict(function.parameters(t))


def _at(array: np.ndarray[Any, Any]) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
