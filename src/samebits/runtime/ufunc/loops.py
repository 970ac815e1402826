"""The loops of math functions over arrays: ordinary kernels, one for each pattern of arguments.

A pattern says which arguments are arrays and which are scalars, so that a scalar is read once.
Arrays are one-dimensional, contiguous and of one length; results overlap no argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.errors import CompileError
from samebits.lang.annotations import class_of_type
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import Array, ReadOnly
from samebits.lang.overloads import Overloads
from samebits.modes import HIGH, Precision
from samebits.runtime.compile import compile_native
from samebits.types import FLOAT64, ScalarType, TupleType

IN_PLACE = "="
"""The pattern of a loop whose result replaces its argument."""


def _key(t: ScalarType) -> object:
    """The key of a type: for floats their bits, which the fast path uses."""
    return t.bits if t.is_float else t


def result_types(function: Overloads, t: ScalarType) -> tuple[ScalarType, ...]:
    """The types of the results at the float type `t`."""
    types = function.native.get(("results", _key(t)))
    if types is None:
        kernel = function.kernel_for(t, HIGH)
        found = kernel.signature.result_type(kernel.fixed_types or ())
        items = found.items if isinstance(found, TupleType) else (found,)
        types = tuple(item for item in items if isinstance(item, ScalarType))
        function.native["results", _key(t)] = types
    return types


def loop(function: Overloads, precision: Precision, t: ScalarType, arrays: str) -> Any:
    """The compiled loop at float type `t`; `arrays` has "a" for an array and "s" for a scalar.

    It takes the arguments, then one array for each result. Raises KeyError if no loop has the
    pattern.
    """
    key: tuple[object, ...] = (precision, _key(t), arrays)
    if any(function.integers) or result_types(function, t) != (t,):
        key += ("mixed",)  # not for the fast path, which has arrays of one type only
    native = function.native.get(key)
    if native is None:
        kernel = loop_kernel(function, precision, t, arrays)
        types = kernel.fixed_types
        assert types is not None
        native = function.native[key] = compile_native(kernel, types)
    return native


def has_loop(function: Overloads, arrays: str) -> bool:
    """Whether there is a loop of the pattern."""
    results = result_types(function, next(iter(function.kernels), FLOAT64))
    return (arrays, len(results)) in _BODIES


def loop_kernel(function: Overloads, precision: Precision, t: ScalarType, arrays: str) -> Kernel:
    """The loop's kernel; KeyError and arguments as of `loop`."""
    results = result_types(function, t)
    body = _BODIES[arrays, len(results)](getattr(function, "called", function))
    inner = function.kernel_for(t, precision)
    if inner.fixed_types is None:
        raise CompileError(f"the kernel of {function.__name__}() has type variables")
    classes = [class_of_type(item) for item in inner.fixed_types]
    outs = [Array[class_of_type(item)] for item in results]
    if arrays == IN_PLACE:
        annotations: list[Any] = [Array[classes[0]]]
    else:
        pairs = zip(classes, arrays, strict=True)
        annotations = [*(ReadOnly[c] if kind == "a" else c for c, kind in pairs), *outs]
    names = body.__code__.co_varnames[: len(annotations)]
    body.__annotations__ = {**dict(zip(names, annotations, strict=True)), "return": None}
    return Kernel(body, given={"precision": precision})


# The bodies. Their annotations are made above; the front end reads their source.
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false


def _replaced(function: Overloads) -> Any:
    def replace_elements(x):
        for i in range(len(x)):
            x[i] = function(x[i])

    return replace_elements


def _of_one(function: Overloads) -> Any:
    def map_one(x, result):
        for i in range(len(result)):
            result[i] = function(x[i])

    return map_one


def _of_two(function: Overloads) -> Any:
    def map_two(x, y, result):
        for i in range(len(result)):
            result[i] = function(x[i], y[i])

    return map_two


def _of_array_and_scalar(function: Overloads) -> Any:
    def map_first(x, y, result):
        for i in range(len(result)):
            result[i] = function(x[i], y)

    return map_first


def _of_scalar_and_array(function: Overloads) -> Any:
    def map_second(x, y, result):
        for i in range(len(result)):
            result[i] = function(x, y[i])

    return map_second


def _of_array_and_two_scalars(function: Overloads) -> Any:
    def map_between(x, y, z, result):
        for i in range(len(result)):
            result[i] = function(x[i], y, z)

    return map_between


def _of_three(function: Overloads) -> Any:
    def map_three(x, y, z, result):
        for i in range(len(result)):
            result[i] = function(x[i], y[i], z[i])

    return map_three


def _of_five(function: Overloads) -> Any:
    def map_five(v, w, x, y, z, result):
        for i in range(len(result)):
            result[i] = function(v[i], w[i], x[i], y[i], z[i])

    return map_five


def _both_of_one(function: Overloads) -> Any:
    def map_to_two(x, first, second):
        for i in range(len(first)):
            a, b = function(x[i])
            first[i] = a
            second[i] = b

    return map_to_two


def _both_of_two(function: Overloads) -> Any:
    def map_two_to_two(x, y, first, second):
        for i in range(len(first)):
            a, b = function(x[i], y[i])
            first[i] = a
            second[i] = b

    return map_two_to_two


_BODIES: dict[tuple[str, int], Callable[[Overloads], Any]] = {
    (IN_PLACE, 1): _replaced,
    ("a", 1): _of_one,
    ("aa", 1): _of_two,
    ("as", 1): _of_array_and_scalar,
    ("sa", 1): _of_scalar_and_array,
    ("aaa", 1): _of_three,
    ("ass", 1): _of_array_and_two_scalars,
    ("aaaaa", 1): _of_five,
    ("a", 2): _both_of_one,
    ("aa", 2): _both_of_two,
}
