"""Views under names: rows and slices, whose lengths follow from their bounds.

Programs of smaller seeds stand in tests, and have none: they stay what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.bounds.draws import Array, plain

if TYPE_CHECKING:
    from tests.fuzz.bounds.statements import Body

FIRST_SEED = 10_000_000


def view(body: Body) -> None:
    """A name for a row or a slice of an array that no iteration owns."""
    arrays = [
        a for a in body.draws.arrays()
        if a.name and a.own is None and (a.readonly or not body.parallel)
    ]  # fmt: skip
    if not arrays:
        return body.read()
    array, name = body.rng.choice(arrays), body.fresh("w")
    dimensions = len(array.lengths)
    if dimensions == 2 and body.rng.random() < 0.6:
        text, dimensions = f"{array.name}[{body.draws.index(array.lengths[0])}]", 1
    else:
        text = array.name
    if text == array.name or body.rng.random() < 0.5:
        length = array.lengths[-dimensions]
        text += f"[{_bound(body, length)}:{_bound(body, length)}]"
    body.emit(f"{name} = {text}")
    made = plain(name, array.element, dimensions, readonly=array.readonly)
    root = array.root or array.name
    body.draws.blocks[-1].arrays.append(
        Array(name, made.place, made.element, made.lengths, made.readonly, root=root)
    )
    return None


def _bound(body: Body, length: str) -> str:
    """A bound: mostly in the array, at its ends, or near counters."""
    rng, draws = body.rng, body.draws
    roll = rng.random()
    if roll < 0.3:
        return ""
    if roll < 0.4:
        return rng.choice(("1", "2", "-1", "-2", length))
    if roll < 0.6:
        return f"{draws.weak(1)} % ({length} + 1)"
    if roll < 0.75:
        return rng.choice((f"{length} // 2", f"{length} - 1", f"{length} + 1"))
    return draws.index(length)
