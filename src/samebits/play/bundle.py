"""JavaScript modules as the parts of one page, in the order in which they can be made.

A page that is one file has no addresses for its modules: each becomes an object URL, and what it
imports of the others by a path, `./fields.mjs`, is replaced by a name that the page resolves.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from samebits.errors import SimulationError

PREFIX = "samebits-part:"
_IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*\(?\s*)(["'])(\.{1,2}/[^"'\n]+)\2""")


def bundled(modules: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names and texts, each after those that it imports. Names are paths, `page/fields.mjs`.

    An import of a file that is not there stays, and fails in the page. Raises SimulationError where
    modules import each other in a circle.
    """
    wanted = {name: set(_imports(name, text, modules)) for name, text in modules.items()}
    try:
        order = [*TopologicalSorter(wanted).static_order()]
    except CycleError as error:
        names = " and ".join(sorted(set(error.args[1])))
        raise SimulationError(
            f"{names} import each other in a circle",
            fix="put what both need into a third file beside them",
        ) from None
    return [(name, _renamed(name, modules[name], modules)) for name in order]


def _imports(name: str, text: str, modules: Mapping[str, str]) -> Iterator[str]:
    for found in _IMPORT.finditer(text):
        other = _resolved(name, found[3])
        if other in modules:
            yield other


def _renamed(name: str, text: str, modules: Mapping[str, str]) -> str:
    def part(found: re.Match[str]) -> str:
        other = _resolved(name, found[3])
        return f'{found[1]}"{PREFIX}{other}"' if other in modules else found[0]

    return _IMPORT.sub(part, text)


def _resolved(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
