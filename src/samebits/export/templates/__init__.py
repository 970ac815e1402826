"""The texts of an export that are the same for every simulation, with `@NAME@` places in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_PLACE = re.compile(r"@([A-Z_]+)@")


@dataclass(frozen=True)
class Template:
    """Text with `@PLACE@` marks."""

    text: str

    def render(self, **values: object) -> str:
        """The text with every place filled; KeyError where a value is missing."""
        return _PLACE.sub(lambda match: str(values[match[1]]), self.text)


@cache
def template(name: str) -> Template:
    """The template in the file `name` of this package."""
    return Template((files(__name__) / name).read_text(encoding="utf-8"))
