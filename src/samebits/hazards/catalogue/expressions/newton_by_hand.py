"""Newton steps as people write them behind an estimate of a reciprocal or of a reciprocal root."""

from __future__ import annotations

from collections.abc import Callable

from samebits.fpmodel.tree import ONE, Constant, Tree, add, mul, sub

Step = Callable[[Tree, Tree], Tree]
"""A better estimate from an estimate and the number that it is of."""
_HALF, _TWO, _THREE = Constant("0.5"), Constant("2"), Constant("3")
_THREE_HALVES = Constant("1.5")


def _square_last(x: Tree, y: Tree) -> Tree:
    return mul(mul(y, x), x)


def _square_first(x: Tree, y: Tree) -> Tree:
    return mul(y, mul(x, x))


def _of_halves(square: Step) -> Step:
    return lambda x, y: mul(x, sub(_THREE_HALVES, square(x, mul(_HALF, y))))


def _half_outside(square: Step) -> Step:
    return lambda x, y: mul(x, sub(_THREE_HALVES, mul(_HALF, square(x, y))))


def _of_three(square: Step) -> Step:
    return lambda x, y: mul(mul(_HALF, x), sub(_THREE, square(x, y)))


def _of_three_inside(square: Step) -> Step:
    return lambda x, y: mul(x, mul(_HALF, sub(_THREE, square(x, y))))


def _of_the_error(square: Step) -> Step:
    return lambda x, y: add(x, mul(mul(_HALF, x), sub(ONE, square(x, y))))


ROOT_STEPS: tuple[Step | None, ...] = (
    None,
    *(
        form(square)
        for form in (_of_halves, _half_outside, _of_three, _of_three_inside, _of_the_error)
        for square in (_square_last, _square_first)
    ),
)
"""x·(1.5 − y/2·x²) and its like, with y·x·x in both orders; None for no step."""

RECIPROCAL_STEPS: tuple[Step | None, ...] = (
    None,
    lambda x, y: mul(x, sub(_TWO, mul(y, x))),
    lambda x, y: add(x, mul(x, sub(ONE, mul(y, x)))),
    lambda x, y: sub(mul(_TWO, x), mul(mul(y, x), x)),
    lambda x, y: sub(add(x, x), mul(y, mul(x, x))),
)
"""x·(2 − y·x) and its like; None for no step."""

_COPIED = "the fast inverse square root: integers and Newton steps, as copied from Quake III"
ROOTS_BY_HAND = {
    "magic_5f3759df": _COPIED,
    "magic_5f375a86": f"{_COPIED}, with Lomont's constant",
    "magic_5f37642f": f"{_COPIED}, with another constant",
    "rsqrtss": "_mm_rsqrt_ps with Newton steps by hand, as this machine's processor estimates",
    "frsqrte": "vrsqrte with Newton steps by hand",
}
"""Estimates of a reciprocal root, and what does them in practice."""
RECIPROCALS_BY_HAND = {
    "rcpss": "_mm_rcp_ps with Newton steps by hand, as this machine's processor estimates",
    "frecpe": "vrecpe with Newton steps by hand",
}
"""Estimates of a reciprocal."""
