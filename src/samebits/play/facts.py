"""The facts of a simulation for its page: names and fields, so that any simulation has a view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samebits.export.interface import Interface
from samebits.types import FixedArrayType, MemoryType, ScalarType, StructType, VectorType


def facts_of(interface: Interface, view: str) -> dict[str, Any]:
    """Names, sizes and fields; `view` is where the drawing's module is served."""
    simulation = interface.simulation
    return {
        "name": simulation.name,
        "version": simulation.version,
        "digest": simulation.digest,
        "players": simulation.players,
        "tickRate": simulation.tick_rate,
        "module": f"/module/{interface.name}.mjs",
        "match": f"/module/{interface.name}_match.mjs",
        "view": view,
        "state": [*_fields(interface, interface.state)],
        "input": [*_ranged(interface)],
    }


def _ranged(interface: Interface) -> Iterator[dict[str, Any]]:
    """The input's fields, with the least and the greatest value of actions."""
    learning = interface.simulation.learning
    for field in _fields(interface, interface.input):
        known = None if learning is None else learning.actions.get(field["name"])
        yield field if known is None else {**field, "range": [*known]}


def _fields(interface: Interface, t: StructType) -> Iterator[dict[str, Any]]:
    members = interface.members(t)
    for name, field_type in t.fields:
        yield {"name": name, "member": members[name], **_field(interface, field_type)}


def _field(interface: Interface, t: MemoryType) -> dict[str, Any]:
    """A field's type, the innermost elements of arrays and vectors, and how many there are."""
    count = 1
    element = t
    while not isinstance(element, ScalarType | StructType):
        count *= element.length if isinstance(element, VectorType) else element.count
        element = element.element
    found: dict[str, Any] = {"type": str(t), "element": str(element)}
    if isinstance(t, VectorType | FixedArrayType):
        found["count"] = count
    if isinstance(element, StructType):
        found["fields"] = [*_fields(interface, element)]
    else:
        found["kind"] = element.kind.value
        found["bits"] = element.bits
    return found
