"""A call with a wrong number of arguments is answered in the words of the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import math
from samebits.errors import ArgumentError, CompileError


@sb.kernel
def sine_of_nothing(x: sb.float32) -> sb.float32:
    return math.sin()  # type: ignore[no-any-return]


@sb.kernel
def hash_of_nothing(x: sb.float32) -> sb.float32:
    return float32(math.hash())  # type: ignore[no-any-return]


float32 = sb.float32
ROW = np.ones(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: math.sin(),
            "sin() takes 1 argument, but none are given\n  fix: write math.sin(x)",
        ),
        (lambda: math.pow(1.0), "pow() takes 2 arguments, but 1 is given\n  fix: write math.pow(x"),
        (lambda: math.pow(1.0, 2.0, 3.0), "pow() takes 2 arguments, but 3 are given\n"),
        (lambda: sine_of_nothing.managed(1.0), "sin() takes 1 argument, but none are given\n  fix"),
        (lambda: math.pow(sb.fix16(1)), "pow() takes 2 arguments, but 1 is given\n"),
        (lambda: math.sum(), "sum() takes 1 array, but none are given\n"),
        (lambda: math.cumsum(), "cumsum() takes 1 array, but none are given\n"),
        (lambda: math.dot(), "dot() takes 2 arrays, but none are given\n"),
        (lambda: math.dot(ROW), "dot() takes 2 arrays, but 1 is given\n"),
        (lambda: math.hash(), "hash() has no form without arguments\n  note: its forms are"),
        (lambda: math.slerp(), "slerp() has no form without arguments\n  note: its forms are"),
        (lambda: hash_of_nothing.managed(1.0), "hash() has no form without arguments\n"),
    ],
)
def test_a_wrong_number_of_arguments_is_said(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        call()
    assert str(refused.value).startswith(message)


def test_a_kernel_that_gives_nothing_does_not_compile() -> None:
    with pytest.raises(CompileError) as refused:
        hash_of_nothing(1.0)
    assert refused.value.message == "hash() has no form without arguments"


def test_a_kernel_says_how_many_it_takes() -> None:
    with pytest.raises(ArgumentError, match="takes 1 argument, but 2 are given"):
        sine_of_nothing(1.0, 2.0)
