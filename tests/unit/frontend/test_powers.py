"""`x**n` of a constant n: products in one stated order, in every execution."""

from __future__ import annotations

import enum
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.executions import same

import samebits as sb
from samebits import double2, fix16, float3, float32, float64, int32

SIX = 6


class Order(enum.IntEnum):
    CUBIC = 3


def test_the_order_of_the_products_is_the_stated_one() -> None:
    @sb.kernel
    def powers(x: float32) -> tuple[float32, float32, float32, float32]:
        return x**1, x**3, x**4, x**7

    @sb.kernel
    def products(x: float32) -> tuple[float32, float32, float32, float32]:
        three = (x * x) * x
        return x, three, (x * x) * (x * x), (three * three) * x

    for x in np.random.default_rng(1).uniform(-9, 9, 200).astype(np.float32):
        assert same(powers, x) == same(products, x)


def test_a_power_may_be_of_any_number_or_vector() -> None:
    @sb.kernel
    def mixed(
        i: int32, n: int, v: float3, w: double2, q: fix16
    ) -> tuple[int32, int, float3, double2, fix16]:
        n **= 2
        return i**5, n**SIX, v**2, -(w**Order.CUBIC), q**3

    found = same(mixed, 77777, -3, (1, 2, 3), (0.5, -2.0), 1.25)
    assert found[0] == np.array(77777**5 & 0xFFFFFFFF, np.uint32).astype(np.int32)
    assert found[1] == 9**6
    assert tuple(found[2]) == (1, 4, 9)
    assert tuple(found[3]) == (-0.125, 8)
    assert found[4] == fix16(1.25) * fix16(1.25) * fix16(1.25)


def test_the_base_is_computed_once() -> None:
    @sb.kernel
    def counted(a: sb.Array[int32]) -> int32:
        a[0] += 1
        return a[0]

    @sb.kernel
    def squared(a: sb.Array[int32]) -> int32:
        return counted(a) ** 4

    a = np.array([1], np.int32)
    assert squared(a) == 16
    assert a[0] == 2
    assert squared.managed(a) == 81
    assert a[0] == 3


def test_literals_are_folded_as_products() -> None:
    @sb.kernel
    def folded(x: float64) -> tuple[float64, float64]:
        return x + 2**40, x + 1.1**5

    square = 1.1 * 1.1
    assert same(folded, 0.0) == (2.0**40, (square * square) * 1.1)


@pytest.mark.parametrize("x", [1e-20, 3e-13, 7e-20])
def test_each_product_flushes_where_subnormals_do(x: float) -> None:
    @sb.kernel(denormals="flush")
    def fourth(x: float32, y: float) -> tuple[float32, float]:
        return x**4, (y * 1e-140) ** 2 * 1e300

    same(fourth, x, x)


@pytest.mark.parametrize("exponent", ["0", "-1", "0.5", "2.0", "1025", "n"])
def test_other_exponents_are_refused_managed_and_compiled(exponent: str, tmp_path: Path) -> None:
    place = tmp_path / "powers.py"
    place.write_text(
        "import samebits as sb\n\n@sb.kernel\n"
        f"def power(x: sb.float64, n: int) -> sb.float64:\n    return x**{exponent}\n\n@sb.kernel\n"
        f"def literal(x: sb.float64, n: int) -> sb.float64:\n    return x + 2**{exponent}\n"
    )
    for kernel in (runpy.run_path(str(place))[name] for name in ("power", "literal")):
        for run in (kernel, kernel.managed):
            with pytest.raises(sb.CompileError, match="constant Python int from 1 to 1,024"):
                run(2.0, 3)


@pytest.mark.parametrize(
    ("t", "power", "fix"),
    [
        ("float32", "x**n", "`math.pow(x, float32(n))`"),
        ("float64", "x**2.0", "`math.pow(x, 2.0)`"),
        ("float32", "(x + 1)**-2", "`1 / (x + 1)**2`"),
        ("float3", "x**0", "`float3(1)`"),
        ("float3", "x**0.3", "`math.pow(x, 0.3)`"),
        ("int32", "x**0", "`int32(1)`"),
        ("float64", "x * 10**-3", "`(1 / 10**3)`"),
    ],
)
def test_the_advised_fix_compiles(t: str, power: str, fix: str, tmp_path: Path) -> None:
    def kernel(text: str, name: str) -> Any:
        place = tmp_path / f"{name}.py"
        place.write_text(
            "import samebits as sb\nfrom samebits import *\nfrom samebits import math\n\n"
            f"@sb.kernel\ndef power(x: {t}, n: int) -> {t}:\n    return {text}\n"
        )
        return runpy.run_path(str(place))["power"]

    arguments = ((2, 3, 4), 2) if t == "float3" else (2, 2)
    refused = kernel(power, "refused")
    with pytest.raises(sb.CompileError) as caught:
        refused(*arguments)
    assert fix in str(caught.value.fix)
    written = "x * (1 / 10**3)" if "10" in power else fix
    same(kernel(written.strip("`"), "mended"), *arguments)


def test_a_weak_int_traps_as_its_product_does() -> None:
    @sb.kernel
    def cubed(n: int) -> int:
        return n**3

    for run in (cubed, cubed.managed):
        with pytest.raises(sb.Trap):
            run(1 << 40)
