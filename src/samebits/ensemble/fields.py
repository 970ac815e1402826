"""Numbers in the states of many worlds, by their paths: `ball.height`, `bodies[3].pos.x`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from samebits.errors import ArgumentError

_PART = re.compile(r"\.?([A-Za-z_]\w*)|\[(\d+(?:\s*,\s*\d+)*)\]")
COMPONENTS = "xyzw"

Numbers = np.ndarray[Any, Any]


def numbers_at(states: Numbers, path: str) -> Numbers:
    """The number at `path` of each state of a structured array, as a view of shape (n,).

    Raises ArgumentError where there is none.
    """
    found, at = states, 0
    while at < len(path):
        part = _PART.match(path, at)
        if part is None or (part[1] is not None and (at > 0) != (path[at] == ".")):
            raise _nothing(states, path, f"'{path[at:]:.40}' is no field and no index")
        taken = _element(found, part[2]) if part[1] is None else _field(found, part[1])
        if taken is None:
            raise _nothing(states, path, f"there is no '{part[0]}'{_there(found)}")
        found, at = taken, part.end()
    if found.dtype.names or found.ndim != 1 or not path:
        raise _nothing(states, path, f"that is no number{_there(found)}")
    return found


def _field(found: Numbers, name: str) -> Numbers | None:
    if found.dtype.names is not None:
        return found[name] if name in found.dtype.names and found.ndim == 1 else None
    place = COMPONENTS.find(name)
    if len(name) != 1 or place < 0 or found.ndim != 2 or place >= found.shape[1]:
        return None
    return found[:, place]


def _element(found: Numbers, text: str) -> Numbers | None:
    places = [int(number) for number in text.split(",")]
    if len(places) >= found.ndim:
        return None
    if any(place >= n for place, n in zip(places, found.shape[1:], strict=False)):
        return None
    return found[(slice(None), *places)]


def _there(found: Numbers) -> str:
    if found.ndim > 1:
        return f"; there are indices up to {', '.join(str(n - 1) for n in found.shape[1:])}"
    if found.dtype.names:
        return f"; there are {', '.join(found.dtype.names[:20])}"
    return ""


def _nothing(states: Numbers, path: str, note: str) -> ArgumentError:
    first = (states.dtype.names or ("",))[0]
    return ArgumentError(
        f"the state has no number at '{path:.80}'", note=note, fix=f"name one, such as '{first}'"
    )
