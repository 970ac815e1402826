"""Compilers and the flags that teams give them: data, one build a row.

Adding a compiler or a set of flags is adding a row. `PACKAGES` is what they need of Debian's.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.prove_diagnose.foreign.c.style import EXACT, Style

PACKAGES = ("gcc", "gcc-multilib", "clang-16", "musl-tools", "gcc-12-aarch64-linux-gnu",
            "libc6-dev-arm64-cross", "qemu-user")  # fmt: skip
"""Debian packages that all rows together need; ziglang is of PyPI. Debian's gcc-aarch64-linux-gnu
cannot be installed beside gcc-multilib, gcc-12-aarch64-linux-gnu can."""
COMMON = ("-fwrapv", "-fno-strict-aliasing", "-w", "-std=gnu11")


@dataclass(frozen=True)
class Compiler:
    """`strict` are flags with which it keeps the source's bits, `library` those that code needs
    which calls `fma`; `runner` runs its programs."""

    name: str
    command: tuple[str, ...]
    strict: tuple[str, ...]
    library: tuple[str, ...]
    runner: tuple[str, ...] = ()
    static: bool = False
    architecture: str = "x86_64"
    big: bool = False


_OFF = ("-O2", "-ffp-contract=off")
_ZIG = (sys.executable, "-m", "ziglang", "cc")
COMPILERS = {c.name: c for c in (
    Compiler("gcc", ("gcc",), _OFF, ("-mfma",)),
    Compiler("gcc -m32", ("gcc", "-m32"), (*_OFF, "-msse2", "-mfpmath=sse"), ("-mfma",),
             architecture="i686"),
    Compiler("clang", ("clang-16",), _OFF, ("-mfma",)),
    Compiler("musl", ("musl-gcc",), _OFF, ("-mfma",), static=True),
    Compiler("gcc aarch64", ("aarch64-linux-gnu-gcc-12",), _OFF, (), ("qemu-aarch64",), True,
             "aarch64"),
    Compiler("zig aarch64", (*_ZIG, "-target", "aarch64-linux-musl"), _OFF, (), ("qemu-aarch64",),
             True, "aarch64"),
    Compiler("zig riscv64", (*_ZIG, "-target", "riscv64-linux-musl"), _OFF, (), ("qemu-riscv64",),
             True, "riscv64"),
    Compiler("zig s390x", (*_ZIG, "-target", "s390x-linux-musl"), _OFF, (), ("qemu-s390x",),
             True, "s390x", True),
)}  # fmt: skip


@dataclass(frozen=True)
class Build:
    """A compiler, its flags and the habits of who wrote the C. `hazards` are all that it can do to
    the bits; `narrower` are flags that do one thing alone, with what that is. `flushes`: whether
    its start code lets subnormal numbers be zero. `control`: it keeps all bits. `of` are the
    simulations in which it can change something, empty for all."""

    name: str
    compiler: str
    flags: tuple[str, ...]
    hazards: tuple[str, ...]
    style: Style = EXACT
    narrower: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    flushes: bool = False
    control: bool = False
    of: tuple[str, ...] = ()


_ORDER = ("-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")
_UNSAFE = ("-O3", "-funsafe-math-optimizations", "-ffp-contract=off")
_NARROWER = (
    (("reciprocal",), ("-O3", "-ffp-contract=off", "-freciprocal-math")),
    (("order", "lanes"), (*_ORDER, "-ffp-contract=off")),
    (("algebra", "order", "reciprocal", "lanes"), _UNSAFE),
    (
        ("min-max", "nan", "signed-zero"),
        ("-O3", "-ffp-contract=off", "-ffinite-math-only", "-fno-signed-zeros"),
    ),
)
_FMA = ((("fma",), ("-O3", "-mfma", "-ffp-contract=fast")),)
_FAST = ("order", "lanes", "reciprocal", "algebra", "estimate", "min-max", "nan", "signed-zero",
         "flush")  # fmt: skip
_X87 = ("x87", "double-rounding")
_WIDE = ("integrator", "pendulum", "outer_planets")
"""Simulations in float64."""
_CALLING = ("particles", "steering", "integrator", "pendulum", "arena", "racing", "pinball")
"""Those that call functions of the library which C has too."""
_FADING = ("decay", "decay", "cloth", "arena")
"""Those with subnormal numbers, and others."""

BUILDS = {b.name: b for b in (
    Build("gcc -O2 off", "gcc", _OFF, (), control=True),
    Build("gcc -O3 fma", "gcc", ("-O3", "-mfma", "-ffp-contract=fast"), ("fma",)),
    Build("gcc -Ofast", "gcc", ("-Ofast", "-ffp-contract=off"), _FAST,
          narrower=_NARROWER, flushes=True),
    Build("gcc -Ofast -mfma", "gcc", ("-Ofast", "-mfma"), (*_FAST, "fma"), flushes=True,
          narrower=(*_NARROWER, *_FMA)),
    Build("gcc reciprocal", "gcc", ("-O2", "-freciprocal-math", "-ffp-contract=off"),
          ("reciprocal",)),
    Build("gcc associative", "gcc", (*_ORDER, "-ffp-contract=off"), ("order", "lanes", "algebra")),
    Build("gcc -mrecip", "gcc", ("-O3", "-ffast-math", "-mrecip", "-ffp-contract=off"), _FAST,
          narrower=_NARROWER),
    Build("gcc single constants", "gcc", (*_OFF, "-fsingle-precision-constant"),
          ("constant", "narrower"), of=_WIDE),
    Build("gcc finite", "gcc", ("-O2", "-ffp-contract=off", "-fno-signed-zeros",
                                "-ffinite-math-only"), ("signed-zero", "min-max", "nan")),
    Build("gcc FTZ", "gcc", _OFF, ("flush",), flushes=True, of=_FADING),
    Build("gcc bare constants", "gcc", _OFF, ("constant", "double-rounding"),
          style=Style(constants="bare")),
    Build("gcc doubles", "gcc", _OFF, ("double-rounding",), style=Style(doubles=True)),
    Build("gcc libm", "gcc", _OFF, ("libm", "libm-ulp"), style=Style(functions="libm"),
          of=_CALLING),
    Build("gcc double libm", "gcc", _OFF, ("libm", "libm-ulp", "double-rounding"),
          style=Style(functions="double"), of=_CALLING),
    Build("gcc ternary", "gcc", _OFF, ("min-max", "signed-zero", "nan"),
          style=Style(extremes="ternary")),
    Build("gcc march", "gcc", ("-O2", "-march=haswell"), ("fma",)),
    Build("x87 -O0", "gcc -m32", ("-O0", "-mfpmath=387", "-mno-sse"), _X87),
    Build("x87 -O2", "gcc -m32", ("-O2", "-mfpmath=387", "-ffp-contract=off"), _X87),
    Build("x87 -ffloat-store", "gcc -m32", ("-O2", "-mfpmath=387", "-ffloat-store"), _X87),
    Build("x87 standard", "gcc -m32",
          ("-O2", "-mfpmath=387", "-fexcess-precision=standard"), _X87),
    Build("clang on", "clang", ("-O2", "-mfma", "-ffp-contract=on"), ("fma",)),
    Build("clang off", "clang", _OFF, (), control=True),
    Build("clang fast", "clang", ("-O3", "-ffast-math", "-mfma"), (*_FAST, "fma"),
          narrower=(*_NARROWER, *_FMA)),
    Build("clang reciprocal", "clang", ("-O2", "-freciprocal-math", "-ffp-contract=off"),
          ("reciprocal",)),
    Build("clang variables", "clang", ("-O2", "-mfma", "-ffp-contract=fast"), ("fma",),
          style=Style(temporaries=True)),
    Build("musl libm", "musl", _OFF, ("libm", "libm-ulp"), style=Style(functions="libm"),
          of=_CALLING),
    Build("gcc aarch64 default", "gcc aarch64", ("-O2",), ("fma",)),
    Build("gcc aarch64 off", "gcc aarch64", _OFF, (), control=True),
    Build("zig aarch64 on", "zig aarch64", ("-O2", "-ffp-contract=on"), ("fma",)),
    Build("zig riscv64 on", "zig riscv64", ("-O2", "-ffp-contract=on"), ("fma",)),
    Build("zig s390x on", "zig s390x", ("-O2", "-ffp-contract=on"), ("fma",)),
)}  # fmt: skip


_TRY = "#include <math.h>\nint main(int n, char **a) { return fma(n, 2, 1) != 3; }\n"


@cache
def missing(name: str) -> str:
    """Why a compiler cannot be used here; empty where it can."""
    compiler = COMPILERS[name]
    for tool in (compiler.command[0], *compiler.runner):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "try.c", Path(folder) / "try"
        source.write_text(_TRY)
        link = ("-static",) if compiler.static else ()
        made = subprocess.run(
            [*compiler.command, *compiler.strict, *link, str(source), "-o", str(target), "-lm"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            return f"does not compile: {made.stderr.strip().splitlines()[:1]}"
        if subprocess.run([*compiler.runner, str(target)], check=False).returncode:
            return "its programs do not run"
    return ""
