"""Unsound rules to plant into the passes, one at a time: what the fuzzer must find.

Owns what each says wrongly. A fault is planted into a process that ends with its use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.ir.grammar import Op, Value
from samebits.passes import accesses, facts, guard, ranges, sweep, transfer
from samebits.passes.guard import Guard
from samebits.passes.known import Compare, Either, Known, is_integer
from samebits.passes.linear import Form, add, constant, scale, shift, subtract
from samebits.passes.ranges import Ranges
from samebits.types import BOOL, INT64

FAULTS: dict[str, Callable[[], None]] = {}
"""What plants each fault, by name."""


def _fault(plant: Callable[[], None]) -> Callable[[], None]:
    FAULTS[plant.__name__.replace("_", " ")] = plant
    return plant


def plant(name: str) -> None:
    """Make the passes of this process wrong in the way that has this name."""
    FAULTS[name]()


def _handler(opcode: str, handler: Callable[..., Any]) -> None:
    transfer.HANDLERS[opcode] = handler


def _is_integer(value: Value) -> bool:
    return is_integer(value.type)


def _checked_index(wrong: Callable[[Known, Form, Form], list[Form]]) -> None:
    """Let `wrong` say which inequalities of an index and a length have to hold."""

    def index(known: Known, op: Op, want: Any) -> Op | None:
        a, length = known.form(op.args[0]), known.form(op.args[1])
        missing = [form for form in wrong(known, a, length) if not known.facts.proves(form)]
        for form in missing:
            want(form)
        return op if missing else None

    _handler("index", index)


# Indices


@_fault
def no_lower_bound_of_an_index() -> None:
    _checked_index(lambda _, a, length: [shift(subtract(length, a), -1)])


@_fault
def an_index_may_be_the_length() -> None:
    _checked_index(lambda _, a, length: [a, subtract(length, a)])


@_fault
def a_negative_index_counts_from_the_end() -> None:
    _checked_index(lambda _, a, n: [add(a, n), shift(subtract(n, a), -1)])


@_fault
def the_length_of_the_first_dimension_is_that_of_all() -> None:
    def length(known: Known, op: Op, want: Any) -> Op:
        lengths = known.of(op.args[0])
        known.learn(op, lengths.forms[0])
        return op

    _handler("length", length)


@_fault
def an_own_index_has_no_upper_bound() -> None:
    def own(known: Known, op: Op, want: Any) -> Op | None:
        a, first, _ = (known.form(value) for value in op.args)
        missing = not known.facts.proves(subtract(a, first))
        return op if missing else None

    _handler("own", own)


# Arithmetic


@_fault
def sums_and_products_of_fixed_width_never_wrap() -> None:
    honest = transfer._finish

    def finish(known: Known, op: Op, exact: Form, want: Any) -> Op:
        kept = honest(known, op, exact, want)
        known.learn(op, exact)
        return kept

    transfer._finish = finish


@_fault
def a_conversion_to_the_same_width_keeps_the_number() -> None:
    honest = transfer.HANDLERS["convert"]

    def convert(known: Known, op: Op, want: Any) -> Op | None:
        source, target = op.args[0], op.result
        same = _is_integer(source) and _is_integer(target)
        if same and source.type.bits == target.type.bits:
            known.learn(op, known.form(source))
            return op
        return honest(known, op, want)

    _handler("convert", convert)


@_fault
def a_narrower_type_keeps_the_number() -> None:
    honest = transfer.HANDLERS["convert"]

    def convert(known: Known, op: Op, want: Any) -> Op | None:
        source, target = op.args[0], op.result
        if _is_integer(source) and _is_integer(target):
            known.learn(op, known.form(source))
            return op
        return honest(known, op, want)

    _handler("convert", convert)


@_fault
def a_remainder_is_never_negative() -> None:
    honest = transfer.HANDLERS["mod"]

    def mod(known: Known, op: Op, want: Any) -> Op | None:
        kept = honest(known, op, want)
        low, high = known.bounds(known.form(op.args[1]))
        if low < 0:
            known.learn(op, known.bounded(0, max(-low, high) - 1))
        return kept

    _handler("mod", mod)


@_fault
def a_quotient_rounds_to_zero() -> None:
    def quotient(known: Known, a: Form, divisor: int) -> Form:
        low, high = known.bounds(a)
        return known.bounded(*(-(-n // divisor) if n < 0 else n // divisor for n in (low, high)))

    transfer._quotient = quotient


@_fault
def the_bounds_of_a_product_are_those_of_two_corners() -> None:
    def bounds(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        return min(a[0] * b[0], a[1] * b[1]), max(a[0] * b[0], a[1] * b[1])

    facts.product_bounds = transfer.product_bounds = bounds


@_fault
def a_magnitude_is_never_negative() -> None:
    def magnitude(known: Known, op: Op, want: Any) -> Op:
        if _is_integer(op.result):
            low, high = known.bounds(known.form(op.args[0]))
            known.learn(op, known.bounded(0, max(-low, high)))
        return op

    _handler("abs", magnitude)


@_fault
def a_shift_past_the_width_is_zero() -> None:
    honest = transfer.HANDLERS["shr"]

    def shr(known: Known, op: Op, want: Any) -> Op | None:
        kept = honest(known, op, want)
        count = known.form(op.args[1])
        if not count.terms and count.constant >= op.result.type.bits:
            known.learn(op, constant(0))
        elif count.terms:
            high = known.bounds(known.form(op.args[0]))[1]
            known.learn(op, known.bounded(0, max(high, 0)))
        return kept

    _handler("shr", shr)


@_fault
def the_least_of_two_is_the_first() -> None:
    def least(known: Known, op: Op, want: Any) -> Op:
        if _is_integer(op.result):
            known.learn(op, known.form(op.args[0]))
        return op

    _handler("min", least)


@_fault
def bits_in_common_are_never_negative() -> None:
    honest = transfer.HANDLERS["and"]

    def both(known: Known, op: Op, want: Any) -> Op | None:
        kept = honest(known, op, want)
        if _is_integer(op.result):
            high = max(known.bounds(known.form(value))[1] for value in op.args)
            known.learn(op, known.bounded(0, max(high, 0)))
        return kept

    _handler("and", both)


# Conditions and branches


@_fault
def a_choice_has_the_other_sides_condition() -> None:
    honest = Known.choice

    def choice(
        self: Known, a: Form, given_a: Any, b: Form, given_b: Any, low: int, high: int
    ) -> Form:
        return honest(self, a, given_b, b, given_a, low, high)

    Known.choice = choice


@_fault
def one_of_two_conditions_is_both() -> None:
    honest = Known.assume

    def assume(self: Known, condition: Any) -> None:
        if isinstance(condition, Either):
            self.assume(condition.a)
            self.assume(condition.b)
        else:
            honest(self, condition)

    Known.assume = assume


@_fault
def what_differs_is_greater() -> None:
    honest = Known.assume

    def assume(self: Known, condition: Any) -> None:
        if isinstance(condition, Compare) and condition.relation == "ne":
            self.facts.assume(shift(condition.form, -1))
        else:
            honest(self, condition)

    Known.assume = assume


@_fault
def after_a_branch_a_name_is_as_on_its_first_side() -> None:
    def join(self: Ranges, slot: str, condition: Any, a: Any, b: Any) -> Any:
        return a.slots[slot]

    Ranges.join = join


@_fault
def what_a_branch_assumes_stays() -> None:
    honest = Ranges.branch

    def branch(self: Ranges, statement: Any, out: Any) -> bool:
        condition = self.known.condition(statement.condition)
        goes_on = honest(self, statement, out)
        if goes_on:
            self.known.assume(condition)
        return goes_on

    Ranges.branch = branch


# Loops


@_fault
def what_a_loops_body_finds_stays() -> None:
    def scoped(self: Ranges, region: Any) -> Any:
        return self.region(region)

    honest = Ranges.counted_loop

    def counted_loop(self: Ranges, statement: Any, out: Any) -> None:
        restore, self.known.facts.restore = self.known.facts.restore, lambda mark: None
        try:
            honest(self, statement, out)
        finally:
            self.known.facts.restore = restore

    Ranges.scoped = scoped
    Ranges.counted_loop = counted_loop


@_fault
def a_counter_ends_a_step_before_its_limit() -> None:
    def last_turn(self: Ranges, start: Form, limit: Form, statement: Any) -> Form:
        return shift(limit, 1 - abs(statement.step) if statement.step > 0 else -1 - statement.step)

    Ranges.last_turn = last_turn


@_fault
def a_counter_begins_after_its_start() -> None:
    honest = Ranges.enter

    def enter(self: Ranges, statement: Any) -> None:
        honest(self, statement)
        counter, start = self.known.slots[statement.slot], self.known.form(statement.start)
        sign = 1 if statement.step > 0 else -1
        assert isinstance(counter, Form)
        self.known.facts.assume(shift(scale(subtract(counter, start), sign), -1))

    Ranges.enter = enter


@_fault
def a_loop_moves_fixed_widths_one_way_too() -> None:
    ranges.is_weak_int = is_integer


@_fault
def a_loop_leaves_what_only_loops_inside_it_set() -> None:
    honest = Ranges.forget

    def forget(self: Ranges, statement: Any, keep: Any) -> None:
        honest(self, statement, keep)
        own = {str(s.attr) for s in statement.body if isinstance(s, Op) and s.opcode == "set"}
        own |= {getattr(statement, "slot", "")}
        for slot in self.scan.sets(statement) - own:
            if slot in keep:
                self.known.slots[slot] = keep[slot]

    Ranges.forget = forget


# Guards before loops


@_fault
def a_guards_tests_are_off_by_one() -> None:
    honest = Guard.emit

    def emit(self: Guard, tests: list[Form], out: Any, span: Any) -> Value:
        return honest(self, [shift(test, 1) for test in tests], out, span)

    Guard.emit = emit


@_fault
def a_guards_last_test_is_taken_for_made() -> None:
    honest = Guard.emit

    def emit(self: Guard, tests: list[Form], out: Any, span: Any) -> Value:
        return honest(self, tests[:-1] or tests, out, span)

    Guard.emit = emit


@_fault
def a_guards_first_test_is_taken_for_made() -> None:
    honest = Guard.emit

    def emit(self: Guard, tests: list[Form], out: Any, span: Any) -> Value:
        return honest(self, tests[1:] or tests, out, span)

    Guard.emit = emit


@_fault
def a_guard_computes_without_limits() -> None:
    def limits(self: Guard, form: Form) -> bool:
        return True

    Guard._note_limits = limits
    Guard._magnitude = lambda self, form, limits: 0


@_fault
def a_guard_reads_any_uint64_as_int64() -> None:
    def as_int64(value: Value, writer: Any) -> Value:
        return value if value.type == INT64 else writer.op("convert", INT64, value)

    guard._as_int64 = as_int64


# Loops in blocks


@_fault
def what_a_turn_stores_no_other_loads() -> None:
    def separations(self: Any) -> Any:
        return [] if self.known else None

    accesses.Accesses.separations = separations


@_fault
def a_sweep_takes_every_number_for_narrow() -> None:
    honest = sweep.CHECKS["narrow"]

    def narrow(s: Any, w: Any, op: Op) -> Any:
        fails, result = honest(s, w, op)
        return w.constant(0, fails.type) if fails.type != BOOL else fails, result

    sweep.CHECKS["narrow"] = narrow


@_fault
def a_sweep_takes_every_assertion_for_true() -> None:
    sweep.CHECKS["assert"] = lambda s, w, op: (w.constant(0, BOOL), None)
