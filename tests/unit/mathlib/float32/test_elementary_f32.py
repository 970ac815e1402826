"""float32 exponentials, logarithms, hyperbolics and roots: one kernel runs them all on each input.

Hardest inputs, special values, random ones against MPFR, one answer in every execution, lanes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr
from tests.support.kernels.elementary_f32 import NAMES, elementary, every
from tests.support.kernels.math_kernels import assert_same_patterns, called_in_loops, results

from samebits import Array, ReadOnly, float32, math
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

HARD = [
    line.split()
    for line in (Path(__file__).parent / "hard_elementary_f32.txt").read_text().splitlines()
]
INF = float("inf")
NAN = float("nan")
SPECIAL: dict[str, list[tuple[float, float]]] = {
    "exp": [(-INF, 0.0), (INF, INF), (-0.0, 1.0), (89.0, INF), (-104.0, 0.0)],
    "exp2": [
        (-INF, 0.0),
        (INF, INF),
        (-0.0, 1.0),
        (128.0, INF),
        (-149.0, 2.0**-149),
        (-150.0, 0.0),
    ],
    "exp10": [(-INF, 0.0), (INF, INF), (-0.0, 1.0), (10.0, 1e10), (39.0, INF), (-46.0, 0.0)],
    "expm1": [
        (-INF, -1.0),
        (INF, INF),
        (-0.0, -0.0),
        (0.0, 0.0),
        (-30.0, -1.0),
        (2.0**-149, 2.0**-149),
    ],
    "log": [
        (0.0, -INF),
        (-0.0, -INF),
        (INF, INF),
        (-INF, NAN),
        (-1.0, NAN),
        (1.0, 0.0),
        (-(2.0**-149), NAN),
    ],
    "log2": [
        (0.0, -INF),
        (-0.0, -INF),
        (INF, INF),
        (-1.0, NAN),
        (1.0, 0.0),
        (2.0**-149, -149.0),
        (8.0, 3.0),
    ],
    "log10": [
        (0.0, -INF),
        (-0.0, -INF),
        (INF, INF),
        (-1.0, NAN),
        (1.0, 0.0),
        (1e10, 10.0),
        (1000.0, 3.0),
    ],
    "log1p": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (-1.0, -INF),
        (-1.5, NAN),
        (INF, INF),
        (-INF, NAN),
        (-1e-40, -1e-40),
    ],
    "sinh": [
        (-0.0, -0.0),
        (INF, INF),
        (-INF, -INF),
        (2.0**-149, 2.0**-149),
        (90.0, INF),
        (-90.0, -INF),
    ],
    "cosh": [(-0.0, 1.0), (INF, INF), (-INF, INF), (90.0, INF), (2.0**-149, 1.0)],
    "tanh": [(-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (2.0**-149, 2.0**-149), (10.0, 1.0)],
    "asinh": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (2.0**-149, 2.0**-149)],
    "acosh": [(1.0, 0.0), (0.5, NAN), (-2.0, NAN), (-INF, NAN), (INF, INF), (0.0, NAN)],
    "atanh": [
        (-0.0, -0.0),
        (1.0, INF),
        (-1.0, -INF),
        (1.5, NAN),
        (INF, NAN),
        (-INF, NAN),
        (1e-45, 1e-45),
    ],
    "cbrt": [
        (-0.0, -0.0),
        (INF, INF),
        (-INF, -INF),
        (27.0, 3.0),
        (-8.0, -2.0),
        (2.0**-147, 2.0**-49),
    ],
    "rsqrt": [
        (0.0, INF),
        (-0.0, -INF),
        (INF, 0.0),
        (-1.0, NAN),
        (-INF, NAN),
        (4.0, 0.5),
        (2.0**-148, 2.0**74),
    ],
}


def floats(words: list[int]) -> Any:
    return np.array(words, np.uint32).view(np.float32)


def exact(name: str, x: float) -> float:
    """What MPFR rounds to float32."""
    function = {"rsqrt": gmpy2.rec_sqrt}.get(name) or getattr(gmpy2, name)
    with gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True):
        return float(function(mpfr(x)))


def hard_inputs(name: str) -> tuple[Any, Any]:
    rows = [(int(x, 16), int(y, 16)) for which, x, y in HARD if which == name]
    return floats([x for x, _ in rows]), floats([y for _, y in rows])


def special_inputs() -> Any:
    values = {x for row in SPECIAL.values() for x, _ in row} - {0.0}
    return np.array([*sorted(values), 0.0, -0.0, NAN], np.float32)


def test_the_inputs_nearest_to_a_rounding_boundary_are_rounded_right() -> None:
    for number, name in enumerate(NAMES):
        x, wanted = hard_inputs(name)
        assert len(x) == 24
        assert_same_patterns(every(elementary, x)[number], wanted, x, name)


def test_special_values_have_the_documented_results() -> None:
    for number, name in enumerate(NAMES):
        row = [*SPECIAL[name], (NAN, NAN)]
        x, wanted = (np.array(part, np.float32) for part in zip(*row, strict=True))
        assert_same_patterns(every(elementary, x)[number], wanted, x, name)


def test_results_are_rounded_right_on_inputs_of_every_kind() -> None:
    rng = np.random.default_rng(20)
    bits = rng.integers(0, 1 << 32, 1500, np.uint32).view(np.float32)
    near = (1 + rng.normal(size=500) * 2.0 ** rng.uniform(-20, 0, 500)).astype(np.float32)
    small = rng.uniform(-90, 90, 500).astype(np.float32)
    tiny = (rng.normal(size=500) * 2.0 ** rng.uniform(-30, 0, 500)).astype(np.float32)
    x = np.concatenate([bits, near, small, tiny])
    x = x[~np.isnan(x)]
    found = every(elementary, x)
    for number, name in enumerate(NAMES):
        wanted = np.array([exact(name, v) for v in x.tolist()], np.float32)
        wanted[np.isnan(wanted)] = NAN
        differs = (x == 0) & (name == "rsqrt")  # MPFR has +inf for -0
        assert_same_patterns(found[number][~differs], wanted[~differs], x[~differs], name)


def test_every_execution_gives_the_same_bits() -> None:
    assert elementary.fixed_types is not None
    hard = np.concatenate([hard_inputs(name)[0][:12] for name in NAMES])
    x = np.concatenate([special_inputs(), hard])
    runs = dict(executions(elementary, elementary.fixed_types))
    wanted = every(elementary, x)
    for what, run in runs.items():
        step = {"managed": 8, "evaluate": 4}.get(what, 1)
        found = every(run, x[::step].copy())
        for number, name in enumerate(NAMES):
            part = x[::step].copy()
            assert_same_patterns(found[number], wanted[number][::step].copy(), part, (name, what))


def loop_of(name: str) -> Kernel:
    """A loop over an array with one function in it."""
    function = getattr(math, name)

    def loop(x: ReadOnly[float32], result: Array[float32]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i])

    return Kernel(loop)


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_over_an_array_runs_in_vector_lanes_without_calls_or_checks(name: str) -> None:
    kernel = loop_of(name)
    unit = compile_kernel(kernel, kernel.signature.resolve((None, None)))
    entries = [unit.function.name]
    module = optimise(link(unit), entries)
    assembly = assembly_text(module, entries, TARGETS["x86-64-v4"])
    # Every float64 multiplication and addition is in lanes, but for the loop's last iterations.
    assert len(re.findall(r"\tv(?:mul|fn?m(?:add|sub)\d+)pd\t[^\n]*%[yz]mm", assembly)) >= 6
    assert not called_in_loops(assembly, "f32")
    for function in module.functions.values():
        if "mathlib" in function.name:
            assert not [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]


def test_from_python_arrays_map_to_arrays() -> None:
    x = np.linspace(0.25, 0.75, 6, dtype=np.float32).reshape(2, 3)
    for name in ("exp", "log1p", "cbrt"):
        y = getattr(math, name)(x)
        assert y.dtype == np.float32
        assert y.shape == x.shape
        assert (y.ravel() == [np.float32(exact(name, v)) for v in x.ravel().tolist()]).all()


def test_odd_functions_are_odd() -> None:
    x = np.arange(0, 0x7F80_0000, 0x1_2345, dtype=np.uint32).view(np.float32)
    for name in ("sinh", "tanh", "asinh", "atanh", "cbrt"):
        function = loop_of(name)
        part = x[x <= 1] if name == "atanh" else x
        assert_same_patterns(results(function, -part), -results(function, part), part, name)
