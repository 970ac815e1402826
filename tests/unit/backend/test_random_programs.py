"""Random programs give the same results, memory and traps compiled as evaluated."""

from __future__ import annotations

import pytest
from tests.support.programs.compiled_kernels import CONFIGURATIONS, Compiled, copies, evaluated
from tests.support.programs.random_programs import Program


def check(seed: int) -> str:
    """Run one program on a few inputs in every configuration; what the last one ended with."""
    program = Program(seed)
    function = program.function
    inputs = [program.arguments() for _ in range(4)]
    answers = []
    for args in inputs:
        wanted_args = copies(args)
        answers.append((evaluated([function], function.name, *wanted_args), wanted_args))
    for target, opt in CONFIGURATIONS:
        compiled = Compiled([function], [function.name], target, opt)
        for args, (wanted, wanted_args) in zip(inputs, answers, strict=True):
            found_args = copies(args)
            found = compiled(function.name, *found_args)
            assert found == wanted, (seed, target.name, opt)
            for a, b in zip(found_args, wanted_args, strict=True):
                if hasattr(a, "tobytes"):
                    assert a.tobytes() == b.tobytes(), (seed, target.name, opt)
    return getattr(answers[-1][0], "kind", "returned")


@pytest.mark.parametrize("seed", range(24))
def test_a_random_program_does_what_evaluation_does(seed: int) -> None:
    check(seed)
