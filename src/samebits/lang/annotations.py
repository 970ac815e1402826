"""The annotations of kernels, and the type that each one means.

Owns `Array`, `ReadOnly`, `WriteOnly`, `FixedArray` as annotations, and the way between types and
classes. What type checkers see in their place is `samebits/typed/arrays.pyi`.
"""

from __future__ import annotations

import math
import re
import sys
import types as pytypes
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from typing import Any, Literal, NoReturn, TypeVar, Union, cast, get_args, get_origin
from weakref import WeakValueDictionary

import numpy as np

from samebits.errors import CompileError, folding
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.types import (
    BOOL,
    FLOAT,
    INT,
    MOST_DIMENSIONS,
    NONE,
    ArrayType,
    FixedArrayType,
    MemoryType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)


class Access(Enum):
    """A kernel's access to the memory behind an annotation."""

    READ = "ReadOnly"
    WRITE = "WriteOnly"
    READ_WRITE = "Array"


@dataclass(frozen=True, slots=True)
class ArrayAnnotation:
    """`Array[element]`, `Array[element, ndim]`, or their `ReadOnly` and `WriteOnly` forms; element
    as written."""

    element: Any
    ndim: int
    access: Access

    @property
    def readonly(self) -> bool:
        return self.access is Access.READ

    def __repr__(self) -> str:
        head = self.access.value
        return f"{head}[{_name(self.element)}{f', {self.ndim}' if self.ndim > 1 else ''}]"

    @folding
    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise CompileError(
            f"{self!r} is a parameter's annotation, and makes no array",
            fix=f"pass a NumPy array; in a kernel write sb.zeros(n, {_name(self.element)})",
        )


@dataclass(frozen=True, slots=True)
class UnsafeAnnotation:
    """`unsafe_parallel[annotation]`, or `Annotated[annotation, unsafe_parallel]`, of a job's
    field."""

    annotation: Any

    def __repr__(self) -> str:
        return f"unsafe_parallel[{_name(self.annotation)}]"


@dataclass(frozen=True, slots=True)
class AppenderAnnotation:
    """`Appender[element]` or `Appender[element, most]`, of a job's field; `most` for each index."""

    element: Any
    most: int

    def __repr__(self) -> str:
        return f"Appender[{_name(self.element)}{f', {self.most}' if self.most != 1 else ''}]"


@dataclass(frozen=True, slots=True)
class FixedAnnotation:
    """`FixedArray[element, n, ...]`; element as written."""

    element: Any
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return f"FixedArray[{_name(self.element)}, {', '.join(map(str, self.shape))}]"

    @folding
    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        lengths = ", ".join(map(str, self.shape))
        shape = f"({lengths})" if len(self.shape) > 1 else lengths
        raise CompileError(
            f"{self!r} is a field's annotation, and makes no array",
            fix="give the field's struct a list, as in S(field=[...]); in a kernel write "
            f"sb.zeros({shape}, {_name(self.element)})",
        )


@dataclass(frozen=True, slots=True)
class KernelAnnotation:
    """`Kernel[[parameters], result]`, of a kernel's parameter that takes a kernel; as written."""

    parameters: tuple[Any, ...]
    result: Any

    @property
    def text(self) -> str:
        """The signature, as errors show it."""
        return signature_text(map(_name, self.parameters), _name(self.result))

    def heading(self, names: Iterable[str]) -> str:
        """The signature with the parameters' names, as a `def` has it."""
        pairs = zip(names, map(_name, self.parameters), strict=True)
        return signature_text([f"{name}: {t}" for name, t in pairs], _name(self.result))

    def __repr__(self) -> str:
        return f"Kernel[[{', '.join(map(_name, self.parameters))}], {_name(self.result)}]"


def signature_text(parameters: Iterable[str], result: str) -> str:
    """The signature of a kernel in an error: `(float64, int) -> float64`."""
    return f"({', '.join(parameters)}) -> {result}"


def kernel_annotation(item: Any) -> KernelAnnotation:
    """What `Kernel[item]` means. Raises CompileError."""
    parts = cast("tuple[Any, ...]", item) if isinstance(item, tuple) else (item,)
    if len(parts) != 2 or not isinstance(parts[0], list | tuple):
        raise CompileError(
            "Kernel takes a list of parameter types and a result",
            fix="write Kernel[[float64, int32], float64], or Kernel[[float64], None]",
        )
    return KernelAnnotation(tuple(cast("list[Any]", parts[0])), parts[1])


def _name(annotation: Any) -> str:
    if annotation is None:
        return "None"
    if isinstance(annotation, tuple):
        return f"({', '.join(map(_name, cast('tuple[Any, ...]', annotation)))})"
    name: str | None = getattr(annotation, "__name__", None)
    if name is not None and get_origin(annotation) is None:
        return f"numpy.{name}" if getattr(annotation, "__module__", "") == "numpy" else name
    return re.sub(r"[A-Za-z_]\w*\.(?=\w)", "", repr(annotation))


def number(size: Any) -> Any:
    """A size as written, which may be a number or, as type checkers want it, `Literal[number]`.
    Raises CompileError for a Literal of several."""
    if get_origin(size) is not Literal:
        return size
    first, *others = get_args(size)
    if others:
        raise CompileError(
            f"a size is one number, got {_name(size)}", fix=f"write Literal[{first!r}]"
        )
    return first


def _array(item: Any, access: Access, dimensions: int = 1) -> ArrayAnnotation:
    head = access.value
    element, size = cast("tuple[Any, ...]", item) if isinstance(item, tuple) else (item, dimensions)
    ndim = number(size)
    if type(ndim) is not int or not 1 <= ndim <= MOST_DIMENSIONS:
        raise CompileError(
            f"{head} has one to four dimensions, got {ndim!r}",
            fix=f"write {head}[{_name(element)}] or {head}[{_name(element)}, 2]",
        )
    return ArrayAnnotation(element, ndim, access)


class _Annotation:
    """A class that annotates parameters or fields with brackets and is never called."""

    @folding
    def __new__(cls, *arguments: Any, **_: Any) -> NoReturn:
        inside = ", ".join(map(_name, arguments)) or "float32"
        raise CompileError(
            f"{cls.__name__} is an annotation, which takes brackets",
            fix=f"write {cls.__name__}[{inside}]",
        )


class Array(_Annotation):
    """Annotation of a parameter that views host memory: `Array[T]`, and `Array[T, 2]` to
    `Array[T, 4]` of more dimensions.

    T is a scalar, vector or struct class, or a TypeVar of a generic kernel.
    """

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ_WRITE)


class ReadOnly(_Annotation):
    """Annotation of a parameter that views host memory which the kernel may not change."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ)


class WriteOnly(_Annotation):
    """Annotation of a job's field: an array that the job writes without reading it."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.WRITE)


class Array2D(_Annotation):
    """Annotation of a parameter of two dimensions, in C order: `Array2D[T]` is `Array[T, 2]`."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ_WRITE, 2)


class Array3D(_Annotation):
    """Annotation of a parameter of three dimensions, in C order: `Array3D[T]` is `Array[T, 3]`."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ_WRITE, 3)


class Array4D(_Annotation):
    """Annotation of a parameter of four dimensions, in C order: `Array4D[T]` is `Array[T, 4]`."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ_WRITE, 4)


class ReadOnly2D(_Annotation):
    """Annotation of a parameter of two dimensions which the kernel may not change."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ, 2)


class ReadOnly3D(_Annotation):
    """Annotation of a parameter of three dimensions which the kernel may not change."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ, 3)


class ReadOnly4D(_Annotation):
    """Annotation of a parameter of four dimensions which the kernel may not change."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.READ, 4)


class WriteOnly2D(_Annotation):
    """Annotation of a job's field: an array of two dimensions that the job does not read."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.WRITE, 2)


class WriteOnly3D(_Annotation):
    """Annotation of a job's field: an array of three dimensions that the job does not read."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.WRITE, 3)


class WriteOnly4D(_Annotation):
    """Annotation of a job's field: an array of four dimensions that the job does not read."""

    @folding
    def __class_getitem__(cls, item: Any) -> ArrayAnnotation:
        return _array(item, Access.WRITE, 4)


MOST_BYTES = (1 << 31) - 1
"""NumPy's limit for what one element of an array takes: fields are described to it."""


class FixedArray(_Annotation):
    """Annotation of a struct field: `FixedArray[T, n]`, `FixedArray[T, n, m]` and so on, of up to
    four lengths.

    Type checkers take no bare number here: for them it is `FixedArray[T, Literal[n]]`.
    """

    @folding
    def __class_getitem__(cls, item: Any) -> FixedAnnotation:
        element, *shape = cast("tuple[Any, ...]", item) if isinstance(item, tuple) else (item,)
        sizes = tuple(map(number, shape))
        good = all(type(n) is int and n > 0 for n in sizes)
        if not 1 <= len(sizes) <= MOST_DIMENSIONS or not good:
            known = [n for n in (element, *sizes) if type(n) is int and n > 0]
            lengths = ", ".join(map(str, known[:MOST_DIMENSIONS] or [4]))
            types = [part for part in (element, *sizes) if isinstance(part, type)] or [element]
            raise CompileError(
                "FixedArray takes a type and one to four positive lengths, got "
                f"[{', '.join(map(_name, (element, *sizes)))}]",
                fix=f"write FixedArray[{_name(types[0])}, {lengths}]",
            )
        return FixedAnnotation(element, sizes)


_STRUCT_CLASSES: WeakValueDictionary[int, type] = WeakValueDictionary()


def register_struct(t: StructType, cls: type) -> None:
    """Remember the class of a struct type, by the type's identity."""
    _STRUCT_CLASSES[id(t)] = cls


def class_of_type(t: Type) -> type:
    """The class whose values have scalar, vector or struct type `t`. Raises KeyError."""
    match t:
        case ScalarType():
            return SCALAR_CLASSES[t]
        case VectorType():
            return COMPOSITE_CLASSES[t]
        case StructType():
            return _STRUCT_CLASSES[id(t)]
        case _:
            raise KeyError(t)


_TYPES = (ScalarType, VectorType, FixedArrayType, StructType, ArrayType, TupleType, NoneType)
_BUILTINS: dict[Any, Type] = {bool: BOOL, int: INT, float: FLOAT, None: NONE, type(None): NONE}


def type_of_annotation(annotation: Any, typevars: Mapping[Any, Any] | None = None) -> Type:
    """The type that an annotation means; a TypeVar means what `typevars` has for it.

    Raises CompileError for anything that the language has no type for.
    """
    if isinstance(annotation, TypeVar):
        bound = (typevars or {}).get(annotation)
        if bound is None:
            raise CompileError(f"the type variable {annotation.__name__} has no type here")
        return type_of_annotation(bound, typevars)
    if isinstance(annotation, _TYPES):
        return annotation
    if isinstance(annotation, ArrayAnnotation):
        element = field_type(annotation.element, "an array's element", typevars)
        if isinstance(element, FixedArrayType):
            raise CompileError(
                "an array's element cannot be a fixed array",
                fix="put the fixed array in a struct, or use two dimensions",
            )
        return ArrayType(element, annotation.ndim, annotation.readonly)
    if isinstance(annotation, FixedAnnotation):
        element = field_type(annotation.element, "a fixed array's element", typevars)
        if isinstance(element, FixedArrayType):
            raise CompileError(
                "a fixed array's element cannot be a fixed array",
                fix="give both lengths: FixedArray[float32, 2, 3]",
            )
        size = element.size * math.prod(annotation.shape)
        if size > MOST_BYTES:
            raise CompileError(
                f"{annotation!r} takes {size:,} bytes; a field may take {MOST_BYTES:,}",
                fix="take an Array[...] parameter, whose length is free",
            )
        return FixedArrayType(element, annotation.shape)
    if isinstance(annotation, KernelAnnotation):
        raise CompileError(
            f"{annotation!r} is no value's type",
            note="kernels are given to kernels, which are compiled for each that they are given",
            fix="make it the parameter of an @sb.kernel, and call that with the kernel",
        )
    if get_origin(annotation) is tuple:
        items = tuple(type_of_annotation(item, typevars) for item in get_args(annotation))
        return TupleType(cast("tuple[ScalarType | VectorType | StructType, ...]", items))
    if isinstance(annotation, pytypes.GenericAlias):
        raise CompileError(
            f"{_name(annotation)} is not a type of the language", fix=_suggestion(annotation)
        )
    own = getattr(annotation, "__sb_type__", None)
    if isinstance(own, _TYPES) and isinstance(annotation, type):
        return own
    try:
        return _BUILTINS[annotation]
    except (KeyError, TypeError):
        raise CompileError(
            f"{_name(annotation)} is not a type of the language",
            fix=_suggestion(annotation),
        ) from None


def _suggestion(annotation: Any) -> str:
    if annotation is FixedArray:
        return "say of what, and how many: FixedArray[float32, 4]"
    if isinstance(annotation, type) and issubclass(annotation, _Annotation):
        return f"say of what: {annotation.__name__}[float32]"
    own = {t.name: t for t in SCALAR_CLASSES}
    found = cast("Any", annotation)
    name = str(getattr(found, "__name__", _name(found)))
    if name in own:
        return f"import it from samebits: from samebits import {name}"
    origin: Any = get_origin(found) or found
    if type(origin).__name__ == "TypeAliasType":  # NumPy's NDArray, from Python 3.12 on
        meant: Any = origin.__value__
        origin = get_origin(meant) or meant
    if isinstance(found, tuple):
        return f"write tuple[{_name(found)[1:-1]}]"
    if isinstance(annotation, type) and issubclass(annotation, int):
        return "write int: the members of an IntEnum are numbers"
    if origin in (pytypes.UnionType, Union):
        return "write a kernel for each type; what may be absent has a bool beside it"
    for known, fix in _INSTEAD.items():
        if origin is known:
            return fix
    root = str(getattr(found, "__module__", "")).partition(".")[0]
    if isinstance(found, type) and root not in {"numpy", "samebits", *sys.stdlib_module_names}:
        place = "in place of @dataclass on" if is_dataclass(found) else "above"
        return f"put @sb.struct {place} class {name}"
    return "use a samebits scalar (float32, int32, ...), vector, struct or Array[...]"


_INSTEAD: Mapping[Any, str] = {
    list: "write sb.Array[float64] of a parameter, FixedArray[float64, 16] of a field",
    np.ndarray: "say of what: sb.Array[float64], or FixedArray[float64, 16] of a field",
    tuple: "say of what: tuple[float64, float64] of a result; name each value of a parameter",
    dict: "take an @sb.struct, or sb.Map[K, V, N] in one",
    set: "take sb.BitSet[N] in an @sb.struct, or an array of bool",
    str: "pass a text as an array of its code points: sb.ReadOnly[uint8]",
    bytes: "take an ndarray of bytes: sb.ReadOnly[uint8], and pass np.frombuffer(data, np.uint8)",
    complex: "take double2, the real part and the imaginary one",
    Callable: "take a kernel: sb.Kernel[[float64], float64]",
    callable: "take a kernel: sb.Kernel[[float64], float64]",
}
"""What to annotate in place of Python's types and NumPy's."""


def field_type(annotation: Any, what: str, typevars: Mapping[Any, Any] | None = None) -> MemoryType:
    """The type of something that lies in memory. Raises CompileError, naming it as `what`."""
    t = type_of_annotation(annotation, typevars)
    if isinstance(t, ScalarType) and t.weak:
        raise CompileError(
            f"{what} needs a fixed size, {t} has none", fix=f"use {t}64 instead of {t}"
        )
    if isinstance(t, (ArrayType, TupleType, NoneType)):
        fix = "give it a type that has a size"
        if isinstance(t, ArrayType):
            fix = f"write FixedArray[{t.element}, 16] of a constant length, or a List[...] in it"
        elif isinstance(t, TupleType):
            fix = "give each value a name, or take a vector such as float3"
        raise CompileError(f"{what} cannot be {t}", fix=fix)
    return t
