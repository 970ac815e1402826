"""`@struct`: classes whose instances are views of memory laid out as C would.

Owns the decorator, field access and copies. A struct is a reference, as Python's objects are.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar, cast, dataclass_transform, get_origin

import numpy as np

from samebits.errors import (
    ArgumentError,
    CompileError,
    SamebitsError,
    Trap,
    fold,
    folding,
    hide,
)
from samebits.lang.annotations import MOST_BYTES, class_of_type, field_type, register_struct
from samebits.lang.memory.arrays import ManagedArray, binder, copy_into
from samebits.lang.memory.struct_items import item_methods
from samebits.lang.memory.struct_members import ELEMENTS, Constant, members_of
from samebits.lang.values.storage import (
    Buffer,
    array_over,
    bytes_of,
    is_constant,
    loader,
    storer,
)
from samebits.lang.values.thread_state import running
from samebits.types import FixedArrayType, MemoryType, ScalarType, StructType, VectorType

_Class = TypeVar("_Class", bound=type)


class Struct:
    """Base of all structs: fields by position or keyword, the others their default, or zero.

    A class may name it as its base, which tells type checkers and editors what every struct has.
    Raises ArgumentError for an unknown field, or a value of another type than the field's.
    """

    __slots__ = ("__weakref__", "_buffer", "_offset")
    __hash__ = None  # type: ignore[assignment]
    __sb_type__: ClassVar[StructType]
    __sb_methods__: ClassVar[dict[str, Any]]
    __sb_constants__: ClassVar[dict[str, Any]]
    __sb_defaults__: ClassVar[dict[str, Any]] = {}
    """The defaults of fields, as they are read back from a struct."""
    __sb_start__: ClassVar[bytes] = b""
    """What the memory of a new one holds, where there are defaults."""
    __sb_elements__: ClassVar[str | None] = None
    """The field whose elements are the struct's."""
    __sb_stores__: ClassVar[dict[str, Callable[[Buffer, int, Any], None]]]
    dtype: ClassVar[np.dtype[Any]] = np.dtype([])
    _buffer: Buffer
    _offset: int

    def __init__(self, /, *args: Any, **fields: Any) -> None:
        try:
            t = self.__sb_type__
            _place(self, memoryview(bytearray(self.__sb_start__ or t.size)), 0)
            _fill(self, args, fields)
        except Exception as error:
            fold(error)
            raise

    @classmethod
    def __sb_view__(cls, buffer: Buffer, offset: int) -> Any:
        """A reference to the struct that lies in a buffer at a byte offset."""
        view = cls.__new__(cls)
        _place(view, buffer, offset)
        return view

    @classmethod
    def from_memory(cls, array: np.ndarray[Any, Any], index: int = 0) -> Any:
        """A reference to element `index` of an array of this struct's dtype, without a copy.

        Raises ArgumentError where the array does not fit, IndexError where the index does not.
        """
        try:
            return cls.__sb_view__(*_place_in(cls, array, index))
        except (SamebitsError, IndexError) as error:
            hide(error)
            raise

    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """A structured ndarray of shape () over the same memory."""
        return array_over(self._buffer, self._offset, self.__sb_type__, ())

    def copy(self) -> Any:
        """A new struct with its own memory and the same bytes."""
        result = type(self)()
        size = self.__sb_type__.size
        result._buffer[:] = self._buffer[self._offset : self._offset + size]
        return result

    def __sb_freeze__(self) -> Any:
        """A struct of the same bytes in memory that nobody writes; itself, where it is one."""
        if is_constant(self._buffer):
            return self
        size = self.__sb_type__.size
        held = bytes(self._buffer[self._offset : self._offset + size])
        return type(self).__sb_view__(memoryview(held), 0)

    def __setattr__(self, name: str, value: Any) -> None:
        store = self.__sb_stores__.get(name)
        try:
            if store is None:
                raise _unknown_field(self.__sb_type__, name)
            store(self._buffer, self._offset, value)
        except Exception as error:
            fold(error)
            raise

    def __getattr__(self, name: str) -> NoReturn:
        if name == "__sb_type__":
            raise _no_struct(type(self))
        names = ", ".join(self.__sb_type__.field_types)
        text = f"{self.__sb_type__} has no field {name!r}; it has {names}"
        try:
            raise AttributeError(text, name=name, obj=self)
        except AttributeError as error:
            hide(error)
            raise

    @folding
    def __eq__(self, other: object) -> NoReturn:
        raise ArgumentError("structs are not compared", fix="compare their fields")

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name, _ in self.__sb_type__.fields)
        return f"{self.__sb_type__}({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        size = self.__sb_type__.size
        return _rebuild, (type(self), bytes(self._buffer[self._offset : self._offset + size]))


def _fill(struct: Struct, args: tuple[Any, ...], fields: Mapping[str, Any]) -> None:
    """Set a new struct's fields to what its constructor is given."""
    t = struct.__sb_type__
    names = [name for name, _ in t.fields]
    if len(args) > len(names):
        many = "s" * (len(names) != 1)
        raise ArgumentError(
            f"{t} has {len(names)} field{many}, got {len(args)} values",
            fix=f"give {', '.join(names)}",
        )
    for name, value in zip(names, args, strict=False):
        if name in fields:
            raise ArgumentError(f"field '{name}' of {t} is given twice")
        setattr(struct, name, value)
    for name, value in fields.items():
        setattr(struct, name, value)


def shows_fields(cls: type[Any]) -> bool:
    """Whether Python shows a struct of this class by its fields, not in a way of its own."""
    return cls.__repr__ is Struct.__repr__ and cls.__str__ is object.__str__


_set_buffer: Callable[[Any, Buffer], None] = Struct.__dict__["_buffer"].__set__
_set_offset: Callable[[Any, int], None] = Struct.__dict__["_offset"].__set__


def _place(struct: Any, buffer: Buffer, offset: int) -> None:
    _set_buffer(struct, buffer)
    _set_offset(struct, offset)


def start_of(cls: Any) -> bytes:
    """The memory of a new struct of a class."""
    return cls.__sb_start__ or bytes(cls.__sb_type__.size)


def _rebuild(cls: Any, data: bytes) -> Any:
    return cls.from_memory(np.frombuffer(bytearray(data), cls.dtype)).copy()


def _place_in(cls: type[Struct], array: object, index: int) -> tuple[Buffer, int]:
    """Buffer and byte offset of an element of an array of a struct's dtype."""
    t: StructType | None = getattr(cls, "__sb_type__", None)
    if t is None:
        raise _no_struct(cls)
    if not isinstance(array, np.ndarray):
        fix = f"make it with np.zeros(n, {t}.dtype)"
        raise ArgumentError(f"expected an array of {t}.dtype, got {type(array).__name__}", fix=fix)
    memory = cast("np.ndarray[Any, Any]", array)
    if memory.dtype != t.dtype or not memory.flags.c_contiguous:
        raise ArgumentError(
            f"expected a C-contiguous array of {t}.dtype; got {memory.dtype}, strides "
            f"{memory.strides}",
            fix=f"make it with np.zeros(n, {t}.dtype), or pass a copy",
        )
    if not 0 <= index < memory.size:
        raise IndexError(f"index {index} of {memory.size} structs")
    return bytes_of(memory), index * t.size


def _no_struct(cls: type) -> CompileError:
    name = cls.__name__
    return CompileError(f"{name} is no struct", fix=f"write @sb.struct above `class {name}`")


def _unknown_field(t: StructType, name: str) -> ArgumentError:
    return ArgumentError(
        f"{t} has no field {name!r}", fix=f"use one of {', '.join(t.field_types)}, or declare it"
    )


def _getter(t: MemoryType, at: int) -> Callable[[Any], Any]:
    match t:
        case ScalarType() | VectorType():
            load = loader(t)
            return lambda self: load(self._buffer, self._offset + at)
        case StructType():
            view = cast("type[Struct]", class_of_type(t)).__sb_view__
            return lambda self: view(self._buffer, self._offset + at)
        case FixedArrayType(element, shape):
            bind = binder(element)
            return lambda self: ManagedArray(self._buffer, self._offset + at, element, shape, bind)


def _setter(t: MemoryType, at: int, place: str) -> Callable[[Buffer, int, Any], None]:
    if isinstance(t, (ScalarType, VectorType)):
        store = storer(t, place)
        return lambda buffer, offset, value: store(buffer, offset + at, value)
    if isinstance(t, FixedArrayType):
        return lambda buffer, offset, value: _set_array(buffer, offset + at, t, value, place)
    return lambda buffer, offset, value: copy_into(buffer, offset + at, t, value, place)


_SEQUENCES: tuple[Any, ...] = (list, tuple, np.ndarray)


def _set_array(buffer: Buffer, offset: int, t: FixedArrayType, value: Any, place: str) -> None:
    """Fill a fixed array: from another, or from Python's sequences of as many elements."""
    if running.managed or not isinstance(value, _SEQUENCES):
        copy_into(buffer, offset, t, value, place)
        return
    rows: list[Any] = [ManagedArray(buffer, offset, t.element, t.shape)]
    given: list[Any] = [value]
    for depth in range(1, len(t.shape) + 1):
        if any(len(g) != len(r) for g, r in zip(given, rows, strict=True)):
            raise ArgumentError(
                f"{place} is {t}; got {len(value)} elements" + " of other lengths" * (depth > 1),
                fix=f"give {' × '.join(map(str, t.shape))} elements",
            )
        if depth < len(t.shape):
            rows = [row for part in rows for row in part]
            given = [item for part in given for item in part]
    for row, items in zip(rows, given, strict=True):
        for i, item in enumerate(items):
            row[i] = item


def annotations_of(cls: type, what: str, frame: int) -> dict[str, Any]:
    """The annotations of a class, evaluated; `frame` counts the callers up to the one whose local
    names they may use. Raises CompileError, which says `what` the class is."""
    caller = sys._getframe(frame)  # pyright: ignore[reportPrivateUsage]
    # A module that is not in sys.modules, such as a notebook's cell, is known by its caller.
    known = sys.modules.get(cls.__module__)
    module = caller.f_globals if known is None else vars(known)
    try:
        return inspect.get_annotations(
            cls, globals=module, locals=dict(caller.f_locals), eval_str=True
        )
    except NameError as error:
        fix = _fix_of_own(cls.__name__) if error.name == cls.__name__ else _DEFINE
        raise CompileError(f"{what} {cls.__name__}: {error}", fix=fix) from None


_DEFINE = "import or define it above"


def _fix_of_own(name: str) -> str:
    return f"what would hold itself keeps an index into an array of {name}"


def _field(owner: str, name: str, annotation: Any) -> MemoryType:
    if hasattr(Struct, name) or name.startswith("__"):
        raise CompileError(f"field {owner}.{name}: the name is taken", fix="rename the field")
    try:
        return field_type(annotation, "it")
    except CompileError as error:
        fix = _fix_of_own(owner) if annotation == owner else error.fix
        raise CompileError(f"field {owner}.{name}: {error.message}", fix=fix) from None


@dataclass_transform()
def struct(cls: _Class, *, frame: int = 1) -> _Class:
    """Make a class of annotated fields a struct: references to memory in C's layout.

    Fields are scalars, vectors, other structs, `bool` and `FixedArray[...]`. Raises
    CompileError for any other annotation and for inheritance. `frame` counts the
    callers up to the one whose local names annotations may use.
    """
    if not isinstance(cast("object", cls), type):
        found = getattr(cls, "__name__", None) or type(cls).__name__
        raise CompileError(
            f"@sb.struct makes a class a struct, and {found} is none",
            fix="write `@sb.kernel` above a function, `@sb.struct` above a class",
        )
    if cls.__bases__ not in ((object,), (Struct,)) or hasattr(cls, "__sb_type__"):
        raise CompileError(
            f"struct {cls.__name__} inherits from {cls.__bases__[0].__name__}",
            fix="hold the other struct in a field",
        )
    annotations = annotations_of(cls, "struct", frame + 1)
    annotations = {name: a for name, a in annotations.items() if not _is_class_variable(a)}
    members = members_of(cls, annotations, lambda name: hasattr(Struct, name))
    if not annotations:
        raise CompileError(f"struct {cls.__name__} has no fields", fix="annotate at least one")
    fields = tuple((name, _field(cls.__name__, name, a)) for name, a in annotations.items())
    t = StructType(cls.__name__, fields)
    _check_elements(t, members.elements)
    if t.size > MOST_BYTES:
        raise CompileError(
            f"struct {cls.__name__} takes {t.size:,} bytes; one may take {MOST_BYTES:,}",
            fix="take its largest fields as Array[...] parameters, whose length is free",
        )
    namespace: dict[str, Any] = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__annotations__": dict(annotations),
        "__slots__": (),
        "__sb_type__": t,
        "__sb_methods__": members.methods,
        "__sb_constants__": members.constants,
        "__sb_stores__": {
            name: _setter(f, t.offsets[name], f"field '{name}' of {t}") for name, f in fields
        },
        "__sb_elements__": members.elements,
        "dtype": t.dtype,
        **item_methods(members.methods, members.elements),
        **members.methods,
        **{name: Constant(value) for name, value in members.constants.items()},
        **{name: property(_getter(f, t.offsets[name])) for name, f in fields},
    }
    result = type(cls.__name__, (Struct,), namespace)
    register_struct(t, result)
    if members.defaults:
        _set_defaults(result, members.defaults)
    return cast("_Class", result)


def _check_elements(t: StructType, name: str | None) -> None:
    found = None if name is None else t.field_types[name]
    if name is not None and not (isinstance(found, FixedArrayType) and len(found.shape) == 1):
        raise CompileError(
            f"{t}.{ELEMENTS} names '{name}', which is {found}",
            fix="name a fixed array of one dimension",
        )


def _is_class_variable(annotation: Any) -> bool:
    return annotation is ClassVar or get_origin(annotation) is ClassVar


MOST_NUMBERS = 64
"""The most numbers that the default of a field may have: kernels store them one by one."""


def _set_defaults(cls: Any, defaults: dict[str, Any]) -> None:
    """Give a struct's class the defaults of its fields. Raises CompileError."""
    t: StructType = cls.__sb_type__
    first = cls()
    for name, value in defaults.items():
        where = f"the default of field {t}.{name}"
        if count_of(t.field_types[name]) > MOST_NUMBERS:
            raise CompileError(
                f"{where} has more than {MOST_NUMBERS} numbers",
                fix="write a function that makes the struct and sets the field",
            )
        try:
            setattr(first, name, value)
        except (ArgumentError, Trap) as error:
            trap = f"{value!r} does not fit it"
            message = error.message if isinstance(error, ArgumentError) else trap
            raise CompileError(f"{where}: {message}", fix=error.fix) from None
    cls.__sb_start__ = bytes(first.memory.tobytes())
    cls.__sb_defaults__ = {name: getattr(first, name) for name in defaults}


def count_of(t: MemoryType) -> int:
    """The number of scalars in a type."""
    match t:
        case StructType():
            return sum(count_of(f) for _, f in t.fields)
        case FixedArrayType():
            return count_of(t.element) * math.prod(t.shape)
        case VectorType():
            return t.length
        case _:
            return 1
