"""`Grid3[T, W, H, D, N]`: up to N points in cells, for the search of neighbours."""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false
# The annotations in a template are types that the family is given, which no checker knows.

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from samebits.containers.family import Family, capacity, label
from samebits.containers.host import fill_by, shown
from samebits.errors import CompileError
from samebits.lang.annotations import class_of_type
from samebits.lang.intrinsics import clamp, floor
from samebits.lang.memory.arrays import Array, FixedArray, ReadOnly
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import int32, int64
from samebits.lang.values.vectors import double3, float3


class Grid3(Family):
    """`Grid3[T, W, H, D, N]`: up to N points of type T, float3 or double3, in W × H × D cells.

    A struct class: a field's type, a parameter's, and called, from kernels without arguments, from
    Python with the points too. The first cell begins at `origin` and cells are `cell_size` wide, 1
    at first; what lies outside belongs to the cells at the border and is found all the same. Points
    are numbered from 0 in the order in which they are put in; `len`, `grid[i]`, loops.
    Methods say what they cost.
    """

    parameters: ClassVar[str] = "T, W, H, D, N"

    @classmethod
    def make(cls, *parts: Any) -> tuple[tuple[object, ...], Callable[[], type]]:
        T, *sizes = parts
        if T not in (float3, double3):
            raise CompileError(
                f"a point of Grid3 cannot be {label(T)}", fix="use float3 or double3"
            )
        numbers = [capacity("Grid3", size, "a size") for size in sizes]
        return (T, *numbers), lambda: _grid(T, *numbers)


def _grid(T: Any, WIDTH: int, HEIGHT: int, DEPTH: int, N: int) -> type:
    E = class_of_type(T.__sb_type__.element)
    CELLS = WIDTH * HEIGHT * DEPTH

    class Points:
        size: int64
        origin: T
        cell_size: E
        points: FixedArray[T, N]
        links: FixedArray[int32, N]
        heads: FixedArray[int32, CELLS]
        tails: FixedArray[int32, CELLS]

        def __len__(self) -> int:
            return int(self.size)

        def capacity(self) -> int:
            """The most points that it holds. O(1)."""
            return N

        def __getitem__(self, index: int) -> T:
            assert 0 <= index < int(self.size), "the index is beyond the points"
            return self.points[index]

        def place(self, origin: T, cell_size: E) -> None:
            """Say where the first cell begins and how wide cells are, more than 0; takes out all
            points. O(n + cells)."""
            assert cell_size > 0, "cells are wider than 0"
            self.clear()
            self.origin = origin
            self.cell_size = cell_size

        def row(self, distance: E, count: int) -> int:
            """The cell along one axis of what lies at a distance from the origin. O(1)."""
            width = self.cell_size if self.cell_size > 0 else E(1)
            return int(clamp(int32(floor(distance / width)), 0, int32(count - 1)))

        def cell_of(self, point: T) -> int:
            """The number of a point's cell. O(1)."""
            d = point - self.origin
            x = self.row(d.x, WIDTH)
            y = self.row(d.y, HEIGHT)
            z = self.row(d.z, DEPTH)
            return (z * HEIGHT + y) * WIDTH + x

        def insert(self, point: T) -> int:
            """Put a point in: its number; traps where the grid is full. O(1)."""
            assert self.size < N, "the grid is full"
            return self.add(point)

        def try_insert(self, point: T) -> bool:
            """Put a point in, if there is room; whether there was. O(1)."""
            if self.size >= N:
                return False
            self.add(point)
            return True

        def add(self, point: T) -> int:
            """Put a point into a grid that has room: its number. O(1)."""
            n = int(self.size)
            self.points[n] = point
            cell = self.cell_of(point)
            if self.heads[cell] == 0:
                self.heads[cell] = int32(n + 1)
            else:
                self.links[self.tails[cell] - 1] = int32(n + 1)
            self.tails[cell] = int32(n + 1)
            self.size += 1
            return n

        def fill(self, points: ReadOnly[T]) -> None:
            """Take out all points and put in those of an array; traps where they do not fit.
            O(n + cells)."""
            assert len(points) <= N, "the grid is full"
            self.clear()
            for k in range(len(points)):
                self.add(points[k])

        def clear(self) -> None:
            """Take out all points. O(n + cells)."""
            for k in range(int(self.size)):
                self.points[k] = T(0)
                self.links[k] = 0
            for k in range(CELLS):
                self.heads[k] = 0
                self.tails[k] = 0
            self.size = 0

        def near(self, point: T, radius: E, found: Array[int32]) -> int:
            """Write the numbers of the points that are at most `radius` away: how many there are.

            Cells are searched layer by layer, row by row, in each the order in which points were
            put in. A point is near where the sum of the squares of its distances along the
            axes, from left to right, is at most `radius * radius`. Traps where `found` is too
            short. O(cells within the radius + points in them)."""
            count = 0
            low, high = point - self.origin - radius, point - self.origin + radius
            for z in range(self.row(low.z, DEPTH), self.row(high.z, DEPTH) + 1):
                for y in range(self.row(low.y, HEIGHT), self.row(high.y, HEIGHT) + 1):
                    for x in range(self.row(low.x, WIDTH), self.row(high.x, WIDTH) + 1):
                        k = int(self.heads[(z * HEIGHT + y) * WIDTH + x])
                        for _ in range(N):
                            if k == 0:
                                break
                            d = self.points[k - 1] - point
                            if d.x * d.x + d.y * d.y + d.z * d.z <= radius * radius:
                                assert count < len(found), (
                                    "more points are near than there is room for"
                                )
                                found[count] = int32(k - 1)
                                count += 1
                            k = int(self.links[k - 1])
            return count

        def host___init__(self, points: Iterable[Any] = ()) -> None:
            Struct.__init__(self)
            fill_by(self, N, points, self.insert)

        def host___len__(self) -> int:
            return int(self.size)

        def host___repr__(self) -> str:
            return f"{self.__sb_type__}([{shown(self)}])"

    return Points
