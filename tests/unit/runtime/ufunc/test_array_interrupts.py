"""Wherever a signal's handler raises, functions of arrays are left, and have the bits after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.interrupting import at_each

from samebits import math

X = np.linspace(-3.0, 3.0, 1000)


@pytest.mark.parametrize("function", [math.sin, math.sum], ids=["sin", "sum"])
def test_an_interrupt_at_any_bytecode_comes_out_of_the_call(function: Callable[..., Any]) -> None:
    expected = np.asarray(function(X)).tobytes()

    def check() -> None:
        assert np.asarray(function(X)).tobytes() == expected

    assert at_each(lambda: function(X), check, destructors=False) > 3
