"""Prints and traces of what is in scope: names, structs, literals, f-strings.

Every choice comes from a generator of its own, so that the other lines of a program are the same
with prints and without.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from samebits.types import MemoryType, ScalarType, StructType, VectorType

if TYPE_CHECKING:
    from tests.fuzz.simple_statements import SimpleStatements

FIRST_SEED = 5_000_000
"""The first seed whose program may print."""
PROGRAMS = 0.4
FREQUENCY = 0.15
MOST = 40
"""The most numbers of one statement here."""
LITERALS = ("0", "-7", "1.5", "-0.0", "1e300", "True", '"a {b}"', '""', "0.1")


def numbers(t: object) -> int:
    """How many numbers the text of a value of type `t` has; 0 if it has no text."""
    match t:
        case ScalarType():
            return 1
        case VectorType():
            return t.length
        case StructType():
            counts = [numbers(field) for _, field in t.fields]
            return sum(counts) if all(counts) else 0
        case _:
            return 0


class Prints:
    """The prints of the program of `seed`."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz prints {seed}")
        self.wanted = self.rng.random() < PROGRAMS and seed >= FIRST_SEED

    def statement(self, body: SimpleStatements) -> None:
        """Perhaps one more statement."""
        rng = self.rng
        if not self.wanted or rng.random() >= FREQUENCY:
            return
        shown = [v for v in body.scope.all() if 0 < numbers(v.type) <= MOST]
        if shown and rng.random() < 0.3:
            body.emit(f'sb.trace("{rng.choice("xyz")}", {rng.choice(shown).name})')
            return
        parts: list[str] = []
        left = MOST
        for _ in range(rng.randint(0, 4)):
            v = rng.choice(shown) if shown and rng.random() < 0.8 else None
            if v is None or numbers(v.type) > left:
                parts.append(rng.choice(LITERALS))
                continue
            left -= numbers(v.type)
            parts.append(v.name if rng.random() < 0.6 else self._formatted(v.name, v.type))
        for name, texts in (("sep", ('", "', '"{}"', "None")), ("end", ('""', '";\\n"'))):
            if rng.random() < 0.2:
                parts.append(f"{name}={rng.choice(texts)}")
        body.emit(f"print({', '.join(parts)})")

    def _formatted(self, name: str, t: MemoryType | object) -> str:
        element = t.element if isinstance(t, VectorType) else t
        specs = ["", "", "!r"] if not isinstance(t, VectorType) else [""]
        if isinstance(element, ScalarType) and (element.is_float or element.is_int):
            specs += [":.3f", ":+012.4e"] if element.is_float else [":+d", ":08x", ":b"]
        return f'f"{name} {{{name}{self.rng.choice(specs)}}}"'
