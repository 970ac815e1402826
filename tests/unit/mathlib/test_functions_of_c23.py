"""The functions that C23 has beyond C17, float32 and float64: right against MPFR by bits at HIGH,
within what is promised at MEDIUM and LOW, special values, hard cases, one answer everywhere, lanes.
"""

# pyright: reportInvalidTypeForm=false
# The loops' types are arguments: annotations here are evaluated, not text.

import re
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import pytest
from tests.support.kernels.math_kernels import assert_same_patterns
from tools.prove import inputs, promises
from tools.prove.functions import FORMATS, NAMED, Format, rounded

from samebits import Array, ReadOnly, float32, float64, int32, math
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.errors import ArgumentError
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.modes import Precision
from samebits.passes.pipeline import optimise
from samebits.runtime.compile import compile_native
from samebits.runtime.same_bits import executions
from samebits.types import FLOAT32, FLOAT64

INF, NAN = float("inf"), float("nan")
REAL: dict[str, Any] = {"float32": float32, "float64": float64}
TYPES = {"float32": FLOAT32, "float64": FLOAT64}
SPECIAL: dict[str, list[tuple[float, ...]]] = {
    "exp2m1": [
        (0.0, 0.0), (-0.0, -0.0), (1.0, 1.0), (-1.0, -0.5), (10.0, 1023.0), (24.0, 2.0**24 - 1),
        (-INF, -1.0), (INF, INF), (1e30, INF), (-1e30, -1.0), (NAN, NAN),
    ],
    "exp10m1": [
        (0.0, 0.0), (-0.0, -0.0), (1.0, 9.0), (2.0, 99.0), (7.0, 9999999.0), (-INF, -1.0),
        (INF, INF), (1e30, INF), (-1e30, -1.0), (NAN, NAN),
    ],
    "log2p1": [
        (0.0, 0.0), (-0.0, -0.0), (1.0, 1.0), (-0.5, -1.0), (2.0**24 - 1, 24.0), (2.0**100, 100.0),
        (-1.0 + 2.0**-20, -20.0), (-1.0, -INF), (-1.5, NAN), (-INF, NAN), (INF, INF), (NAN, NAN),
    ],
    "log10p1": [
        (0.0, 0.0), (-0.0, -0.0), (9.0, 1.0), (9999999.0, 7.0), (-1.0, -INF), (-1.5, NAN),
        (-INF, NAN), (INF, INF), (NAN, NAN),
    ],
    "tanpi": [
        (0.0, 0.0), (-0.0, -0.0), (0.25, 1.0), (-0.25, -1.0), (0.75, -1.0), (1.25, 1.0),
        (0.5, INF), (1.5, -INF), (-0.5, -INF), (-1.5, INF), (1.0, -0.0), (-1.0, 0.0), (2.0, 0.0),
        (-2.0, -0.0), (2.0**18 + 0.5, INF), (-1e30, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN),
    ],
    "asinpi": [
        (0.0, 0.0), (-0.0, -0.0), (1.0, 0.5), (-1.0, -0.5), (1.5, NAN), (-INF, NAN), (NAN, NAN),
    ],
    "acospi": [
        (0.0, 0.5), (-0.0, 0.5), (1.0, 0.0), (-1.0, 1.0), (1.5, NAN), (-INF, NAN), (NAN, NAN),
    ],
    "atanpi": [
        (0.0, 0.0), (-0.0, -0.0), (1.0, 0.25), (-1.0, -0.25), (INF, 0.5), (-INF, -0.5), (NAN, NAN),
    ],
    "atan2pi": [
        (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, 1.0), (-0.0, -0.0, -1.0), (0.0, -3.0, 1.0),
        (0.0, 3.0, 0.0), (2.0, 0.0, 0.5), (-2.0, -0.0, -0.5), (3.0, 3.0, 0.25), (3.0, -3.0, 0.75),
        (-3.0, -3.0, -0.75), (INF, INF, 0.25), (-INF, -INF, -0.75), (INF, 1.0, 0.5),
        (1.0, INF, 0.0), (-1.0, INF, -0.0), (-1.0, -INF, -1.0), (NAN, 1.0, NAN), (1.0, NAN, NAN),
    ],
    "powr": [
        (2.0, 10.0, 1024.0), (4.0, 0.5, 2.0), (0.0, 2.0, 0.0), (-0.0, 3.0, 0.0), (0.0, -1.0, INF),
        (-0.0, -1.0, INF), (0.0, -INF, INF), (1.0, 3.0, 1.0), (5.0, 0.0, 1.0), (5.0, -0.0, 1.0),
        (INF, 2.0, INF), (INF, -2.0, 0.0), (2.0, INF, INF), (2.0, -INF, 0.0), (0.5, INF, 0.0),
        (0.0, 0.0, NAN), (INF, 0.0, NAN), (1.0, INF, NAN), (1.0, -INF, NAN), (-1.0, 2.0, NAN),
        (-INF, 1.0, NAN), (1.0, NAN, NAN), (NAN, 0.0, NAN),
    ],
    "pown": [
        (2.0, 10, 1024.0), (-2.0, 3, -8.0), (-2.0, -2, 0.25), (0.0, 3, 0.0), (-0.0, 3, -0.0),
        (-0.0, 2, 0.0), (0.0, -3, INF), (-0.0, -3, -INF), (-0.0, -2, INF), (INF, 3, INF),
        (-INF, 3, -INF), (-INF, 2, INF), (-INF, -3, -0.0), (-INF, -2, 0.0), (NAN, 0, 1.0),
        (0.0, 0, 1.0), (INF, 0, 1.0), (1.0, 2**31 - 1, 1.0), (-1.0, 2**31 - 1, -1.0),
        (-1.0, -(2**31), 1.0), (-1.0, 2**24 + 1, -1.0), (NAN, 1, NAN), (2.0, 2000, INF),
        (2.0, -2000, 0.0), (-2.0, -2001, -0.0),
    ],
    "rootn": [
        (27.0, 3, 3.0), (-27.0, 3, -3.0), (16.0, 4, 2.0), (16.0, -4, 0.5), (4.0, 2, 2.0),
        (3.0, 1, 3.0), (-8.0, -3, -0.5), (0.0, 3, 0.0), (-0.0, 3, -0.0), (-0.0, 2, 0.0),
        (0.0, -3, INF), (-0.0, -3, -INF), (-0.0, -2, INF), (INF, 3, INF), (-INF, 3, -INF),
        (INF, -3, 0.0), (-INF, -3, -0.0), (1.0, 2**31 - 1, 1.0), (-1.0, -(2**31) + 1, -1.0),
        (3.0, 0, NAN), (0.0, 0, NAN), (NAN, 0, NAN), (NAN, 3, NAN), (-1.0, 2, NAN), (-INF, 2, NAN),
        (-INF, -2, NAN),
    ],
    "erf": [
        (0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (30.0, 1.0), (-30.0, -1.0), (NAN, NAN),
    ],
    "erfc": [
        (0.0, 1.0), (-0.0, 1.0), (1e-40, 1.0), (INF, 0.0), (-INF, 2.0), (40.0, 0.0), (-30.0, 2.0),
        (NAN, NAN),
    ],
    "tgamma": [
        (1.0, 1.0), (2.0, 1.0), (5.0, 24.0), (11.0, 3628800.0), (0.0, INF), (-0.0, -INF),
        (-1.0, NAN), (-30.0, NAN), (-1e30, NAN), (-INF, NAN), (INF, INF), (1e30, INF), (200.0, INF),
        (-200.5, -0.0), (-201.5, 0.0), (NAN, NAN),
    ],
    "lgamma": [
        (1.0, 0.0), (2.0, 0.0), (0.0, INF), (-0.0, INF), (-1.0, INF), (-30.0, INF), (-1e30, INF),
        (-INF, INF), (INF, INF), (NAN, NAN),
    ],
    "logaddexp": [
        (0.0, -INF, 0.0), (-0.0, -INF, 0.0), (INF, INF, INF), (INF, -INF, INF), (-INF, -INF, -INF),
        (3.0, -INF, 3.0), (3.0, -1e30, 3.0), (0.0, -1e30, 0.0), (0.0, -2000.0, 0.0),
        (NAN, 1.0, NAN), (1e30, 1e30, 1e30), (INF, NAN, NAN),
    ],
    "compound": [
        (0.5, 2, 2.25), (1.0, 10, 1024.0), (1.0, -10, 2.0**-10), (-0.5, 3, 0.125), (0.0, 7, 1.0),
        (-0.0, -7, 1.0), (3.0, 0, 1.0), (-1.0, 0, 1.0), (NAN, 0, 1.0), (INF, 0, 1.0),
        (-1.0, 3, 0.0), (-1.0, 2, 0.0), (-1.0, -3, INF), (INF, 3, INF), (INF, -3, 0.0),
        (-2.0, 2, NAN), (-2.0, 0, NAN), (-INF, 1, NAN), (NAN, 1, NAN), (1.0, 2000, INF),
        (1.0, -2000, 0.0), (1e-30, 2**31 - 1, 1.0),
    ],
}  # fmt: skip
"""Arguments and the result, of both types; LOW has finite ones nearly so, or none."""
LEAST = next(h.target for h in engine.available_targets() if h.reason is None)
"""The least level of this host, which may have no fused multiply-add."""
HARD = [
    line.split()
    for line in (Path(__file__).parent / "hard_functions_of_c23.txt").read_text().splitlines()
]
"""Function, type, arguments and the right result, found by sweeps of all float32 and by
tools/math/hard_cases_f64.py, and of logaddexp at float32 where what is added all but cancels
the greater and their difference rounds; of tgamma at float64 most are among CORE-MATH's
(tgamma.wc), of lgamma those next to its zeros are all there."""
each = pytest.mark.parametrize("name", SPECIAL)
both = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)


def has_integer(name: str) -> bool:
    """Whether the second argument is one."""
    return any(getattr(math, name).integers)


def columns_of(name: str, form: Format, rows: Any) -> list[Any]:
    """Rows of numbers as the arrays that the function takes."""
    types = [form.float_type] * 3
    if has_integer(name):
        types[1] = "i4"
    return [np.array(c, t) for c, t in zip(zip(*rows, strict=True), types, strict=False)]


def right(name: str, form: Format, columns: Any) -> Any:
    """The correctly rounded results."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    results = np.array([rounded(NAMED[name], form, row) for row in rows], form.float_type)
    return np.where(np.isnan(results), np.array(NAN, form.float_type), results)


def some_inputs(name: str, form: Format) -> list[Any]:
    """Special values, and numbers of every kind."""
    arity, integer = NAMED[name].arity, NAMED[name].integer
    special = inputs.special_with_integers(form) if integer else inputs.special(arity, form)
    random = next(inputs.random(NAMED[name], form, 1200, 11, None))
    stride = 1 if arity == 1 else 29 if integer else 173
    return [np.concatenate([a[::stride], b]) for a, b in zip(special, random, strict=True)]


def loop_of(name: str, form: Format, precision: Precision = Precision.HIGH) -> Kernel:
    """A loop over arrays with one function in it."""
    function = getattr(math, name).kernel_for(TYPES[form.name], precision)
    real = REAL[form.name]
    other = int32 if has_integer(name) else real

    def one(x: ReadOnly[real], result: Array[real]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i])

    def two(x: ReadOnly[real], y: ReadOnly[other], result: Array[real]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i], y[i])

    return Kernel(one if NAMED[name].arity == 1 else two)


@cache
def module_of(name: str, form: Format) -> tuple[Any, list[str]]:
    """The loop's IR."""
    kernel = loop_of(name, form)
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    return optimise(link(unit), [unit.function.name]), [unit.function.name]


@each
@both
def test_special_values_have_the_standard_s_results(name: str, form: Format) -> None:
    rows = SPECIAL[name]
    columns = columns_of(name, form, [row[:-1] for row in rows])
    wanted = np.array([row[-1] for row in rows], form.float_type)
    for precision in Precision:
        with math.precision(precision):
            found = getattr(math, name)(*columns)
        if precision is not Precision.LOW:
            assert_same_patterns(found, wanted, columns[0], (name, precision))
        plain = np.isfinite(wanted) & np.isfinite(found)
        off = abs(found[plain] - wanted[plain])
        assert (off <= 200 * np.spacing(abs(wanted[plain]))).all()


@each
@both
def test_inputs_of_every_kind_are_rounded_right(name: str, form: Format) -> None:
    columns = some_inputs(name, form)
    found = getattr(math, name)(*columns)
    assert_same_patterns(found, right(name, form, columns), columns[0], name)


@pytest.mark.parametrize("name", [name for name in SPECIAL if has_integer(name)])
def test_integers_beyond_int32_are_refused(name: str) -> None:
    function = getattr(math, name)
    for n in (2**31, -(2**31) - 1, 2**70):
        with pytest.raises(ArgumentError, match="int32"):
            function(2.0, n)
    with pytest.raises(ArgumentError, match="int32"):
        function(np.ones(2), np.array([1, 2**31]))
    assert function(np.ones(2), np.array([1, 2**31 - 1])).tolist()[0] in (1.0, 2.0)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_exact_and_half_way_results_go_where_they_belong(form: Format) -> None:
    rng = np.random.default_rng(5)
    bits = form.precision
    half = 1 << (bits + 1) // 2
    base = rng.integers(half, int(half * 1.4), 200).astype(form.float_type)  # squares: one bit more
    odd = base + (base % 2 == 0)
    twos = np.full(200, 2, np.int32)
    for name, x, n in (
        ("pown", odd, twos), ("pown", -odd, twos), ("compound", odd - 1, twos),
        ("rootn", (odd // 64) ** 2, twos), ("rootn", -((base // 2**9 + 1) ** 3), twos + 1),
        ("rootn", np.exp2(rng.integers(-20, 20, 200) * 5.0), np.full(200, -5, np.int32)),
        ("compound", np.exp2(-rng.integers(20, bits + 4, 200).astype(float)), twos - 1),
        ("compound", np.exp2(-rng.integers(20, bits + 4, 200).astype(float)), twos),
    ):  # fmt: skip
        columns = [x.astype(form.float_type), n]
        found = getattr(math, name)(*columns)
        assert_same_patterns(found, right(name, form, columns), columns[0], name)


@each
@both
def test_hard_cases_are_rounded_right(name: str, form: Format) -> None:
    rows = [
        [float.fromhex(w) for w in words] for n, t, *words in HARD if (n, t) == (name, form.name)
    ]
    assert rows
    *arguments, wanted = columns_of(name, form, rows)
    found = getattr(math, name)(*arguments)
    assert_same_patterns(found, wanted, arguments[0], name)
    assert_same_patterns(right(name, form, arguments), wanted, arguments[0], name)


@each
@both
@pytest.mark.parametrize("precision", [Precision.MEDIUM, Precision.LOW])
def test_medium_and_low_keep_what_is_promised(
    name: str, form: Format, precision: Precision
) -> None:
    high, chosen = (
        getattr(math, name).kernel_for(TYPES[form.name], p) for p in (Precision.HIGH, precision)
    )
    if high is chosen:
        return  # as tested above
    columns = some_inputs(name, form)
    where = promises.where(name, form.name, precision.name)
    columns = list(where.choose(tuple(columns))) if where else columns
    with math.precision(precision):
        found = getattr(math, name)(*columns)
    wanted = right(name, form, columns)
    limit = promises.promised(name, form.name, precision.name)
    assert limit is not None
    with gmpy2.context(precision=300):
        for k in np.flatnonzero(np.isfinite(wanted) & (found != wanted)).tolist():
            arguments = [gmpy2.mpfr(float(c[k])) for c in columns]
            exact = NAMED[name].exact(*arguments)
            ulp = gmpy2.mpfr(float(np.spacing(abs(wanted[k]))))
            assert abs(exact - float(found[k])) <= limit * ulp, [float(a).hex() for a in arguments]


@each
@both
def test_executions_give_the_same_bits(name: str, form: Format) -> None:
    kernel = loop_of(name, form)
    assert kernel.fixed_types is not None
    hard = [
        [float.fromhex(w) for w in words] for n, t, *words in HARD if (n, t) == (name, form.name)
    ]
    rows = [*(row[:-1] for row in SPECIAL[name]), *(row[:-1] for row in hard)]
    columns = columns_of(name, form, rows)
    wanted = right(name, form, columns)
    least = compile_native(kernel, kernel.fixed_types, LEAST)
    # On arrays, as above, the host's best level has run.
    for what, run in [*islice(executions(kernel, kernel.fixed_types), 2), (LEAST.name, least)]:
        step = {"managed": 7, "evaluate": 5}.get(what, 1)
        given = [c[::step].copy() for c in columns]
        found = np.empty(len(given[0]), form.float_type)
        run(*given, found)
        assert_same_patterns(found, wanted[::step].copy(), given[0], (name, what))


@each
@both
def test_a_loop_over_an_array_runs_in_vector_lanes(name: str, form: Format) -> None:
    module, entries = module_of(name, form)
    assembly = assembly_text(module, entries, TARGETS["x86-64-v4"])
    assert len(re.findall(r"\tv(?:mul|fn?m(?:add|sub)\d+)pd\t[^\n]*%[yz]mm", assembly)) >= 6
    for function in module.functions.values():
        if "mathlib" in function.name:
            assert not [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]
