"""Ordinary mistakes outside of a kernel's body: declarations, structs, options and calls.

A row: whose habit, a program, a part of the message, and the program as it is advised. Each leaves
its result in `R`.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.errors.mistakes import APPLY, PLAIN, TYPED


class MistakenProgram(NamedTuple):
    habit: str
    program: str
    says: str
    """A part of the message or of its fix."""
    advised: str = ""
    """The program with the fix applied; empty where the fix is outside."""
    result: float = 0.0


def kernel(declared: str, body: str, call: str, decorator: str = "@sb.kernel") -> str:
    return f"{decorator}\ndef k({declared}:\n    {body}\nR = k({call})"


def struct(body: str, decorator: str = "@sb.struct", call: str = "R = P(x=1.0).grown(2.0)") -> str:
    return f"{decorator}\nclass P:\n    x: float64 = 0.0\n{body}{call}"


METHOD = "    def grown(self, by: float64) -> float64: return self.x + by\n"
DECORATED = f"    @sb.kernel\n{METHOD}"
INIT = "    def __init__(self, x):\n        self.x = x\n"
MISTAKEN_PROGRAMS = (
    # Classes.
    MistakenProgram("Python", struct(DECORATED, ""), "make the class an @sb.struct",
                    struct(METHOD), 3.0),
    MistakenProgram("Numba", struct(DECORATED), "no @sb.kernel above them", struct(METHOD), 3.0),
    MistakenProgram("Numba", struct(METHOD, "@sb.kernel"), "write `@sb.struct` above `class P`",
                    struct(METHOD), 3.0),
    MistakenProgram("Python", struct(METHOD, "", kernel(
                        "x: float64) -> float64", "return P(x).grown(1.0)", "2.0")),
                    "write `@sb.struct` above `class P`",
                    struct(METHOD, call=kernel(
                        "x: float64) -> float64", "return P(x).grown(1.0)", "2.0")), 3.0),
    MistakenProgram("Python", struct(INIT), "a struct's special methods are made for it"),
    MistakenProgram("Python", struct("    def grown(self, by): return self.x + by\n"),
                    "write `by: float32`"),
    MistakenProgram("Python", "@sb.struct\nclass P:\n    x: float",
                    "use float64 instead of float", "@sb.struct\nclass P:\n    x: float64\nR = 0",
                    0),
    MistakenProgram("Python", "@sb.struct\nclass P:\n    x: list[float]", "sb.Array[float64]"),
    MistakenProgram("Python", "@sb.struct\nclass P:\n    name: str", "an array of its code points"),
    MistakenProgram("Python", "@sb.struct\nclass P:\n    x = 1.0", "annotate at least one",
                    "@sb.struct\nclass P:\n    x: float64 = 1.0\nR = P().x", 1.0),
    MistakenProgram("C", "@sb.struct\nclass Node:\n    next: 'Node'",
                    "keeps an index into an array of Node",
                    "@sb.struct\nclass Node:\n    next: int32\nR = 0", 0),
    MistakenProgram("C", "@sb.struct\nclass P:\n    x: sb.Array[float64]",
                    "write FixedArray[float64, 16]"),
    MistakenProgram("C", struct("",
                    call="@sb.kernel\ndef k(p: P) -> float64: return p.X\nR = k(P())"),
                    "its fields are x"),
    MistakenProgram("Python", struct("", call="R = P(1.0, 2.0)"), "P has 1 field, got 2 values"),
    MistakenProgram("Python", struct("", call="R = P(y=1.0)"), "'y'"),
    # Decorators and options.
    MistakenProgram("Numba", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(fastmath=True)"), "write mode=sb.FAST",
                    kernel("x: float64) -> float64", "return x", "1.0",
                           "@sb.kernel(mode=sb.FAST)"), 1.0),
    MistakenProgram("Numba", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(parallel=True)"), "loops over sb.prange(n)"),
    MistakenProgram("Numba", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(cache=True)"), "always kept on disk",
                    kernel("x: float64) -> float64", "return x", "1.0", "@sb.kernel()"), 1.0),
    MistakenProgram("Numba", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(nopython=True)"), "always compiled"),
    MistakenProgram("Numba", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(boundscheck=True)"), "bounds_check=False"),
    MistakenProgram("Numba", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(error_model='numpy')"), "IEEE 754"),
    MistakenProgram("Numba", kernel("x)", "return x", "1.0", "@sb.kernel('float64(float64)')"),
                    "with types in its annotations",
                    kernel("x: float64) -> float64", "return x", "1.0"), 1.0),
    MistakenProgram("Burst", kernel("x: float64) -> float64", "return x", "1.0",
                                    "@sb.kernel(mode='fast')"), "sb.FAST"),
    MistakenProgram("Python", "k = sb.kernel(lambda x: x)", "directly above a `def`"),
    MistakenProgram("Python", "@sb.kernel\nclass K: pass", "write `@sb.struct` above `class K`"),
    MistakenProgram("Python", "@sb.kernel\nasync def k(x: float64) -> float64: return x",
                    "write a plain `def`"),
    MistakenProgram("Python", "@sb.kernel\ndef k(n: int) -> int: yield n", "write a plain `def`"),
    MistakenProgram("NumPy", kernel("x: float32) -> float32",
                                    "with math.precision(sb.LOW): return math.sin(x)", "0.5"),
                    "write `@sb.kernel(precision=sb.LOW)` above the kernel that it is for",
                    kernel("x: float32) -> float32", "return math.sin(x)",
                           "0.14285715", "@sb.kernel(precision=sb.LOW)"), 0.14237162470817566),
    # Python's `math`, or none, where samebits' is meant.
    *(
        MistakenProgram("Python", "import math\n" + kernel(declared, f"return {wrong}", call),
                        f"write {advice}", "import math\n"
                        + kernel(declared, f"return {advice.strip('`')}", call), result)
        for declared, wrong, advice, call, result in (
            ("a: sb.ReadOnly[float64]) -> float64", "a.sum()", "`sb.math.sum(a)`", "np.ones(3)", 3),
            ("a: sb.ReadOnly[float64]) -> float64", "a.max()", "`sb.math.max(a)`", "np.ones(3)", 1),
            ("x: float64) -> float64", "x ** x", "`sb.math.pow(x, x)`", "2.0", 4),
            ("x: float64) -> float64", "x ** 0.5", "`sb.math.sqrt(x)`", "4.0", 2),
            ("x: float64) -> float64", "math.pow(x, x)", "sb.math.pow(x, x)", "2.0", 4),
            ("v: float3) -> float32", "v.length()", "`sb.math.length(v)`", "float3(0, 3, 4)", 5),
        )
    ),
    MistakenProgram("Python", "import math\n" + kernel(
                        "a: sb.ReadOnly[float64]) -> float64", "return math.sum(a)", "np.ones(3)"),
                    "write sb.math.sum", kernel(
                        "a: sb.ReadOnly[float64]) -> float64", "return sb.math.sum(a)",
                        "np.ones(3)"), 3.0),
    MistakenProgram("NumPy", kernel("x: float64) -> float64", "return np.clamp(x, 0, 1)", "2.0"),
                    "write math.clamp", kernel(
                        "x: float64) -> float64", "return math.clamp(x, 0, 1)", "2.0"), 1.0),
    MistakenProgram("Python", "del math\n" + kernel(
                        "a: sb.ReadOnly[float64]) -> float64", "return a.sum()", "np.ones(3)"),
                    "write `sb.math.sum(a)`", "del math\n" + kernel(
                        "a: sb.ReadOnly[float64]) -> float64", "return sb.math.sum(a)",
                        "np.ones(3)"), 3.0),
    # Results.
    MistakenProgram("Python", kernel("x: float64)", "return x", "1.0"), "write `-> float64`",
                    kernel("x: float64) -> float64", "return x", "1.0"), 1.0),
    MistakenProgram("Python", kernel("x: float64) -> list[float64]", "return x", "1.0"),
                    "the result of kernel 'k': list[float64] is not a type"),
    MistakenProgram("NumPy", kernel("x: float64) -> np.ndarray", "return x", "1.0"),
                    "say of what: sb.Array[float64]"),
    MistakenProgram("Python", kernel("x: float64) -> float64", "return x, x", "1.0"),
                    "change the annotation",
                    "@sb.kernel\ndef k(x: float64) -> tuple[float64, float64]:\n    return x, x\n"
                    "R, _ = k(1.0)", 1.0),
    # Calls from Python.
    MistakenProgram("Python", kernel("x: float64) -> float64", "return x", "'1'"),
                    "pass float(x)", kernel("x: float64) -> float64", "return x", "float('1')"),
                    1.0),
    MistakenProgram("Python", kernel("x: float64) -> float64", "return x", "None"),
                    "pass a number, such as float64(0)",
                    kernel("x: float64) -> float64", "return x", "float64(0)"), 0.0),
    MistakenProgram("Python", kernel("x: float64 = None) -> float64", "return x", ""),
                    "pass a number"),
    MistakenProgram("Python", kernel("n: int) -> int", "return n", "2.0"), "pass int(n)",
                    kernel("n: int) -> int", "return n", "int(2.0)"), 2.0),
    MistakenProgram("Python", kernel("x: float64) -> float64", "return x", "1.0, 2.0"),
                    "its parameters are (x)"),
    MistakenProgram("Python", kernel("x: float64) -> float64", "return x", ""), "misses"),
    MistakenProgram("Python", kernel("x: float64) -> float64", "return x", "y=1.0"),
                    "no parameter 'y'"),
    MistakenProgram("NumPy", kernel("x: float32) -> float32", "return x", "np.float64(0.5)"),
                    "pass samebits.float32(x)",
                    kernel("x: float32) -> float32", "return x", "sb.float32(np.float64(0.5))"),
                    0.5),
    MistakenProgram("NumPy", kernel("x: float64) -> float64", "return x", "np.ones(1)"),
                    "pass x.item()",
                    kernel("x: float64) -> float64", "return x", "np.ones(1).item()"), 1.0),
    MistakenProgram("C", kernel("n: uint8) -> int", "return int(n)", "300"),
                    "declare a wider type, or pass 44",
                    kernel("n: uint8) -> int", "return int(n)", "44"), 44.0),
    MistakenProgram("C", kernel("n: uint8) -> int", "return int(n)", "-1"), "pass 255",
                    kernel("n: uint8) -> int", "return int(n)", "255"), 255.0),
    MistakenProgram("NumPy", kernel("a: sb.Array[float64]) -> float64", "return a[0]",
                    "[1.0, 2.0]"),
                    "pass np.array(a, np.float64)",
                    kernel("a: sb.Array[float64]) -> float64", "return a[0]",
                           "np.array([1.0, 2.0], np.float64)"), 1.0),
    MistakenProgram("NumPy", kernel("a: sb.Array[float32]) -> float32", "return a[0]",
                    "np.ones(3)"),
                    "pass a.astype(np.float32)",
                    kernel("a: sb.Array[float32]) -> float32", "return a[0]",
                           "np.ones(3).astype(np.float32)"), 1.0),
    MistakenProgram("NumPy", kernel("a: sb.Array[int64]) -> int64", "return a[0]", "np.ones(3)"),
                    "pass a.astype(np.int64)"),
    MistakenProgram("NumPy", kernel("a: sb.Array[float64]) -> float64", "return a[0]",
                                    "np.ones((2, 2))"), "shape (n,)",
                    kernel("a: sb.Array[float64]) -> float64", "return a[0]",
                           "np.ones((2, 2)).reshape(-1)"), 1.0),
    MistakenProgram("NumPy", kernel("a: sb.Array[float64]) -> float64", "return a[1]",
                                    "np.arange(8.0)[::2]"), "sb.strided(a)",
                    kernel("a: sb.Array[float64]) -> float64", "return a[1]",
                           "sb.strided(np.arange(8.0)[::2])"), 2.0),
    MistakenProgram("NumPy", kernel("a: sb.Array[float64, 2]) -> float64", "return a[0, 1]",
                                    "np.arange(4.0).reshape(2, 2).T"), "np.ascontiguousarray(a)",
                    kernel("a: sb.Array[float64, 2]) -> float64", "return a[0, 1]",
                           "np.ascontiguousarray(np.arange(4.0).reshape(2, 2).T)"), 2.0),
    MistakenProgram("Burst", kernel("v: float3) -> float32", "return v.x", "(1, 2)"),
                    "pass 3 numbers", kernel("v: float3) -> float32", "return v.x", "(1, 2, 3)"),
                    1.0),
    MistakenProgram("Burst", kernel("v: float3) -> float32", "return v.x", "np.ones(3)"),
                    "np.float32", kernel("v: float3) -> float32", "return v.x",
                                         "np.ones(3, np.float32)"), 1.0),
    MistakenProgram("Burst", kernel("a: sb.Array[float3]) -> float32", "return a[0].x",
                                    "np.ones(3, np.float32)"), "shape (n, 3)",
                    kernel("a: sb.Array[float3]) -> float32", "return a[0].x",
                           "np.ones(3, np.float32).reshape(-1, 3)"), 1.0),
    MistakenProgram("Python", struct("", call="@sb.kernel\ndef k(p: P) -> float64: return p.x\n"
                                                  "@sb.struct\nclass P:\n    x: float64 = 0.0\n"
                                                  "R = k(P())"),
                    "another class of that name"),
    MistakenProgram("Python", kernel("a: sb.ReadOnly[uint8]) -> int", "return len(a)", 'b"abc"'),
                    "pass np.frombuffer(a, np.uint8)",
                    kernel("a: sb.ReadOnly[uint8]) -> int", "return len(a)",
                           'np.frombuffer(b"abc", np.uint8)'), 3.0),
    MistakenProgram("Python", kernel("a: sb.Array[uint8]) -> int", "a[0] = 1; return len(a)",
                                     'b"abc"'), "np.frombuffer(a, np.uint8).copy()",
                    kernel("a: sb.Array[uint8]) -> int", "a[0] = 1; return len(a)",
                           'np.frombuffer(b"abc", np.uint8).copy()'), 3.0),
    MistakenProgram("Python", kernel("a: sb.ReadOnly[uint8]) -> int", "return len(a)", '"abc"'),
                    "pass np.array([ord(c) for c in a], np.uint8)",
                    kernel("a: sb.ReadOnly[uint8]) -> int", "return len(a)",
                           'np.array([ord(c) for c in "abc"], np.uint8)'), 3.0),
    MistakenProgram("Python", kernel("c: uint8) -> int", "return int(c)", '"a"'), "pass ord(c)",
                    kernel("c: uint8) -> int", "return int(c)", 'ord("a")'), 97.0),
    MistakenProgram("Python", struct("", call="L = [P(x=1.0), P(x=2.0)]\n" + kernel(
                    "a: sb.ReadOnly[P]) -> float64", "return a[1].x", "L")),
                    "pass np.array([item.memory for item in a])",
                    struct("", call="L = [P(x=1.0), P(x=2.0)]\n" + kernel(
                        "a: sb.ReadOnly[P]) -> float64", "return a[1].x",
                        "np.array([item.memory for item in L])")), 2.0),
    MistakenProgram("Python", struct("", call="p = P(x=1.0)\n" + kernel(
                    "a: sb.Array[P]) -> None", "a[0].x += 4.0", "p")),
                    "pass a.memory.reshape(1)",
                    struct("", call="p = P(x=1.0)\n" + kernel(
                        "a: sb.Array[P]) -> None", "a[0].x += 4.0",
                        "p.memory.reshape(1)") + "\nR = p.x"), 5.0),
    # Annotations.
    MistakenProgram("Python", "@sb.struct\nclass P:\n    ORIGIN = [1.0]\n    x: float64",
                    "make it a module constant, a field with an annotation, or a plain method"),
    MistakenProgram("Python", "from enum import IntEnum\nclass Color(IntEnum):\n    RED = 1\n"
                    + kernel("c: Color) -> bool", "return c == Color.RED", "1"),
                    "write int", "from enum import IntEnum\nclass Color(IntEnum):\n    RED = 1\n"
                    + kernel("c: int) -> bool", "return c == Color.RED", "1"), 1.0),
    MistakenProgram("Python", kernel("x: float64) -> (float64, float64)", "return x, x", "1.0"),
                    "write tuple[float64, float64]",
                    kernel("x: float64) -> tuple[float64, float64]", "return x, x", "1.0")
                    + "[0]", 1.0),
    MistakenProgram("Python", kernel("x: float64) -> tuple", "return x, x", "1.0"),
                    "say of what: tuple[float64, float64]"),
    MistakenProgram("Python", kernel("x: float32) -> float32", "return x", "1j"), "pass x.real"),
    # Traps.
    MistakenProgram("C", kernel("a: sb.Array[float64]) -> float64", "return a[4]", "np.ones(3)"),
                    "index 4 is out of range for an array of 3"),
    MistakenProgram("C", kernel("n: int) -> int", "return n * n", "2**40"),
                    "integer overflow: 1099511627776 * 1099511627776"),
    MistakenProgram("C", kernel("n: int) -> int", "return 1 // n", "0"),
                    "division by zero: 1 // 0"),
    MistakenProgram("NumPy", kernel("a: sb.Array[float64], i: int) -> float64", "return a[i]",
                                    "np.ones(3), -1"), "index -1 is out of range"),
    MistakenProgram("Numba", kernel("a: sb.Array[float64]) -> None",
                                    "for i in sb.prange(len(a)): a[0] += a[i]", "np.ones(3)"),
                    "outside this iteration's own elements"),
    # What is given for a kernel, and types that are called.
    MistakenProgram("Python", f"{APPLY}{PLAIN}R = twice(half, 2.5)",
                    "write above it `@sb.kernel`, and its types: `def half(x: float64) -> float64",
                    f"{APPLY}{TYPED}R = twice(half, 2.5)", 0.625),
    MistakenProgram("Python", f"{APPLY}R = twice(lambda v: v * 0.5, 2.5)",
                    "`@sb.kernel` and `def f(v: float64) -> float64: return ...`, and give `f`",
                    f"{APPLY}{TYPED}R = twice(half, 2.5)", 0.625),
    MistakenProgram("NumPy", f"{APPLY}R = twice(np.sqrt, 16.0)", "give math.sqrt of samebits",
                    f"{APPLY}R = twice(math.sqrt, 16.0)", 2.0),
    MistakenProgram("Python", f"{APPLY}R = twice(pymath.sqrt, 16.0)", "give math.sqrt of samebits",
                    f"{APPLY}R = twice(math.sqrt, 16.0)", 2.0),
    MistakenProgram("Python", f"{APPLY}R = twice(np.sinc, 16.0)", "that computes it, and give"),
    MistakenProgram("C", "R = sb.FixedArray[int32]", "write FixedArray[int32, 4]",
                    "sb.FixedArray[int32, 4]; R = 0"),
    MistakenProgram("C", "R = sb.FixedArray[3, int32]", "write FixedArray[int32, 3]",
                    "sb.FixedArray[int32, 3]; R = 0"),
    MistakenProgram("C", "R = sb.FixedArray[int32, 3]()[0]", "give the field's struct a list",
                    "@sb.struct\nclass P:\n    a: sb.FixedArray[int32, 3]\n"
                    "R = P(a=[1, 2, 3]).a[-1]", 3.0),
    MistakenProgram("NumPy", "R = sb.Array[float64](3)", "pass a NumPy array"),
    # Texts from Python.
    MistakenProgram("Python", kernel("w: bool) -> float64", "return 1.0 if w else 0.0", '"yes"'),
                    'pass a bool, as w == "yes" is one',
                    kernel("w: bool) -> float64", "return 1.0 if w else 0.0", '"yes" == "yes"'),
                    1.0),
    MistakenProgram("Python", kernel("w: float64) -> float64", "return w", '"1.5"'),
                    "pass float(w)",
                    kernel("w: float64) -> float64", "return w", 'float("1.5")'), 1.5),
    MistakenProgram("Python", kernel("w: int32) -> int32", "return w", '"1.5"'),
                    "pass int(float(w))",
                    kernel("w: int32) -> int32", "return w", 'int(float("1.5"))'), 1.0),
    MistakenProgram("Python", kernel("w: float64) -> float64", "return w", '"wide"'),
                    "pass a number, such as 0.0"),
)  # fmt: skip
