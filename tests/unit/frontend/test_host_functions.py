"""What stands in samebits.math for functions of Python's `math` is known, and is there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import samebits as sb
from samebits.lang.other_names import samebits_name


@pytest.mark.parametrize("name", [n for n in sb.math.__all__ if callable(getattr(math, n, None))])
def test_a_function_that_both_have_is_named(name: str) -> None:
    assert samebits_name(getattr(math, name)) == name


@pytest.mark.parametrize(
    ("host", "name"), [(math.gamma, "tgamma"), (np.arcsin, "asin"), (np.logaddexp, "logaddexp")]
)
def test_a_function_of_another_name_is_named(host: object, name: str) -> None:
    assert samebits_name(host) == name
    assert name in sb.math.__all__


def test_nothing_stands_for_what_is_not_the_hosts() -> None:
    assert samebits_name(len) is None
    assert samebits_name(math.factorial) is None
