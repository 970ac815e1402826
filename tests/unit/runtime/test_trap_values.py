"""Traps name index, length and operands, with the same words in all three executions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, int32, uint8, uint64
from samebits.backend.emit.emission import Emission
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.dispatch import types_for
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes


@sb.kernel
def item(a: sb.ReadOnly[float64], i: int) -> float64:
    return a[i]


@sb.kernel
def third_from_end(a: sb.ReadOnly[float64]) -> float64:
    return a[-3]


@sb.kernel
def cell(a: sb.ReadOnly[float32, 2], i: int, j: int) -> float32:
    return a[i, j]


@sb.kernel
def quotient(a: int32, b: int32) -> int32:
    return a // b


@sb.kernel
def rest(a: uint8, b: uint8) -> uint8:
    return a % b


@sb.kernel
def ratio(a: float, b: float) -> float:
    return a / b


@sb.kernel
def ratio_in_place(a: float, b: float) -> float:
    x = a * 1.0
    x /= b
    return x


@sb.kernel
def floored(a: float, b: float) -> float:
    return a // b


@sb.kernel
def to_byte(a: int) -> uint8:
    return uint8(5) + a


@sb.kernel
def to_int(a: float32) -> int:
    return int(a)


@sb.kernel
def to_int_from_unsigned(a: uint64) -> int:
    return int(a)


@sb.kernel
def total(a: int, b: int) -> int:
    return a + b


@sb.kernel
def difference(a: int, b: int) -> int:
    return a - b


@sb.kernel
def product(a: int, b: int) -> int:
    return a * b


@sb.kernel
def negated(a: int) -> int:
    return -a


@sb.kernel
def magnitude(a: int) -> int:
    return abs(a)


@sb.kernel
def shifted(a: int, b: int) -> int:
    return a << b


@sb.kernel
def shifted_back(a: int, b: int) -> int:
    return a >> b


@sb.kernel
def divided(a: int, b: int) -> int:
    return a // b


@sb.kernel
def by_callee(a: sb.ReadOnly[float64], i: int) -> float64:
    return item(a, i + 1) + 1.0


_LEAST, _MOST = -(2**63), 2**63 - 1
_CASES: list[tuple[Any, tuple[Any, ...], str]] = [
    (item, (np.zeros(4), 7), "index 7 is out of range for an array of 4"),
    (item, (np.zeros(4), -1), "index -1 is out of range for an array of 4"),
    (by_callee, (np.zeros(4), 3), "index 4 is out of range for an array of 4"),
    (third_from_end, (np.zeros(2),), "index -3 is out of range for an array of 2"),
    (cell, (np.zeros((4, 5), np.float32), 4, 1), "index 4 is out of range for axis 0 of length 4"),
    (cell, (np.zeros((4, 5), np.float32), 3, 5), "index 5 is out of range for axis 1 of length 5"),
    (quotient, (-7, 0), "division by zero: -7 // 0"),
    (rest, (200, 0), "division by zero: 200 % 0"),
    (ratio, (1.5, 0.0), "division by zero: 1.5 / 0.0"),
    (ratio_in_place, (1.5, -0.0), "division by zero: 1.5 / -0.0"),
    (floored, (1e300, 0.0), "division by zero: 1e+300 / 0.0"),
    (to_byte, (300,), "integer overflow: 300 does not fit uint8"),
    (to_int, (1e20,), "integer overflow: 1e+20 does not fit int"),
    (to_int, (float("nan"),), "integer overflow: nan does not fit int"),
    (to_int_from_unsigned, (2**64 - 1,), f"integer overflow: {2**64 - 1} does not fit int"),
    (total, (_MOST, 1), f"integer overflow: {_MOST} + 1"),
    (total, (-3, _LEAST), f"integer overflow: -3 + {_LEAST}"),
    (difference, (_LEAST, 5), f"integer overflow: {_LEAST} - 5"),
    (product, (2**40, -(2**30)), f"integer overflow: {2**40} * {-(2**30)}"),
    (negated, (_LEAST,), f"integer overflow: -({_LEAST})"),
    (magnitude, (_LEAST,), f"integer overflow: abs({_LEAST})"),
    (shifted, (3, -1), "negative shift count: 3 << -1"),
    (shifted, (3, 63), "integer overflow: 3 << 63"),
    (shifted_back, (3, -2), "negative shift count: 3 >> -2"),
    (divided, (_LEAST, -1), f"integer overflow: {_LEAST} // -1"),
]


def _ends(call: Callable[..., object], *args: Any) -> Trap:
    with pytest.raises(Trap) as caught:
        call(*args)
    return caught.value


@pytest.mark.parametrize(("kernel", "args", "message"), _CASES, ids=[c[2] for c in _CASES])
def test_a_trap_names_what_it_met_in_every_execution(
    kernel: Any, args: tuple[Any, ...], message: str
) -> None:
    for call in (kernel, kernel.managed, lambda *a: sb.evaluate(kernel, *a)):
        trap = _ends(call, *args)
        assert trap.message == message
        assert trap.summary in (message, "index out of range", message.partition(":")[0])
    sb_trap = _ends(lambda: sb.assert_same_bits(kernel, *args))
    assert sb_trap.message == message


@sb.kernel
def gather_in_parallel(a: sb.Array[float64], source: sb.ReadOnly[int32]) -> None:
    for i in sb.prange(len(a)):
        a[i] = float64(source[int(source[i])])


def test_the_lowest_trap_of_several_threads_names_its_own_index() -> None:
    source = np.zeros(400_000, np.int32)
    source[70_001:] = np.arange(2_000_000, 2_000_000 + 329_999)
    out = np.zeros(len(source))
    for _ in range(20):
        trap = _ends(gather_in_parallel, out, source)
        assert trap.message == "index 2000000 is out of range for an array of 400000"


@sb.job
class Gather(sb.ParallelFor):
    a: sb.Array[float64]
    source: sb.ReadOnly[int32]

    def execute(self, i: int):
        self.a[i] = float64(self.source[int(self.source[i])])


def test_a_job_names_the_index_of_its_lowest_trap() -> None:
    source = np.zeros(5_000, np.int32)
    source[3_000:] = np.arange(-5, 1_995)
    for run in (
        lambda job: job.run(5_000),
        lambda job: job.schedule(5_000, batch=64).complete(),
    ):
        trap = _ends(run, Gather(a=np.zeros(5_000), source=source))
        assert trap.message == "index -5 is out of range for an array of 5000"


@sb.kernel
def counted(a: sb.Array[sb.int64], source: sb.ReadOnly[int32]) -> None:
    for i in range(len(source)):
        a[source[i]] += 1


@sb.kernel
def summed(n: int) -> int:
    found = 0
    for i in range(n):
        found += i * i
    return found


@pytest.mark.parametrize(
    ("kernel", "args"),
    [(counted, (np.zeros(1, np.int64), np.zeros(1, np.int32))), (summed, (1,))],
    ids=["counted", "summed"],
)
def test_loops_have_no_more_instructions_than_without_values(
    kernel: Any, args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = compile_kernel(kernel, types_for(kernel, kernel.signature.bind(args, {})))
    name = unit.function.name
    module = optimise(lower_float_modes(link(unit)), [name])
    target = engine.host_target()
    plain = _loop_sizes(emit_module(module, [name], target, threads=True), target)
    original = Emission.__init__

    def without(self: Emission, *given: Any, **more: Any) -> None:
        original(self, *given, **more)
        self.records_traps = False

    monkeypatch.setattr(Emission, "__init__", without)
    assert plain
    assert plain[0] <= _loop_sizes(emit_module(module, [name], target, threads=True), target)[0]


def _loop_sizes(emitted: Any, target: Any) -> list[int]:
    """The instructions from a label of the kernel's code to a jump back to it."""
    text = engine.assemble_text(emitted.text, target, 3, profile=emitted.profile)
    rows = text[text.index("sb.body.0:") :].splitlines()
    lines = [row.partition("#")[0].rstrip() for row in rows]  # with comments where it is verbose
    labels = {line[:-1]: n for n, line in enumerate(lines) if re.match(r"\.LBB\S+:$", line)}
    found: list[int] = []
    for n, line in enumerate(lines):
        jump = re.match(r"\s+j\w+\s+(\.LBB\S+)", line)
        if jump and labels.get(jump[1], n) < n:
            body = lines[labels[jump[1]] : n + 1]
            found.append(sum(bool(re.match(r"\t[a-z]", row)) for row in body))
    return found


@sb.kernel
def part(a: sb.ReadOnly[float64], low: int) -> int:
    return len(a[low:])


@sb.kernel
def unsigned_item(a: sb.ReadOnly[float64], i: uint64) -> float64:
    return a[i]


def test_a_bound_and_an_unsigned_index_are_named_alike() -> None:
    text = "index out of range: the bound `low` of a slice is below 0 or above the length"
    for kernel, at, message in (
        (part, 5, f"{text}: it is 5, and the length 4"),
        (part, -1, f"{text}: it is -1, and the length 4"),
        (unsigned_item, 2**64 - 1, "index -1 is out of range for an array of 4"),
    ):
        for call in (kernel, kernel.managed, partial(sb.evaluate, kernel)):
            assert _ends(call, np.zeros(4), at).message == message


@sb.kernel
def fixed_quotient(a: sb.fix16, b: sb.fix16) -> sb.fix16:
    return a / b


@sb.kernel
def fixed_product(a: sb.fix16, b: sb.fix16) -> sb.fix16:
    return a * b


def test_a_fixed_point_trap_does_not_name_the_integers_that_its_numbers_are() -> None:
    for kernel, args, message in (
        (fixed_quotient, (1.5, 0), "division by zero"),
        (fixed_product, (30_000, 30_000), "integer overflow"),
    ):
        for call in (kernel, kernel.managed, partial(sb.evaluate, kernel)):
            assert _ends(call, *args).message == message
