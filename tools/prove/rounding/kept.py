"""Results of proofs, kept in results.json with digests of the kernel's IR and of the prover.

A kernel's digest that is still the same says that the kernel, and every margin in it, has not
changed since; the prover's says that the rules by which it was proven are still those.
"""

from __future__ import annotations

import ast
import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import cast

from tools.prove import catalogue
from tools.prove.rounding.claims import CLAIMS
from tools.prove.subject import kernel_of, linked

PLACE = Path(__file__).with_name("results.json")
_RULES = (
    "cells", "expansions", "machine", "narrow", "numbers", "rounding_rules", "ulps",
)  # fmt: skip
"""The modules that say what is proven: all but claims, and what keeps and shows proofs."""


@dataclass
class Phase:
    """One phase of a function; of `margin`, the greatest error found possible is `worst` times."""

    name: str
    margin: dict[str, float]
    worst: float
    where: str
    cells: int
    rounded: int
    exact: dict[str, int]
    """How many operations were shown to round nothing, by rule."""
    failures: list[str] = field(default_factory=list[str])

    @property
    def complaints(self) -> Iterator[str]:
        """Why this proves nothing."""
        if not self.cells:
            yield "nothing was shown"
        if self.failures:
            yield f"{self.name}: {len(self.failures)} cells fail, as {self.failures[0]}"
        elif not self.worst <= 1:
            yield f"{self.name}: {self.worst:.4g} of {', '.join(self.margin)}"


@dataclass
class Shown:
    """One function and type."""

    digest: str
    date: str
    phases: list[Phase]
    seconds: float
    rules: str = ""
    """Of the prover's rules; nothing of proofs that are older than this."""

    @property
    def complaints(self) -> list[str]:
        """Why it is not proven."""
        return [text for phase in self.phases for text in phase.complaints]


def parts_of(name: str) -> tuple[str, str, str]:
    """Function, type and precision of which the claim `name` speaks."""
    type_name, function, *precision = name.split()
    return function, type_name, precision[0] if precision else "HIGH"


def digest(name: str) -> str:
    """Of the kernel of which the claim `name` speaks, as it is now."""
    function, type_name, precision = parts_of(name)
    kernel = kernel_of(function, type_name, precision)
    return linked(kernel, type_name, catalogue.NAMED[function].signature).digest()


@cache
def rules() -> str:
    """The digest of the prover's rules as they are now; comments and docstrings don't count."""
    return digest_of(PLACE.with_name(f"{module}.py").read_bytes() for module in _RULES)


def digest_of(sources: Iterable[bytes]) -> str:
    """Of what modules do, whatever their comments and docstrings say."""
    made = hashlib.blake2b(digest_size=8)
    for source in sources:
        made.update(_shape(_WithoutProse().visit(ast.parse(source))).encode())
    return made.hexdigest()


def _shape(node: object) -> str:
    """A syntax tree as text that every version of Python gives: fields that are empty left out, as
    later versions have more of them."""
    if isinstance(node, ast.AST):
        fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
        inner = ", ".join(f"{name}={_shape(value)}" for name, value in fields)
        return f"{type(node).__name__}({inner})"
    if isinstance(node, list):
        return f"[{', '.join(map(_shape, cast('list[object]', node)))}]"
    return repr(node)


class _WithoutProse(ast.NodeTransformer):
    """Takes out each statement that is a string alone: docstrings, of attributes too."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        value = node.value
        return None if isinstance(value, ast.Constant) and isinstance(value.value, str) else node


def is_current(name: str, shown: Shown | None) -> bool:
    """Whether what is kept was proven of this kernel and by these rules."""
    return shown is not None and shown.rules == rules() and shown.digest == digest(name)


def show(name: str) -> Shown:
    """Prove what is claimed of a function."""
    began = time.process_time()
    phases: list[Phase] = []
    for claim in CLAIMS[name]:
        it = claim()
        phases.append(
            Phase(it.name, it.margins(), it.worst, it.where, it.cells, it.rounded,
                  dict(sorted(it.discharged.items())), it.failures[:3])
        )  # fmt: skip
    spent = round(time.process_time() - began, 1)
    return Shown(digest(name), date.today().isoformat(), phases, spent, rules())


def load(place: Path = PLACE) -> dict[str, Shown]:
    """All that is kept; nothing where there is no file."""
    if not place.exists():
        return {}
    return {
        name: Shown(**{**entry, "phases": [Phase(**phase) for phase in entry["phases"]]})
        for name, entry in json.loads(place.read_text()).items()
    }


def save(name: str, shown: Shown, place: Path = PLACE) -> None:
    """Write one function's, beside the others'."""
    kept = {**load(place), name: shown}
    order = [*CLAIMS, *sorted(kept.keys() - CLAIMS.keys())]
    entries = {name: asdict(kept[name]) for name in order if name in kept}
    place.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
