"""Stores that are one wide vector: they leave what their own stores would, in every order."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

import numpy as np
import pytest
from tests.fuzz.loading import Workspace
from tests.support.machines.other_machines import HERE

import samebits as sb
from samebits import double4, float3, float4, float4x4, float32, int32, math
from samebits.backend.text import writer
from samebits.backend.text.wide_stores import WideStores, wide_stores
from samebits.lang.kernel import Kernel
from samebits.runtime import cache

WIDEST = [f"{row.name}-O3" for row in HERE if row.vector_bits > 128]
"""The executions with wide stores."""
SIZE = 5
ODD = (0x7FC0_0001, 0xFFC0_0000, 0x7F80_0001, 0x7F80_0000, 0x0000_0001, 0x8000_0003, 0x8000_0000)
"""NaNs that samebits never makes, infinity, subnormal numbers and a zero with a sign."""


@sb.struct
class Matrix:
    c0: float4
    c1: float4
    c2: float4
    c3: float4


@sb.struct
class Doubles:
    before: int32
    c0: double4
    c1: double4


@sb.struct
class Body:
    spin: float3
    place: float3
    speed: float3
    mass: float32
    count: int32


@sb.struct
class Parts:
    m: sb.FixedArray[float32, Literal[16]]


@sb.kernel
def column(m: Matrix, v: float4) -> float4:
    return m.c0 * v.x + m.c1 * v.y + m.c2 * v.z + m.c3 * v.w


@sb.kernel
def products(a: sb.Array[Matrix], n: int) -> None:
    for i in range(n):
        c0 = column(a[i], a[i + 1].c0)
        c1 = column(a[i], a[i + 1].c1)
        c2 = column(a[i], a[i + 1].c2)
        c3 = column(a[i], a[i + 1].c3)
        a[i].c0 = c0
        a[i].c1 = c1
        a[i].c2 = c2
        a[i].c3 = c3


@sb.kernel(denormals="flush")
def flushed(a: sb.Array[float4x4], n: int) -> None:
    for i in range(n):
        a[i] = a[i] @ a[i + 1]


@sb.kernel(mode=sb.DETERMINISTIC, contract=True)
def contracted(a: sb.Array[float4x4], n: int) -> None:
    for i in range(n):
        a[i] = a[i] @ a[i + 1] - a[i + 1]


@sb.kernel
def transposed(a: sb.Array[float4x4], n: int) -> None:
    for i in range(n):
        a[i] = math.transpose(a[i + 1]) * float32(-0.5)


@sb.kernel
def doubles(a: sb.Array[Doubles], n: int) -> None:
    for i in range(n):
        x, y = a[i].c0, a[i].c1
        a[i].c1 = x / y - x
        a[i].c0 = sb.sqrt(y * x)


@sb.kernel
def bodies(a: sb.Array[Body], n: int) -> None:
    for i in range(n):
        b = a[i]
        spin, place, speed, mass = b.spin, b.place, b.speed, b.mass
        b.count = b.count + 1
        b.spin = spin * mass
        b.place = place * mass
        b.speed = speed * mass


@sb.kernel
def reversed_parts(a: sb.Array[Parts], n: int) -> None:
    for i in range(n):
        m = a[i].m
        x0, x1, x2, x3 = m[0], m[1], m[2], m[3]
        x4, x5, x6, x7 = m[4], m[5], m[6], m[7]
        m[8] = x7 + x0
        m[9] = x6 + x1
        m[11] = x4 + x3
        m[10] = x5 + x2
        m[15] = x0 + x0
        m[14] = x1 + x1
        m[13] = x2 + x2
        m[12] = x3 + x3


WIDE = (products, flushed, contracted, transposed, doubles, bodies, reversed_parts)


@sb.kernel
def traps_between(a: sb.Array[Parts], n: int) -> None:
    for i in range(n):
        m = a[0].m
        x0, x1, x2, x3 = m[8], m[9], m[10], m[11]
        x4, x5, x6, x7 = m[12], m[13], m[14], m[15]
        m[0] = x0 + x0
        m[1] = x1 + x1
        m[2] = x2 + x2
        m[3] = x3 + x3
        k = a[i + 1].m[0]
        m[4] = x4 + x4
        m[5] = x5 + x5
        m[6] = x6 + x6
        m[7] = x7 + x7 + k * float32(0)


@sb.kernel
def reads_between(a: sb.Array[Parts], b: sb.Array[Parts], n: int) -> None:
    for i in range(n):
        m, o = a[i].m, b[i].m
        m[0] = o[0] + o[0]
        m[1] = o[1] + o[1]
        m[2] = o[2] + o[2]
        m[3] = o[3] + o[3]
        m[4] = o[4] + o[4]
        m[5] = o[5] + o[5]
        m[6] = o[6] + o[6]
        m[7] = o[7] + o[7]


@sb.kernel
def writes_between(a: sb.Array[Parts], b: sb.Array[Parts], n: int) -> None:
    for i in range(n):
        m, o = a[i].m, b[i].m
        x0, x1, x2, x3 = o[0], o[1], o[2], o[3]
        x4, x5, x6, x7 = o[4], o[5], o[6], o[7]
        m[0] = x0 + x0
        m[1] = x1 + x1
        m[2] = x2 + x2
        m[3] = x3 + x3
        o[1] = float32(9)
        m[4] = x4 + x4
        m[5] = x5 + x5
        m[6] = x6 + x6
        m[7] = x7 + x7


@sb.kernel
def writes_before(a: sb.Array[Parts], b: sb.Array[Parts], n: int) -> float32:
    total = float32(0)
    for i in range(n):
        m, o = a[i].m, b[i].m
        x0, x1, x2, x3 = o[0], o[1], o[2], o[3]
        x4, x5, x6, x7 = o[4], o[5], o[6], o[7]
        o[1] = float32(9)
        total += o[9]
        m[0] = x0 + x0
        m[1] = x1 + x1
        m[2] = x2 + x2
        m[3] = x3 + x3
        m[4] = x4 + x4
        m[5] = x5 + x5
        m[6] = x6 + x6
        m[7] = x7 + x7
    return total


@sb.kernel
def computes_between(a: sb.Array[Parts], b: sb.Array[Parts], n: int) -> None:
    for i in range(n):
        m, o = a[i].m, b[i].m
        x0, x1, x2, x3 = o[0], o[1], o[2], o[3]
        x4, x5, x6, x7 = o[4], o[5], o[6], o[7]
        o[15] = x7
        y = x0 * x7 - x3
        m[0] = x0 * y
        m[1] = x1 * y
        m[2] = x2 * y
        m[3] = x3 * y
        m[4] = x4 * y
        m[5] = x5 * y
        m[6] = x6 * y
        m[7] = x7 * y


@sb.kernel
def used_elsewhere(a: sb.Array[float4x4], n: int) -> float32:
    total = float32(0)
    for i in range(n):
        m = a[i] * float32(2)
        a[i] = m
        total += m.c1.x + m.c3.x
    return total


NARROW = (
    traps_between, reads_between, writes_between, writes_before, computes_between, used_elsewhere
)  # fmt: skip


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[WideStores]:
    """What is found while a test compiles."""
    seen: list[WideStores] = []

    def noted(*given: Any) -> WideStores:
        result = wide_stores(*given)
        if result.of:
            seen.append(result)
        return result

    monkeypatch.setattr(writer, "wide_stores", noted)
    monkeypatch.setattr(cache._Setting, "chosen", None)
    return seen


def memory(kernel: Kernel, rng: Random) -> list[Any]:
    """Arrays for all parameters but the last, of numbers and a few odd patterns."""
    arrays: list[Any] = []
    for t in (kernel.fixed_types or ())[:-1]:
        assert isinstance(t, sb.types.ArrayType)
        words = t.element.size * SIZE // 4
        numbers = [rng.choice((1.0, -2.5, 0.75, 1e-20, 3e38)) for _ in range(words)]
        patterns = np.array(numbers, np.float32).view(np.uint32)
        for _ in range(rng.choice((0, 1, 4))):
            patterns[rng.randrange(words)] = rng.choice(ODD)
        base, shape = t.element.dtype.subdtype or (t.element.dtype, ())
        arrays.append(patterns.view(base).reshape(SIZE, *shape))
    return arrays


def check(kernel: Kernel, calls: int = 12, targets: list[str] | None = None) -> None:
    """Every level leaves what the reference leaves, also where arrays are one."""
    rng = Random(1)
    given = [(*memory(kernel, rng), SIZE - 1) for _ in range(calls)]
    given += [(*[arrays[0]] * (len(arrays) - 1), SIZE - 1) for arrays in given[:2]]
    sb.assert_same_bits_each(kernel, given, targets=targets)


@pytest.mark.parametrize("kernel", WIDE, ids=lambda kernel: kernel.__name__)
def test_one_store_leaves_what_its_own_stores_would(
    kernel: Kernel, found: list[WideStores]
) -> None:
    sb.inspect(kernel, target="x86-64-v4")
    assert found
    check(kernel)


@pytest.mark.parametrize("kernel", NARROW, ids=lambda kernel: kernel.__name__)
def test_what_is_between_stores_stays_there(kernel: Kernel, found: list[WideStores]) -> None:
    sb.inspect(kernel, target="x86-64-v4")
    assert not found
    check(kernel)


ORDERS = (
    lambda k, o: k,
    lambda k, o: k + o,
    lambda k, o: 15 - k + o,
    lambda k, o: k % 4 + o,
    lambda k, o: k // 4 + 4 * (o % 3),
    lambda k, o: k // 4 * 4 + o % 4,
    lambda k, o: k % 4 * 4 + k // 4,
    lambda k, o: k * 7 % 8 + o,
    lambda k, o: o,
)
"""Which number a lane reads."""
FORMS = ("{} + {}", "{} - {}", "{} * {}", "{} / {}", "-{}", "sb.sqrt({})", "abs({})",
         "math.fma({}, {}, {})")  # fmt: skip
"""What lanes compute."""
BETWEEN = ("y[{o}] = s", "x[{o}] = s", "total += x[{o}]", "total += b[k + {o}].m[0]",
           "k = k + 1", "total += t0", "if s > 2.0:\n            s = s - 1.0")  # fmt: skip
"""What may stand among stores."""


def lanes_of(rng: Random, depth: int) -> list[str]:
    """An expression for each of 16 lanes."""
    kind = rng.random()
    if depth and kind < 0.75:
        form = rng.choice(FORMS)
        parts = [lanes_of(rng, depth - 1) for _ in range(form.count("{}"))]
        made = [f"({form.format(*each)})" for each in zip(*parts, strict=True)]
        if rng.random() < 0.03:
            made[rng.randrange(16)] = "s"
        return made
    if kind < 0.9:
        order, shift = rng.choice(ORDERS), rng.randrange(8)
        array = rng.choice("xy")
        return [f"{array}[{order(k, shift)}]" for k in range(16)]
    return [rng.choice(("s", "float32(0.5)"))] * 16


def written(rng: Random) -> str:
    """A kernel that stores neighbours of 24 numbers: mostly as wide stores could, now and then not
    quite."""
    options = rng.choice(("", '(denormals="flush")', "(bounds_check=False)"))
    lines = [
        "@sb.struct", "class Numbers:", "    m: sb.FixedArray[float32, Literal[24]]",
        f"@sb.kernel{options}",
        "def made(a: sb.Array[Numbers], b: sb.Array[Numbers], n: int) -> float32:",
        "    total = float32(0)", "    s = float32(3.5)", "    k = 0", "    for i in range(n):",
        "        x, y = a[i].m, b[n - i].m",
    ]  # fmt: skip
    first, count = rng.randrange(9), rng.choice((8, 9, 12, 16))
    lanes = [f"t{k} = {text}" for k, text in enumerate(lanes_of(rng, 3))]
    stores = [f"x[{first + k}] = t{k}" for k in range(count)]
    body = lanes + stores
    if rng.random() < 0.3:
        body = lanes + rng.sample(stores, count)
    elif rng.random() < 0.2:
        body = [line for pair in zip(lanes, stores, strict=False) for line in pair]
    while rng.random() < 0.25:
        body.insert(rng.randrange(8, len(body)), rng.choice(BETWEEN).format(o=rng.randrange(4)))
    return "\n".join([*lines, *(f"        {line}" for line in body), "    return total"])


def test_made_kernels_leave_what_the_reference_leaves(found: list[WideStores]) -> None:
    head = "from typing import Literal\n\nimport samebits as sb\n"
    head += "from samebits import float32, math\n\n\n"
    wide = 0
    with Workspace() as loader:
        for seed in range(40):
            (kernel,) = loader.imported(f"{head}{written(Random(seed))}\n", ["made"])
            check(kernel, 3, WIDEST or None)
            wide += bool(found)
            found.clear()
    assert 5 < wide < 35
