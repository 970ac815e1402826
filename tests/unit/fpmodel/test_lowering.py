"""An evaluation as IR operations has the bits of the reference, for every hazard and way."""

from __future__ import annotations

import math
from itertools import count, islice
from random import Random

import pytest
from tests.support.programs.lowered_functions import differences, function_of, generated, module_of

from samebits.bits import float_to_bits, round_float
from samebits.fpmodel.evaluate import INTEGER_RULES, NAN_RULES, Arithmetic
from samebits.fpmodel.lowering import Lowered, Unlowered, lower
from samebits.fpmodel.parse import parse
from samebits.fpmodel.softfloat import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    X87_24,
    X87_53,
    X87_64,
    Flush,
    Format,
)
from samebits.fpmodel.tree import Node, Operand, Tree, rebuilt, written
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, ExpressionHazard
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Op, Value
from samebits.ir.interp.evaluator import Evaluator, evaluate
from samebits.ir.verify import verify
from samebits.types import FLOAT, INT32, INT64, UINT32, UINT64
from samebits.types import FLOAT32 as T32

BY_NAME = {
    hazard.name: hazard for hazard in EXPRESSION_HAZARDS if isinstance(hazard, ExpressionHazard)
}
FORMS = pytest.mark.parametrize("form", [FLOAT32, FLOAT64], ids=lambda form: form.name)
INTEGERS = {t.name: t for t in (INT32, UINT32, INT64, UINT64)}
NOWHERE = {("double-rounding", FLOAT64)}
EXPRESSIONS = (
    "a*b + c", "a*b - c*d + a", "a/b + c/d", "a/sqrt(b)", "sin(a)*b + exp(c)",
    "min(a,b) - max(c,d)", "int32(a*b) + c", "-(a-b) + 0.1*c", "rsqrt(a) + 1/b",
    "abs(a) + b + c + d + a",
    "copysign(a, b*c) / d", "fma(a,b,c) * 3", "a*b + a*c", "a*b/c", "a + 0", "b*0 + 0.1",
)  # fmt: skip


@FORMS
@pytest.mark.parametrize("name", BY_NAME)
def test_the_variants_of_a_hazard_have_the_bits_of_the_reference(name: str, form: Format) -> None:
    strict, made, source = Arithmetic(form, form), 0, Random(name)
    for text in source.sample(EXPRESSIONS, len(EXPRESSIONS)):
        tree = parse(text)
        site = function_of(tree, form)
        found = [*islice(BY_NAME[name].variants(tree, strict), 60)]
        for variant, arithmetic, _ in source.sample(found, min(2, len(found))):
            made += 1
            wrong = next(differences(site, variant, arithmetic, 8, text), None)
            assert wrong is None, (written(variant), arithmetic, wrong)
        if made >= 16:
            break
    assert made or (name, form) in NOWHERE


@FORMS
@pytest.mark.parametrize("seed", range(4))
def test_generated_trees_have_the_bits_of_the_reference(form: Format, seed: int) -> None:
    tree = generated((form.name, seed), 2 + 2 * seed)
    site = function_of(tree, form)
    for arithmetic in _arithmetics(form, seed):
        wrong = next(differences(site, tree, arithmetic, 6, seed), None)
        assert wrong is None, (written(tree), arithmetic, wrong)


def _arithmetics(form: Format, seed: int) -> list[Arithmetic]:
    """Some of everything: formats, directions and rules of flushing, all at once."""
    source = Random(f"{form.name} {seed}")
    drawn = [
        Arithmetic(
            form,
            source.choice((FLOAT16, FLOAT32, FLOAT64, X87_24, X87_53, X87_64)),
            source.choice(("nearest", "zero", "up", "down")),
            source.choice(("no", "before", "after")),
            source.random() < 0.5,
        )
        for _ in range(4)
    ]
    return [Arithmetic(form, form), Arithmetic(form, FLOAT64), *drawn]


@FORMS
def test_extremes_and_steps_have_the_bits_of_the_reference_at_the_edges(form: Format) -> None:
    extremes = [
        Node(name, (Operand("a"), Operand("b")), rule)
        for name in ("min", "max")
        for rule in ("", "lt", "gt", "number")
    ]
    steps = [Node("ulps", (Operand("a"),), detail) for detail in ("+1", "-1", "+4", "-4")]
    numbers = [sign * n for n in (0.0, 3e-45, 1.0, math.inf, math.nan) for sign in (1.0, -1.0)]
    for tree in (*extremes, *steps):
        site = function_of(tree, form)
        for arithmetic in (site.strict, Arithmetic(form, X87_64), Arithmetic(form, FLOAT64, "up")):
            module = module_of(site, tree, arithmetic)
            assert isinstance(module, Module)
            evaluator = Evaluator(module)
            for a in numbers:
                for b in numbers if len(site.operands) == 2 else (0.0,):
                    a, b = (round_float(x, 32 if form is FLOAT32 else 64) for x in (a, b))
                    given = dict(zip(site.operands, (a, b), strict=False))
                    (found,) = evaluator.run("f", [*given.values()])
                    bits = {n: float_to_bits(x, form.bits) for n, x in given.items()}
                    expected = site.bits(tree, arithmetic, bits)
                    assert float_to_bits(found, form.bits) == expected, (tree, arithmetic, given)


@pytest.mark.parametrize("flush", ["before", "after"])
def test_a_subnormal_half_is_kept_where_subnormal_floats_are_flushed(flush: Flush) -> None:
    tree = Node("cast", (Operand("a"),), "float16")
    module = module_of(function_of(tree, FLOAT32), tree, Arithmetic(FLOAT32, FLOAT32, flush=flush))
    assert isinstance(module, Module)
    assert Evaluator(module).run("f", [2.0**-20]) == (2.0**-20,)


@FORMS
@pytest.mark.parametrize("rule", list(filter(None, INTEGER_RULES)))
@pytest.mark.parametrize("name", INTEGERS)
def test_a_conversion_to_an_integer_follows_its_rule(name: str, rule: str, form: Format) -> None:
    plain = Node("convert", (parse("a*b"),), name)
    site = function_of(plain, form, INTEGERS[name])
    for detail in (name, f"{name} {rule}"):
        tree = Node("convert", plain.args, detail)
        assert next(differences(site, tree, site.strict, 80, detail), None) is None


@FORMS
@pytest.mark.parametrize("rule", list(filter(lambda rule: rule != "canonical", NAN_RULES)))
def test_a_nan_has_the_sign_that_its_rule_gives(rule: str, form: Format) -> None:
    signed, unsigned = (INT32, UINT32) if form is FLOAT32 else (INT64, UINT64)
    for seed, result in ((1, signed), (2, unsigned), (3, signed), (4, unsigned)):
        for size in range(1, 7):
            tree = generated((rule, seed, size), size)
            site = function_of(rebuilt(tree, _other_extremes), form, result)
            arithmetic = Arithmetic(form, form, nans=rule)
            found = next(differences(site, site.tree, arithmetic, 30, seed), None)
            assert found is None, (written(site.tree), found)


def _other_extremes(tree: Tree) -> Tree | None:
    match tree:
        case Node("min", args):
            return Node("min", args, "lt")
        case Node("max", args):
            return Node("max", args, "gt")
        case _:
            return None


def test_the_rules_for_nans_are_distinguished() -> None:
    tree = parse("(a - b) * c")
    site = function_of(tree, FLOAT32, UINT32)
    infinite = {"a": 0x7F800000, "b": 0x7F800000, "c": 0x3F800000}
    bits = {r: site.bits(tree, Arithmetic(FLOAT32, FLOAT32, nans=r), infinite) for r in NAN_RULES}
    assert bits["x86"] == bits["negative"] == 0xFFC00000
    assert bits["arm"] == bits["canonical"] == 0x7FC00000


def test_a_weak_float_is_computed_as_a_float64() -> None:
    b = Builder("f", {"a": FLOAT, "b": FLOAT}, [FLOAT])
    operands = {"x0": b.get("a"), "x1": b.get("b")}
    root = Op(50, "div", (operands["x0"], operands["x1"]), None, (Value(50, 0, FLOAT),), b.span)
    strict = Arithmetic(FLOAT64, FLOAT64)
    found = lower(parse("x0 / x1"), strict, operands, count(100), root)
    assert isinstance(found, Lowered)
    b.region += found.ops
    module = Module({"f": b.ret(root.result)})
    verify(module)
    assert evaluate(module, "f", [1.0, 0.0]) == (math.inf,)


def test_what_cannot_be_lowered_says_so() -> None:
    b = Builder("f", {"a": T32}, [T32])
    root = b.emit("sqrt", b.get("a"), types=[T32])
    tree = Node("estimate", (Operand("a"),), "frsqrte")
    extended = Arithmetic(FLOAT32, X87_64)
    found = lower(tree, extended, {"a": root.args[0]}, count(9), root)
    assert isinstance(found, Unlowered)
    assert "frsqrte takes a float" in found.reason


def test_what_has_its_value_already_is_not_computed_again() -> None:
    b = Builder("f", {"a": T32, "b": T32}, [T32])
    a, c = b.get("a"), b.get("b")
    product = b.op("mul", a, c)
    root = b.emit("add", product, a, types=[T32])
    operands, known = {"a": a, "b": c}, {parse("a*b"): product}
    strict = Arithmetic(FLOAT32, FLOAT32)
    found = lower(parse("a + a*b"), strict, operands, count(100), root, known)
    assert isinstance(found, Lowered)
    assert [(op.opcode, op.args, op.id) for op in found.ops] == [("add", (a, product), root.id)]


def test_an_operand_alone_is_a_result_too() -> None:
    b = Builder("f", {"a": T32}, [T32])
    root = b.emit("add", b.get("a"), b.get("a"), types=[T32])
    operands = {"a": root.args[0]}
    found = lower(Operand("a"), Arithmetic(FLOAT32, FLOAT32), operands, count(9), root)
    assert isinstance(found, Lowered)
    assert [op.id for op in found.ops] == [root.id]
    assert found.ops[0].result == root.result
