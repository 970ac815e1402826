"""What is a literal, of any size, and what a value of int64: the same in every execution."""

from __future__ import annotations

import linecache
import textwrap
import types
import typing
from enum import IntEnum

import pytest
from tests.support.executions import same

import samebits as sb
from samebits import float64, int64, math, uint64


class Level(IntEnum):
    LARGE = 2**62
    HUGE = 2**70
    LAST = -1


class Pair(typing.NamedTuple):
    a: int
    b: int


@sb.struct
class Ship(sb.Struct):
    LARGE = 2**62
    HUGE = 2**70
    LAST = -1
    x: int64 = 2**62


SCOPE = {
    "sb": sb,
    "math": math,
    "float64": float64,
    "uint64": uint64,
    "Level": Level,
    "Ship": Ship,
    "SHIP": Ship(),
    "TABLE": (2**62, 1, -1, 2**70, 10**400, 3.5),
    "ROWS": ((2**62, 2), (3, 4)),
    "PAIR": Pair(2**62, 5),
    "LEVELS": (Level.LARGE, Level.HUGE, Level.LAST),
    "NUMBERS": sb.table([1, 2, 3], int64),
    "LARGE": 2**62,
    "HUGE": 2**70,
}

LITERALS = """
LARGE
HUGE
ord("a") * 2**62
Level.LARGE
Level.HUGE
Ship.LARGE
Ship.HUGE
TABLE[0]
TABLE[-6]
TABLE[3]
TABLE[5]
-TABLE[0]
~TABLE[0]
(TABLE[0] + TABLE[TABLE[1]])
ROWS[0][0]
PAIR[0]
LEVELS[0]
LEVELS[1]
"""
"""What folds without bounds: written numbers, names of them, and operators of these."""

VALUES = """
int(LARGE)
int(TABLE[0])
int(Level.LARGE)
int(1 << 62)
int(-2**63)
int(3)
int(True)
int(2.5e18)
round(LARGE)
round(-2**63)
round(2.5)
divmod(LARGE, 3)[0]
divmod(LARGE, 3)[1]
divmod(HUGE, 3.0)[0]
divmod(7.5, 2)[1]
float(LARGE)
float(HUGE)
float(10**400)
abs(-LARGE)
abs(-2.5)
min(LARGE, 2**61)
max(LARGE, 1.0)
max(HUGE, 1.0)
sb.clamp(LARGE, 0, 2**61)
sb.sign(LARGE)
sb.select(flag, LARGE, 1)
math.sqrt(HUGE)
math.floor(LARGE)
math.ceil(HUGE)
math.trunc(2.5)
math.pow(2, HUGE)
len(NUMBERS)
(LARGE, 1)[0]
(LARGE, n)[0]
((LARGE, 1), (n, 2))[0][1]
SHIP.LARGE
ship.LARGE
SHIP.x
(LARGE if flag else 1)
"""
"""What calls and written-out tuples give: values of their type."""

BEYOND = """
int(HUGE)
int(2**63)
int(TABLE[3])
int(Level.HUGE)
int(1e300)
round(HUGE)
divmod(HUGE, 3)[1]
divmod(HUGE, 2**69)[0]
sb.clamp(HUGE, 0, 5)
sb.select(flag, HUGE, 1)
SHIP.HUGE
ship.HUGE
"""
"""Values that int64 does not hold: refused where compiled, a trap where managed."""

FORMS = """
x + {e}
x + {e} * 4
x + {e} ** 3
x * -{e}
x + {e} // 7 % 1000
float64(int({e}) << 2)
uint64({e}) ^ u
u ^ {e}
n * {e}
{e} == LARGE
u > {e} * 2 + 1
x < {e}
{e} in (3, LARGE)
"""
"""Places that an expression is put in."""


def table(text: str) -> list[str]:
    return text.strip().splitlines()


def kernel_of(name: str, expression: str) -> sb.Kernel:
    """A kernel that returns the expression, in the type that it has."""
    result = "float64"
    if any(f" {sign} " in expression for sign in ("==", ">", "<", ">=", "in")):
        result = "bool"
    elif "u" in expression.split() or expression.startswith("uint64"):
        result = "uint64"
    code = f"""
    @sb.kernel
    def of(x: float64, u: uint64, n: int, flag: bool, ship: Ship) -> {result}:
        return {expression}
    """
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, textwrap.dedent(code).splitlines(True), file)
    module = types.ModuleType("values_and_literals")
    vars(module).update(SCOPE)
    exec(compile(textwrap.dedent(code), file, "exec"), vars(module))
    return vars(module)["of"]


def arguments() -> tuple[typing.Any, ...]:
    return float64(3.0), uint64(5), 7, True, Ship()


def outcome(call: typing.Callable[[], object]) -> str:
    """The result, the trap, or that the compiler refuses it."""
    try:
        return repr(call())
    except sb.Trap as trap:
        return trap.message
    except sb.CompileError:
        return "refused"


@pytest.mark.parametrize("expression", [*table(LITERALS), *table(VALUES)])
def test_executions_agree(expression: str) -> None:
    compiled = 0
    for form in table(FORMS):
        text = form.format(e=expression)
        kernel = kernel_of(text, text)
        found = outcome(lambda kernel=kernel: same(kernel, *arguments()))
        if found != "refused":
            compiled += 1
            assert found == outcome(lambda kernel=kernel: kernel.managed(*arguments())), text
    assert compiled >= 4


@pytest.mark.parametrize("expression", table(LITERALS))
def test_literals_fold_without_bounds(expression: str) -> None:
    kernel = kernel_of(expression, f"x + {expression} * 4")
    value = eval(expression, dict(SCOPE))
    assert same(kernel, *arguments()) == 3.0 + float(value * 4)


@pytest.mark.parametrize("expression", ["int(LARGE)", "round(LARGE)", "divmod(2**63 - 1, 1)[0]",
                                        "(LARGE, 1)[0]", "abs(LARGE)", "SHIP.LARGE"])  # fmt: skip
def test_values_are_those_of_int64(expression: str) -> None:
    kernel = kernel_of(expression, f"x + {expression} * 4")
    with pytest.raises(sb.Trap, match="overflow"):
        same(kernel, *arguments())


@pytest.mark.parametrize("expression", table(BEYOND))
def test_what_int64_does_not_hold(expression: str) -> None:
    kernel = kernel_of(expression, f"x + {expression}")
    with pytest.raises(sb.CompileError):
        same(kernel, *arguments())
    with pytest.raises(sb.Trap, match="overflow"):
        kernel.managed(*arguments())


@pytest.mark.parametrize(
    ("expression", "fix"),
    [("int(0x8000000000000000)", "write `u ^ uint64(0x8000000000000000)`"),
     ("round(2**63)", "write `u ^ uint64(2**63)`")],
)  # fmt: skip
def test_the_advice_of_a_large_int_compiles(expression: str, fix: str) -> None:
    kernel = kernel_of(expression, f"u ^ {expression}")
    with pytest.raises(sb.CompileError) as caught:
        same(kernel, *arguments())
    assert caught.value.fix is not None
    advised = caught.value.fix.removeprefix("write `").removesuffix("`")
    whole = advised if advised.startswith("u ^") else f"u ^ {advised}"
    assert same(kernel_of(fix, whole), *arguments()) == uint64(2**63 + 5)


@sb.kernel
def indexed(a: sb.Array[float64]) -> tuple[float64, float64, int]:
    return a[SCOPE_TABLE[2]], a[Level.LAST], len(a[SCOPE_TABLE[1] : SCOPE_TABLE[2]])


@sb.kernel
def by_a_value(a: sb.Array[float64], last: bool) -> float64:
    return a[int(SCOPE_TABLE[2])] if last else a[round(SCOPE_TABLE[2])]


SCOPE_TABLE = (2**62, 1, -1)


def test_indices() -> None:
    numbers = sb.zeros(5, float64)
    numbers[4] = 2.0
    assert same(indexed, numbers) == (2.0, 2.0, 3)
    for last in (True, False):
        with pytest.raises(sb.Trap, match="index"):
            same(by_a_value, numbers, last)


def test_divmod_flushes_where_the_kernel_does() -> None:
    kernel = kernel_of("flush", "x + divmod(5e-308, 3e-308)[1] * 1e300")
    kernel = sb.kernel(denormals="flush")(kernel.function)
    assert same(kernel, *arguments()) == 3.0
