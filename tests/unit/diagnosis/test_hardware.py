"""What real compilers and processors did to an expression is named."""

from __future__ import annotations

import platform
import random
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from samebits.diagnosis.explain import Explanation, explain
from samebits.runtime.emulation.link import LINUX

PROGRAM = """
#if defined __x86_64__
#include <fenv.h>
#include <xmmintrin.h>
#include <math.h>
#include <stdio.h>
#elif defined __aarch64__  /* zig would compile a C library for longer than all that is tested */
#include "linux.h"
#include <arm_neon.h>
#endif
__attribute__((noinline)) static float f(float a, float b, float c, float d) { %(body)s }
static float given[60][4], found[60];
#if defined __x86_64__
int main(void) {
    %(setup)s
    if (fread(given, 1, sizeof given, stdin) != sizeof given) return 1;
    for (int i = 0; i < 60; i++)
        found[i] = f(given[i][0], given[i][1], given[i][2], given[i][3]);
    return fwrite(found, 1, sizeof found, stdout) != sizeof found;
}
#elif defined __aarch64__
__attribute__((used)) _Noreturn void start(void *stack) {
    (void)stack;
    %(setup)s
    if (system_call(SYS_READ, 0, (long)given, sizeof given) != sizeof given) leave(1);
    for (int i = 0; i < 60; i++)
        found[i] = f(given[i][0], given[i][1], given[i][2], given[i][3]);
    leave(system_call(SYS_WRITE, 1, (long)found, sizeof found) != sizeof found);
}
START(start)
#endif
"""


OPTIONS = ["-O2", "-fno-strict-aliasing"]


@dataclass(frozen=True)
class Case:
    hazard: str
    expression: str
    flags: tuple[str, ...] = ()
    body: str = ""
    setup: str = ""
    operands: str = "near"

    def __str__(self) -> str:
        return f"{self.hazard}-{self.expression}"


X86 = [
    Case("fma", "a*b + c", ("-mfma", "-ffp-contract=fast"), operands="cancel"),
    Case("fma", "a*b + c*d", ("-mfma", "-ffp-contract=fast")),
    Case("fma", "c - a*b", ("-mfma", "-ffp-contract=fast"), operands="cancel"),
    Case("x87", "a*b + c*d - a", ("-mfpmath=387",)),
    Case("x87", "a/b + c/d", ("-mfpmath=387",)),
    Case("x87", "a/b + c/d", ("-mfpmath=387",),
         setup='__asm__("fldcw %0" :: "m"((unsigned short){0x27f}));'),
    Case("x87", "a*b + c/d", ("-mfpmath=387",), operands="least",
         setup='__asm__("fldcw %0" :: "m"((unsigned short){0x7f}));'),
    Case("order", "a + b + c + d", body="return (a + c) + (b + d);"),
    Case("order", "a*b*c*d", body="return (a * b) * (c * d);"),
    Case("reciprocal", "a/b", body="volatile float r = 1 / b; return a * r;"),
    Case("estimate", "a/b", ("-Ofast", "-mrecip")),
    Case("estimate", "1/sqrt(a)", ("-Ofast", "-mrecip"), body="return 1 / sqrtf(a);"),
    Case("double-rounding", "a*b + c*d", body="return (double)a * b + (double)c * d;"),
    Case("flush", "a*b + c", setup="_mm_setcsr(_mm_getcsr() | 0x8040);", operands="tiny"),
    Case("flush", "a*b", setup="_mm_setcsr(_mm_getcsr() | 0x8000);", operands="tiny"),
    Case("min-max", "min(a, b)", body="return a < b ? a : b;", operands="nan"),
    Case("min-max", "max(a, b)", body="return fmaxf(a, b);", operands="quiet"),
    Case("to-integer", "int32(a)", body="return (float)(int)a;", operands="any"),
    Case("to-integer", "uint32(a)", body="return (float)(unsigned)a;", operands="any"),
    Case("nan", "a*b + c", operands="nan"),
    Case("rounding", "a*b + c*d", ("-frounding-math",), setup="fesetround(FE_UPWARD);"),
    Case("rounding", "a/b - c", ("-frounding-math",), setup="fesetround(FE_TOWARDZERO);"),
]  # fmt: skip
_FZ = (
    'unsigned long r; __asm__ volatile("mrs %0, fpcr" : "=r"(r)); r |= 1ul << 24; '
    '__asm__ volatile("msr fpcr, %0" :: "r"(r));'
)
ARM = [
    Case("fma", "a*b + c", ("-ffp-contract=on",), operands="cancel"),
    Case("fma", "a*b + c*d", ("-ffp-contract=on",)),
    Case("estimate", "1/a", body="return vrecpes_f32(a);"),
    Case("estimate", "1/a", body="float x = vrecpes_f32(a); x *= vrecpss_f32(x, a); return x;"),
    Case("estimate", "1/sqrt(a)", body="return vrsqrtes_f32(a);"),
    Case("estimate", "1/sqrt(a)",
         body="float x = vrsqrtes_f32(a); x *= vrsqrtss_f32(x * a, x); return x;"),
    Case("flush", "a*b", ("-ffp-contract=off",), setup=_FZ, operands="tiny"),
    Case("flush", "a*b", ("-ffp-contract=off",), setup=_FZ, operands="edge"),
    Case("nan", "a*b + c", ("-ffp-contract=off",), operands="nan"),
]  # fmt: skip


def bits_of(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def rows(kind: str, count: int = 60) -> list[list[int]]:
    source = random.Random(kind)
    found: list[list[int]] = []
    for _ in range(count):
        a, b, c, d = (source.uniform(0.5, 4) for _ in range(4))
        if kind == "cancel":
            found.append(
                [bits_of(v) for v in (a, b, -a * b if source.random() < 0.7 else a * b, d)]
            )
        elif kind == "tiny":
            found.append(
                [bits_of(a * 2.0**-70), bits_of(b * 2.0**-57), bits_of(c * 2.0**-126), bits_of(d)]
            )
        elif kind == "nan":
            special = [
                source.choice(
                    (0x7FC00001, 0xFFC12345, 0x7F812345, bits_of(a), 0x80000000, 0, 0x7F800000)
                )
                for _ in range(3)
            ]
            found.append([*special, bits_of(d)])
        elif kind == "quiet":
            pair = [source.choice((0x7FC00000, 0x80000000)), source.choice((0, bits_of(b)))]
            found.append([*pair, bits_of(c), bits_of(d)])
        elif kind == "least":
            small = (a * 2.0**-70, b * 2.0**-70, c * 2.0**-139, d)
            found.append([bits_of(v) for v in small])
        elif kind == "edge":  # just below the least normal number, to which it rounds
            found.append([0x1F9132D8, 0x2061AD56, bits_of(c), bits_of(d)])
        elif kind == "any":
            found.append([source.getrandbits(32), *map(bits_of, (b, c, d))])
        else:
            found.append([bits_of(v) for v in (a, b, c, d)])
    return found  # fmt: skip


def check(case: Case, compilers: list[list[str]], runner: list[str], folder: Path) -> None:
    """Compile by the commands, each of which gets on where the one before it ended."""
    body = case.body or f"return {case.expression};"
    (folder / "f.c").write_text(PROGRAM % {"body": body, "setup": case.setup})
    for command in compilers:
        made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        assert made.returncode == 0, made.stderr
    given = rows(case.operands)
    sent = b"".join(struct.pack("<4I", *row) for row in given)
    out = subprocess.run(
        [*runner, str(folder / "f")], input=sent, capture_output=True, check=True
    ).stdout
    got = [f"0x{bits:08x}" for (bits,) in struct.iter_unpack("<I", out)]
    names = _names(case)
    values = [
        {n: f"0x{b:08x}" for n, b in zip("abcd", row, strict=True) if n in names} for row in given
    ]
    whole = explain(case.expression, values, got)
    assert [case.hazard] in hazards(whole), "one evaluation gives all rows"
    facts = zip(whole.rows, values, got, strict=True)
    differing = [(row, bits) for fact, row, bits in facts if fact.strict != fact.observed]
    assert len(differing) >= 3, f"only {len(differing)} results differ"
    for row, bits in differing[:: 1 + len(differing) // 8]:
        alone = explain(case.expression, row, bits)
        assert [case.hazard] in hazards(alone), (row, bits, hazards(alone), hex(alone.strict))


def hazards(found: Explanation) -> list[list[str]]:
    """Those of each cause."""
    return [[hazard.name for hazard in cause.hazards] for cause in found.causes]


def _names(case: Case) -> set[str]:
    import ast

    return {n.id for n in ast.walk(ast.parse(case.expression)) if isinstance(n, ast.Name)}


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the host is not x86-64")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("case", X86, ids=str)
def test_what_x86_does_is_named(case: Case, tmp_path: Path) -> None:
    if "-mfma" in case.flags and " fma " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("the processor has no FMA")
    check(case, [["gcc", *OPTIONS, *case.flags, "f.c", "-o", "f", "-lm"]], [], tmp_path)


@pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason="there is no qemu-aarch64")
@pytest.mark.parametrize("case", ARM, ids=str)
def test_what_arm_does_is_named(case: Case, tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    zig = [sys.executable, "-m", "ziglang"]
    bare = ["-ffreestanding", "-fno-sanitize=all", "-fno-stack-protector", "-I", str(LINUX.parent)]
    target = ["cc", "-target", "aarch64-linux-musl", "-std=gnu11", *bare]
    compilers = [
        [*zig, *target, *OPTIONS, *case.flags, "-c", "f.c", "-o", "f.o"],
        [*zig, "ld.lld", "-static", "-e", "_start", "f.o", "-o", "f"],
    ]
    check(case, compilers, ["qemu-aarch64"], tmp_path)
