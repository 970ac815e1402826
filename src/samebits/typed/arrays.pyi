"""Tables, appenders and parallel ranges as type checkers see them."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, SupportsFloat, SupportsIndex, TypeVar, overload

import numpy as np
import typing_extensions

from samebits.typed.dimensions import ReadOnly, ReadOnly2D

_T = TypeVar("_T")
_A = TypeVar("_A")
_Most = typing_extensions.TypeVar("_Most", default=Any)

class Table(Generic[_T]):
    """An immutable array of scalars, of one to four dimensions, that kernels may capture."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> ReadOnly[_T]: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension, as an array has it."""

@overload
def table(
    values: Sequence[SupportsFloat | str] | np.ndarray[Any, Any], scalar: type[_T]
) -> Table[_T]: ...
@overload
def table(values: Sequence[Sequence[SupportsFloat]], scalar: type[_T]) -> ReadOnly2D[_T]:
    """Freeze `values` as a constant table of `scalar` (a samebits scalar class), for kernels.

    Indexed with `t[i]`; an index outside 0..len-1 traps.
    """

class Appender(Generic[_T, _Most]):
    """A list that a parallel job appends to, in the order of its indices: an array, and how much of
    it is in use. `Appender[T]` annotates the job's field, or `Appender[T, Literal[k]]`, where k is
    how many each index may append."""

    memory: np.ndarray[Any, Any]
    """The elements, and room for more after them; the array is never replaced."""
    count: int
    """The number of elements, without what scheduled jobs append."""

    def __init__(self, element: type[_T], *, capacity: int) -> None: ...
    def append(self, value: _T, /) -> None:
        """In a job: put `value` behind the elements of this index and those below."""
    def __len__(self) -> int: ...
    @property
    def array(self) -> np.ndarray[Any, Any]:
        """A view of the present elements."""
    def clear(self) -> None:
        """Remove all elements; the memory stays."""

def prange(*bounds: int, batch: int | None = None) -> Iterator[int]:
    """`for i in sb.prange(n)` or `sb.prange(start, stop)`: a range whose iterations may run
    at the same time.

    The iterations do not depend on each other: an array that the body writes is only touched at the
    iteration's own index, and names from outside are only read. So the result is that of `range`,
    whatever the number of workers. `batch` is the number of iterations that a worker takes at
    once, a positive constant; by default it is chosen. Raises ArgumentError for anything else.
    """

def unsafe_parallel(array: _A, /) -> _A:
    """Array `array`, without the rule that an iteration of a parallel range touches only its own
    elements; `Annotated[sb.Array[T], sb.unsafe_parallel]` is a job's field without it.

    It may race: that no other iteration touches the same element is for the caller to know.
    """

def strided(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`array` as an argument of a kernel, whatever its strides: `kernel(sb.strided(image[:, 0]))`.

    Where the array is not C-contiguous, its elements are copied before the call, and copied back
    after it, also after a trap, unless the parameter is read-only. Takes time for each element,
    whether the kernel uses it or not. Raises ArgumentError for anything but an ndarray; the call
    raises it where elements of an array that is written are those of another argument too, or of
    the same array twice.
    """
