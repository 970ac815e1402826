"""Containers as type checkers see them. Written by `python -m tools.stubs`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Generic, Self, SupportsIndex, overload

from typing_extensions import TypeVar

from samebits.typed.dimensions import Array, ReadOnly
from samebits.typed.kernels import Struct
from samebits.typed.values import int32

_T = TypeVar("_T")
_K = TypeVar("_K")
_V = TypeVar("_V", default=Any)
_N = TypeVar("_N", default=Any)
_C = TypeVar("_C", default=None)
_W = TypeVar("_W", default=Any)
_H = TypeVar("_H", default=Any)
_D = TypeVar("_D", default=Any)
_M = TypeVar("_M", default=Any)

class List(Struct, Generic[_T, _N]):
    """`List[T, N]`: a list of up to N items of a scalar, vector or struct type T.

    `List[float64, 16]` is a struct class: a field's type, a parameter's, and called, from kernels
    empty, from Python with the first items too. `len`, `in`, `for`, `items[i]`, `items[-1]`,
    `==` and `del items[i]` are those of Python's lists; an item that is a struct is a reference.
    In kernels `items[i:j]` is a view, and an array parameter takes the items. What is not used of
    the memory is zero. Methods say what they cost, n being the length.
    """

    def __len__(self) -> int: ...
    def capacity(self) -> int:
        """The most items that it holds. O(1)."""
    def append(self, value: _T) -> None:
        """Add an item at the end; traps where the list is full. O(1)."""
    def try_append(self, value: _T) -> bool:
        """Add an item at the end, if there is room; whether there was. O(1)."""
    def extend(self, values: ReadOnly[_T] | Iterable[_T]) -> None:
        """Add the elements of an array or a list; traps, unchanged, where they do not fit.
        O(len(values)).
        """
    def insert(self, index: int, value: _T) -> None:
        """Add an item before the one at `index`, 0 to n, or -1 before the last one and so on;
        traps where the list is full or the index beyond it. O(n - index).
        """
    def pop(self, index: int = -1) -> _T:
        """Take out the item at `index`, the last one by default; traps where there is none.
        O(n - index).
        """
    def swap_pop(self, index: int) -> _T:
        """Take out the item at `index` and put the last one in its place; traps where there is
        none. O(1).
        """
    def __delitem__(self, index: int, /) -> None: ...
    def get(self, index: int, default: _T) -> _T:
        """The item at `index`, or `default` where there is none. O(1)."""
    def clear(self) -> None:
        """Take out all items. O(n)."""
    def sort(self, reverse: bool = False) -> None:
        """Sort in place by `<`, or with `reverse` by `>`; equal items stay in their order. Of
        floats a NaN traps. O(n log² n) moves, in no other memory.
        """
    def reverse(self) -> None:
        """Reverse the order in place. O(n)."""
    def __contains__(self, value: _T, /) -> bool: ...
    def index(self, value: _T) -> int:
        """The index of the first item equal to `value`; traps where there is none. O(n)."""
    def count(self, value: _T) -> int:
        """The number of items equal to `value`. O(n)."""
    def remove(self, value: _T) -> None:
        """Take out the first item equal to `value`; traps where there is none. O(n)."""
    def __init__(self, items: Iterable[Any] = ()) -> None: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Array[_T]: ...
    def __setitem__(self, index: SupportsIndex, value: _T, /) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __iadd__(self, values: Iterable[_T], /) -> Self: ...
    def __get__(self, instance: object, owner: Any = ..., /) -> Self: ...
    def __set__(self, instance: object, value: Self | Sequence[Any], /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

class Map(Struct, Generic[_K, _V, _N]):
    """`Map[K, V, N]`: up to N keys, integers or vectors of integers, each with a value of a scalar,
    vector or struct type.

    A struct class: a field's type, a parameter's, and called, from kernels empty, from Python with
    a mapping or pairs too. `len`, `in`, `m[k]`, `m[k] = v`, `del m[k]`, `==` are those of Python's
    dicts; loops, also over `keys()`, `values()` and `items()`, take the keys in the order in which
    they were put in. A value that is a struct is a reference. What is not used of the memory is
    zero, and nothing depends on keys that were taken out. Methods say what they cost, n being the
    length.
    """

    def __len__(self) -> int: ...
    def capacity(self) -> int:
        """The most keys that it holds. O(1)."""
    def slot_of(self, key: _K) -> int:
        """The slot of a key, or the empty one where it would go. O(1) as a rule."""
    def __contains__(self, key: _K, /) -> bool: ...
    def put(self, slot: int, key: _K, value: _V) -> None:
        """Add an entry whose slot is known, at the end. O(1)."""
    def __setitem__(self, key: _K, value: _V, /) -> None: ...
    def try_set(self, key: _K, value: _V) -> bool:
        """`m[key] = value`, if the key is there or there is room; whether it was done. O(1)."""
    def get(self, key: _K, default: _V) -> _V:
        """The value of a key, or `default` where it is not in. O(1)."""
    def pop(self, key: _K) -> _V:
        """Take out a key: its value; traps where it is not in. O(n + N), O(1) of the last."""
    def __delitem__(self, key: _K, /) -> None: ...
    def vacate(self, slot: int) -> None:
        """Empty a slot: the oldest entry that would rather be in it moves there, and so on."""
    def clear(self) -> None:
        """Take out all keys. O(N)."""
    def __init__(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None: ...
    def __getitem__(self, key: _K, /) -> _V: ...
    def __iter__(self) -> Iterator[_K]: ...
    def keys(self) -> Iterator[_K]:
        """The keys in order, in the head of a loop."""
    def values(self) -> Iterator[_V]:
        """The values in the order of their keys, in the head of a loop."""
    def items(self) -> Iterator[tuple[_K, _V]]:
        """Keys with their values in order, in the head of a loop."""
    def __get__(self, instance: object, owner: Any = ..., /) -> Self: ...
    def __set__(self, instance: object, value: Self | Mapping[Any, Any], /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

class Heap(Struct, Generic[_T, _V, _C]):
    """`Heap[T, N]`: up to N items, the least of which comes out first, and of equal ones the one
    that was put in first. `Heap[P, V, N]`: values with priorities, as tuples are in heapq.

    T is a scalar, or a struct with `__lt__`; P is a scalar. A struct class: a field's type, a
    parameter's, and called, from kernels empty, from Python with the first items or pairs too.
    `len`, `==`; a loop takes the items in the order in which they would come out. They lie in that
    order, so that equal heaps are equal bytes: `push` finds the place in O(log n) and moves what
    comes out before that place is reached, up to n items, `pop` is O(1).
    """

    def __len__(self) -> int: ...
    def capacity(self) -> int:
        """The most items that it holds. O(1)."""
    @overload
    def push(self: Heap[_T, _V, None], item: _T) -> None:
        """Put an item in; traps where the heap is full, and of a NaN. O(log n), and a move of
        what is less.
        """
    @overload
    def push(self, priority: _T, value: _V) -> None: ...
    @overload
    def try_push(self: Heap[_T, _V, None], item: _T) -> bool:
        """Put an item in, if there is room; whether there was. As `push`."""
    @overload
    def try_push(self, priority: _T, value: _V) -> bool: ...
    def put(self, item: _T) -> None:
        """Put an item into a heap that has room. As `push`."""
    @overload
    def pop(self: Heap[_T, _V, None]) -> _T:
        """Take out the least item; traps where there is none. O(1)."""
    @overload
    def pop(self) -> tuple[_T, _V]: ...
    @overload
    def peek(self: Heap[_T, _V, None]) -> _T:
        """The least item; traps where there is none. O(1)."""
    @overload
    def peek(self) -> tuple[_T, _V]: ...
    def get(self: Heap[_T, _V, None], default: _T) -> _T:
        """The least item, or `default` where there is none. O(1)."""
    def clear(self) -> None:
        """Take out all items. O(n)."""
    def __init__(self, items: Iterable[Any] = ()) -> None: ...
    @overload
    def __iter__(self: Heap[_T, _V, None]) -> Iterator[_T]: ...
    @overload
    def __iter__(self) -> Iterator[tuple[_T, _V]]: ...
    def __eq__(self, other: object, /) -> bool: ...

class BitSet(Struct, Generic[_N]):
    """`BitSet[N]`: a set of the numbers 0 to N - 1, one bit each.

    A struct class: a field's type, a parameter's, and called, from kernels empty, from Python with
    the first numbers too. `len`, `in`, `==`, `|`, `&`, `-`, `^` are those of Python's sets; a loop
    takes the numbers in ascending order. Methods say what they cost, W being N / 64.
    """

    def __len__(self) -> int: ...
    def capacity(self) -> int:
        """How many numbers there are to choose from, N. O(1)."""
    def __contains__(self, number: int, /) -> bool: ...
    def add(self, number: int) -> None:
        """Put a number in; traps outside 0 to N - 1. O(1)."""
    def try_add(self, number: int) -> bool:
        """Put a number in; whether it is one of 0 to N - 1. O(1)."""
    def set_bit(self, number: int) -> None:
        """Put in a number that is known to be one of 0 to N - 1. O(1)."""
    def discard(self, number: int) -> None:
        """Take a number out, if it is in. O(1)."""
    def remove(self, number: int) -> None:
        """Take a number out; traps where it is not in. O(1)."""
    def pop(self) -> int:
        """Take out the least number; traps where there is none. O(W)."""
    def clear(self) -> None:
        """Take out all numbers. O(W)."""
    def recount(self) -> None:
        """Count the numbers anew, after a change of the words. O(W)."""
    def update(self, other: Self) -> None:
        """Put in all numbers of another set. O(W)."""
    def intersection_update(self, other: Self) -> None:
        """Take out what is not in another set. O(W)."""
    def difference_update(self, other: Self) -> None:
        """Take out all numbers of another set. O(W)."""
    def isdisjoint(self, other: Self) -> bool:
        """Whether no number is in both. O(W)."""
    def issubset(self, other: Self) -> bool:
        """Whether another set has all its numbers. O(W)."""
    def __or__(self, other: Self, /) -> Self: ...
    def __and__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __xor__(self, other: Self, /) -> Self: ...
    def __init__(self, items: Iterable[int] = ()) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __get__(self, instance: object, owner: Any = ..., /) -> Self: ...
    def __set__(self, instance: object, value: Self | Set[int], /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

class Grid2(Struct, Generic[_T, _W, _H, _N]):
    """`Grid2[T, W, H, N]`: up to N points of type T, float2 or double2, in W × H equal cells.

    A struct class: a field's type, a parameter's, and called, from kernels without arguments, from
    Python with the points too. The first cell begins at `origin` and cells are `cell_size` wide, 1
    at first; what lies outside belongs to the cells at the border and is found all the same. Points
    are numbered from 0 in the order in which they are put in; `len`, `grid[i]`, loops.
    Methods say what they cost.
    """

    def __len__(self) -> int: ...
    def capacity(self) -> int:
        """The most points that it holds. O(1)."""
    def __getitem__(self, index: int, /) -> _T: ...
    def place(self, origin: _T, cell_size: float) -> None:
        """Say where the first cell begins and how wide cells are, more than 0; takes out all
        points. O(n + cells).
        """
    def row(self, distance: float, count: int) -> int:
        """The cell along one axis of what lies at a distance from the origin. O(1)."""
    def cell_of(self, point: _T) -> int:
        """The number of a point's cell. O(1)."""
    def insert(self, point: _T) -> int:
        """Put a point in: its number; traps where the grid is full. O(1)."""
    def try_insert(self, point: _T) -> bool:
        """Put a point in, if there is room; whether there was. O(1)."""
    def add(self, point: _T) -> int:
        """Put a point into a grid that has room: its number. O(1)."""
    def fill(self, points: ReadOnly[_T]) -> None:
        """Take out all points and put in those of an array; traps where they do not fit.
        O(n + cells).
        """
    def clear(self) -> None:
        """Take out all points. O(n + cells)."""
    def near(self, point: _T, radius: float, found: Array[int32]) -> int:
        """Write the numbers of the points that are at most `radius` away: how many there are.

        Cells are searched row by row, in each the order in which they
        were put in. A point is near where the sum of the squares of its distances along the
        axes, from left to right, is at most `radius * radius`. Traps where `found` is too
        short. O(cells within the radius + points in them).
        """
    def __init__(self, points: Iterable[Any] = ()) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __eq__(self, other: object, /) -> bool: ...

class Grid3(Struct, Generic[_T, _W, _H, _D, _N]):
    """`Grid3[T, W, H, D, N]`: up to N points of type T, float3 or double3, in W × H × D cells.

    A struct class: a field's type, a parameter's, and called, from kernels without arguments, from
    Python with the points too. The first cell begins at `origin` and cells are `cell_size` wide, 1
    at first; what lies outside belongs to the cells at the border and is found all the same. Points
    are numbered from 0 in the order in which they are put in; `len`, `grid[i]`, loops.
    Methods say what they cost.
    """

    def __len__(self) -> int: ...
    def capacity(self) -> int:
        """The most points that it holds. O(1)."""
    def __getitem__(self, index: int, /) -> _T: ...
    def place(self, origin: _T, cell_size: float) -> None:
        """Say where the first cell begins and how wide cells are, more than 0; takes out all
        points. O(n + cells).
        """
    def row(self, distance: float, count: int) -> int:
        """The cell along one axis of what lies at a distance from the origin. O(1)."""
    def cell_of(self, point: _T) -> int:
        """The number of a point's cell. O(1)."""
    def insert(self, point: _T) -> int:
        """Put a point in: its number; traps where the grid is full. O(1)."""
    def try_insert(self, point: _T) -> bool:
        """Put a point in, if there is room; whether there was. O(1)."""
    def add(self, point: _T) -> int:
        """Put a point into a grid that has room: its number. O(1)."""
    def fill(self, points: ReadOnly[_T]) -> None:
        """Take out all points and put in those of an array; traps where they do not fit.
        O(n + cells).
        """
    def clear(self) -> None:
        """Take out all points. O(n + cells)."""
    def near(self, point: _T, radius: float, found: Array[int32]) -> int:
        """Write the numbers of the points that are at most `radius` away: how many there are.

        Cells are searched layer by layer, row by row, in each the order in which points were
        put in. A point is near where the sum of the squares of its distances along the
        axes, from left to right, is at most `radius * radius`. Traps where `found` is too
        short. O(cells within the radius + points in them).
        """
    def __init__(self, points: Iterable[Any] = ()) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __eq__(self, other: object, /) -> bool: ...
