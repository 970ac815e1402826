"""Arrays as type checkers see them: what NumPy's arrays, fixed arrays and local arrays all are."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar, TypeVarTuple, overload

import numpy as np
import typing_extensions

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_T_contra = TypeVar("_T_contra", contravariant=True)
_A = TypeVar("_A")
_Most = typing_extensions.TypeVar("_Most", default=Any)
_N = TypeVar("_N")
_M = TypeVar("_M")
_Ns = TypeVarTuple("_Ns")

_Place = tuple[SupportsIndex, SupportsIndex]

class ReadOnly(Protocol[_T_co]):
    """Annotation of a parameter that views host memory which the kernel may not change."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T_co]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> ReadOnly[_T_co]: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class Array(Protocol[_T]):
    """Annotation of a parameter that views host memory: `Array[T]`, `Array[T, 2]`.

    T is a scalar, vector or struct class, or a TypeVar of a generic kernel. Type checkers know two
    dimensions as `Array2D[T]`.
    """

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Array[_T]: ...
    def __setitem__(self, index: SupportsIndex, value: _T, /) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class WriteOnly(Protocol[_T_contra]):
    """Annotation of a job's field: an array that the job writes without reading it."""

    def __len__(self) -> int: ...
    def __setitem__(self, index: SupportsIndex, value: _T_contra, /) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class ReadOnly2D(Protocol[_T_co]):
    """Annotation of a two-dimensional parameter which the kernel may not change."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> ReadOnly[_T_co]: ...
    @overload
    def __getitem__(self, index: _Place, /) -> _T_co: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class Array2D(Protocol[_T]):
    """Annotation of a parameter of two dimensions, in C order: `Array2D[T]` is `Array[T, 2]`."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Array[_T]: ...
    @overload
    def __getitem__(self, index: _Place, /) -> _T: ...
    def __setitem__(self, index: _Place, value: _T, /) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class WriteOnly2D(Protocol[_T_contra]):
    """Annotation of a job's field: a two-dimensional array that the job does not read."""

    def __len__(self) -> int: ...
    def __setitem__(self, index: _Place, value: _T_contra, /) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class FixedArray(Generic[_T, *_Ns]):
    """Annotation of a struct field: `FixedArray[T, Literal[n]]`, or of two dimensions
    `FixedArray[T, Literal[n], Literal[m]]`. At run time plain numbers do as well."""

    def __len__(self) -> int: ...
    def __iter__(self: FixedArray[_T, _N]) -> Iterator[_T]: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N], index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N], index: slice, /) -> Array[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N, _M], index: SupportsIndex, /
    ) -> FixedArray[_T, _M]: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N, _M], index: _Place, /) -> _T: ...
    @overload
    def __setitem__(self: FixedArray[_T, _N], index: SupportsIndex, value: _T, /) -> None: ...
    @overload
    def __setitem__(self: FixedArray[_T, _N, _M], index: _Place, value: _T, /) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""
    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """An ndarray over the same memory; a vector element adds a last dimension."""
    def __array__(self, dtype: Any = ..., copy: bool | None = ...) -> np.ndarray[Any, Any]: ...

@overload
def zeros(shape: int, dtype: type[_T], /) -> Array[_T]: ...
@overload
def zeros(shape: tuple[int, int], dtype: type[_T], /) -> Array2D[_T]:
    """A fresh array of zeros: `zeros(16, float32)`, `zeros((4, 4), float32)`."""

class Table(Generic[_T]):
    """An immutable 1-D array of scalars that kernels may capture."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @property
    def shape(self) -> tuple[int]:
        """The length, as an array has it."""

def table(values: Sequence[Any] | np.ndarray[Any, Any], scalar: type[_T]) -> Table[_T]:
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
