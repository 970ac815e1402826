"""`Heap[T, N]` and `Heap[P, V, N]`: what has the least priority comes out first."""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false, reportGeneralTypeIssues=false
# The annotations in a template are types that the family is given, which no checker knows.

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from samebits.containers.family import Family, capacity, item_type, label, whole_label
from samebits.containers.host import compared, fill_by, shown
from samebits.containers.values import comparison, copier, ordered
from samebits.errors import CompileError
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import FixedArray, zeros
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import int64
from samebits.types import BOOL, FLOAT16, ScalarType, StructType


class Heap(Family):
    """`Heap[T, N]`: up to N items, the least of which comes out first, and of equal ones the one
    that was put in first. `Heap[P, V, N]`: values with priorities, as tuples are in heapq.

    T is a scalar, or a struct with `__lt__`; P is a scalar. A struct class: a field's type, a
    parameter's, and called, from kernels empty, from Python with the first items or pairs too.
    `len`, `==`; a loop takes the items in the order in which they would come out. They lie in that
    order, so that equal heaps are equal bytes: `push` finds the place in O(log n) and moves what
    comes out before that place is reached, up to n items, `pop` is O(1).
    """

    parameters: ClassVar[str] = "T, N"
    most: ClassVar[int] = 3

    @classmethod
    def make(cls, *parts: Any) -> tuple[tuple[object, ...], Callable[[], type]]:
        P, N = parts[0], capacity("Heap", parts[-1])
        t = item_type("Heap", P, "a priority" if len(parts) == 3 else "an item")
        has_order = isinstance(t, ScalarType) and t not in (BOOL, FLOAT16)
        if isinstance(t, StructType) and len(parts) == 2:
            has_order = isinstance(vars(P).get("__lt__"), Kernel)
        if not has_order:
            raise CompileError(
                f"{t} has no order for Heap",
                fix=f"define `__lt__` in {t}, or write Heap[float64, {label(P)}, N]"
                if isinstance(t, StructType)
                else "use a number",
            )
        if len(parts) == 2:
            return (P, N), lambda: _heap(P, N)
        item_type("Heap", parts[1], "a value")
        return (P, parts[1], N), lambda: _priority_heap(P, parts[1], N)


def _heap(T: Any, N: int) -> type:
    own = copier(T, whole_label(T))
    same = comparison(T, whole_label(T))
    in_order = ordered(T, whole_label(T))

    class Items:
        size: int64
        data: FixedArray[T, N]

        def __len__(self) -> int:
            return int(self.size)

        def capacity(self) -> int:
            """The most items that it holds. O(1)."""
            return N

        def push(self, item: T) -> None:
            """Put an item in; traps where the heap is full, and of a NaN. O(log n), and a move of
            what is less."""
            assert 0 <= self.size < N, "the heap is full"
            self.put(item)

        def try_push(self, item: T) -> bool:
            """Put an item in, if there is room; whether there was. As `push`."""
            if not 0 <= self.size < N:
                return False
            self.put(item)
            return True

        def put(self, item: T) -> None:
            """Put an item into a heap that has room. As `push`."""
            assert in_order(item), "a NaN has no place in a heap"
            n = int(self.size)
            low, high = 0, n
            while low < high:
                middle = (low + high) // 2
                if item < self.data[middle]:
                    low = middle + 1
                else:
                    high = middle
            for k in range(n, low, -1):
                self.data[k] = self.data[k - 1]
            self.data[low] = item
            self.size += 1

        def pop(self) -> T:
            """Take out the least item; traps where there is none. O(1)."""
            n = int(self.size)
            assert 0 < n <= N, "pop from an empty heap"
            item = own(self.data[n - 1])
            self.data[n - 1] = zeros(1, T)[0]
            self.size -= 1
            return item

        def peek(self) -> T:
            """The least item; traps where there is none. O(1)."""
            assert 0 < self.size <= N, "peek into an empty heap"
            return own(self.data[self.size - 1])

        def get(self, default: T) -> T:
            """The least item, or `default` where there is none. O(1)."""
            if 0 < self.size <= N:
                return own(self.data[self.size - 1])
            return own(default)

        def clear(self) -> None:
            """Take out all items. O(n)."""
            for k in range(int(self.size)):
                self.data[k] = zeros(1, T)[0]
            self.size = 0

        def __at__(self, cursor: int) -> T:
            return own(self.data[int(self.size) - 1 - cursor])

        def __eq__(self, other: Self) -> bool:
            if self.size != other.size:
                return False
            for k in range(int(self.size)):
                if not same(self.data[k], other.data[k]):
                    return False
            return True

        def host___init__(self, items: Iterable[Any] = ()) -> None:
            Struct.__init__(self)
            fill_by(self, N, items, self.push)

        def host___len__(self) -> int:
            return int(self.size)

        def host___repr__(self) -> str:
            return f"{self.__sb_type__}([{shown(self)}])"

        def host___eq__(self, other: Any) -> Any:
            return compared(self, other)

    if same is None:
        del Items.__eq__, Items.host___eq__
    return Items


def _priority_heap(P: Any, V: Any, N: int) -> type:
    own = copier(V, whole_label(V))
    same = comparison(V, whole_label(V))

    class Items:
        size: int64
        priorities: FixedArray[P, N]
        data: FixedArray[V, N]

        def __len__(self) -> int:
            return int(self.size)

        def capacity(self) -> int:
            """The most values that it holds. O(1)."""
            return N

        def push(self, priority: P, value: V) -> None:
            """Put a value in; traps where the heap is full, and of a NaN. O(log n), and a move of
            what comes out before it."""
            assert 0 <= self.size < N, "the heap is full"
            self.put(priority, value)

        def try_push(self, priority: P, value: V) -> bool:
            """Put a value in, if there is room; whether there was. As `push`."""
            if not 0 <= self.size < N:
                return False
            self.put(priority, value)
            return True

        def put(self, priority: P, value: V) -> None:
            """Put a value into a heap that has room. As `push`."""
            assert priority == priority, "a NaN has no place in a heap"
            n = int(self.size)
            low, high = 0, n
            while low < high:
                middle = (low + high) // 2
                if priority < self.priorities[middle]:
                    low = middle + 1
                else:
                    high = middle
            for k in range(n, low, -1):
                self.priorities[k] = self.priorities[k - 1]
            for k in range(n, low, -1):
                self.data[k] = self.data[k - 1]
            self.priorities[low] = priority
            self.data[low] = value
            self.size += 1

        def pop(self) -> tuple[P, V]:
            """Take out what has the least priority: priority and value; traps where there is
            nothing. O(1)."""
            n = int(self.size)
            assert 0 < n <= N, "pop from an empty heap"
            priority, value = self.priorities[n - 1], own(self.data[n - 1])
            self.priorities[n - 1] = zeros(1, P)[0]
            self.data[n - 1] = zeros(1, V)[0]
            self.size -= 1
            return priority, value

        def peek(self) -> tuple[P, V]:
            """What has the least priority: priority and value; traps where there is nothing.
            O(1)."""
            assert 0 < self.size <= N, "peek into an empty heap"
            return self.priorities[self.size - 1], own(self.data[self.size - 1])

        def clear(self) -> None:
            """Take out all values. O(n)."""
            for k in range(int(self.size)):
                self.priorities[k] = zeros(1, P)[0]
                self.data[k] = zeros(1, V)[0]
            self.size = 0

        def __at__(self, cursor: int) -> tuple[P, V]:
            k = int(self.size) - 1 - cursor
            return self.priorities[k], own(self.data[k])

        def __eq__(self, other: Self) -> bool:
            if self.size != other.size:
                return False
            for k in range(int(self.size)):
                if self.priorities[k] != other.priorities[k]:
                    return False
                if not same(self.data[k], other.data[k]):
                    return False
            return True

        def host___init__(self, items: Iterable[Any] = ()) -> None:
            Struct.__init__(self)
            fill_by(self, N, items, lambda pair: self.push(*pair))

        def host___len__(self) -> int:
            return int(self.size)

        def host___repr__(self) -> str:
            pairs = ", ".join(f"({shown(pair)})" for pair in iter(self))
            return f"{self.__sb_type__}([{pairs}])"

        def host___eq__(self, other: Any) -> Any:
            return compared(self, other)

    if same is None:
        del Items.__eq__, Items.host___eq__
    return Items
