"""What `samebits explain` is asked about one operation is a command that it takes."""

from __future__ import annotations

import shlex

import pytest

import samebits as sb
from samebits import float32, float64
from samebits.cli import status
from samebits.diagnosis.cause.asked import asked
from samebits.diagnosis.cause.observations import Observation
from samebits.frontend.compile import compile_kernel
from samebits.hazards.expressions import Sites
from samebits.ir.grammar import Op, walk
from samebits.lang.kernel import Kernel


@sb.kernel
def mixed(a: float32, b: float32) -> float32:
    return a * b + 0.1


@sb.kernel
def turned(a: float32) -> float32:
    return -(a * a)


@sb.kernel
def wide(a: float64) -> float64:
    return a * a + a


@sb.kernel
def long(a: float32) -> float32:
    return a * a * a * a * a * a * a * a * a * a


def question(kernel: Kernel, **given: int) -> str:
    function = compile_kernel(kernel, kernel.signature.resolve(())).function
    last = [op for op in walk(function.body) if isinstance(op, Op)][-1]
    site = Sites(function).at(last.id)
    assert site is not None
    return asked(site, Observation(given, 0x3F800000))


def test_the_command_has_the_expression_its_operands_and_the_result() -> None:
    text = question(mixed, x0=0x3F800000, x1=0x40000000)
    assert text == ('samebits explain "x0 * x1 + 0.1" x0=0x3f800000 x1=0x40000000 --got 0x3f800000')


def test_a_minus_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    text = question(turned, x0=0x3F800000)
    assert '"(-' in text
    assert status(shlex.split(text)[1:]) == 1
    assert capsys.readouterr().out


def test_float64_is_said() -> None:
    assert question(wide, x0=1).endswith(
        "x0=0x0000000000000001 --got 0x000000003f800000 --type float64"
    )


def test_what_explain_does_not_take_is_not_asked() -> None:
    assert question(long, x0=0x3F800000) == ""
