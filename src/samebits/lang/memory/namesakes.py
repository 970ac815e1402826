"""The words of an error where a struct is of another class of the name that is asked for.

A module or a notebook's cell that runs again makes its classes anew, and what was made before is of
the old ones.
"""

from __future__ import annotations

import sys
from typing import NamedTuple


class Namesakes(NamedTuple):
    """How two classes of one name are told apart, why there are two, and what to do."""

    wanted: str
    found: str
    note: str
    fix: str


def namesakes(wanted: type, found: type) -> Namesakes | None:
    """The words of two classes; None where the names are not the same."""
    name = wanted.__name__
    if wanted is found or found.__name__ != name:
        return None
    here, there = wanted.__module__, found.__module__
    if here == there:
        note = f"it is of another class of that name: module {here}, or its cell, was run twice, "
        note += "imported twice or reloaded"
        fix = f"make the {name} anew, by {here}.{name}, and import what is old again"
    elif _file(here) is not None and _file(here) == _file(there):
        note = f"one file was imported under two names: {here} and {there}, and each makes a {name}"
        fix = f"import it everywhere as {here}"
    else:
        note = f"{here} and {there} each have a struct {name}"
        fix = f"make it by {here}.{name}"
    return Namesakes(_shown(wanted), _shown(found), note, fix)


def _shown(cls: type) -> str:
    return f"{cls.__name__} of module {cls.__module__} (at {id(cls):#x})"


def _file(module: str) -> str | None:
    return getattr(sys.modules.get(module), "__file__", None)
