"""C and C++ programs, unchanged, give one hash with the drop-in library, by any compiler."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.runs.exported import needs_zig

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.export import toolchain
from samebits.export.build import choose_targets
from samebits.export.math_library.build import build_math_library
from samebits.export.math_library.drop_in import c_names, replacing_header
from samebits.export.math_library.functions import FUNCTIONS
from samebits.runtime.emulation.link import LINUX

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]

HERE = Path(__file__).parents[2] / "support" / "programs"
HASH = "e23d542d5efbea5c"
"""What mix.c and mix.cpp give with correctly rounded functions."""
USED = [f for f in FUNCTIONS if f.name in {"sin", "cos", "sincos", "pow", "frexp", "ldexp"}]
WAYS = {"archive": ["-fno-builtin"], "header": ["-include", "sbmath_replace.h"]}
FLAGS = ["-O2", "-ffp-contract=off"]
MAIN = """\
#include <inttypes.h>
#include <stdio.h>
uint64_t mix(void);
int main(void)
{
    printf("%016" PRIx64, mix());
    return 0;
}
"""
BARE = """\
#include "linux.h"
uint64_t mix(void);
void begin(long *stack);
START(begin)
void begin(long *stack)
{
    char text[16];
    uint64_t hash = mix();
    (void)stack;
    for (int k = 16; k--; hash >>= 4) text[k] = "0123456789abcdef"[hash & 15];
    system_call(SYS_WRITE, 1, (long)(uintptr_t)text, 16);
    leave(0);
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs, and the library for this machine."""
    folder = tmp_path_factory.mktemp("drop-in")
    build_math_library(choose_targets(["x86-64-v1"]), folder, functions=USED)
    for name in ("mix.c", "mix.cpp"):
        shutil.copy(HERE / name, folder)
    (folder / "main.c").write_text(MAIN)
    return folder


def ran(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def linked(folder: Path, *libraries: str) -> str:
    """What the program prints whose mix.o is there."""
    ran(folder, "gcc", "main.c", "mix.o", *libraries, "-lm", "-o", "program")
    return ran(folder, "./program")


@pytest.mark.skipif(engine.host_target().architecture != "x86_64", reason="runs on x86-64")
@pytest.mark.parametrize("file", ["mix.c", "mix.cpp"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_program_of_this_machine_gives_the_hash(folder: Path, compiler: str, file: str) -> None:
    if shutil.which(compiler) is None or shutil.which("gcc") is None:
        pytest.skip(f"{compiler} is not installed")
    command = [{"gcc": "g++", "clang": "clang++"}[compiler] if file == "mix.cpp" else compiler]
    for options in WAYS.values():
        ran(folder, *command, *FLAGS, *options, "-c", file, "-o", "mix.o")
        assert linked(folder, "x86-64-v1/libsbmath_libm.a") == HASH
    ran(folder, *command, *FLAGS, "-c", file, "-o", "mix.o")
    assert linked(folder) != HASH  # by the platform's own library


@pytest.mark.parametrize("name", ["x86-64-v1", "s390x", "aarch64"])
def test_a_program_for_another_processor_gives_the_hash(folder: Path, name: str) -> None:
    target = TARGETS[name]
    if shutil.which(target.qemu) is None:
        pytest.skip(f"{target.qemu} is not installed")
    if name != "x86-64-v1":
        build_math_library([target], folder, functions=USED)
    (folder / "linux.h").write_bytes(LINUX.read_bytes())
    (folder / "bare.c").write_text(BARE)
    common = ["-target", target.zig, "-O2", "-fno-sanitize=all", "-fno-stack-protector"]
    toolchain.zig(
        folder, ["cc", *common, "-ffreestanding", "-fno-builtin", "-c", "bare.c", "-o", "bare.o"]
    )
    for language, file in (("cc", "mix.c"), ("c++", "mix.cpp")):
        for options in WAYS.values():
            made = [language, *common, "-ffp-contract=off", *options, "-c", file, "-o", "zig.o"]
            toolchain.zig(folder, made)
            archive = f"{name}/libsbmath_libm.a"
            link = ["ld.lld", "-static", "-e", "_start", "bare.o", "zig.o", archive]
            toolchain.zig(folder, [*link, "-o", "bare"])
            assert ran(folder, target.qemu, "./bare") == HASH


@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
def test_every_name_agrees_with_the_platforms_own_header(
    compiler: str, language: str, tmp_path: Path
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "sbmath_replace.h").write_text(replacing_header(FUNCTIONS))
    file = tmp_path / ("f.c" if language == "c" else "f.cpp")
    file.write_text("#include <math.h>\ndouble f(double x) { return erfc(x) + rint(x); }\n")
    ran(
        tmp_path, compiler, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
        "-include", "sbmath_replace.h", "-c", file.name, "-o", "f.o",
    )  # fmt: skip
    code = (tmp_path / "f.o").read_bytes()
    assert b"sb_erfc" in code
    assert b"sb_roundeven" in code


def test_the_header_says_when_it_comes_too_late(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    (tmp_path / "sbmath_replace.h").write_text(replacing_header(FUNCTIONS))
    (tmp_path / "f.c").write_text('#include <math.h>\n#include "sbmath_replace.h"\n')
    done = subprocess.run(["gcc", "-c", "f.c"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode
    assert "comes before math.h and cmath: -include sbmath_replace.h" in done.stderr


def test_names_whose_results_platforms_choose_are_left_to_them() -> None:
    names = {name for function in FUNCTIONS for name in c_names(function)}
    assert {"sin", "pow", "scalbn", "nearbyint", "sincos"} <= names
    assert not names & {"ilogb", "isnan", "pown", "compoundn"}
