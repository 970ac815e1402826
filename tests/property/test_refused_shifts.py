"""A constant shift past the width is refused alike by every execution, in whatever place."""

from __future__ import annotations

import pytest
from tests.fuzz.generator import HEADER
from tests.fuzz.loading import Workspace
from tests.fuzz.shifts import refused

import samebits as sb
from samebits.frontend.operations.shifts import ALL_OUT
from samebits.lang.annotations import class_of_type

SHARD = 40


@pytest.mark.parametrize("first", range(0, 160, SHARD))
def test_a_constant_shift_past_the_width_is_refused_alike(first: int) -> None:
    for seed in range(first, first + SHARD):
        with Workspace() as workspace:
            (kernel,) = workspace.imported(f"{HEADER}\n{refused(seed)}\n", ["entry"])
            cls = class_of_type(kernel.fixed_types[0])
            told: list[str] = []
            for run in (kernel, kernel.managed, lambda *args, of=kernel: sb.evaluate(of, *args)):
                with pytest.raises(sb.CompileError) as caught:
                    run(cls(1), cls(2), 0)
                told.append(str(caught.value))
        assert len(set(told)) == 1, seed
        assert ALL_OUT in told[0], seed
