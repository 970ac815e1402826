"""A C program that calls every function of a built library with numbers from its input.

Owns the program, how it is linked for a target and the talk with it: it knows `sbmath.h` and system
calls alone. Numbers are 64-bit words, the lowest byte first: patterns of floats, and integers.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from samebits.backend.targets.table import Target
from samebits.export import toolchain
from samebits.export.math_library.functions import WIDTHS, MathFunction
from samebits.runtime.emulation.link import LINUX
from samebits.types import ScalarType

MOST = 1 << 14
"""Rows of one call."""
_LETTERS = {"float64": "d", "float32": "f", "int32": "i", "bool": "b"}
_START = """\
#include <stdbool.h>
#include "linux.h"
#include "sbmath.h"

enum {{ MOST = {most} }};
static double d[6][MOST];
static float f[6][MOST];
static int32_t i[6][MOST];
static bool b[6][MOST];
static uint64_t words[MOST];

static void get(void *to, size_t size)
{{
    for (size_t done = 0; done < size;) {{
        long some = system_call(SYS_READ, 0, (long)((uintptr_t)to + done), (long)(size - done));
        if (some <= 0) leave(done || some ? 3 : 0);
        done += (size_t)some;
    }}
}}

static void put(const void *from, size_t size)
{{
    for (size_t done = 0; done < size;) {{
        long some = system_call(SYS_WRITE, 1, (long)((uintptr_t)from + done), (long)(size - done));
        if (some <= 0) leave(4);
        done += (size_t)some;
    }}
}}

static uint64_t turned(uint64_t word) /* from and to the lowest byte first */
{{
    unsigned char bytes[8];
    uint64_t result = 0;
    memcpy(bytes, &word, 8);
    for (int k = 8; k--;) result = result << 8 | bytes[k];
    return result;
}}

static void get_words(size_t n)
{{
    get(words, 8 * n);
    for (size_t k = 0; k < n; k++) words[k] = turned(words[k]);
}}

static void put_words(size_t n)
{{
    for (size_t k = 0; k < n; k++) words[k] = turned(words[k]);
    put(words, 8 * n);
}}

#define EACH for (size_t k = 0; k < n; k++)
#define GET(a, u)                           \\
    {{                                       \\
        get_words(n);                       \\
        EACH {{                              \\
            u bits = (u)words[k];           \\
            memcpy(a + k, &bits, sizeof bits); \\
        }}                                   \\
    }}
#define PUT(a, u)                           \\
    {{                                       \\
        EACH {{                              \\
            u bits;                         \\
            memcpy(&bits, a + k, sizeof bits); \\
            words[k] = bits;                \\
        }}                                   \\
        put_words(n);                       \\
    }}
#define GET_d(a) GET(a, uint64_t)
#define GET_f(a) GET(a, uint32_t)
#define GET_i(a) GET(a, uint32_t)
#define PUT_d(a) PUT(a, uint64_t)
#define PUT_f(a) PUT(a, uint32_t)
#define PUT_i(a) PUT(a, uint32_t)
#define PUT_b(a) PUT(a, uint8_t)

"""
_END = """\
static void (*const tests[])(size_t) = {{{names}}};

void begin(long *stack);
START(begin)
void begin(long *stack)
{{
    (void)stack;
    for (;;) {{
        get_words(2);
        tests[words[0]]((size_t)words[1]);
    }}
}}
"""


def _test(number: int, function: MathFunction, t: ScalarType) -> str:
    """The C function that reads arguments and writes results: of numbers, then of arrays."""
    given = [_LETTERS[p.name] for _, p in function.parameters(t)]
    results = [_LETTERS[r.name] for r in function.results(t)]
    inputs = [f"{letter}[{n}]" for n, letter in enumerate(given)]
    outs = [f"{letter}[{3 + n}]" for n, letter in enumerate(results)]
    passed = [f"{place}[k]" for place in inputs]
    first = 0 if function.all_by_pointer else 1
    passed += [f"&{place}[k]" for place in outs[first:]]
    call = f"{function.symbol(t)}({', '.join(passed)})"
    scalar = call if function.all_by_pointer else f"{outs[0]}[k] = {call}"
    lines = [f"GET_{letter}({place});" for letter, place in zip(given, inputs, strict=True)]
    shown = [f"PUT_{letter}({place});" for letter, place in zip(results, outs, strict=True)]
    lines += [f"EACH {scalar};", *shown]
    lines += [f"memset({place}, 0x55, sizeof {place});" for place in outs]
    lines += [f"{function.array_symbol(t)}(n, {', '.join([*inputs, *outs])});", *shown]
    body = "\n    ".join(lines)
    return f"static void test_{number}(size_t n)\n{{\n    {body}\n}}\n\n"


def source(functions: Sequence[MathFunction]) -> str:
    """The program's text."""
    cases = [(function, t) for function in functions for t in WIDTHS]
    names = ", ".join(f"test_{n}" for n in range(len(cases)))
    tests = [_test(n, function, t) for n, (function, t) in enumerate(cases)]
    return "".join([_START.format(most=MOST), *tests, _END.format(names=names)])


def linked(folder: Path, functions: Sequence[MathFunction], target: Target, built: Path) -> Path:
    """The program in `folder`, linked with the static library that `built` has for `target`."""
    (folder / "program.c").write_text(source(functions))
    (folder / "linux.h").write_bytes(LINUX.read_bytes())
    (folder / "sbmath.h").write_bytes((built / "sbmath.h").read_bytes())
    toolchain.compile_c(
        folder, target.zig, target.zig_cpu, "program.c", "program.o",
        "-ffreestanding", "-fno-builtin", "-std=c11", "-Wno-unused-function",
        "-Wno-unused-variable",
    )  # fmt: skip
    library = str((built / target.name / "libsbmath.a").resolve())
    link = ["ld.lld", "-static", "-s", "--gc-sections", "-e", "_start"]
    toolchain.zig(folder, [*link, "program.o", library, "-o", f"program-{target.name}"])
    return folder / f"program-{target.name}"


class Running:
    """The program, running; a context manager that ends it."""

    def __init__(
        self, program: Path, functions: Sequence[MathFunction], target: Target, emulated: bool
    ) -> None:
        cpu = ["-cpu", target.qemu_cpu] if target.qemu_cpu else []
        start = [target.qemu, *cpu] if emulated else []
        self._cases = [(function.name, t) for function in functions for t in WIDTHS]
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            [*start, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._given, self._answers = self._process.stdin, self._process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._given.close()
        if kind is not None:
            self._process.kill()
        self._answers.close()
        self._process.wait()

    def call(self, function: MathFunction, t: ScalarType, columns: Sequence[Any]) -> list[Any]:
        """The words of each result of the function of numbers, then of that of arrays. RuntimeError
        where the program ends."""
        n = len(columns[0])
        head = np.array([self._cases.index((function.name, t)), n], "<u8")
        data = [head, *map(words, columns)]
        self._given.write(b"".join(part.tobytes() for part in data))
        self._given.flush()
        found: list[Any] = []
        for _ in range(2 * len(function.results(t))):
            part = self._answers.read(8 * n)
            if len(part) != 8 * n:
                raise RuntimeError(f"the program ended in {function.symbol(t)}")
            found.append(np.frombuffer(part, "<u8"))
        return found


def words(column: Any) -> Any:
    """A column's bits as 64-bit words."""
    column = np.ascontiguousarray(column)
    unsigned = column.view(f"u{column.dtype.itemsize}")
    return unsigned.astype("<u8")


def expected(function: MathFunction, columns: Sequence[Any]) -> list[Any]:
    """The words that samebits itself gives: of each result, twice."""
    found: Any = function.function(*columns)
    results: list[Any] = [*found] if function.outs else [found]
    return 2 * [words(result) for result in results]
