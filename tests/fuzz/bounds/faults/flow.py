"""Unsound rules of conditions, branches and loops."""

from __future__ import annotations

from typing import Any

from samebits.ir.grammar import Op
from samebits.passes.bounds import ranges
from samebits.passes.bounds.affine import Form, scale, shift, subtract
from samebits.passes.bounds.domain import AbstractState, Compare, Either
from samebits.passes.bounds.ranges import Ranges
from tests.fuzz.bounds.faults.registry import fault, is_integer

# Conditions and branches


@fault
def a_choice_has_the_other_sides_condition() -> None:
    honest = AbstractState.choice

    def choice(
        self: AbstractState, a: Form, given_a: Any, b: Form, given_b: Any, low: int, high: int
    ) -> Form:
        return honest(self, a, given_b, b, given_a, low, high)

    AbstractState.choice = choice


@fault
def one_of_two_conditions_is_both() -> None:
    honest = AbstractState.assume

    def assume(self: AbstractState, condition: Any) -> None:
        if isinstance(condition, Either):
            self.assume(condition.a)
            self.assume(condition.b)
        else:
            honest(self, condition)

    AbstractState.assume = assume


@fault
def what_differs_is_greater() -> None:
    honest = AbstractState.assume

    def assume(self: AbstractState, condition: Any) -> None:
        if isinstance(condition, Compare) and condition.relation == "ne":
            self.facts.assume(shift(condition.form, -1))
        else:
            honest(self, condition)

    AbstractState.assume = assume


@fault
def after_a_branch_a_name_is_as_on_its_first_side() -> None:
    def join(self: Ranges, slot: str, condition: Any, a: Any, b: Any) -> Any:
        return a.slots[slot]

    Ranges.join = join


@fault
def what_a_branch_assumes_stays() -> None:
    honest = Ranges.branch

    def branch(self: Ranges, statement: Any, out: Any) -> bool:
        condition = self.state.condition(statement.condition)
        goes_on = honest(self, statement, out)
        if goes_on:
            self.state.assume(condition)
        return goes_on

    Ranges.branch = branch


# Loops


@fault
def what_a_loops_body_finds_stays() -> None:
    def scoped(self: Ranges, region: Any) -> Any:
        return self.region(region)

    honest = Ranges.counted_loop

    def counted_loop(self: Ranges, statement: Any, out: Any) -> None:
        restore, self.state.facts.restore = self.state.facts.restore, lambda mark: None
        try:
            honest(self, statement, out)
        finally:
            self.state.facts.restore = restore

    Ranges.scoped = scoped
    Ranges.counted_loop = counted_loop


@fault
def a_counter_ends_a_step_before_its_limit() -> None:
    def last_iteration(self: Ranges, start: Form, limit: Form, statement: Any) -> Form:
        return shift(limit, 1 - abs(statement.step) if statement.step > 0 else -1 - statement.step)

    Ranges.last_iteration = last_iteration


@fault
def a_counter_begins_after_its_start() -> None:
    honest = Ranges.enter

    def enter(self: Ranges, statement: Any) -> None:
        honest(self, statement)
        counter, start = self.state.slots[statement.slot], self.state.form(statement.start)
        sign = 1 if statement.step > 0 else -1
        assert isinstance(counter, Form)
        self.state.facts.assume(shift(scale(subtract(counter, start), sign), -1))

    Ranges.enter = enter


@fault
def a_loop_moves_fixed_widths_one_way_too() -> None:
    ranges.is_weak_int = is_integer


@fault
def a_loop_leaves_what_only_loops_inside_it_set() -> None:
    honest = Ranges.forget

    def forget(self: Ranges, statement: Any, keep: Any) -> None:
        honest(self, statement, keep)
        own = {str(s.attr) for s in statement.body if isinstance(s, Op) and s.opcode == "set"}
        own |= {getattr(statement, "slot", "")}
        for slot in self.modified.sets(statement) - own:
            if slot in keep:
                self.state.slots[slot] = keep[slot]

    Ranges.forget = forget
