"""What becomes of a finding: made small, written as a regression, asserted by it ever after."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from tests.fuzz.bounds.generator import generate
from tests.fuzz.bounds.judge import Found
from tests.fuzz.bounds.workers import CALLS, Worker, judge_apart
from tests.fuzz.check import Failure
from tests.fuzz.generator import Program
from tests.fuzz.inputs import InputSet
from tests.fuzz.regression import Form
from tests.fuzz.shrink import shrink

LEVELS = (0, 3)
REGRESSION = Form("bounds", "tests.fuzz.bounds.check", "assert_inside")


def failure_of(program: Program, found: Found) -> Failure:
    return Failure(program, program.inputs[found.call], found.kind, found.text)


def small(found: Found, fault: str | None = None) -> Failure:
    """The smallest program that fails as this one of `generate`, with the one call."""
    program = generate(found.seed, CALLS)
    failure = failure_of(program, found)
    with closing(Worker(fault)) as worker:

        def check(candidate: Program) -> Sequence[Failure]:
            tally = judge_apart(worker, [candidate], found.opt)
            return [failure_of(candidate, one) for one in tally.found if one.call == 0]

        alone = replace(failure, program=replace(program, inputs=(failure.inputs,)))
        with warnings.catch_warnings(action="ignore"):  # what is tried may look odd
            return shrink(alone, check=check)


def assert_inside(source: str, entry: str, inputs: Sequence[InputSet]) -> None:
    """Fail unless the entry does what evaluate does and touches its own memory alone, at every
    level, and each call was compared."""
    assert entry == "entry"
    program = Program(0, source, entry, tuple(inputs))
    with closing(Worker()) as worker:
        for level in LEVELS:
            tally = judge_apart(worker, [program], level)
            texts = [f"input set {one.call}, O{level}: {one.text}" for one in tally.found]
            assert not texts, "\n".join(texts)
            assert tally.calls == len(inputs), f"{tally.calls} calls were compared"
