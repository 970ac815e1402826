"""Edits in words: what became what, what is missing in b, what b alone has."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.diagnosis.edits.edit import KINDS, Edit

_LONG = 60


def described(edit: Edit) -> str:
    """One edit, without its place."""
    old, new = _short(edit.old), _short(edit.new)
    match edit.kind:
        case "removed":
            return f"{old} is missing in b"
        case "added":
            return f"{new} is in b alone"
        case "function removed":
            return f"{_name(edit)} is missing in b"
        case "function added":
            return f"{_name(edit)} is in b alone"
        case "moved":
            assert edit.a is not None
            assert edit.b is not None
            return f"{old} stands elsewhere in b, at line {edit.b.line:,}"
        case "put under":
            return f"{old} stands under {_head(edit.new)} in b"
        case "no more under":
            return f"{new} stands under {_head(edit.old)} in a alone"
        case "renamed":
            return f"{old} is called {new}"
        case "decorator":
            return f"the options of {edit.function} are others: {old} became {new}"
        case _:
            return f"{old} became {new}"


def _name(edit: Edit) -> str:
    """The definition that an edit is of."""
    return f"`{edit.function.rpartition('.')[2]}`"


def titled(edits: Sequence[Edit]) -> str:
    """What kind of change some edits are, together."""
    kinds = list(dict.fromkeys(KINDS[edit.kind] for edit in edits))
    return kinds[0] if len(edits) == 1 else f"{len(edits)} edits: {', '.join(kinds)}"


def where(edit: Edit) -> str:
    """The place of an edit in a, or in b if a has nothing there."""
    inside = f"{edit.function}, " if edit.function else ""
    return f"{inside}{edit.place}{'' if edit.a is not None else ' of b'}"


def _head(text: str) -> str:
    return f"`{text.partition(chr(10))[0].removesuffix(':')}`"


def _short(text: str) -> str:
    first, *rest = text.split("\n")
    more = f" and {len(rest):,} more line{'s' if len(rest) > 1 else ''}" if rest else ""
    return f"`{first[:_LONG]}{'…' if len(first) > _LONG else ''}`{more}"
