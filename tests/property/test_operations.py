"""Every operation gives the same bits and traps managed, evaluated and compiled, on any bits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz.execute import Compiled, levels, run_evaluate, run_managed
from tests.fuzz.inputs import InputSet
from tests.fuzz.literals import FLOAT_PATTERNS, NAN_PATTERNS
from tests.fuzz.loading import Loaded, Workspace
from tests.support.every_operation import GROUPS, OPERATIONS, SOURCE, Operation

from samebits.types import ScalarType

EXAMPLES = 150


class Executions:
    """Every operation's kernel, lowered, and compiled at every level."""

    def __init__(self, workspace: Workspace) -> None:
        programs = workspace.load_all(SOURCE, list(OPERATIONS))
        self.programs: dict[str, Loaded] = dict(zip(OPERATIONS, programs, strict=True))
        self.indexes = {name: k for k, name in enumerate(OPERATIONS)}
        self.compiled = [Compiled(programs, level) for level in levels()]

    def check(self, operation: Operation, bits: tuple[int, ...]) -> None:
        """Fail unless all executions of `operation` on these operands agree."""
        args = tuple(("scalar", t.name, b) for t, b in zip(operation.params, bits, strict=True))
        inputs = InputSet(args, ())
        program = self.programs[operation.name]
        managed = run_managed(program, inputs)
        evaluated = run_evaluate(program, inputs)
        place = f"{operation.name}({', '.join(map(hex, bits))}): {operation.expression}"
        assert evaluated == managed, f"{place} evaluated: {managed.difference(evaluated)}"
        for compiled in self.compiled:
            outcome = compiled.run(self.indexes[operation.name], program, inputs)
            assert outcome == managed, f"{place} {compiled.level}: {managed.difference(outcome)}"


@pytest.fixture(scope="module")
def executions() -> Iterator[Executions]:
    with Workspace() as workspace:
        yield Executions(workspace)


def _patterns(t: ScalarType) -> st.SearchStrategy[int]:
    anything = st.integers(0, (1 << t.bits) - 1)
    if t.is_float:
        special = [*FLOAT_PATTERNS[t.bits], *NAN_PATTERNS[t.bits]]
    else:
        near = {(1 << k) + d for k in range(t.bits + 1) for d in (-1, 0, 1)}
        special = sorted({v & ((1 << t.bits) - 1) for v in near} | {t.bits, t.bits - 1})
    return st.one_of(st.sampled_from(special), anything)


@st.composite
def _calls(draw: st.DrawFn, group: str) -> tuple[Operation, tuple[int, ...]]:
    choices = [operation for operation in OPERATIONS.values() if operation.group == group]
    operation = draw(st.sampled_from(choices))
    return operation, tuple(draw(_patterns(t)) for t in operation.params)


@pytest.mark.parametrize("group", GROUPS)
def test_an_operation_has_the_same_bits_in_every_execution(
    executions: Executions, group: str
) -> None:
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(_calls(group))
    def check(call: tuple[Operation, tuple[int, ...]]) -> None:
        executions.check(*call)

    check()
