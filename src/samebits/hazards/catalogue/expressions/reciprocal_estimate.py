"""Reciprocals and roots by a processor's estimate and the Newton steps that follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from samebits.fpmodel.estimates import X86_ESTIMATES, x86_estimate
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
from samebits.hazards.catalogue.expressions.newton_by_hand import (
    RECIPROCAL_STEPS,
    RECIPROCALS_BY_HAND,
    ROOT_STEPS,
    ROOTS_BY_HAND,
    Step,
)
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 512
_MOST_BY_HAND = 8
_MOST_TOGETHER = 64
_TWO, _THREE, _HALF = Constant("2"), Constant("3"), Constant("0.5")


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


def _gcc_square_root(estimate: _Estimate, y: Tree) -> Tree:
    """GCC's and LLVM's form of √y, whose last step takes y·x for x."""
    x: Tree = Node("estimate", (y,), estimate.name)
    product = mul(x, y)
    return mul(sub(mul(product, x), _THREE), mul(Constant("-0.5"), product))


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
                plain = mul(y, _estimated(estimate, steps, y))
                return [plain, _gcc_square_root(estimate, y)] if steps == (_gcc_root,) else [plain]
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


_COMPILED_RECIPROCALS = (_gcc_reciprocal, _gcc_reciprocal_first, _llvm_reciprocal)


def _more(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    yield from _both(tree, arithmetic)
    yield from _by_hand(tree, arithmetic)


def _both(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    """Reciprocals and roots together, as -mrecip makes them."""
    names = {node.name for node in nodes(tree)}
    if not {"sqrt", "div"} <= names or arithmetic.form is not FLOAT32:
        return
    if x86_estimate("rcpss") is None:
        return
    root = _options(_ESTIMATES[1], (_gcc_root,))
    for step in _COMPILED_RECIPROCALS:
        inverse = _options(_ESTIMATES[0], (step,))

        def options(node: Node, inverse: Callable[[Node], list[Tree]] = inverse) -> list[Tree]:
            return [*root(node), *inverse(node)]

        yield from exchanges(tree, arithmetic, options, _MOST_TOGETHER, _ESTIMATES[0].practice)


def _by_hand(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    """Estimates with the Newton steps of people's own code."""
    names = {node.name for node in nodes(tree)} | {node.detail for node in nodes(tree)}
    for root in (False, True):
        if not names & ({"sqrt", "rsqrt"} if root else {"div"}):
            continue
        for name, note in (ROOTS_BY_HAND if root else RECIPROCALS_BY_HAND).items():
            if name in X86_ESTIMATES and (
                arithmetic.form is not FLOAT32 or x86_estimate(name) is None
            ):
                continue
            for step in ROOT_STEPS if root else RECIPROCAL_STEPS:
                for count in (1, 2) if step is not None else (0,):
                    estimate = _Estimate(name, root, (), note)
                    options = _options(estimate, () if step is None else (step,) * count)
                    yield from exchanges(tree, arithmetic, options, _MOST_BY_HAND, note)


ESTIMATE = ExpressionHazard(
    "estimate",
    "a processor's reciprocal estimate",
    _estimates,
    practice="-mrecip, rcpps and rsqrtps, vrecpe and vrsqrte, fast inverse square root",
    remedy="divide and take the root exactly; build without -mrecip and -ffast-math",
    more=_more,
    last=True,
)
