"""Every operation gives the same bits and traps managed, evaluated and compiled, on any bits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
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


@cache
def special_patterns(t: ScalarType) -> list[int]:
    """Those near which results change."""
    if t.is_float:
        return [*FLOAT_PATTERNS[t.bits], *NAN_PATTERNS[t.bits]]
    near = {(1 << k) + d for k in range(t.bits + 1) for d in (-1, 0, 1)}
    return sorted({v & ((1 << t.bits) - 1) for v in near} | {t.bits, t.bits - 1})


def drawn(random: Random, t: ScalarType) -> int:
    """A special pattern, or one of all."""
    return (
        random.choice(special_patterns(t)) if random.random() < 0.5 else random.getrandbits(t.bits)
    )


@pytest.mark.parametrize("group", GROUPS)
def test_an_operation_has_the_same_bits_in_every_execution(
    executions: Executions, group: str
) -> None:
    random = Random(group)
    choices = [operation for operation in OPERATIONS.values() if operation.group == group]
    for n in range(EXAMPLES):
        operation = choices[n % len(choices)]
        executions.check(operation, tuple(drawn(random, t) for t in operation.params))
