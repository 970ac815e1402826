"""The evidence for `samebits explain`: how often it is right about what compilers make.

    python -m tools.explain_evidence [--cases 200] [--seed 1] [--rows 1,4,12]

Draws C expressions, and takes hand-written ones (Newton steps, halves, bfloat16, the fast inverse
square root); compiles them with GCC and Clang under real flags; runs them on drawn operands; gives
operands and results to `explain`. It knows nothing of the search: what is right is what the flags,
or the hand that wrote the code, allow. Prints a table for `docs/guides/explain.md`.
"""

from __future__ import annotations

import argparse
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.diagnosis.explain import explain

FAST = frozenset({"order", "reciprocal", "algebra", "signed-zero", "flush", "estimate"})
"""What -ffast-math may do on x86-64, with the start-up code that it links."""
GCC = ("gcc", "-O2", "-w", "-fno-builtin-fma")
CLANG = (sys.executable, "-m", "ziglang", "cc", "-O2", "-w", "-fno-sanitize=all")


@dataclass(frozen=True)
class Flags:
    """A compiler with options, and the hazards that they bring; with none, results are strict."""

    name: str
    command: tuple[str, ...]
    allowed: frozenset[str]
    runner: tuple[str, ...] = ()


_PLAIN = "-ffp-contract=off"
FLAGS = (
    Flags("gcc strict", (*GCC, _PLAIN), frozenset()),
    Flags("gcc -mfma", (*GCC, "-mfma", "-ffp-contract=fast"), frozenset({"fma"})),
    Flags("gcc -Ofast", (*GCC, "-Ofast", _PLAIN), FAST),
    Flags("gcc -Ofast -mfma", (*GCC, "-Ofast", "-mfma"), FAST | {"fma"}),
    Flags("gcc -ffast-math -mrecip", (*GCC, "-ffast-math", "-mrecip", _PLAIN), FAST),
    Flags("gcc -mfpmath=387", (*GCC, "-mfpmath=387", _PLAIN), frozenset({"x87"})),
    Flags("gcc -freciprocal-math", (*GCC, "-freciprocal-math", _PLAIN), frozenset({"reciprocal"})),
    Flags("clang -ffast-math", (*CLANG, "-ffast-math", _PLAIN), FAST),
    Flags("clang -ffast-math -mfma", (*CLANG, "-ffast-math", "-mfma"), FAST | {"fma"}),
    Flags("clang -mfma", (*CLANG, "-mfma", "-ffp-contract=on"), frozenset({"fma"})),
    Flags(
        "clang aarch64",
        (*CLANG, "-target", "aarch64-linux-musl", "-static", "-ffp-contract=on"),
        frozenset({"fma"}),
        ("qemu-aarch64",),
    ),
)

_HEAD = """\
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
typedef TYPE T;
typedef WORD W;
static inline uint32_t bits_of(float x) { uint32_t w; memcpy(&w, &x, 4); return w; }
static inline float of_bits(uint32_t w) { float x; memcpy(&x, &w, 4); return x; }
static inline float bf(float x) {
  uint32_t w = bits_of(x);
  return of_bits((w + 0x7fff + (w >> 16 & 1)) & 0xffff0000u);
}
static inline float cut(float x) { return of_bits(bits_of(x) & 0xffff0000u); }
static inline float hf(float x) { return (float)(_Float16)x; }
static inline float quake(float x, uint32_t magic, int steps) {
    float half = 0.5f * x, y = of_bits(magic - (bits_of(x) >> 1));
    while (steps--) y = y * (1.5f - (half * y * y));
    return y;
}
#if defined(__x86_64__)
static inline float rs(float x) { return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))); }
static inline float rc(float x) { return _mm_cvtss_f32(_mm_rcp_ss(_mm_set_ss(x))); }
#endif
"""
_TAIL = """
int main(void) {
    T v[8]; W w[8]; unsigned which; int n; unsigned long long t;
    while (scanf("%u", &which) == 1) {
        for (int i = 0; i < 8; i++) { scanf("%llx", &t); w[i] = (W)t; }
        memcpy(v, w, sizeof v);
        T r = table[which](v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
        memcpy(w, &r, sizeof r);
        printf("%llx\\n", (unsigned long long)w[0]);
    }
    return 0;
}
"""


@dataclass(frozen=True)
class Case:
    """An expression as `explain` reads it and as C, and what a hand that wrote it may have done."""

    name: str
    expression: str
    body: str
    allowed: frozenset[str] | None = None
    type: str = "float32"


NARROW, ESTIMATE = frozenset({"narrower"}), frozenset({"estimate"})
HAND = (
    Case("half", "a*b + c", "return hf(a*b) + c;", NARROW),
    Case("half", "(a + b)*c", "return hf(a + b)*c;", NARROW),
    Case("half", "a*b + c*d", "return hf(a)*hf(b) + hf(c)*hf(d);", NARROW),
    Case("half", "a*b + c", "return hf(hf(a*b) + c);", NARROW),
    Case("half", "(a - b)*c + d", "return hf(hf(hf(hf(a) - hf(b))*hf(c)) + hf(d));", NARROW),
    Case("half", "a*b + c*d + e", "return hf(a*b + c*d) + e;", NARROW),
    Case("bfloat16", "a*b + c", "return bf(a*b) + c;", NARROW),
    Case("bfloat16", "a*b + c*d", "return bf(a)*bf(b) + bf(c)*bf(d);", NARROW),
    Case("bfloat16", "a*b + c", "return bf(bf(a*b) + c);", NARROW),
    Case("bfloat16", "(a + b)/c", "return bf(a + b)/c;", NARROW),
    Case("bfloat16 cut", "a*b + c", "return cut(a*b) + c;", NARROW),
    Case("bfloat16 cut", "a*b + c*d", "return cut(a)*cut(b) + cut(c)*cut(d);", NARROW),
    Case("magic root", "1/sqrt(a)", "return quake(a, 0x5f3759df, 0);", ESTIMATE),
    Case("magic root", "1/sqrt(a)", "return quake(a, 0x5f3759df, 1);", ESTIMATE),
    Case("magic root", "1/sqrt(a)", "return quake(a, 0x5f3759df, 2);", ESTIMATE),
    Case("magic root", "b/sqrt(a) + c", "return b*quake(a, 0x5f3759df, 1) + c;", ESTIMATE),
    Case("magic root", "b*c/sqrt(a*a + b*b)", "return b*c*quake(a*a + b*b, 0x5f3759df, 1);",
         ESTIMATE),
    Case("magic root", "1/sqrt(a)", "return quake(a, 0x5f375a86, 1);", ESTIMATE),
    Case("magic root", "sqrt(a)*b", "return a*quake(a, 0x5f3759df, 2)*b;", ESTIMATE),
    Case("rsqrtss", "b/sqrt(a)", "return b*rs(a);", ESTIMATE),
    Case("rsqrtss", "b/sqrt(a) + c",
         "float y = rs(a); y = y*(1.5f - 0.5f*a*y*y); return b*y + c;", ESTIMATE),
    Case("rsqrtss", "a/sqrt(a*a + b*b + c*c)",
         "float s = a*a + b*b + c*c, y = rs(s); y = 0.5f*y*(3.0f - s*y*y); return a*y;", ESTIMATE),
    Case("rsqrtss", "c - b/sqrt(a)",
         "float y = rs(a); y = y*(1.5f - 0.5f*a*(y*y)); return c - b*y;", ESTIMATE),
    Case("rsqrtss", "b/sqrt(a) + c",
         "float y = rs(a), k = 0.5f*a; y *= 1.5f - k*y*y; y *= 1.5f - k*y*y; return b*y + c;",
         ESTIMATE),
    Case("rsqrtss", "a*b/sqrt(c)",
         "float y = rs(c); y = y + 0.5f*y*(1.0f - c*y*y); return a*b*y;", ESTIMATE),
    Case("rcpss", "a/b + c", "float r = rc(b); r = r*(2.0f - b*r); return a*r + c;", ESTIMATE),
    Case("rcpss", "(a + c)/b", "float r = rc(b); r = r + r*(1.0f - b*r); return (a + c)*r;",
         ESTIMATE),
    Case("rcpss", "a/b", "float r = rc(b); r = 2.0f*r - b*r*r; return a*r;", ESTIMATE),
    Case("rcpss", "a/b - c*d",
         "float r = rc(b); r = r*(2.0f - b*r); r = r*(2.0f - b*r); return a*r - c*d;", ESTIMATE),
)  # fmt: skip
"""Code that people write by hand; the expression is what it stands for."""


def drawn(chance: random.Random, double: bool) -> Case:
    """An expression of two to eight operations."""
    f = "" if double else "f"
    names = list("abcdefgh")
    count = chance.choice([2, 3, 3, 4, 4, 5, 6, 7])

    def make(operations: int) -> tuple[str, str]:
        if operations <= 0:
            if chance.random() < 0.08:
                text = chance.choice(["0.5", "3.0", "0.1", "2.0"])
                return text, text + f
            name = chance.choice(names)
            return name, name
        if chance.random() < 0.12:
            inner, c = make(operations - 1)
            return f"sqrt({inner})", f"sqrt{f}({c})"
        symbol = chance.choices("+-*/", [4, 3, 5, 2])[0]
        left = chance.randint(0, operations - 1)
        (a, x), (b, y) = make(left), make(operations - 1 - left)
        return f"({a} {symbol} {b})", f"({x} {symbol} {y})"

    fixed = (
        "a/c + b/c", "a/d + b/d - c/d", "a*b + a*c", "a*b + c*d + e*f", "a/b/c", "a*b/c",
        "a + b + c + d + e", "a*b*c*d", "a/sqrt(b)", "1/sqrt(a*a + b*b)", "a*a + 2*a*b + b*b",
        "(a + b)/c + (d - e)/c", "a/c - b/c", "c*sqrt(a*a + b*b)", "a - b*c/d",
    )  # fmt: skip
    if chance.random() < 0.3:
        text = c = chance.choice(fixed)
        if not double:
            c = c.replace("sqrt", "sqrtf").replace("1/", "1.0f/").replace("2*", "2.0f*")
        else:
            c = c.replace("1/", "1.0/").replace("2*", "2.0*")
        return Case("drawn", text, f"return {c};", None, "float64" if double else "float32")
    while True:
        text, c = make(count)
        if any(name in text.replace("sqrt", "") for name in names):
            return Case("drawn", text, f"return {c};", None, "float64" if double else "float32")


def operands(chance: random.Random, double: bool) -> list[int]:
    """Eight operands: of magnitudes near 1, positive ones more often."""
    scale = chance.choice([1, 1, 1, 8, 1000])
    values = [chance.uniform(0.05, 2.0) * scale * chance.choice([1, 1, 1, -1]) for _ in range(8)]
    if double:
        return [struct.unpack("<Q", struct.pack("<d", v))[0] for v in values]
    return [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]


def results(
    cases: Sequence[Case], rows: Sequence[Sequence[Sequence[int]]], flags: Flags, folder: Path
) -> list[list[int]]:
    """What each case's compiled function gives for each of its rows."""
    double = cases[0].type == "float64"
    head = _HEAD.replace("TYPE", "double" if double else "float")
    head = head.replace("WORD", "uint64_t" if double else "uint32_t")
    parameters = ", ".join(f"T {name}" for name in "abcdefgh")
    functions = [
        f"__attribute__((noinline)) static T f{n}({parameters}) {{ {case.body} }}"
        for n, case in enumerate(cases)
    ]
    names = ", ".join(f"f{n}" for n in range(len(cases)))
    table = f"static T (*volatile table[])(T, T, T, T, T, T, T, T) = {{{names}}};"
    source, program = folder / "cases.c", folder / "cases"
    source.write_text("\n".join([head, *functions, table, _TAIL]))
    subprocess.run([*flags.command, str(source), "-o", str(program), "-lm"], check=True)
    lines = [
        f"{n} " + " ".join(f"{w:x}" for w in row)
        for n, of_case in enumerate(rows)
        for row in of_case
    ]
    done = subprocess.run(
        [*flags.runner, str(program)], input="\n".join(lines), text=True, check=True,
        capture_output=True,
    )  # fmt: skip
    found = iter(done.stdout.split())
    return [[int(next(found), 16) for _ in of_case] for of_case in rows]


def judge(case: Case, allowed: frozenset[str], rows: Sequence[Sequence[int]],
          got: Sequence[int]) -> tuple[str, str]:  # fmt: skip
    """A verdict on what explain says, and a line on it."""
    digits = 16 if case.type == "float64" else 8
    used = [n for n in "abcdefgh" if n in case.expression.replace("sqrt", "")]
    values = [
        {name: f"0x{word:0{digits}x}" for name, word in zip("abcdefgh", row, strict=True)
         if name in used}
        for row in rows
    ]  # fmt: skip
    observed = [f"0x{word:0{digits}x}" for word in got]
    found = explain(case.expression, values, observed, case.type)
    if not found.causes:
        return "unknown", "-"
    said = [tuple(hazard.name for hazard in cause.hazards) for cause in found.causes]
    certain = getattr(found, "certain", False)
    right = [set(names) <= allowed for names in said]
    line = f"{'certain ' if certain else ''}{said[:4]}"
    if not said[0]:
        return "strict", line
    if right[0]:
        return "right and certain" if certain else "right first", line
    if certain:
        return "WRONG AND CERTAIN", line
    return ("right among others" if any(right) else "wrong, not certain"), line


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", default="1,4,12")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", default="WRONG,unknown,wrong")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    counts = [int(n) for n in chosen.rows.split(",")]
    most = max(counts)
    tables: dict[int, dict[str, Counter[str]]] = {n: {} for n in counts}
    times: list[float] = []
    with tempfile.TemporaryDirectory() as place:
        for flags in (f for f in FLAGS if chosen.only in f.name):
            for double in (False, True):
                cases = [drawn(chance, double) for _ in range(chosen.cases // 2)]
                hand = not double and flags.name in ("gcc strict", "gcc -mfma")
                cases += [*HAND] * hand
                rows = [[operands(chance, double) for _ in range(most)] for _ in cases]
                for n, case in enumerate(cases):
                    if (case.allowed is not None and "root" in case.name + case.expression) or (
                        "sqrt" in case.expression
                    ):
                        top = 31 if not double else 63
                        rows[n] = [[w & ~(1 << top) for w in row] for row in rows[n]]
                got = results(cases, rows, flags, Path(place))
                for case, of_case, seen in zip(cases, rows, got, strict=True):
                    allowed = flags.allowed | {"nan"} | (case.allowed or frozenset())
                    for count in counts:
                        began = time.process_time()
                        verdict, line = judge(case, allowed, of_case[:count], seen[:count])
                        times.append(time.process_time() - began)
                        group = flags.name if case.allowed is None else case.name
                        tables[count].setdefault(group, Counter())[verdict] += 1
                        if any(word in verdict for word in chosen.show.split(",")):
                            print(f"{group} [{flags.name}] {count} rows: {verdict}: "
                                  f"{case.expression} {case.body if case.allowed else ''} {line}",
                                  flush=True)  # fmt: skip
    for count, table in tables.items():
        print(f"\n{count} rows")
        for group, found in table.items():
            print(f"  {group:26s} " + ", ".join(f"{k} {v}" for k, v in sorted(found.items())))
        total = sum(table.values(), Counter[str]())
        print("  all: " + ", ".join(f"{k} {v}" for k, v in sorted(total.items())))
    times.sort()
    print(f"\nseconds: median {times[len(times) // 2]:.2f}, 95th percentile "
          f"{times[len(times) * 95 // 100]:.2f}, most {times[-1]:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
