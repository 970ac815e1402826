"""Unsound rules of what is tested before a loop runs."""

from __future__ import annotations

from typing import Any

from samebits.ir.grammar import Op, Value
from samebits.passes.bounds import accesses, dry_run, guard
from samebits.passes.bounds.affine import Form, shift
from samebits.passes.bounds.guard import Guard
from samebits.types import BOOL, INT64
from tests.fuzz.bounds.faults.registry import fault

# Guards before loops


@fault
def a_guards_tests_are_off_by_one() -> None:
    honest = Guard.emit

    def emit(self: Guard, tests: list[Form], out: Any, span: Any) -> Value:
        return honest(self, [shift(test, 1) for test in tests], out, span)

    Guard.emit = emit


@fault
def a_guards_last_test_is_taken_for_made() -> None:
    honest = Guard.emit

    def emit(self: Guard, tests: list[Form], out: Any, span: Any) -> Value:
        return honest(self, tests[:-1] or tests, out, span)

    Guard.emit = emit


@fault
def a_guards_first_test_is_taken_for_made() -> None:
    honest = Guard.emit

    def emit(self: Guard, tests: list[Form], out: Any, span: Any) -> Value:
        return honest(self, tests[1:] or tests, out, span)

    Guard.emit = emit


@fault
def a_guard_computes_without_limits() -> None:
    def limits(self: Guard, form: Form) -> bool:
        return True

    Guard._note_limits = limits
    Guard._magnitude = lambda self, form, limits: 0


@fault
def a_guard_reads_any_uint64_as_int64() -> None:
    def as_int64(value: Value, writer: Any) -> Value:
        return value if value.type == INT64 else writer.op("convert", INT64, value)

    guard._as_int64 = as_int64


# Loops in blocks


@fault
def what_an_iteration_stores_no_other_loads() -> None:
    def separations(self: Any) -> Any:
        return [] if self.state else None

    accesses.Accesses.separations = separations


@fault
def a_sweep_takes_every_number_for_narrow() -> None:
    honest = dry_run.CHECKS["narrow"]

    def narrow(s: Any, w: Any, op: Op) -> Any:
        fails, result = honest(s, w, op)
        return w.constant(0, fails.type) if fails.type != BOOL else fails, result

    dry_run.CHECKS["narrow"] = narrow


@fault
def a_sweep_takes_every_assertion_for_true() -> None:
    dry_run.CHECKS["assert"] = lambda s, w, op: (w.constant(0, BOOL), None)
