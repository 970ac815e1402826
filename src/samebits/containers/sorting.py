"""A stable sort in place: of runs by insertion, and then by merges that rotate (SymMerge).

Kim and Kutzner, Stable Minimum Storage Merging by Symmetric Comparisons, 2004. Needs no memory but
a few indices, so that the capacity of what is sorted does not matter.
"""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false
# The annotations in a template are types that it is given, which no checker knows.

from typing import Any

from samebits.containers.values import copier, named
from samebits.lang.annotations import field_type
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import Array, zeros
from samebits.lang.values.scalars import int64
from samebits.types import BOOL, ScalarType, StructType

RUN = 12
"""Items that are sorted by insertion."""
DEPTH = 64
"""Merges inside one another: each has at most half the items of the one around it, or ends."""


def sorter(T: Any, name: str) -> Kernel | None:
    """`sort_items(data, n, reverse)`: sort the first n items of an array, which has as many, by
    `<`, or `>`; None of items without an order."""
    t = field_type(T, "it")
    is_number = isinstance(t, ScalarType) and t is not BOOL
    if not is_number and not (
        isinstance(t, StructType) and isinstance(vars(T).get("__lt__"), Kernel)
    ):
        return None
    own = copier(T, name)

    def before(a: T, b: T, reverse: bool) -> bool:
        return b < a if reverse else a < b

    before = named(before, name)

    def flip(data: Array[T], low: int, high: int) -> None:
        i, j = low, high - 1
        while i < j:
            data[i], data[j] = data[j], data[i]
            i += 1
            j -= 1

    flip = named(flip, name)

    def rotate(data: Array[T], low: int, middle: int, high: int) -> None:
        flip(data, low, middle)
        flip(data, middle, high)
        flip(data, low, high)

    rotate = named(rotate, name)

    def merge(data: Array[T], first: int, second: int, end: int, reverse: bool) -> None:
        """Merge the sorted data[first:second] and data[second:end]."""
        waiting = zeros((DEPTH, 3), int64)
        waiting[0, 0] = first
        waiting[0, 1] = second
        waiting[0, 2] = end
        count = 1
        while count > 0:
            count -= 1
            a, m, b = int(waiting[count, 0]), int(waiting[count, 1]), int(waiting[count, 2])
            if m - a == 1 or b - m == 1:
                one = m - a == 1
                k = a if one else m
                low = m if one else a
                high = b if one else m
                while low < high:
                    h = (low + high) // 2
                    if (
                        before(data[h], data[k], reverse)
                        if one
                        else not before(data[k], data[h], reverse)
                    ):
                        low = h + 1
                    else:
                        high = h
                if one:
                    rotate(data, a, a + 1, low)
                else:
                    rotate(data, low, m, b)
                continue
            middle = (a + b) // 2
            n = middle + m
            low = n - b if m > middle else a
            high = middle if m > middle else m
            p = n - 1
            while low < high:
                c = (low + high) // 2
                if not before(data[p - c], data[c], reverse):
                    low = c + 1
                else:
                    high = c
            other = n - low
            if low < m and m < other:
                rotate(data, low, m, other)
            if a < low and low < middle:
                waiting[count, 0] = a
                waiting[count, 1] = low
                waiting[count, 2] = middle
                count += 1
            if middle < other and other < b:
                waiting[count, 0] = middle
                waiting[count, 1] = other
                waiting[count, 2] = b
                count += 1

    merge = named(merge, name)

    def sort_items(data: Array[T], n: int, reverse: bool) -> None:
        for start in range(0, n, RUN):
            for k in range(start + 1, min(start + RUN, n)):
                item = own(data[k])
                j = k
                while j > start and before(item, data[j - 1], reverse):
                    data[j] = data[j - 1]
                    j -= 1
                data[j] = item
        width = RUN
        while width < n:
            for start in range(0, n - width, 2 * width):
                merge(data, start, start + width, min(start + 2 * width, n), reverse)
            width *= 2

    return named(sort_items, name)
