"""Python's lists, dicts and sets in place of containers that a kernel is given.

Owns how they are read into one, and what they hold afterwards: objects that the kernel left alone
stay, numbers that it put in are Python's own, vectors and structs are the language's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.arguments import wrap
from samebits.lang.calls.copied_arguments import Plain
from samebits.lang.memory.structs import Struct
from samebits.lang.values.plain import to_python
from samebits.types import Type


def _element(cls: Any, field: str) -> Type:
    return cls.__sb_type__.field_types[field].element


def _own(value: Any) -> Any:
    """A container's item as an object that does not change with it."""
    if isinstance(value, Struct):
        return value.copy()
    is_number = isinstance(value, np.generic | int | float)
    return to_python(cast("Any", value)) if is_number else value


def _items(container: Any, field: str) -> list[bytes]:
    """The bytes of each item that is in use."""
    memory = getattr(container, field).memory
    return [memory[k].tobytes() for k in range(int(container.size))]


def _list_made(cls: Any, given: list[Any], name: str) -> Any:
    t = _element(cls, "data")
    return _filled(cls, [wrap(v, t, f"{name}[{k}]") for k, v in enumerate(given)], name)


def _list_given_back(container: Any, given: list[Any], before: Any) -> None:
    old = dict(enumerate(_items(before, "data")))
    given[:] = [
        given[k] if old.get(k) == item else _own(container.data[k])
        for k, item in enumerate(_items(container, "data"))
    ]


def _map_made(cls: Any, given: dict[Any, Any], name: str) -> Any:
    key_type, value_type = _element(cls, "key_data"), _element(cls, "data")
    pairs = [
        (wrap(key, key_type, f"{name}.keys()[{k}]"), wrap(value, value_type, f"{name}[{key!r}]"))
        for k, (key, value) in enumerate(given.items())
    ]
    made = _filled(cls, pairs, name)
    if len(made) != len(given):
        raise ArgumentError(
            f"parameter '{name}': two keys of the dict are one key of {cls.__sb_type__}",
            fix="leave one of them out",
        )
    return made


def _map_given_back(container: Any, given: dict[Any, Any], before: Any) -> None:
    old = {
        key: (pair, item)
        for key, pair, item in zip(
            _items(before, "key_data"), list(given.items()), _items(before, "data"), strict=True
        )
    }

    def pairs() -> Iterator[tuple[Any, Any]]:
        keys = _items(container, "key_data")
        for k, (key, item) in enumerate(zip(keys, _items(container, "data"), strict=True)):
            pair, was = old.get(key, (None, None))
            name = _key(container.key_data[k]) if pair is None else pair[0]
            yield name, pair[1] if pair and was == item else _own(container.data[k])

    now = dict(pairs())
    given.clear()
    given.update(now)


def _key(value: Any) -> Any:
    """A key as a dict can have it: vectors of numbers are tuples there."""
    plain: Any = to_python(value)
    return tuple(cast("list[Any]", plain)) if isinstance(plain, list) else plain


def _set_made(cls: Any, given: set[int], name: str) -> Any:
    return _filled(cls, given, name)


def _set_given_back(container: Any, given: set[int], _: Any) -> None:
    given.clear()
    given.update(map(int, container))


def _filled(cls: Any, items: Any, name: str) -> Any:
    try:
        return cls(items)
    except ArgumentError as error:
        text = f"parameter '{name}': {error.message}"
        raise ArgumentError(text, note=error.note, fix=error.fix) from None
    except TypeError:
        raise ArgumentError(
            f"parameter '{name}': {cls.__sb_type__} has whole numbers", fix="convert them with int"
        ) from None


LIST = Plain(list, _list_made, _list_given_back)
MAP = Plain(dict, _map_made, _map_given_back)
SET = Plain(set, _set_made, _set_given_back)
