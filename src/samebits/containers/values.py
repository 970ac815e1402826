"""Kernels over a container's items that differ by what an item is: copies and equality."""

# pyright: reportInvalidTypeForm=false
# Annotations are the types that a family is given, so they are not text here.

from typing import Any

from samebits.lang.annotations import field_type
from samebits.lang.intrinsics import all as all_of
from samebits.lang.kernel import Kernel
from samebits.types import StructType, VectorType


def named(function: Any, name: str) -> Kernel:
    """A kernel with the name of its type."""
    function.__qualname__ = f"{function.__name__}[{name}]"
    return Kernel(function)


def copier(T: Any, name: str) -> Kernel:
    """`own(value)`: the value, as a result that no other name sees."""

    def own_struct(value: T) -> T:
        return value.copy()

    def own(value: T) -> T:
        return value

    return named(own_struct if isinstance(field_type(T, "it"), StructType) else own, name)


def comparison(T: Any, name: str) -> Kernel | None:
    """`same(a, b)`: whether two items are equal; None of structs that have no `__eq__`."""

    def same(a: T, b: T) -> bool:
        return a == b

    def same_vectors(a: T, b: T) -> bool:
        return all_of(a == b)

    t = field_type(T, "it")
    if isinstance(t, StructType) and not isinstance(vars(T).get("__eq__"), Kernel):
        return None
    return named(same_vectors if isinstance(t, VectorType) else same, name)
