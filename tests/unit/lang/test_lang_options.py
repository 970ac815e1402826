"""Whose options a kernel takes, how they are refused, and that IR text keeps them."""

from dataclasses import replace
from types import FunctionType
from typing import Any

import pytest

import samebits as sb
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.text import parse_module, print_module
from samebits.lang.kernel import Kernel
from samebits.modes import DEFAULTS, Options, changed_options
from samebits.types import FLOAT32


def half(x: sb.float32) -> sb.float32:
    return x * 0.5


def in_module(**defaults: Any) -> Any:
    """`half` as a function of a module with defaults."""
    names: dict[str, Any] = {"sb": sb}
    exec("def own(**options):\n    sb.defaults(**options)", names)
    names["own"](**defaults)
    function = FunctionType(half.__code__, {**half.__globals__, **names})
    function.__annotations__ = half.__annotations__
    return function


def test_a_kernel_says_more_than_its_job_or_simulation_and_they_more_than_the_module() -> None:
    function = in_module(precision=sb.LOW)
    assert Kernel(half).precision is sb.HIGH
    assert Kernel(function).precision is sb.LOW
    assert Kernel(function).within({"precision": sb.MEDIUM}).precision is sb.MEDIUM
    own = Kernel(function, given={"precision": sb.HIGH})
    assert own.within({"precision": sb.MEDIUM}) is own


def test_a_second_statement_of_defaults_adds_to_the_first() -> None:
    names: dict[str, Any] = {"sb": sb}
    exec("sb.defaults(precision=sb.LOW)\nsb.defaults(mode=sb.STRICT)", names)
    assert names["__samebits_defaults__"] == replace(DEFAULTS, precision=sb.LOW)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "FAST"}, "mode is sb.STRICT, sb.DETERMINISTIC or sb.FAST, not 'FAST'"),
        ({"precision": 1}, "a precision is sb.HIGH, sb.MEDIUM or sb.LOW, not 1"),
        ({"contract": 0}, "contract is False or True, not 0"),
        ({"denormals": "ftz"}, "denormals is 'keep' or 'flush', not 'ftz'"),
        (
            {"optimize_for": "fun"},
            "optimize_for is 'speed', 'size' or 'compile_time', not 'fun'",
        ),
        ({"bounds_check": None}, "bounds_check is True or False, not None"),
        ({"fastmath": True}, "there is no option 'fastmath'"),
    ],
)
def test_a_wrong_option_is_refused_where_it_is_written(given: dict[str, Any], message: str) -> None:
    for place in (sb.kernel, sb.struct, sb.defaults):
        with pytest.raises(sb.ArgumentError, match="fix: ") as caught:
            place(**given)
        assert caught.value.message == message


def test_ir_text_keeps_every_option() -> None:
    unit = compile_kernel(Kernel(half), (FLOAT32,))
    module = link(unit)
    for options in (
        Options(),
        Options(sb.FAST, sb.HIGH, True, "flush", False, "size", True),
        Options(mode=sb.DETERMINISTIC, optimize_for="compile_time"),
    ):
        module.functions[unit.function.name].options = options
        text = print_module(module)
        assert parse_module(text).functions[unit.function.name].options == options
        assert text.count("  option ") == len(changed_options(options))
