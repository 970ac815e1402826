"""Sets of functions, or of statements, that give a frame's hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.some import SomeFunctions


class Built:
    """A program of which frame 0 has another hash with some functions' other forms."""

    def __init__(self, needed: Sequence[int], beside: Mapping[int, int]) -> None:
        self.needed, self.beside = needed, beside
        self.forms = b""
        self.first_hash = 1

    def choose(self, forms: bytes) -> None:
        self.forms = forms

    def start(self, seed: int) -> None:
        pass

    def advance(self, rows: Any) -> Any:
        acting = {
            n
            for n in self.needed
            if self.forms[n] and (n not in self.beside or self.forms[self.beside[n]])
        }
        hashes = np.array([hash(frozenset(acting)) % 1000 for _ in rows], np.uint64)
        return SimpleNamespace(hashes=hashes)

    def parting(self, seed: int, rows: Any, known: Mapping[int, int]) -> int | None:
        hashes = self.advance(rows).hashes
        return next((n for n, found in enumerate(hashes) if known.get(n, found) != found), None)


def forms_of(
    needed: Sequence[int], beside: Mapping[int, int], among: Sequence[int] | None
) -> bytes | None:
    built = Built(needed, beside)
    goal = hash(frozenset(needed)) % 1000
    some = SomeFunctions(
        cast(BuiltExecution, built), 5, 1, np.zeros((1, 1)), {0: goal}, lambda: None, among
    )
    return some.of_frame(0)


def test_the_fewest_that_give_a_hash_together_are_found() -> None:
    assert forms_of([1, 3], {}, None) == bytes([0, 1, 0, 1, 0])


def test_what_acts_only_beside_another_is_found() -> None:
    assert forms_of([1, 3], {3: 1}, None) == bytes([0, 1, 0, 1, 0])


def test_a_pair_is_found_where_others_change_the_hash_by_themselves() -> None:
    """With function 4, which the other build lacks, the hash is another one."""
    built = Built([1, 3, 4], {1: 3, 3: 1})
    goal = hash(frozenset([1, 3])) % 1000
    some = SomeFunctions(
        cast(BuiltExecution, built), 5, 1, np.zeros((1, 1)), {0: goal}, lambda: None
    )
    assert some.of_frame(0) == bytes([0, 1, 0, 1, 0])


def test_none_but_those_asked_for_are_tried() -> None:
    assert forms_of([1, 3], {}, [1, 2]) is None
    assert forms_of([1, 3], {}, [1, 3, 4]) == bytes([0, 1, 0, 1, 0])
