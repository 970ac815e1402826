"""Arrays as type checkers see them: what NumPy's, fixed and local arrays all are.

Written by `python -m tools.stubs`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, Self, SupportsIndex, TypeVar, TypeVarTuple, overload

import numpy as np

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_T_contra = TypeVar("_T_contra", contravariant=True)
_N1 = TypeVar("_N1")
_N2 = TypeVar("_N2")
_N3 = TypeVar("_N3")
_N4 = TypeVar("_N4")
_Ns = TypeVarTuple("_Ns")

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

class ReadOnly2D(Protocol[_T_co]):
    """Annotation of a parameter of two dimensions which the kernel may not change."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> ReadOnly[_T_co]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex], /) -> _T_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> ReadOnly2D[_T_co]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, slice], /) -> ReadOnly[_T_co]: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class ReadOnly3D(Protocol[_T_co]):
    """Annotation of a parameter of three dimensions which the kernel may not change."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> ReadOnly2D[_T_co]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex], /) -> ReadOnly[_T_co]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex], /
    ) -> _T_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> ReadOnly3D[_T_co]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, slice], /) -> ReadOnly2D[_T_co]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, slice], /
    ) -> ReadOnly[_T_co]: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class ReadOnly4D(Protocol[_T_co]):
    """Annotation of a parameter of four dimensions which the kernel may not change."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> ReadOnly3D[_T_co]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex], /) -> ReadOnly2D[_T_co]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex], /
    ) -> ReadOnly[_T_co]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex], /
    ) -> _T_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> ReadOnly4D[_T_co]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, slice], /) -> ReadOnly3D[_T_co]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, slice], /
    ) -> ReadOnly2D[_T_co]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, slice], /
    ) -> ReadOnly[_T_co]: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class Array(Protocol[_T]):
    """Annotation of a parameter that views host memory: `Array[T]`, and `Array[T, 2]` to
    `Array[T, 4]` of more dimensions.

    T is a scalar, vector or struct class, or a TypeVar of a generic kernel.
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

class Array2D(Protocol[_T]):
    """Annotation of a parameter of two dimensions, in C order: `Array2D[T]` is `Array[T, 2]`."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Array[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex], /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Array2D[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, slice], /) -> Array[Any]: ...
    def __setitem__(self, index: tuple[SupportsIndex, SupportsIndex], value: _T, /) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class Array3D(Protocol[_T]):
    """Annotation of a parameter of three dimensions, in C order: `Array3D[T]` is `Array[T, 3]`."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Array2D[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex], /) -> Array[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex], /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Array3D[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, slice], /) -> Array2D[Any]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex, slice], /) -> Array[Any]: ...
    def __setitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex], value: _T, /
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class Array4D(Protocol[_T]):
    """Annotation of a parameter of four dimensions, in C order: `Array4D[T]` is `Array[T, 4]`."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Array3D[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex], /) -> Array2D[_T]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex], /
    ) -> Array[_T]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex], /
    ) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Array4D[_T]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, slice], /) -> Array3D[Any]: ...
    @overload
    def __getitem__(self, index: tuple[SupportsIndex, SupportsIndex, slice], /) -> Array2D[Any]: ...
    @overload
    def __getitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, slice], /
    ) -> Array[Any]: ...
    def __setitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex], value: _T, /
    ) -> None: ...
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

class WriteOnly2D(Protocol[_T_contra]):
    """Annotation of a job's field: an array of two dimensions that the job does not read."""

    def __len__(self) -> int: ...
    def __setitem__(
        self, index: tuple[SupportsIndex, SupportsIndex], value: _T_contra, /
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class WriteOnly3D(Protocol[_T_contra]):
    """Annotation of a job's field: an array of three dimensions that the job does not read."""

    def __len__(self) -> int: ...
    def __setitem__(
        self, index: tuple[SupportsIndex, SupportsIndex, SupportsIndex], value: _T_contra, /
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class WriteOnly4D(Protocol[_T_contra]):
    """Annotation of a job's field: an array of four dimensions that the job does not read."""

    def __len__(self) -> int: ...
    def __setitem__(
        self,
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex],
        value: _T_contra,
        /,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""

class FixedArray(Generic[_T, *_Ns]):
    """Annotation of a struct field: `FixedArray[T, n]`, `FixedArray[T, n, m]` and so on, of up to
    four lengths.

    Type checkers take no bare number here: for them it is `FixedArray[T, Literal[n]]`.
    """

    def __get__(self, instance: object, owner: Any = ..., /) -> Self: ...
    def __set__(
        self, instance: object, value: Self | Sequence[Any] | np.ndarray[Any, Any], /
    ) -> None: ...
    def __len__(self) -> int: ...
    @overload
    def __iter__(self: FixedArray[_T, _N1]) -> Iterator[_T]: ...
    @overload
    def __iter__(self: FixedArray[_T, _N1, _N2]) -> Iterator[FixedArray[_T, _N2]]: ...
    @overload
    def __iter__(self: FixedArray[_T, _N1, _N2, _N3]) -> Iterator[FixedArray[_T, _N2, _N3]]: ...
    @overload
    def __iter__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4],
    ) -> Iterator[FixedArray[_T, _N2, _N3, _N4]]: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N1], index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N1], index: slice, /) -> Array[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2], index: SupportsIndex, /
    ) -> FixedArray[_T, _N2]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2], index: tuple[SupportsIndex, SupportsIndex], /
    ) -> _T: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N1, _N2], index: slice, /) -> Array2D[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2], index: tuple[SupportsIndex, slice], /
    ) -> Array[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3], index: SupportsIndex, /
    ) -> FixedArray[_T, _N2, _N3]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3], index: tuple[SupportsIndex, SupportsIndex], /
    ) -> FixedArray[_T, _N3]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3],
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex],
        /,
    ) -> _T: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N1, _N2, _N3], index: slice, /) -> Array3D[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3], index: tuple[SupportsIndex, slice], /
    ) -> Array2D[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3], index: tuple[SupportsIndex, SupportsIndex, slice], /
    ) -> Array[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4], index: SupportsIndex, /
    ) -> FixedArray[_T, _N2, _N3, _N4]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4], index: tuple[SupportsIndex, SupportsIndex], /
    ) -> FixedArray[_T, _N3, _N4]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4],
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex],
        /,
    ) -> FixedArray[_T, _N4]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4],
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex],
        /,
    ) -> _T: ...
    @overload
    def __getitem__(self: FixedArray[_T, _N1, _N2, _N3, _N4], index: slice, /) -> Array4D[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4], index: tuple[SupportsIndex, slice], /
    ) -> Array3D[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4],
        index: tuple[SupportsIndex, SupportsIndex, slice],
        /,
    ) -> Array2D[_T]: ...
    @overload
    def __getitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4],
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, slice],
        /,
    ) -> Array[_T]: ...
    @overload
    def __setitem__(self: FixedArray[_T, _N1], index: SupportsIndex, value: _T, /) -> None: ...
    @overload
    def __setitem__(
        self: FixedArray[_T, _N1, _N2], index: tuple[SupportsIndex, SupportsIndex], value: _T, /
    ) -> None: ...
    @overload
    def __setitem__(
        self: FixedArray[_T, _N1, _N2, _N3],
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex],
        value: _T,
        /,
    ) -> None: ...
    @overload
    def __setitem__(
        self: FixedArray[_T, _N1, _N2, _N3, _N4],
        index: tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex],
        value: _T,
        /,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""
    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """An ndarray over the same memory; a vector element adds a last dimension."""
    def __array__(self, dtype: Any = ..., copy: bool | None = ...) -> np.ndarray[Any, Any]: ...

@overload
def zeros(shape: tuple[int, int, int, int], dtype: type[_T], /) -> Array4D[_T]: ...
@overload
def zeros(shape: tuple[int, int, int], dtype: type[_T], /) -> Array3D[_T]: ...
@overload
def zeros(shape: tuple[int, int], dtype: type[_T], /) -> Array2D[_T]: ...
@overload
def zeros(shape: int, dtype: type[_T], /) -> Array[_T]:
    """A fresh array of zeros: `zeros(16, float32)`, `zeros((4, n), float32)`.

    In a kernel one of constant lengths lies on the stack, any other in the arena of the call, which
    has as many bytes as the kernel's option `arena` says. Raises Trap "length" for a negative
    length, "arena" where there is no room.
    """
