"""Bounds on rounding errors hold, and a margin that is too small is found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import gmpy2
import pytest
from tests.support.proofs import changing, margins, part_of_sum, run, shrunk
from tools.prove import subject
from tools.prove.rounding import __main__ as command
from tools.prove.rounding import cells, kept, numbers
from tools.prove.rounding.__main__ import said
from tools.prove.rounding.cells import Proof, linked, small, variable
from tools.prove.rounding.claims import (
    CLAIMS,
    arc_f64,
    area_f64,
    exponential_f64,
    log1p_f64,
    logarithm_f64,
    roots_f64,
    tangent_f64,
    trigonometric_f64,
)
from tools.prove.rounding.claims import log2p1_f64 as log2p1_claims
from tools.prove.rounding.document import earlier, section
from tools.prove.rounding.kept import Phase, Shown
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, combined, expanded
from tools.prove.subject import Linked

import samebits as sb
from samebits import float64
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import Evaluator
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import (
    asinh_f64,
    exp_f64,
    inverse_trigonometric_f64,
    log2p1_f64,
    log_f64,
)
from samebits.mathlib.float64 import roots_f64 as kernels_of_roots
from samebits.mathlib.float64 import trigonometric_f64 as kernels


@sb.kernel
def two_sum(a: float64, b: float64) -> float64:
    s = a + b
    part = s - a
    return (a - (s - part)) + (b - part)


@sb.kernel
def remainder(x: float64, k: float64) -> float64:
    return x - k * 0.69314718055966296


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


def test_what_a_product_of_two_numbers_loses_is_known_where_it_is_one_number() -> None:
    a, b = 1 + 2.0**-30, 1 + 2.0**-40 + 2.0**-50
    machine = Machine(linked(part_of_sum)[0])
    found = machine._product_error(variable(a, a), variable(b, b))
    exact = Fraction(a) * Fraction(b) - Fraction(a * b)
    assert machine.rounded == 1
    assert exact
    assert found.expansion.range().contains(numbers.ball(exact))
    assert found.size <= abs(float(exact)) * 1.001


def test_a_sum_with_little_is_the_other_summand() -> None:
    for least, rounds in ((2.0**-55, False), (2.0**-53, True)):
        _, machine = run(part_of_sum, variable(1.0, 1.5), small(least, "b"))
        assert (machine.rounded > 0) == rounds
        assert machine.discharged["absorbed"] == (not rounds)


def test_errors_cancel_in_what_a_quotient_leaves_all_over_a_cell() -> None:
    """As polynomials: with the largest and least factor of an error 2^-65 would remain."""
    module, name = linked(asinh_f64.root)
    w = variable(1.0, 1.03)
    g, g_low = Machine(module).call(name, [w, numbers.constant(0.0)])
    truth = w.expansion.of(lambda t: t.sqrt())
    off = expanded(combined(g.form, g_low.form, Fraction(1))) - truth
    assert float(off.range().abs_upper()) < 2.0**-96


def evaluated(kernel: Kernel, *args: int | float) -> list[float]:
    module, name = linked(kernel)
    return [float(x) for x in Evaluator(module).run(name, [*args])]


def test_no_power_is_further_off_than_is_proven() -> None:
    proof = Proof("sum", exp_f64, ("MARGIN",))
    slots = (("exp", "r"), ("exp", "r_low"))
    step = exponential_f64.arb(2).log() / exponential_f64.STEPS
    bounds, _ = exponential_f64.reduced(
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


@pytest.mark.parametrize(("by", "holds"), [(1.0, True), (0.5, False)])
def test_a_margin_that_was_made_smaller_by_hand_is_found(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(kernel: Kernel) -> tuple[Module, str]:
        module, name = linked(kernel)
        return (module, name) if by == 1 else (shrunk(module, exp_f64.MARGIN, by), name)

    proof = Proof("sum", exp_f64, ("MARGIN",))
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
    monkeypatch.setattr(logarithm_f64, "scaling", lambda proof: None)
    proof = logarithm_f64.log()
    assert log_f64.RECIPROCALS[80] == 1
    assert proof.cells > 100
    assert not proof.failures
    assert 0 < proof.worst <= 1


@pytest.mark.parametrize("name", ["sin", "sinpi", "tan", "tanpi"])
@margins(0.5)
def test_sines_are_proven_and_not_with_half_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(kernel: Kernel) -> tuple[Module, str]:
        module, symbol = linked(kernel)
        return (module, symbol) if by == 1 else (shrunk(module, kernels.MARGIN, by), symbol)

    claim = tangent_f64 if name.startswith("tan") else trigonometric_f64
    monkeypatch.setattr(claim, "linked", changed)
    monkeypatch.setattr(claim, "INDICES", [45])
    few = [variable(2.0**-20, 2.0**-19), variable(-(2.0**-8), -(2.0**-9))]
    monkeypatch.setattr(claim, "parts" if name.endswith("pi") else "distances", lambda least: few)
    monkeypatch.setattr(trigonometric_f64, "reduction", lambda proof: None)
    monkeypatch.setattr(trigonometric_f64, "radians", lambda proof: None)
    if not holds:
        monkeypatch.setattr(cells, "DEPTH", 0)
    proof = getattr(claim, name)()
    assert proof.cells >= 3
    assert (not proof.failures) == holds


@pytest.mark.parametrize("name", ["atan", "asin", "acos", "atanpi", "asinpi", "acospi"])
@margins(0.25)
def test_arcs_are_proven_and_not_with_a_quarter_of_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def near(place: arc_f64.Place, i: int) -> Iterator[Number]:
        middle, off = arc_f64._float(place, Fraction(i, 64)), 2.0**arc_f64.TOGETHER
        yield variable(middle - off, middle + off)

    monkeypatch.setattr(arc_f64, "linked", changing(inverse_trigonometric_f64.REST_MARGIN, by))
    monkeypatch.setattr(arc_f64, "COUNTS", [1])
    monkeypatch.setattr(arc_f64, "NEAR", 1)
    monkeypatch.setattr(arc_f64, "_within", near)
    monkeypatch.setattr(cells, "DEPTH", 1)
    proof = getattr(arc_f64, name)()
    assert proof.cells >= 8
    assert (not proof.failures) == holds


@pytest.mark.parametrize(
    ("claim", "source"),
    [(log1p_f64.log1p, log_f64), (log1p_f64.log1p_of_two_parts.__wrapped__, log_f64),
     (log2p1_claims.log2p1, log2p1_f64), (log2p1_claims.log10p1, log2p1_f64)],
)  # fmt: skip
@margins(0.25)
def test_log1p_is_proven_and_not_with_a_quarter_of_the_margin(
    claim: Callable[[], Proof], source: Any, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    margin = log_f64.MARGIN_R if source is log_f64 else log2p1_f64.SCALED_MARGIN_R
    few = [variable(2.0**-40, 2.0**-39), variable(2.0**-9, 1.5 * 2.0**-9)]
    for claims in (log1p_f64, log2p1_claims):
        monkeypatch.setattr(claims, "linked", changing(margin, by))
        monkeypatch.setattr(claims, "INDICES", [90])
        monkeypatch.setattr(claims, "scaling", lambda proof: None)
    monkeypatch.setattr(log1p_f64, "near_zero", lambda signed: few)
    monkeypatch.setattr(log1p_f64, "_tiny", lambda proof: None)
    monkeypatch.setattr(cells, "DEPTH", 4 if holds else 0)
    proof = claim()
    assert proof.cells >= 20
    assert (not proof.failures) == holds


def test_arguments_of_log1p_are_as_near_as_its_margin_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = {"asinh": (0.75, 0.76), "acosh": (1.25, 1.2505), "atanh": (0.5, 0.501)}
    monkeypatch.setattr(area_f64, "DEPTH", 0)
    monkeypatch.setattr(area_f64, "near_one", lambda *args: [])
    monkeypatch.setattr(area_f64, "_from_powers", lambda *args: [])
    for name, ends in few.items():
        monkeypatch.setattr(area_f64, "_positive", lambda *args, e=ends: [variable(*e)])
        for slack, holds in ((log1p_f64.SLACK, True), (log1p_f64.SLACK / 64, False)):
            monkeypatch.setattr(area_f64, "SLACK", slack)
            proof = getattr(area_f64, name)()
            assert (not proof.failures) == holds, (name, proof.worst)


@margins(0.5)
def test_inverse_roots_are_proven_and_not_with_half_the_margin(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roots_f64, "linked", changing(kernels_of_roots.MARGIN, by))
    monkeypatch.setattr(roots_f64, "EXPONENTS", [-1])
    monkeypatch.setattr(cells, "DEPTH", 4 if holds else 1)
    proof = roots_f64.rsqrt()
    assert proof.cells >= 8
    assert (not proof.failures) == holds


def test_reductions_have_the_errors_that_they_state(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = Proof("sum", kernels, ("STEP_ERROR",))
    trigonometric_f64.radians(proof)
    trigonometric_f64.reduction(proof)
    trigonometric_f64.symmetric(proof)
    assert not proof.failures
    assert proof.cells > 200
    monkeypatch.setattr(kernels, "STEP_ERROR", kernels.STEP_ERROR / 8)
    trigonometric_f64.radians(proof)
    assert len(proof.failures) > 10
    proof = Proof("sum", kernels, ("MARGIN",))
    monkeypatch.setattr(trigonometric_f64, "HALF_STEP", 2.0**-10)
    trigonometric_f64.reduction(proof)
    assert len(proof.failures) > 10


def test_a_smaller_margin_is_another_kernel_and_is_proven_again() -> None:
    """What `make prove` keeps is not said of it."""
    digest = kept.digest("float64 exp")
    it = subject.linked(exp_f64.exp, "float64", "x->x")
    assert it.digest() == digest
    assert Linked(shrunk(it.module, exp_f64.MARGIN, 0.99), it.entries).digest() != digest


def test_the_page_says_what_is_proven_and_the_command_fails_for_what_is_not() -> None:
    def shown(**changed: Any) -> Shown:
        phase = Phase("sum", {"MARGIN": 1.5 * 2.0**-68}, 0.5, "x", 7, 20, {"few digits": 5})
        return Shown("d", "2026-01-01", [dataclasses.replace(phase, **changed)], 1.0, kept.rules())

    digests = {"exp float64 HIGH": "d"}
    good = shown()
    assert not good.complaints
    row = "| exp float64 | sum | 0.500 | MARGIN = 1.5·2^-68 | 7 | 5 | 20 | not compared yet |"
    assert row in section({"float64 exp": good}, {}, digests)
    for bad in (shown(worst=1.01), shown(worst=math.nan), shown(cells=0), shown(failures=["x"])):
        assert bad.complaints
        assert "**not proven**" in section({"float64 exp": bad}, {}, digests)
        assert not any(": proven" in line for line in said("float64 exp", bad))
    assert "not proven since" in section({"float64 exp": good}, {}, {"exp float64 HIGH": "e"})
    assert "measured, not proven" in section({}, {}, digests)


def test_a_proof_by_other_rules_is_reported_and_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "float64 cbrt LOW"
    now = Shown(kept.digest(name), "", [], 0.0, kept.rules())
    assert kept.is_current(name, now)
    assert earlier({name: now}) == ""
    older = dataclasses.replace(now, rules="")
    assert not kept.is_current(name, older)
    assert earlier({name: older, "x": now}).endswith(f": {name}.")
    assert "of these 2 proofs" in section({name: older, "x": now}, {}, {})
    others = kept.load()
    current = {n: dataclasses.replace(s, digest=kept.digest(n), rules=kept.rules())
               for n, s in others.items()}  # fmt: skip
    shown: list[str] = []
    monkeypatch.setattr(kept, "load", lambda: {**current, name: older})
    monkeypatch.setattr(kept, "save", lambda *_: None)
    monkeypatch.setattr(kept, "show", lambda n: shown.append(n) or now)
    monkeypatch.setattr("sys.argv", ["rounding"])
    assert command.main() == 0
    assert shown == [n for n in CLAIMS if n == name or n not in others]


def test_the_rules_digest_is_of_code_not_of_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in kept.PLACE.parent.glob("*.py"):
        (tmp_path / source.name).write_text(source.read_text() + "\n# more\n")
    monkeypatch.setattr(kept, "PLACE", tmp_path / "results.json")
    assert kept.rules.__wrapped__() == kept.rules()
    machine = tmp_path / "machine.py"
    machine.write_text(machine.read_text() + "\nx = 1\n")
    assert kept.rules.__wrapped__() != kept.rules()


def test_the_rules_digest_is_not_of_docstrings() -> None:
    source = '"""A module."""\nx = 1\n"""Of x."""\ndef f():\n    """Of f."""\n    return "{}"\n'
    digest = kept.digest_of([source.encode()])
    assert kept.digest_of([source.replace("Of ", "About ").encode()]) == digest
    assert kept.digest_of([source.replace("A module", "Another").encode()]) == digest
    assert kept.digest_of([source.replace("= 1", "= 2").encode()]) != digest
    assert kept.digest_of([source.replace("{}", "words").encode()]) != digest


def test_the_digest_of_rules_is_the_same_under_every_python() -> None:
    # Later versions write more fields of the tree, which are empty here.
    source = b"class A:\n    def f(self, x: int) -> None:\n        return g(1)\n"
    assert kept.digest_of([source]) == "5d1e82cf95bd5271"


def test_what_is_kept_survives_its_file(tmp_path: Path) -> None:
    place = tmp_path / "results.json"
    phase = Phase("sum", {"MARGIN": 2.0**-68}, 0.1 + 0.2, "x", 7, 20, {"few digits": 5}, ["y"])
    records = {
        name: Shown("d", name, [phase, phase], 1.5) for name in ("float64 log", "float64 exp")
    }
    for name, record in records.items():
        kept.save(name, record, place)
    assert kept.load(place) == records
    assert [*kept.load(place)] == ["float64 exp", "float64 log"]


def test_everything_claimed_is_proven_of_the_kernels_as_they_are() -> None:
    """By what is kept: `make prove` makes it anew."""
    found = kept.load()
    assert found.keys() <= CLAIMS.keys()
    assert len(found) > 10
    assert not [text for shown in found.values() for text in shown.complaints]


def test_a_name_of_which_nothing_is_claimed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["rounding", "float64 sine"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2


def test_the_odds_of_each_exact_phase_follow_from_its_precision() -> None:
    from tools.prove.rounding import document

    assert document.odds(168, 64) == (-113, -49)
    page = document.section({}, {}, {})
    for name, precision, _ in document.EXACT_PHASES:
        assert f"| {name} | {precision} | 2^" in page
    assert "| `erfc` from 4 to 6 | 119 | 2^-64 | 2^51 | 2^-13 |" in page
    root = Path(__file__).parents[3]
    explained = (root / "docs/explanation/rounding.md").read_text()
    for text in ("below 2^-168", "odds of 2^-49", "2^-116", "2^-175", "2^-119"):
        assert text in explained
