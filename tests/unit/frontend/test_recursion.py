"""Bounded recursion gives the same in every execution, and one call too many traps."""

from __future__ import annotations

import re
import threading
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import Array, ReadOnly, float64, int32, int64
from samebits.backend.llvm import engine
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.analysis.frames import RECURSION_BYTES, frame_bytes
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.lang.fingerprint import fingerprint
from samebits.lang.kernel import Kernel

T = TypeVar("T", int64, float64)


@sb.kernel(recursion=40)
def fibonacci(n: int) -> int:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@sb.kernel(recursion=8)
def descend(n: int32, out: Array[int32]) -> int32:
    out[0] = out[0] + n
    if n <= 0:
        return int32(0)
    return descend(n - 1, out) + int32(1)


def test_a_kernel_calls_itself() -> None:
    assert same(fibonacci, 12) == 144
    assert same(descend, 7, np.zeros(1, np.int32)) == 7


def test_one_call_too_many_traps_at_the_call() -> None:
    out = np.zeros(1, np.int32)
    assert trap_of(descend, 8, out) == ("assert", "descend(n - 1, out)")
    for call in (descend, descend.managed, lambda *a: sb.evaluate(descend, *a)):
        out[0] = 0
        with pytest.raises(sb.Trap, match="recursion deeper than 8 in descend"):
            call(8, out)
        assert out[0] == 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1  # what was done before stays


@sb.kernel(recursion=9)
def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


@sb.kernel(recursion=6)
def is_odd(n: int) -> bool:
    if n == 0:
        return False
    return is_even(n - 1)


def test_kernels_that_call_one_another_count_together() -> None:
    assert [same(is_even, n) for n in (0, 1, 5)] == [True, False, False]
    assert [same(is_odd, n) for n in (0, 1, 5)] == [False, True, True]
    for kernel, n, name in ((is_even, 7, "odd"), (is_odd, 6, "odd"), (is_even, 9, "odd")):
        with pytest.raises(sb.Trap, match=f"recursion deeper than 6 in is_{name}"):
            same(kernel, n)


@sb.kernel(recursion=20)
def first(n: int) -> int:
    return n if n < 1 else second(n - 1) + third(n - 2)


@sb.kernel(recursion=20)
def second(n: int) -> int:
    return n if n < 1 else third(n - 1) + first(n - 3)


@sb.kernel(recursion=20)
def third(n: int) -> int:
    return n if n < 1 else second(n - 1) * 2


@sb.kernel
def of_all(n: int) -> int:
    return first(n) + third(n) + second(n)


def test_three_kernels_recurse_whichever_is_called_first() -> None:
    for kernels in ((of_all,), (first, second, of_all), (third, of_all), (second, first, of_all)):
        for kernel in (first, second, third, of_all):
            kernel.units.clear()
        for kernel in kernels:
            same(kernel, 9)


@sb.struct
class Node:
    left: int32
    right: int32
    weight: float64


@sb.struct
class Best:
    path: sb.FixedArray[int32, 4]
    weight: float64


@sb.kernel(recursion=32)
def total(nodes: ReadOnly[Node], at: int32) -> float64:
    if at < 0:
        return 0.0
    return total(nodes, nodes[at].left) + nodes[at].weight + total(nodes, nodes[at].right)


@sb.kernel(recursion=32)
def heaviest(nodes: ReadOnly[Node], at: int32, depth: int32) -> Best:
    best = Best()
    if at < 0:
        return best
    left = heaviest(nodes, nodes[at].left, depth + 1)
    right = heaviest(nodes, nodes[at].right, depth + 1)
    best.weight = nodes[at].weight + sb.max(left.weight, right.weight)
    for k in range(4):
        best.path[k] = left.path[k] if left.weight >= right.weight else right.path[k]
    best.path[depth] = at + 1
    return best


@sb.kernel(recursion=16)
def grow(b: Best, n: int32) -> None:
    if n > 0:
        b.path[n - 1] = n
        b.weight += 0.1
        grow(b, n - 1)


@sb.kernel
def grown(n: int32) -> Best:
    b = Best()
    grow(b, n)
    return b


def tree() -> Any:
    nodes = np.zeros(6, Node.dtype)
    nodes["left"], nodes["right"] = (1, 3, -1, -1, -1, -1), (2, -1, 4, -1, 5, -1)
    nodes["weight"] = 0.1, 0.2, 0.7, 5.0, 1e-9, -0.0
    return nodes


def test_trees_are_searched_and_structs_passed_and_returned() -> None:
    assert same(total, tree(), 0) == (5.0 + 0.2 + 0.0 + 0.1 + (0.7 + (1e-9 + (-0.0 + 0.0))))
    best = same(heaviest, tree(), 0, 0)
    assert (best.weight, list(best.path)) == (0.1 + (0.2 + 5.0), [1, 2, 4, 0])
    assert list(same(grown, 3).path) == [1, 2, 3, 0]


@sb.kernel(recursion=20)
def powered(x: T, n: int) -> T:
    if n == 0:
        return T(1)
    half = powered(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def test_generic_kernels_recurse() -> None:
    assert same(powered, int64(3), 13) == 3**13
    assert same(powered, float64(1.5), 9) == 1.5**9


@sb.kernel(recursion=12)
def halved(f: sb.Kernel[[float64], float64], low: float64, high: float64, n: int) -> float64:
    middle = (low + high) / 2.0
    if n == 0:
        return middle
    return halved(f, low, middle, n - 1) if f(middle) > 0.0 else halved(f, middle, high, n - 1)


@sb.kernel
def cubic(x: float64) -> float64:
    return x * x * x - 2.0


def test_kernels_with_kernels_recurse() -> None:
    assert abs(same(halved, cubic, 0.0, 2.0, 11) ** 3 - 2) < 0.01
    assert trap_of(halved, cubic, 0.0, 2.0, 12)[0] == "assert"


@sb.kernel(recursion=3)
def inner(n: int) -> int:
    return 0 if n == 0 else inner(n - 1) + 1


@sb.kernel(recursion=3)
def outer(n: int) -> int:
    return inner(2) if n == 0 else outer(n - 1) + inner(2)


def test_a_recursion_inside_another_counts_from_its_own_beginning() -> None:
    assert same(outer, 2) == 6
    assert trap_of(outer, 3) == ("assert", "outer(n - 1)")


@sb.kernel(recursion=500)
def deep(n: int, a: Array[float64]) -> float64:
    x = a[n] if n < len(a) else 0.5
    return x if n == 0 else deep(n - 1, a) * 0.999 + x


@sb.kernel(recursion=500, denormals="flush")
def deep_and_flushed(x: float64, n: int) -> float64:
    return x if n == 0 else deep_and_flushed(x * 0.5, n - 1) + x


def test_deep_recursion_has_room_everywhere() -> None:
    assert same(deep, 499, np.arange(7.0)) > 0
    assert trap_of(deep, 500, np.arange(7.0))[0] == "assert"
    same(deep_and_flushed, 1e-300, 499)


def test_a_thread_with_a_small_stack_is_told_so() -> None:
    found: list[BaseException] = []

    def call() -> None:
        try:
            deep(499, np.zeros(1))
        except BaseException as error:
            found.append(error)

    deep(1, np.zeros(1))
    size = threading.stack_size(128 << 10)
    try:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert [type(error) for error in found] == [sb.StackError]


@sb.kernel
def scattered(out: Array[int64]) -> None:
    for i in sb.prange(len(out)):
        out[i] = int64(fibonacci(i % 9))


def test_parallel_bodies_call_recursive_kernels() -> None:
    out = np.zeros(20, np.int64)
    same(scattered, out)
    assert out[:9].tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21]


@sb.kernel(recursion=300)
def wide_a(n: int, x: float64) -> float64:
    z = sb.zeros(100, float64)
    z[n % 100] = x
    return z[3] if n == 0 else wide_b(n - 1, x) + z[n % 100]


@sb.kernel(recursion=300)
def wide_b(n: int, x: float64) -> float64:
    z = sb.zeros(100, float64)
    z[n % 100] = x
    return z[3] if n == 0 else wide_c(n - 1, x) + z[n % 100]


@sb.kernel(recursion=300)
def wide_c(n: int, x: float64) -> float64:
    z = sb.zeros(100, float64)
    z[n % 100] = x
    return z[3] if n == 0 else wide_a(n - 1, x) + z[n % 100]


def test_the_stack_of_kernels_that_recurse_together_counts_once() -> None:
    assert same(wide_a, 299, 1.0) == 299.0


# IR ---------------------------------------------------------------------------------------------


def module_of(kernel: Kernel) -> Any:
    return link(compile_kernel(kernel, kernel.fixed_types or ()))


def test_text_of_recursive_functions_is_read_back() -> None:
    for kernel in (fibonacci, is_odd, heaviest):
        module = module_of(kernel)
        verify(module)
        text = print_module(module)
        assert "  recursion " in text
        assert print_module(parse_module(text)) == text


def test_a_function_calls_itself_only_with_a_bound() -> None:
    text = print_module(module_of(fibonacci))
    with pytest.raises(sb.SamebitsError, match="there is no function"):
        verify(parse_module(text.replace("  recursion 40\n", "")))
    for bound in (0, 4097):
        with pytest.raises(sb.SamebitsError, match="expected an integer from 1 to 4096"):
            parse_module(text.replace("recursion 40", f"recursion {bound}"))


RECURSIVE = [fibonacci, descend, is_even, total, heaviest, grown, deep]


@pytest.mark.parametrize("kernel", RECURSIVE)
@pytest.mark.parametrize("opt", [0, 3])
def test_a_frame_takes_no_more_than_is_counted(kernel: Kernel, opt: int) -> None:
    if not engine.host_target().name.startswith("x86-64"):
        pytest.skip("reads x86-64 assembly")
    module = module_of(kernel)
    most = max(frame_bytes(f, module.functions.get) for f in module.functions.values())
    text = str(sb.inspect(kernel, opt=opt))
    frames = [int(n, 0) for n in re.findall(r"\bsubq\s+\$(0x[0-9a-f]+|\d+), %rsp", text)]
    assert "call" in text
    pushes = max(part.count("push") for part in text.split("ret"))
    assert max(frames, default=0) + 8 * pushes + 8 <= most


# What is refused ---------------------------------------------------------------------------------


@sb.kernel
def unbound(n: int) -> int:
    return 0 if n == 0 else unbound(n - 1)


@sb.kernel(recursion=5)
def half_bound(n: int) -> int:
    return 0 if n == 0 else its_other_half(n - 1)


@sb.kernel
def its_other_half(n: int) -> int:
    return half_bound(n)


@sb.kernel(recursion=5)
def other_types(x: T, n: int) -> float64:
    return float64(x) if n == 0 else other_types(float64(x), n - 1)


@sb.kernel(recursion=5)
def says_nothing(n: int):  # type: ignore[no-untyped-def]
    return 1 if n == 0 else 2


@sb.kernel(recursion=5)
def in_a_body(n: int, out: Array[int32]) -> None:
    for i in sb.prange(len(out)):
        out[i] = 1
        in_a_body(n - 1, out)


def large_of(bound: int) -> Kernel:
    @sb.kernel(recursion=bound)
    def large(n: int) -> int64:
        a = sb.zeros(64, int64)
        a[n] = int64(n)
        return a[n] if n == 0 else large(n - 1)

    return large


large = large_of(4096)


@pytest.mark.parametrize(
    ("kernel", "args", "words", "fix"),
    [
        (unbound, (3,), "'unbound' calls itself", "give 'unbound' a bound"),
        (half_bound, (3,), "'half_bound' calls itself", "give 'its_other_half' a bound"),
        (its_other_half, (3,), "'its_other_half' calls itself", "give 'its_other_half' a bound"),
        (other_types, (int64(1), 3), "'other_types' calls itself with other types", "convert"),
        (says_nothing, (3,), "returns a value but has no return annotation", "write `-> int`"),
        (in_a_body, (1, np.zeros(2, np.int32)), "the body of a parallel range calls", "range"),
        (large, (3,), "recursion=4096 of 'large' may not fit the stack", "write recursion="),
    ],
)
def test_other_recursion_is_refused(kernel: Any, args: Any, words: str, fix: str) -> None:
    error = refusal_of(kernel, *args)
    assert words in error.message
    assert fix in (error.fix or "")
    with pytest.raises(sb.CompileError):
        kernel.managed(*args)


def test_the_bound_is_part_of_the_key_of_compiled_code() -> None:
    keys = {fingerprint(kernel, kernel.fixed_types or ()) for kernel in map(large_of, (3, 4, 5))}
    assert len(keys) == 3


def test_the_advised_bound_compiles() -> None:
    with pytest.raises(sb.CompileError) as caught:
        large(3)
    (bound,) = re.findall(r"recursion=(\d+)", caught.value.fix or "")
    module = module_of(large_of(int(bound)))
    frames = [frame_bytes(f, module.functions.get) for f in module.functions.values()]
    assert max(frames) * int(bound) <= RECURSION_BYTES


@pytest.mark.parametrize("bound", [0, -1, 4097, 1.5, True, "64"])
def test_a_bound_is_an_int_of_a_range(bound: Any) -> None:
    with pytest.raises(sb.ArgumentError, match="1 to 4,096"):
        sb.kernel(recursion=bound)
