"""Kernels over a container's items that differ by what an item is: copies and equality."""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false
# The annotations in a template are types that the family is given, which no checker knows.

from typing import Any

from samebits.lang.annotations import field_type
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import all as all_of
from samebits.lang.kernel import Kernel
from samebits.lang.values.scalars import int64, uint64
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


def ordered(T: Any, name: str) -> Kernel:
    """`in_order(item)`: whether an item has a place in an order; a NaN has none."""

    def in_order(item: T) -> bool:
        return item == item

    def in_order_struct(item: T) -> bool:
        return True

    return named(in_order_struct if isinstance(field_type(T, "it"), StructType) else in_order, name)


def hasher(T: Any, name: str) -> Kernel:
    """`hash_of(key)`: 64 bits of a key, by the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
    over each of its integers in turn."""
    t = field_type(T, "it")
    N = t.length if isinstance(t, VectorType) else 1

    def hash_of(key: T) -> int:
        return int(int64(mixed(uint64(key)) >> 1))

    def hash_of_two(key: T) -> int:
        return int(int64(mixed(mixed(uint64(key.x)) + uint64(key.y)) >> 1))

    def hash_of_three(key: T) -> int:
        return int(int64(mixed(mixed(mixed(uint64(key.x)) + uint64(key.y)) + uint64(key.z)) >> 1))

    def hash_of_four(key: T) -> int:
        first = mixed(mixed(uint64(key.x)) + uint64(key.y))
        return int(int64(mixed(mixed(first + uint64(key.z)) + uint64(key.w)) >> 1))

    return named((hash_of, hash_of_two, hash_of_three, hash_of_four)[N - 1], name)


@kernel
def mixed(x: uint64) -> uint64:
    x ^= x >> 30
    x *= 0xBF58476D1CE4E5B9
    x ^= x >> 27
    x *= 0x94D049BB133111EB
    return x ^ (x >> 31)
