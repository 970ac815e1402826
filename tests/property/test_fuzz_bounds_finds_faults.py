"""Every unsound rule that is injected into the passes is found by the fuzzer of bounds.

A search here begins at a program that shows the fault, the first of two that lie far apart. After
a change of what the fuzzer draws, `make fuzz-faults` makes the whole searches that lead to both
anew, says how many programs each took, and notes the seeds.
"""

from __future__ import annotations

import pytest
from tests.fuzz.bounds.faults import FAULTS
from tests.fuzz.bounds.search import SHORT, found_at, programs_until_found

SEEDS = found_at()


def test_every_fault_was_found() -> None:
    assert len(FAULTS) >= 12
    assert sorted(SEEDS) == sorted(FAULTS)
    assert all(SEEDS.values())


@pytest.mark.parametrize(("fault", "first"), [(f, ns[0]) for f, ns in SEEDS.items()])
def test_an_injected_fault_is_found(fault: str, first: int) -> None:
    found = programs_until_found(fault, first, SHORT)
    assert found is not None, "if what is drawn has changed, run `make fuzz-faults`"
