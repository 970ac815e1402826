"""The items of structs in CPython: `s[i]` of an array field, and loops over what has a length.

A struct with `__elements__` has the elements of that field; one with `__len__` and a way to items
can be looped over. Calls from kernels trap, those from Python raise what Python's own types do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from samebits.errors import SamebitsError, Trap, hide
from samebits.lang.iteration import of_struct
from samebits.lang.memory.arrays import checked_index
from samebits.lang.memory.slices import LENGTH, Slice
from samebits.lang.values.thread_state import running
from samebits.lang.values.weak import FromEnd, Int


def item_methods(methods: Mapping[str, Any], elements: str | None) -> dict[str, Any]:
    """The special methods that a struct's class gets besides those that its author wrote."""
    found: dict[str, Any] = {}
    if elements is not None:
        found |= _subscripts(elements, "__len__" in methods, "__position__" in methods)
    if elements is not None and "__at__" in methods and "__len__" in methods:
        found |= _views(elements)
    if "__len__" in methods and ("__at__" in methods or elements or "__getitem__" in methods):
        found["__iter__"] = _iterator
    return found


def _iterator(self: Any) -> Iterator[Any]:
    return iter(of_struct(self))


def _views(elements: str) -> dict[str, Callable[[Any], Any]]:
    """Loops over the items of a struct, the elements that belong to them, and both."""

    def keys(self: Any) -> Any:
        return of_struct(self)

    def values(self: Any) -> Any:
        return of_struct(self, getattr(self, elements).__getitem__)

    def items(self: Any) -> Any:
        found = getattr(self, elements)
        return of_struct(self, lambda k: (self.__at__(k), found[k]))

    return {"keys": keys, "values": values, "items": items}


def _subscripts(
    elements: str, has_length: bool, has_position: bool
) -> dict[str, Callable[..., Any]]:
    """What reads, writes and finds an element of a field."""

    is_sliced = has_length and not has_position

    def position(self: Any, index: Any) -> Any:
        if has_position:
            key = Int(index) if type(index) is FromEnd else index
            return self.__position__(key)
        if not has_length:
            return index
        length = max(0, int(self.__len__()))  # it lies in memory, and may be anything
        if not running.managed and type(index) is int and index < 0:
            index += length
        return checked_index(index, length)

    def place(self: Any, index: Any) -> tuple[Any, Any]:
        """The array, and the index in it."""
        try:
            return getattr(self, elements), position(self, index)
        except Trap as trap:
            if running.managed:
                raise
            t = self.__sb_type__
            if has_position:
                raise KeyError(f"{index!r} of {t}: {trap.detail or trap.kind}") from None
            count = int(self.__len__()) if has_length else len(getattr(self, elements))
            raise IndexError(f"index {index!r} is out of range for {t} of {count}") from None

    def items(self: Any) -> Any:
        """The elements up to the length, as an array."""
        return getattr(self, elements)[Slice(0, int(self.__len__()), None, LENGTH)]

    def getitem(self: Any, index: Any) -> Any:
        if is_sliced and isinstance(index, slice | Slice):
            if running.managed:
                return items(self)[index]
            assert isinstance(index, slice)
            found = getattr(self, elements)
            return [found[k] for k in range(*index.indices(len(self)))]
        try:
            array, at = place(self, index)
            return array[at]
        except (LookupError, SamebitsError) as error:
            hide(error)
            raise

    def setitem(self: Any, index: Any, value: Any) -> None:
        try:
            array, at = place(self, index)
            array[at] = value
        except (LookupError, SamebitsError) as error:
            hide(error)
            raise

    found = {"__getitem__": getitem, "__setitem__": setitem, "__sb_place__": place}
    return found | {"__sb_items__": items} if is_sliced else found
