"""The texts of an export that are the same for every simulation, with `@NAME@` places in them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PLACE = re.compile(r"@([A-Z_]+)@")


def render(template: str, **values: object) -> str:
    """The text of the file `template` of this package with every place filled; KeyError where a
    value is missing."""
    return _PLACE.sub(lambda match: str(values[match[1]]), _text(template))


@cache
def _text(template: str) -> str:
    return (files(__name__) / template).read_text(encoding="utf-8")
