"""Unsound rules of indices and of arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.ir.grammar import Op
from samebits.passes.bounds import prover, transfer
from samebits.passes.bounds.affine import Form, add, constant, shift, subtract
from samebits.passes.bounds.domain import AbstractState
from tests.fuzz.bounds.faults.registry import fault, handler, is_integer_value


def _checked_index(wrong: Callable[[AbstractState, Form, Form], list[Form]]) -> None:
    """Let `wrong` say which inequalities of an index and a length have to hold."""

    def index(known: AbstractState, op: Op, want: Any) -> Op | None:
        a, length = known.form(op.args[0]), known.form(op.args[1])
        missing = [form for form in wrong(known, a, length) if not known.facts.proves(form)]
        for form in missing:
            want(form)
        return op if missing else None

    handler("index", index)


# Indices


@fault
def no_lower_bound_of_an_index() -> None:
    _checked_index(lambda _, a, length: [shift(subtract(length, a), -1)])


@fault
def an_index_may_be_the_length() -> None:
    _checked_index(lambda _, a, length: [a, subtract(length, a)])


@fault
def a_negative_index_counts_from_the_end() -> None:
    _checked_index(lambda _, a, n: [add(a, n), shift(subtract(n, a), -1)])


@fault
def the_length_of_the_first_dimension_is_that_of_all() -> None:
    def length(known: AbstractState, op: Op, want: Any) -> Op:
        lengths = known.of(op.args[0])
        known.learn(op, lengths.forms[0])
        return op

    handler("length", length)


@fault
def an_own_index_has_no_upper_bound() -> None:
    def own(known: AbstractState, op: Op, want: Any) -> Op | None:
        a, first, _ = (known.form(value) for value in op.args)
        missing = not known.facts.proves(subtract(a, first))
        return op if missing else None

    handler("own", own)


# Arithmetic


@fault
def sums_and_products_of_fixed_width_never_wrap() -> None:
    honest = transfer._finish

    def finish(known: AbstractState, op: Op, exact: Form, want: Any) -> Op:
        kept = honest(known, op, exact, want)
        known.learn(op, exact)
        return kept

    transfer._finish = finish


@fault
def a_conversion_to_the_same_width_keeps_the_number() -> None:
    honest = transfer.HANDLERS["convert"]

    def convert(known: AbstractState, op: Op, want: Any) -> Op | None:
        source, target = op.args[0], op.result
        same = is_integer_value(source) and is_integer_value(target)
        if same and source.type.bits == target.type.bits:
            known.learn(op, known.form(source))
            return op
        return honest(known, op, want)

    handler("convert", convert)


@fault
def a_narrower_type_keeps_the_number() -> None:
    honest = transfer.HANDLERS["convert"]

    def convert(known: AbstractState, op: Op, want: Any) -> Op | None:
        source, target = op.args[0], op.result
        if is_integer_value(source) and is_integer_value(target):
            known.learn(op, known.form(source))
            return op
        return honest(known, op, want)

    handler("convert", convert)


@fault
def a_remainder_is_never_negative() -> None:
    honest = transfer.HANDLERS["mod"]

    def mod(known: AbstractState, op: Op, want: Any) -> Op | None:
        kept = honest(known, op, want)
        low, high = known.bounds(known.form(op.args[1]))
        if low < 0:
            known.learn(op, known.bounded(0, max(-low, high) - 1))
        return kept

    handler("mod", mod)


@fault
def a_quotient_rounds_to_zero() -> None:
    def quotient(known: AbstractState, a: Form, divisor: int) -> Form:
        low, high = known.bounds(a)
        return known.bounded(*(-(-n // divisor) if n < 0 else n // divisor for n in (low, high)))

    transfer._quotient = quotient


@fault
def the_bounds_of_a_product_are_those_of_two_corners() -> None:
    def bounds(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        return min(a[0] * b[0], a[1] * b[1]), max(a[0] * b[0], a[1] * b[1])

    prover.product_bounds = transfer.product_bounds = bounds


@fault
def a_magnitude_is_never_negative() -> None:
    def magnitude(known: AbstractState, op: Op, want: Any) -> Op:
        if is_integer_value(op.result):
            low, high = known.bounds(known.form(op.args[0]))
            known.learn(op, known.bounded(0, max(-low, high)))
        return op

    handler("abs", magnitude)


@fault
def a_shift_past_the_width_is_zero() -> None:
    honest = transfer.HANDLERS["shr"]

    def shr(known: AbstractState, op: Op, want: Any) -> Op | None:
        kept = honest(known, op, want)
        count = known.form(op.args[1])
        if not count.terms and count.constant >= op.result.type.bits:
            known.learn(op, constant(0))
        elif count.terms:
            high = known.bounds(known.form(op.args[0]))[1]
            known.learn(op, known.bounded(0, max(high, 0)))
        return kept

    handler("shr", shr)


@fault
def the_least_of_two_is_the_first() -> None:
    def least(known: AbstractState, op: Op, want: Any) -> Op:
        if is_integer_value(op.result):
            known.learn(op, known.form(op.args[0]))
        return op

    handler("min", least)


@fault
def bits_in_common_are_never_negative() -> None:
    honest = transfer.HANDLERS["and"]

    def both(known: AbstractState, op: Op, want: Any) -> Op | None:
        kept = honest(known, op, want)
        if is_integer_value(op.result):
            high = max(known.bounds(known.form(value))[1] for value in op.args)
            known.learn(op, known.bounded(0, max(high, 0)))
        return kept

    handler("and", both)
