"""Reciprocals and roots by a processor's estimate and the Newton steps that follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from samebits.fpmodel.estimates import x86_estimate
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT32
from samebits.fpmodel.tree import (
    ONE,
    Constant,
    Node,
    Tree,
    add,
    fma,
    mul,
    neg,
    nodes,
    sub,
)
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 512
_TWO, _THREE, _HALF = Constant("2"), Constant("3"), Constant("0.5")

Step = Callable[[Tree, Tree], Tree]


@dataclass(frozen=True, slots=True)
class _Estimate:
    """An estimate instruction, the Newton steps that follow it, and who emits them."""

    name: str
    root: bool
    steps: tuple[tuple[Step, ...], ...]
    practice: str
    executed: bool = False


def _gcc_reciprocal(x: Tree, y: Tree) -> Tree:
    return sub(add(x, x), mul(mul(y, x), x))


def _gcc_reciprocal_first(x: Tree, y: Tree) -> Tree:
    return sub(add(x, x), mul(x, mul(x, y)))


def _llvm_reciprocal(x: Tree, y: Tree) -> Tree:
    return add(x, mul(x, sub(ONE, mul(y, x))))


def _llvm_reciprocal_fused(x: Tree, y: Tree) -> Tree:
    return fma(x, fma(neg(y), x, ONE), x)


def _textbook_reciprocal(x: Tree, y: Tree) -> Tree:
    return mul(x, sub(_TWO, mul(y, x)))


def _arm_reciprocal(x: Tree, y: Tree) -> Tree:
    return mul(x, fma(neg(y), x, _TWO))


def _gcc_root(x: Tree, y: Tree) -> Tree:
    return mul(mul(Constant("-0.5"), x), sub(mul(mul(y, x), x), _THREE))


def _textbook_root(x: Tree, y: Tree) -> Tree:
    return mul(x, sub(Constant("1.5"), mul(mul(mul(_HALF, y), x), x)))


def _arm_root(x: Tree, y: Tree) -> Tree:
    return mul(x, mul(_HALF, fma(neg(mul(y, x)), x, _THREE)))


def _arm_root_square(x: Tree, y: Tree) -> Tree:
    return mul(x, mul(_HALF, fma(neg(y), mul(x, x), _THREE)))


_X86_STEPS = (
    (),
    (_gcc_reciprocal,),
    (_gcc_reciprocal_first,),
    (_llvm_reciprocal,),
    (_llvm_reciprocal_fused,),
    (_textbook_reciprocal,),
    (_arm_reciprocal,),
)
_X86_ROOT_STEPS = ((), (_gcc_root,), (_textbook_root,), (_arm_root,))
_ARM_STEPS = ((), (_arm_reciprocal,), (_arm_reciprocal,) * 2, (_arm_reciprocal,) * 3)
_ARM_ROOT_STEPS = (
    (), (_arm_root_square,), (_arm_root_square,) * 2, (_arm_root_square,) * 3,
    (_arm_root,), (_arm_root,) * 2, (_arm_root,) * 3,
)  # fmt: skip
_HERE = "as this machine's processor estimates; other makers' tables differ"
_ESTIMATES = (
    _Estimate("rcpss", False, _X86_STEPS, f"-mrecip, _mm_rcp_ps, {_HERE}", True),
    _Estimate("rsqrtss", True, _X86_ROOT_STEPS, f"-mrecip, _mm_rsqrt_ps, {_HERE}", True),
    _Estimate("vrcp14ss", False, _X86_STEPS, "AVX-512 with -mrecip, _mm512_rcp14_ps", True),
    _Estimate("vrsqrt14ss", True, _X86_ROOT_STEPS, "AVX-512, _mm512_rsqrt14_ps", True),
    _Estimate("frecpe", False, _ARM_STEPS, "ARM64 NEON vrecpe with its steps, -mrecip"),
    _Estimate("frsqrte", True, _ARM_ROOT_STEPS, "ARM64 NEON vrsqrte with its steps, -mrecip"),
    _Estimate("rcp12", False, _X86_STEPS, "a model: an estimate of 12 bits"),
    _Estimate("rsqrt12", True, _X86_ROOT_STEPS, "a model: an estimate of 12 bits"),
)


def _estimated(estimate: _Estimate, steps: tuple[Step, ...], y: Tree) -> Tree:
    x: Tree = Node("estimate", (y,), estimate.name)
    for step in steps:
        x = step(x, y)
    return x


def _options(estimate: _Estimate, steps: tuple[Step, ...]) -> Callable[[Node], list[Tree]]:
    def options(node: Node) -> list[Tree]:
        match node:
            case Node("div", (a, Node("sqrt", (y,)))) if estimate.root:
                root = _estimated(estimate, steps, y)
                return [root if a == ONE else mul(a, root)]
            case Node("call", (y,), "rsqrt") if estimate.root:
                return [_estimated(estimate, steps, y)]
            case Node("sqrt", (y,)) if estimate.root:
                return [mul(y, _estimated(estimate, steps, y))]
            case Node("div", (a, b)) if not estimate.root:
                inverse = _estimated(estimate, steps, b)
                if a == ONE:
                    return [inverse]
                return [mul(a, inverse), *_corrected(estimate, steps, a, b)]
            case _:
                return []

    return options


def _corrected(estimate: _Estimate, steps: tuple[Step, ...], a: Tree, b: Tree) -> list[Tree]:
    """LLVM's form: the last Newton step corrects the quotient instead of the reciprocal."""
    x: Tree = Node("estimate", (b,), estimate.name)
    quotient = mul(a, x)
    if steps == (_llvm_reciprocal,):
        return [add(quotient, mul(x, sub(a, mul(b, quotient))))]
    if steps == (_llvm_reciprocal_fused,):
        return [fma(x, fma(neg(b), quotient, a), quotient)]
    return []


def _estimates(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    names = {node.name for node in nodes(tree)} | {node.detail for node in nodes(tree)}
    for estimate in _ESTIMATES:
        if not names & ({"sqrt", "rsqrt"} if estimate.root else {"div"}):
            continue
        if estimate.executed and (
            arithmetic.form is not FLOAT32 or x86_estimate(estimate.name) is None
        ):
            continue
        for steps in estimate.steps:
            options = _options(estimate, steps)
            yield from exchanges(tree, arithmetic, options, _MOST, estimate.practice)


ESTIMATE = ExpressionHazard(
    "estimate",
    "a processor's reciprocal estimate",
    _estimates,
    practice="-mrecip, rcpps and rsqrtps, vrecpe and vrsqrte, fast inverse square root",
    remedy="divide and take the root exactly; build without -mrecip and -ffast-math",
    last=True,
)
