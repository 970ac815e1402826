"""Every unsound rule that is planted into the passes is found by the fuzzer of bounds.

A search here begins at a program that shows the fault, one of two that lie far apart. `make
fuzz-faults` makes the whole searches that led there, those for faults that take thousands of
programs as well, and says how many each took.
"""

from __future__ import annotations

import pytest
from tests.fuzz.bounds.faults import FAULTS
from tests.fuzz.bounds.run import programs_until_found

WITHIN = 4
"""Programs of a search."""
# fmt: off
FOUND_AT: dict[str, tuple[int, int]] = {
    "no lower bound of an index": (0, 1000011),
    "an index may be the length": (34, 1000000),
    "a negative index counts from the end": (45, 1000021),
    "the length of the first dimension is that of all": (63, 1000057),
    "an own index has no upper bound": (765, 1000148),
    "sums and products of fixed width never wrap": (412, 1001290),
    "a conversion to the same width keeps the number": (262, 1000012),
    "a narrower type keeps the number": (2000008, 1000012),
    "a remainder is never negative": (139, 1000395),
    "the bounds of a product are those of two corners": (5, 1000116),
    "the least of two is the first": (168, 1000453),
    "one of two conditions is both": (96, 1000020),
    "what differs is greater": (411, 1000788),
    "after a branch a name is as on its first side": (917, 1000004),
    "what a branch assumes stays": (10, 1000016),
    "what a loops body finds stays": (10, 1000019),
    "a counter ends a step before its limit": (74, 1000340),
    "a counter begins after its start": (81, 1000000),
    "a loop leaves what only loops inside it set": (8, 1000004),
    "a guards tests are off by one": (37, 1000019),
    "a guards last test is taken for made": (74, 1000011),
    "a guards first test is taken for made": (63, 1000023),
    "a guard reads any uint64 as int64": (387, 1000535),
    "a sweep takes every assertion for true": (78, 1001316),
    "a quotient rounds to zero": (1000497, 4148),
    "a guard computes without limits": (396, 1000161),
    "a sweep takes every number for narrow": (102, 1000557),
}
# fmt: on
"""Seeds from which a search finds a fault, for those that two searches of 4,000 at most found."""


def test_there_are_faults_of_many_kinds() -> None:
    assert FOUND_AT.keys() <= FAULTS.keys()
    assert len(FOUND_AT) >= 12


@pytest.mark.parametrize(("fault", "first"), [(f, n) for f, ns in FOUND_AT.items() for n in ns])
def test_a_planted_fault_is_found(fault: str, first: int) -> None:
    assert programs_until_found(fault, first, WITHIN) is not None
