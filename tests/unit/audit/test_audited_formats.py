"""Planted hazards are found in every format and on every processor, and nothing else is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.audited import PLANTS, audited, built, needs_libraries, needs_zig, of_rule, zig

pytestmark = [needs_zig, needs_libraries]

OBJECTS = {
    "x86_64-linux-musl": ("ELF", "x86_64", "-mfma"),
    "x86-linux-musl": ("ELF", "i686", "-mfma"),
    "aarch64-linux-musl": ("ELF", "aarch64", ""),
    "arm-linux-musleabihf": ("ELF", "armv7", "-mcpu=cortex_a15"),
    "thumb-linux-musleabihf": ("ELF", "armv7", "-mcpu=cortex_a15"),
    "riscv64-linux-musl": ("ELF", "riscv64", ""),
    "powerpc64le-linux-musl": ("ELF", "powerpc64le", ""),
    "powerpc64-linux-musl": ("ELF", "powerpc64", ""),
    "s390x-linux-musl": ("ELF", "s390x", ""),
    "loongarch64-linux-musl": ("ELF", "loongarch64", ""),
    "mips64el-linux-musl": ("ELF", "mips64el", ""),
    "x86_64-windows-gnu": ("COFF", "x86_64", "-mfma"),
    "aarch64-windows-gnu": ("COFF", "aarch64", ""),
    "x86_64-macos": ("Mach-O", "x86_64", "-mfma"),
    "aarch64-macos": ("Mach-O", "aarch64", ""),
}
"""Format, processor and options by zig's target."""
WITHOUT_LINES = {"riscv64", "mips64el"}
"""Processors whose objects have relocations in their lines that pyelftools does not know."""


@pytest.mark.parametrize("target", OBJECTS)
def test_an_objects_plants_are_found_by_function_and_line(target: str, tmp_path: Path) -> None:
    kind, architecture, option = OBJECTS[target]
    options = ["-target", target, "-O2", "-gdwarf", "-ffp-contract=fast", "-c"]
    options += [option] if option else []
    binary = audited(zig(tmp_path, PLANTS, "plants.o", *options))
    assert (binary.error, binary.format, binary.kind) == (None, kind, "object")
    assert binary.architecture == architecture
    fused = of_rule(binary, "AU101")
    assert set(fused) == {"fused"}
    if architecture not in WITHOUT_LINES:
        assert fused["fused"].line == "plants.o.c:4"
    assert set(of_rule(binary, "AU301")) == {"imports sinf"}
    assert set(of_rule(binary, "AU304")) == {"imports rand"}
    assert len(binary.findings) == 3
    off = audited(zig(tmp_path, PLANTS, "off.o", *options, "-ffp-contract=off"))
    if architecture == "mips64el":  # LLVM makes them all the same
        assert "once on Loongson" in of_rule(off, "AU101")["fused"].message
    else:
        assert [f.code for f in off.findings] == ["AU301", "AU304"]


LINKED = {
    "x86_64-windows-gnu": ("PE", "x86_64", ("-mcpu=haswell", "-lucrtbase")),
    "aarch64-windows-gnu": ("PE", "aarch64", ("-lucrtbase",)),
    "aarch64-macos": ("Mach-O", "aarch64", ()),
    "x86_64-macos": ("Mach-O", "x86_64", ("-mcpu=haswell",)),
    "aarch64-linux-musl": ("ELF", "aarch64", ("-fPIC",)),
}


@pytest.mark.parametrize("target", LINKED)
def test_a_shared_librarys_plants_are_found(target: str, tmp_path: Path) -> None:
    kind, architecture, options = LINKED[target]
    start = "int DllMainCRTStartup(void *a, unsigned b, void *c) { return 1; }\nint _fltused;\n"
    source = PLANTS + (start if kind == "PE" else "")
    binary = audited(
        zig(tmp_path, source, "plants.dll", "-target", target, "-O2", "-g", "-ffp-contract=fast",
            "-shared", "-nostdlib", *options)
    )  # fmt: skip
    assert (binary.error, binary.format, binary.kind) == (None, kind, "shared library")
    assert binary.architecture == architecture
    named = {name.split("+")[0] for name in of_rule(binary, "AU101")}
    assert named == {"fused"} if kind != "PE" else named <= {"fused", ".text"}
    assert {name.split(" of ")[0] for name in of_rule(binary, "AU301")} == {"imports sinf"}
    assert binary.findings


def test_a_stripped_librarys_functions_are_those_of_its_unwind_tables(tmp_path: Path) -> None:
    source = PLANTS.replace("float fused", "__attribute__((noinline)) static float fused")
    source += "float use(float a) { return fused(a, a, a) * fused(a, 1, 2); }\n"
    options = ["-target", "x86_64-linux-musl", "-mfma", "-O2", "-ffp-contract=fast", "-fPIC"]
    whole = zig(tmp_path, source, "whole.so", *options, "-shared", "-nostdlib", "-s")
    binary = audited(whole)
    assert binary.error is None
    assert len(of_rule(binary, "AU101")) == 1
    assert next(iter(of_rule(binary, "AU101"))).startswith(".text+0x")
    assert binary.notes == ()


def test_relaxed_simd_of_a_module_is_found_by_function_and_line(tmp_path: Path) -> None:
    source = """#include <wasm_simd128.h>
extern double sin(double);
__attribute__((export_name("step"))) v128_t step(v128_t a, v128_t b, double x) {
  return wasm_f32x4_relaxed_madd(a, b, wasm_f64x2_splat(sin(x)));
}
"""
    options = ["-target", "wasm32-freestanding", "-O2", "-g", "-msimd128", "-mrelaxed-simd"]
    binary = audited(zig(tmp_path, source, "m.wasm", *options, "-fno-builtin", "-nostdlib",
                         "-Wl,--no-entry", "-Wl,--import-symbols"))  # fmt: skip
    assert (binary.format, binary.architecture, binary.kind) == ("wasm", "wasm32", "module")
    relaxed = of_rule(binary, "AU105")
    assert relaxed["step"].line == "m.wasm.c:4"
    assert relaxed["step"].places[0].text == "f32x4.relaxed_madd"
    assert set(of_rule(binary, "AU301")) == {"imports sin of env"}
    assert len(binary.findings) == 2


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_constructor_that_flushes_the_whole_process_is_named(tmp_path: Path) -> None:
    (tmp_path / "plants.c").write_text(PLANTS)
    command = ["gcc", "-Ofast", "-shared", "-fPIC", "plants.c", "-o", "fast.so"]
    fast = built(command, tmp_path, "fast.so")
    if b"GCC: (" not in fast.read_bytes():
        pytest.skip("gcc is another compiler here")
    binary = audited(fast)
    constructors = of_rule(binary, "AU202")
    if "set_fast_math" not in constructors:
        assert int(binary.compilers[0].split()[-1].split(".")[0]) >= 13
    built(["strip", "fast.so"], tmp_path, "fast.so")
    assert len(of_rule(audited(fast), "AU202")) == len(constructors)


@pytest.mark.skipif(shutil.which("gcc-12") is None, reason="gcc-12 is not installed")
def test_the_contraction_of_gcc_12_is_found_and_named(tmp_path: Path) -> None:
    (tmp_path / "pr.c").write_text(
        "void pr(double *restrict r, const double *a, const double *b, const double *c) {\n"
        "  r[0] = a[0] * b[0] - c[0];\n  r[1] = a[1] * b[1] + c[1];\n}\n"
    )
    command = ["gcc-12", "-O3", "-g", "-mfma", "-ffp-contract=off", "-c", "pr.c", "-o", "pr.o"]
    found = of_rule(audited(built(command, tmp_path, "pr.o")), "AU101")
    assert "vfmaddsub" in found["pr"].message
    assert "in spite of -ffp-contract=off recorded here (GCC PR 107647)" in found["pr"].message


@pytest.mark.skipif(shutil.which("gcc-12") is None, reason="gcc-12 is not installed")
def test_x87_arithmetic_is_found_and_loads_are_not(tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text(
        "double add(double a, double b) { return a + b; }\ndouble same(double a) { return a; }\n"
    )
    old = built(["gcc-12", "-m32", "-O2", "-g", "-c", "x.c", "-o", "x.o"], tmp_path, "x.o")
    assert {name: f.line for name, f in of_rule(audited(old), "AU102").items()} == {"add": "x.c:1"}
    options = ["-m32", "-msse2", "-mfpmath=sse", "-O2"]
    new = built(["gcc-12", *options, "-c", "x.c", "-o", "y.o"], tmp_path, "y.o")
    assert audited(new).findings == ()
