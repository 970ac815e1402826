"""`List[T, N]`: up to N items in order."""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false
# The annotations in a template are types that the family is given, which no checker knows.

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from samebits.containers.family import Family, capacity, item_type, whole_label
from samebits.containers.host import add_to_list, compared, fill_list, shown
from samebits.containers.plain import LIST
from samebits.containers.sorting import sorter
from samebits.containers.values import comparison, copier, ordered
from samebits.lang.calls.copied_arguments import Plain
from samebits.lang.memory.arrays import FixedArray, ReadOnly, zeros
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import int64
from samebits.lang.values.thread_state import running


class List(Family):
    """`List[T, N]`: a list of up to N items of a scalar, vector or struct type T.

    `List[float64, 16]` is a struct class: a field's type, a parameter's, and called, from kernels
    empty, from Python with the first items too. `len`, `in`, `for`, `items[i]`, `items[-1]`,
    `==` and `del items[i]` are those of Python's lists; an item that is a struct is a reference.
    In kernels `items[i:j]` is a view, and an array parameter takes the items. What is not used of
    the memory is zero. Methods say what they cost, n being the length.
    """

    taken: ClassVar[Plain | None] = LIST

    @classmethod
    def make(cls, *parts: Any) -> tuple[tuple[object, ...], Callable[[], type]]:
        T, N = parts
        item_type("List", T, "an item")
        N = capacity("List", N)
        return (T, N), lambda: _list(T, N)


def _list(T: Any, N: int) -> type:
    own = copier(T, whole_label(T))
    same = comparison(T, whole_label(T))
    in_order = ordered(T, whole_label(T))
    sort_items = sorter(T, whole_label(T))

    class Items:
        size: int64
        data: FixedArray[T, N]

        __elements__ = "data"

        def __len__(self) -> int:
            return int(self.size)

        def capacity(self) -> int:
            """The most items that it holds. O(1)."""
            return N

        def append(self, value: T) -> None:
            """Add an item at the end; traps where the list is full. O(1)."""
            assert self.size < N, "the list is full"
            self.data[self.size] = value
            self.size += 1

        def try_append(self, value: T) -> bool:
            """Add an item at the end, if there is room; whether there was. O(1)."""
            if self.size >= N:
                return False
            self.data[self.size] = value
            self.size += 1
            return True

        def extend(self, values: ReadOnly[T]) -> None:
            """Add the elements of an array or a list; traps, unchanged, where they do not fit.
            O(len(values))."""
            assert len(values) <= N - int(self.size), "the list is full"
            for i in range(len(values)):
                self.data[self.size] = values[i]
                self.size += 1

        def insert(self, index: int, value: T) -> None:
            """Add an item before the one at `index`, 0 to n, or -1 before the last one and so on;
            traps where the list is full or the index beyond it. O(n - index)."""
            assert self.size < N, "the list is full"
            n = int(self.size)
            at = index + n if index < 0 else index
            assert 0 <= at <= n, f"the index {index} is beyond the list of {n}"
            k = n
            while k > at:
                self.data[k] = self.data[k - 1]
                k -= 1
            self.data[at] = value
            self.size += 1

        def pop(self, index: int = -1) -> T:
            """Take out the item at `index`, the last one by default; traps where there is none.
            O(n - index)."""
            n = int(self.size)
            assert n > 0, "pop from an empty list"
            at = index + n if index < 0 else index
            assert 0 <= at < n, f"the index {index} is beyond the list of {n}"
            value = own(self.data[at])
            for k in range(at, n - 1):
                self.data[k] = self.data[k + 1]
            self.data[n - 1] = zeros(1, T)[0]
            self.size -= 1
            return value

        def swap_pop(self, index: int) -> T:
            """Take out the item at `index` and put the last one in its place; traps where there is
            none. O(1)."""
            n = int(self.size)
            assert 0 <= index < n, f"the index {index} is beyond the list of {n}"
            value = own(self.data[index])
            self.data[index] = self.data[n - 1]
            self.data[n - 1] = zeros(1, T)[0]
            self.size -= 1
            return value

        def __delitem__(self, index: int) -> None:
            n = int(self.size)
            at = index + n if index < 0 else index
            assert 0 <= at < n, f"the index {index} is beyond the list of {n}"
            for k in range(at, n - 1):
                self.data[k] = self.data[k + 1]
            self.data[n - 1] = zeros(1, T)[0]
            self.size -= 1

        def get(self, index: int, default: T) -> T:
            """The item at `index`, or `default` where there is none. O(1)."""
            if 0 <= index < int(self.size):
                return own(self.data[index])
            return own(default)

        def clear(self) -> None:
            """Take out all items. O(n)."""
            for k in range(int(self.size)):
                self.data[k] = zeros(1, T)[0]
            self.size = 0

        def sort(self, reverse: bool = False) -> None:
            """Sort in place by `<`, or with `reverse` by `>`; equal items stay in their order. Of
            floats a NaN traps. O(n log² n) moves, in no other memory."""
            n = int(self.size)
            assert 0 <= n <= N, "the list has no such length"
            for k in range(n):
                assert in_order(self.data[k]), "a NaN has no place in an order"
            sort_items(self.data, n, reverse)

        def reverse(self) -> None:
            """Reverse the order in place. O(n)."""
            n = int(self.size)
            for k in range(n // 2):
                self.data[k], self.data[n - 1 - k] = self.data[n - 1 - k], self.data[k]

        def __contains__(self, value: T) -> bool:
            for k in range(int(self.size)):
                if same(self.data[k], value):
                    return True
            return False

        def __eq__(self, other: Self) -> bool:
            if self.size != other.size:
                return False
            for k in range(int(self.size)):
                if not same(self.data[k], other.data[k]):
                    return False
            return True

        def index(self, value: T) -> int:
            """The index of the first item equal to `value`; traps where there is none. O(n)."""
            for k in range(int(self.size)):
                if same(self.data[k], value):
                    return k
            assert False, "the value is not in the list"
            return -1

        def count(self, value: T) -> int:
            """The number of items equal to `value`. O(n)."""
            found = 0
            for k in range(int(self.size)):
                if same(self.data[k], value):
                    found += 1
            return found

        def remove(self, value: T) -> None:
            """Take out the first item equal to `value`; traps where there is none. O(n)."""
            del self[self.index(value)]

        def host_extend(self, values: Iterable[Any]) -> None:
            add_to_list(self, values)

        def host___iadd__(self, values: Iterable[Any]) -> Any:
            if running.managed or not isinstance(values, Iterable):
                return NotImplemented
            add_to_list(self, values)
            return self

        def host___init__(self, items: Iterable[Any] = ()) -> None:
            Struct.__init__(self)
            fill_list(self, items)

        def host___len__(self) -> int:
            return int(self.size)

        def host___repr__(self) -> str:
            return f"{self.__sb_type__}([{shown(self)}])"

        def host___eq__(self, other: Any) -> bool:
            return compared(self, other)

    if sort_items is None:
        del Items.sort
    if same is None:
        for name in ("__contains__", "__eq__", "index", "count", "remove"):
            delattr(Items, name)
    return Items
