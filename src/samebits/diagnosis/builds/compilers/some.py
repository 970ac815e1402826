"""Functions of a simulation that were built by some flags, where the others were not.

A program has both forms of each function, chosen at run time. The functions that change the hash of
the first frame that differs are few: sets of these are tried, then the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, product

from samebits.diagnosis.builds.compilers.execution import INIT, BuiltExecution
from samebits.sim.inputs import Inputs

_MOST_SETS = 512
_MOST_ROUNDS = 8


@dataclass
class SomeFunctions:
    """One search with a program of `count` functions in two forms."""

    built: BuiltExecution
    count: int
    seed: int
    rows: Inputs
    known: Mapping[int, int]
    in_time: Callable[[], None]
    """Raises what ends the search."""
    among: Sequence[int] | None = None
    """The functions of which sets are tried for a frame; None for all."""

    def forms(self) -> tuple[bytes, int | None]:
        """The forms that give the most known hashes, a byte a function, and the first frame whose
        hash they do not give, if there is one. Those of all functions come first; of others none
        can be left out. Raises RunnerError."""
        every = b"\1" * self.count
        if self.parting(every) is None:
            return every, None
        forms = kept = bytes(self.count)
        best = INIT - 1
        for _ in range(_MOST_ROUNDS):
            parting = self.parting(forms)
            if parting is None:
                return self._least(forms), None
            if parting <= best:
                break
            best, kept = parting, forms
            found = self._solved(forms, parting)
            if found is None:
                break
            forms = found
        return kept, best

    def of_frame(self, frame: int) -> bytes | None:
        """The fewest forms found that give the hash of the first frame that differs, and those
        before it; None where none do. Raises RunnerError."""
        found = self._solved(bytes(self.count), frame)
        for number in range(self.count if found else 0):
            assert found is not None
            fewer = _flipped(found, [number])
            parting = self.parting(fewer) if found[number] else frame
            if parting is None or parting > frame:
                found = fewer
        return found

    def _least(self, forms: bytes) -> bytes:
        """Forms of which none can be left out."""
        for number in range(self.count):
            fewer = _flipped(forms, [number])
            if forms[number] and self.parting(fewer) is None:
                forms = fewer
        return forms

    def parting(self, forms: bytes) -> int | None:
        """The first frame whose known hash the forms do not give. Raises RunnerError."""
        self.built.choose(forms)
        return self.built.parting(self.seed, self.rows, self.known)

    def _solved(self, forms: bytes, frame: int) -> bytes | None:
        """Forms that give the hash of a frame, from the state that those before come to."""
        start = max((n + 1 for n in self.known if n < frame), default=INIT)
        memory = None
        if start != INIT:
            self.built.choose(forms)
            self.built.start(self.seed)
            self.built.advance(self.rows[:start])
            memory = self.built.save_memory()

        def hashed(some: bytes) -> int:
            self.in_time()
            self.built.choose(some)
            if memory is None:
                self.built.start(self.seed)
                if frame == INIT:
                    return self.built.first_hash
            else:
                self.built.restore_memory(memory)
            return int(self.built.advance(self.rows[max(0, start) : frame + 1]).hashes[-1])

        plain = hashed(forms)
        among = range(self.count) if self.among is None else self.among
        active = [n for n in among if hashed(_flipped(forms, [n])) != plain]
        idle = [n for n in among if n not in active]
        for some in chain(_sets(active), _beside(idle, active)):
            changed = _flipped(forms, some)
            if hashed(changed) == self.known[frame]:
                return changed
        return None


def _sets(active: Sequence[int]) -> Iterator[Sequence[int]]:
    """Sets of functions, the most plausible first: all, one, all but one, then more."""
    yield active
    left = _MOST_SETS
    sizes = [1, len(active) - 1, *range(2, len(active) - 1)]
    for size in dict.fromkeys(size for size in sizes if 0 < size < len(active)):
        for some in combinations(active, size):
            if not left:
                return
            left -= 1
            yield some


def _beside(idle: Sequence[int], active: Sequence[int]) -> Iterator[Sequence[int]]:
    """Sets with functions that change nothing by themselves, and may beside others: all of them,
    then pairs."""
    if idle:
        yield [*active, *idle]
        pairs = chain(product(active, idle), combinations(idle, 2))
        yield from islice(pairs, _MOST_SETS)


def _flipped(forms: bytes, some: Sequence[int]) -> bytes:
    changed = bytearray(forms)
    for number in some:
        changed[number] ^= 1
    return bytes(changed)
