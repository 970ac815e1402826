"""The iterations of a parallel range are as good code as those of the plain loop."""

from __future__ import annotations

import re

import pytest
from tests.support.programs.optimised import optimised

import samebits as sb
from samebits import float32, kernel, math
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.objects import HOOK, OWN
from samebits.backend.targets.table import TARGETS
from samebits.lang.kernel import Kernel


@kernel
def plain_saxpy(a: float32, x: sb.ReadOnly[float32], y: sb.Array[float32]):
    for i in range(len(y)):
        y[i] = a * x[i] + y[i]


@kernel
def parallel_saxpy(a: float32, x: sb.ReadOnly[float32], y: sb.Array[float32]):
    for i in sb.prange(len(y)):
        y[i] = a * x[i] + y[i]


@kernel
def plain_waves(x: sb.ReadOnly[float32], y: sb.Array[float32]):
    for i in range(len(y)):
        y[i] = math.sin(x[i]) * float32(2)


@kernel
def parallel_waves(x: sb.ReadOnly[float32], y: sb.Array[float32]):
    for i in sb.prange(len(y)):
        y[i] = math.sin(x[i]) * float32(2)


def packed(one: Kernel) -> dict[str, int]:
    """How often each packed operation on whole registers occurs, for threads."""
    target = TARGETS["x86-64-v3"]
    text = emit_module(*optimised(one), target, threads=True).text
    found: dict[str, int] = {}
    for line in engine.assemble_text(text, target).splitlines():
        match = re.match(r"\tv(add|sub|mul|fma\w+)ps\t.*%ymm", line)
        if match:
            found[match[1]] = found.get(match[1], 0) + 1
    return found


@pytest.mark.parametrize(
    ("plain", "parallel"), [(plain_saxpy, parallel_saxpy), (plain_waves, parallel_waves)]
)
def test_iterations_are_vectors_as_the_plain_loops_are(plain: Kernel, parallel: Kernel) -> None:
    expected, found = packed(plain), packed(parallel)
    assert expected
    assert found.keys() == expected.keys()  # plain loops may have more copies
    assert min(found.values()) >= 4  # iterations interleaved


def test_code_for_elsewhere_has_no_hook() -> None:
    module, entries = optimised(parallel_saxpy)
    text = emit_module(module, entries, TARGETS["x86-64-v3"]).text
    assert HOOK not in text
    assert OWN not in text
    assert HOOK in emit_module(module, entries, TARGETS["x86-64-v3"], threads=True).text
