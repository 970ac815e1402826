"""What the table says of each compiler's flags is what a program that was built so does."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.audited import audited, needs_libraries, needs_zig, of_rule

from samebits.audit.flags.judge import judge
from samebits.audit.flags.state import FUSED

PROBE = """\
#include <stdio.h>
volatile double near_one = 1.0 + 0x1p-27, product = -(1.0 + 0x1p-26), one = 1.0, half = 0.5;
volatile double small = 0x1p-60, tiny = 0x1p-80, least = 0x1p-1022;
__attribute__((noinline)) double sum(double a, double b, double c) { return a * b + c; }
int main(void) {
  int fused = sum(near_one, near_one, product) != 0.0;
  double x = one, y = one, t = tiny, s = small;
  int moved = (t + x) - x != 0.0, wider = !moved && (s + y) - y != 0.0;
  volatile double u = least * half;
  printf("%d\\n", wider ? 16 : fused + 2 * moved + 4 * (u == 0.0));
  return 0;
}
"""
"""1 fused, 2 reassociated, 4 flushed, 16 computed wider."""

RUN = """\
gcc-11 -O2 -mfma
gcc-11 -O2 -mfma -std=c11
gcc-11 -O2 -mfma -ffp-contract=off
gcc-11 -Ofast
gcc-12 -O2
gcc-12 -O2 -mfma
gcc-12 -O2 -mfma -std=c17
gcc-12 -O2 -mfma -std=gnu17
gcc-12 -O2 -mfma -ffp-contract=on
gcc-12 -O2 -mfma -ffp-contract=off -ffast-math
gcc-12 -O2 -march=haswell
gcc-12 -Ofast -O2
gcc-12 -Ofast -fno-fast-math
gcc-12 -fno-fast-math -Ofast
gcc-12 -O2 -ffast-math -fno-fast-math
gcc-12 -O2 -funsafe-math-optimizations
gcc-12 -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math
gcc-12 -O2 -m32
gcc-12 -O2 -m32 -std=c17
gcc-12 -O2 -m32 -msse2 -mfpmath=sse
gcc-12 -O2 -mfpmath=387
clang-16 -O2 -mfma
clang-16 -O2 -mfma -std=c17
clang-16 -O2 -mfma -ffp-contract=off -ffast-math
clang-16 -O2 -mfma -ffast-math -ffp-contract=off
clang-16 -O2 -mfma -ffp-model=precise
clang-16 -O2 -mfma -ffp-model=strict
clang-16 -O2 -mfma -ffp-model=fast
clang-16 -O2 -mfma -ffp-contract=off -ffast-math -fno-fast-math
clang-16 -O2 -mfma -ffast-math -fno-fast-math
clang-16 -Ofast -O2
clang-16 -Ofast -fno-fast-math
clang-16 -O2 -mfma -funsafe-math-optimizations
aarch64-linux-gnu-gcc-12 -O2 -static
aarch64-linux-gnu-gcc-12 -O2 -static -std=c17
aarch64-linux-gnu-gcc-12 -O2 -static -ffp-contract=off
""".splitlines()
COMPILED = """\
zig cc -O2 -mcpu=haswell
zig cc -O2 -mcpu=haswell -ffp-contract=off
zig cc -target x86_64-linux-musl -O2
zig cc -target x86_64-linux-musl -O2 -mfma -std=c17
zig cc -target x86_64-linux-musl -O2 -mfma -ffp-model=precise
zig cc -target x86_64-linux-musl -O2 -mfma -ffp-contract=off -ffast-math
zig cc -target aarch64-linux-musl -O2
zig cc -target aarch64-linux-musl -O2 -ffp-contract=off -fno-fast-math -fno-builtin
zig cc -target riscv64-linux-musl -O2
zig cc -target s390x-linux-musl -O2
zig cc -target powerpc64le-linux-musl -O2
zig cc -target arm-linux-musleabihf -O2
""".splitlines()


def _runs_fma() -> bool:
    try:
        return "fma" in Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not _runs_fma(), reason="needs an x86-64 processor with FMA"
)
@pytest.mark.parametrize("row", RUN)
def test_a_program_does_what_the_table_says_of_its_flags(row: str, tmp_path: Path) -> None:
    words = shlex.split(row)
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    (tmp_path / "probe.c").write_text(PROBE)
    made = subprocess.run(
        [*words, "probe.c", "-o", "probe"], cwd=tmp_path, capture_output=True, check=False
    )
    if made.returncode and "-m32" in words:
        pytest.skip("gcc's 32-bit libraries are not installed")
    assert made.returncode == 0
    runner = ["qemu-aarch64"] if words[0].startswith("aarch64") else []
    if runner and shutil.which(runner[0]) is None:
        pytest.skip("qemu-aarch64 is not installed")
    ran = subprocess.run([*runner, "./probe"], cwd=tmp_path, capture_output=True, check=True)
    state = judge([*words, "probe.c", "-o", "probe"], str(tmp_path))
    assert state is not None
    assert int(ran.stdout) == state.bits


@needs_zig
@needs_libraries
@pytest.mark.parametrize("row", COMPILED)
def test_an_object_fuses_where_the_table_says_so(row: str, tmp_path: Path) -> None:
    words = shlex.split(row)
    (tmp_path / "sum.c").write_text("double sum(double a, double b, double c) {return a * b + c;}")
    zig = [sys.executable, "-m", "ziglang", *words[1:], "-c", "sum.c", "-o", "sum.o"]
    subprocess.run(zig, cwd=tmp_path, capture_output=True, check=True)
    state = judge([*words, "-c", "sum.c"], str(tmp_path))
    assert state is not None
    assert bool(of_rule(audited(tmp_path / "sum.o"), "AU101")) == bool(state.bits & FUSED)


@pytest.mark.parametrize(
    ("row", "codes"),
    [
        ("/usr/bin/ccache CC=1 x86_64-linux-gnu-g++ -O2 a.cpp", {"contraction-elsewhere"}),
        ("clang++-13 -target aarch64-linux-gnu -O2 a.cpp", set[str]()),
        ("clang++-14 -target aarch64-linux-gnu -O2 a.cpp", {"contraction"}),
        ("clang -arch arm64 -O2 a.c", {"contraction"}),
        (r"C:\VS\cl.exe /O2 /fp:fast /arch:AVX2 a.cpp", {"fast-math", "contraction"}),
        ("cl.exe /fp:fast /fp:strict a.cpp", set[str]()),
        ("clang-cl -arch arm64 /fp:precise a.cpp", {"contraction"}),
        ("clang-cl --target=x86_64-pc-windows-msvc /fp:strict a.cpp", set[str]()),
        ("icx -target x86_64 -O2 a.c", {"contraction-elsewhere", "fast-math", "flush-at-link"}),
        ("icpx -xHost -fp-model=precise -ffp-model=strict -no-ftz a.cpp", {"native"}),
        ("emcc -O2 -mrelaxed-simd a.c", {"contraction-elsewhere", "relaxed-simd-flags"}),
        ("rustc -C target-cpu=native a.rs", {"native"}),
        ("rustc -O a.rs", set[str]()),
        ("nvcc -O2 a.cu", {"contraction"}),
        ("nvcc --fmad=false a.cu", set[str]()),
        ("nvcc --use_fast_math a.cu", {"contraction", "fast-math", "flush-at-link"}),
        ("gcc -target x86_64 -std=c17 -fsingle-precision-constant a.c", {"single-constants"}),
        ("gcc -target x86_64 -ffp-contract=off -march=native a.c", {"native"}),
        ("zig cc -ffp-contract=off a.c", {"native"}),
    ],
)
def test_compilers_that_are_not_here_are_judged_by_the_same_table(
    row: str, codes: set[str]
) -> None:
    from samebits.audit.flags.findings import of_state, words_of
    from samebits.audit.rules.rule import BY_CODE

    state = judge(words_of(row))
    assert state is not None
    assert {BY_CODE[code].name for code, _ in of_state(state)} == codes


def test_flags_in_a_response_file_count(tmp_path: Path) -> None:
    (tmp_path / "flags.rsp").write_text('-O2 "-ffast-math"')
    state = judge(["gcc", "@flags.rsp", "a.c"], str(tmp_path))
    assert state is not None
    assert state.fast["associative"] == "-ffast-math"


def test_another_program_is_no_compiler() -> None:
    assert judge(["python3", "-ffast-math"]) is None
    assert judge(["zig", "build-exe", "a.zig"]) is None
    assert judge([]) is None


@needs_libraries
@pytest.mark.parametrize(("compiler", "fuses"), [("gcc-12", True), ("clang-16", False)])
def test_gcc_ignores_the_pragma_that_clang_heeds(
    compiler: str, fuses: bool, tmp_path: Path
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "sum.c").write_text(
        "#pragma STDC FP_CONTRACT OFF\n"
        "double sum(double a, double b, double c) { return a * b + c; }\n"
    )
    command = [compiler, "-O2", "-mfma", "-w", "-c", "sum.c", "-o", "sum.o"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert bool(of_rule(audited(tmp_path / "sum.o"), "AU101")) == fuses
