"""Bounds on rounding errors hold, and a margin that is too small is found."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from random import Random

import gmpy2
import pytest
from tools.prove.rounding import __main__ as command
from tools.prove.rounding import cells
from tools.prove.rounding.cells import Proof, linked, small, variable
from tools.prove.rounding.claims import exponential_f64, logarithm_f64, trigonometric_f64
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, combined, expanded

import samebits as sb
from samebits import float64
from samebits.ir.evaluate import Evaluator
from samebits.ir.grammar import Function, Module, Op, walk
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import exp_f64, log_f64
from samebits.mathlib.float64 import trigonometric_f64 as kernels


@sb.kernel
def part_of_sum(a: float64, b: float64) -> float64:
    s = a + b
    return b - (s - a)


@sb.kernel
def two_sum(a: float64, b: float64) -> float64:
    s = a + b
    part = s - a
    return (a - (s - part)) + (b - part)


@sb.kernel
def remainder(x: float64, k: float64) -> float64:
    return x - k * 0.69314718055966296


def run(kernel: Kernel, *args: Number) -> tuple[Number, Machine]:
    module, name = linked(kernel)
    machine = Machine(module)
    (found,) = machine.call(name, [*args])
    return found, machine


def test_the_rest_of_a_sum_is_exact_where_the_first_is_the_greater() -> None:
    found, machine = run(part_of_sum, variable(1.0, 2.0), small(0.99, "b"))
    assert machine.rounded == 1  # the sum itself, whose error is what is left
    assert found.size <= 2.0**-52 * 1.001
    for b in (small(1.5, "b"), small(2.0**300, "b")):
        found, machine = run(part_of_sum, variable(1.0, 2.0), b)
        assert machine.rounded > 1


def test_two_sum_is_exact_whatever_is_greater() -> None:
    found, machine = run(two_sum, small(2.0**40, "a"), small(2.0**300, "b"))
    assert machine.discharged["two-sum"] == 1
    assert len(found.form) == 1


def test_products_of_few_digits_are_exact() -> None:
    k = Number(small(2.0**17, "k").form, 0)  # an integer
    _, machine = run(remainder, variable(1.0, 2.0), k)
    assert machine.rounded == 2


def evaluated(kernel: Kernel, *args: int | float) -> list[float]:
    module, name = linked(kernel)
    return [float(x) for x in Evaluator(module).run(name, [*args])]


def test_no_power_is_further_off_than_is_proven() -> None:
    proof = Proof("exp", "float64", "MARGIN")
    slots = (("exp", "r"), ("exp", "r_low"))
    step = exponential_f64.arb(2).log() / exponential_f64.STEPS
    bounds, _ = exponential_f64._reduced(
        proof, exp_f64.exp, exp_f64.LARGEST, slots, ("reduce_exp", "k"), step
    )
    largest, low = (float(bound.upper()) for bound in bounds)
    module, name = linked(exp_f64.power_in_two_parts)
    rng, context = Random(14), gmpy2.context(precision=300)
    for _ in range(60):
        i, r, r_low = rng.randrange(128), rng.uniform(-largest, largest), rng.uniform(-low, low)
        s, rest = evaluated(exp_f64.power_in_two_parts, i, r, r_low)
        with context:
            truth = gmpy2.exp2(gmpy2.mpfr(i) / 128) * gmpy2.exp(gmpy2.mpfr(r) + gmpy2.mpfr(r_low))
            error = abs(gmpy2.mpfr(s) + gmpy2.mpfr(rest) - truth)
        x, x_low = variable(r, r + 2.0**-20), small(low, "r_low")
        found = expanded_power(module, name, i, x, x_low)
        assert error <= found
        assert found < 2.0**-67


def expanded_power(module: Module, name: str, i: int, r: Number, r_low: Number) -> float:
    machine = Machine(module)
    s, rest = machine.call(name, [i, r, r_low])
    scale = (exponential_f64.arb(2).log() * i / exponential_f64.STEPS).exp()
    truth = (r.expansion + r_low.expansion).of(lambda t: t.exp()).scaled(scale)
    off = expanded(combined(s.form, rest.form, Fraction(1))) - truth
    return max(float(piece.abs_upper()) for piece in off.pieces())


def shrunk(module: Module, margin: float, by: float) -> Module:
    """The same with a smaller margin; the functions, which others use too, stay as they are."""
    changed = 0
    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        body = [*function.body]
        for i, op in enumerate(body):
            if isinstance(op, Op) and op.opcode == "const" and op.attr == margin:
                body[i] = dataclasses.replace(op, attr=margin * by)
                changed += 1
        functions[name] = dataclasses.replace(function, body=body)
    assert changed
    assert all(op.attr != margin for f in functions.values() for op in walk(f.body)
               if isinstance(op, Op))  # fmt: skip
    return Module(functions, module.tables)


@pytest.mark.parametrize(("by", "holds"), [(1.0, True), (0.5, False)])
def test_a_margin_that_was_made_smaller_by_hand_is_found(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(kernel: Kernel) -> tuple[Module, str]:
        module, name = linked(kernel)
        return (module, name) if by == 1 else (shrunk(module, exp_f64.MARGIN, by), name)

    proof = Proof("exp", "float64", "MARGIN")
    slots = (("exp", "r"), ("exp", "r_low"))
    bounds = [exponential_f64.arb(2.0**-8.5), exponential_f64.arb(2.0**-62)]
    monkeypatch.setattr(exponential_f64, "linked", changed)
    monkeypatch.setattr(exponential_f64, "INDICES", [8, 9, 100])
    monkeypatch.setattr(cells, "DEPTH", 1)
    exponential_f64._powers(proof, exp_f64.exp, ("exp", "k"), slots, bounds,
                            exponential_f64.arb(2.0**-79), lambda r: r)  # fmt: skip
    assert proof.cells >= 24
    assert (not proof.failures) == holds
    assert (proof.worst <= 1) == holds


def test_the_logarithm_near_one_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logarithm_f64, "INDICES", [79, 80])
    monkeypatch.setattr(logarithm_f64, "_scaling", lambda proof: None)
    proof = logarithm_f64.log()
    assert log_f64.RECIPROCALS[80] == 1
    assert proof.cells > 100
    assert not proof.failures
    assert 0 < proof.worst <= 1


@pytest.mark.parametrize("name", ["sin", "sinpi"])
@pytest.mark.parametrize(("by", "holds"), [(1.0, True), (0.5, False)])
def test_sines_are_proven_and_not_with_half_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(kernel: Kernel) -> tuple[Module, str]:
        module, symbol = linked(kernel)
        return (module, symbol) if by == 1 else (shrunk(module, kernels.MARGIN, by), symbol)

    monkeypatch.setattr(trigonometric_f64, "linked", changed)
    monkeypatch.setattr(trigonometric_f64, "INDICES", [45])
    monkeypatch.setattr(trigonometric_f64, "_reduction", lambda proof: None)
    monkeypatch.setattr(trigonometric_f64, "_radians", lambda proof: None)
    monkeypatch.setattr(cells, "DEPTH", 6 if holds else 0)
    proof = getattr(trigonometric_f64, name)()
    assert proof.cells >= 30
    assert (not proof.failures) == holds


def test_reductions_have_the_errors_that_they_state(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = Proof("sin", "float64", "STEP_ERROR")
    trigonometric_f64._radians(proof)
    trigonometric_f64._reduction(proof)
    trigonometric_f64._symmetric(proof)
    assert not proof.failures
    assert proof.cells > 200
    monkeypatch.setattr(kernels, "STEP_ERROR", kernels.STEP_ERROR / 8)
    trigonometric_f64._radians(proof)
    assert len(proof.failures) > 10
    proof = Proof("sinpi", "float64", "MARGIN")
    monkeypatch.setattr(trigonometric_f64, "HALF_STEP", 2.0**-10)
    trigonometric_f64._reduction(proof)
    assert len(proof.failures) > 10


def test_a_name_of_which_nothing_is_claimed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["rounding", "float64 sine"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
