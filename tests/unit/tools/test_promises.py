"""What the math functions' docstrings state is what `make prove` holds them to, and found."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("ziglang")
pytest.importorskip("gmpy2")

from tools.prove import promises, results
from tools.prove.catalogue import ROWS
from tools.prove.plan import ALL

from samebits import math

RECORDS = results.load()
STATED = sorted(set(promises.PROMISES) - {"sincos"})
"""sincos is stated to give what sin and cos give."""


def docstring(name: str) -> str:
    return getattr(math, name).__doc__ or ""


@pytest.mark.parametrize("name", STATED)
def test_a_docstring_states_every_error_that_is_promised(name: str) -> None:
    stated = set(re.findall(r"\d*\.?\d+", docstring(name)))
    for promise in promises.PROMISES[name].values():
        wanted = {f"{most:g}" for most in (promise.medium, promise.low) if most != 0.5}
        assert wanted <= stated


@pytest.mark.parametrize("promise", [p for row in promises.PROMISES.values() for p in row.values()])
def test_medium_is_within_one_ulp_and_low_within_575(promise: promises.Promise) -> None:
    assert promise.medium <= 1
    assert promise.low <= 575


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_what_is_stated_to_be_proven_was_compared_on_all_inputs(name: str) -> None:
    if "proven on all 2³²" in docstring(name):
        record = RECORDS[results.key(name, "float32", "HIGH")]
        assert [part.wrong for part in record.parts if part.what == ALL] == [0]


@pytest.mark.parametrize("key", sorted(RECORDS))
def test_no_error_found_is_above_the_one_promised(key: str) -> None:
    most = promises.promised(*key.split())
    record = RECORDS[key]
    assert record.differ == 0
    assert sum(part.special for part in record.parts) == 0  # a NaN, or a zero's sign
    assert most is None or record.wrong == 0 or record.worst.worst <= most
