"""Flag bisection: the operations whose rewriting by FAST gives a side's bits.

Owns the bisection of enabled flags, operation by operation, and what has to be true of its answer.
What is found is confirmed by a run in which only that is enabled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from samebits.bits import canonical_size
from samebits.diagnosis.fast.candidates import FLAGS, rewritable, with_flags
from samebits.diagnosis.fast.ddmin import BudgetSpent, MinimalSet, T
from samebits.diagnosis.frame.points import Point
from samebits.errors import Span
from samebits.ir.grammar import walk
from samebits.ir.refs import OpRef, statement_at
from samebits.sides.side import Side
from samebits.sim.state.columns import columns
from samebits.types import StructType

Progress = Callable[[str, int], None]
"""What is being done, and runs that have been made."""

STATEMENTS = 1 << 17
"""Statements of the programs that a search compiles, one a run. The examples have about 2,000, take
15 to 20 runs and could take 64; 5,000 statements a second were compiled where this was chosen, so
that a search ends within about 30 s there."""

After = bytes | None
"""A canonical state after the frame; None where the frame traps."""


@dataclass(frozen=True, slots=True)
class EnabledOperation:
    """An operation, or a loop whose sum is regrouped, that has to be rewritten."""

    place: OpRef
    what: str
    span: Span


@dataclass(eq=False)
class BisectionResult:
    """What a search has found.

    With only `operations` free, and only as `flags` say, the frame gives `explained` of the
    `differing` scalars in which the sides differ the bits of side b. Without any of them, and
    without any flag, it gives none, if `is_minimal`. `is_confirmed` says that the run in which
    only these were free was made anew; `is_whole` that it gives all of side b's state.
    """

    operations: tuple[EnabledOperation, ...] = ()
    flags: tuple[str, ...] = ()
    explained: int = 0
    differing: int = 0
    is_whole: bool = False
    is_minimal: bool = False
    is_confirmed: bool = False
    candidates: int = 0
    """Operations of the frame that may be rewritten at all."""
    runs: int = 0
    notes: list[str] = field(default_factory=list[str])


@dataclass(eq=False)
class FlagBisection:
    """One search, in one frame or in `init`, which leaves `a_after` on side a and `b_after` on
    side `b`.

    What is wanted is some scalar of side b's that is not side a's, and not that of the state
    `beside` either, if one is given.
    """

    b: Side
    point: Point
    a_after: After
    b_after: After
    beside: After = None
    progress: Progress = lambda what, runs: None

    def __post_init__(self) -> None:
        self.out = BisectionResult()
        functions = self.b.linked.kernels.functions.values()
        self._most = STATEMENTS // sum(1 for f in functions for _ in walk(f.body))
        self._state = self.b.plain.state
        self._differ = _unequal(self._state, self.a_after, self.b_after)
        if self.beside is not None:
            self._differ &= _unequal(self._state, self.beside, self.b_after)
        self.out.differing = int(self._differ.sum())
        self._quick = False
        self._every: After = None
        self._what = ""

    def run(self) -> BisectionResult:
        """Search. Raises CompileError, RunnerError."""
        out = self.out
        if self.a_after == self.b_after:
            out.notes.append("both sides give the same state: there is nothing to explain")
            return out
        places = rewritable(self.b, self.point)
        out.candidates = len(places)
        if not self._is_valid(places):
            return out
        near: list[OpRef] = []
        if self._is_quick_enough(places):
            found = self._operations(places, quick=True)
            if found is None or self._settled(found, quick=True):
                return out
            near = found
        # Passes that join operations want flags on all of them: look around them first.
        for scope in (self._line, self._function) if near else ():
            around = {scope(place) for place in near}
            some = [place for place in places if scope(place) in around]
            if (found := self._operations(some)) and self._settled(found):
                return out
        if found := self._operations(places):
            self._settled(found)
        return out

    def _line(self, place: OpRef) -> object:
        span = statement_at(self.b.linked.kernels, place).span
        return span.file, span.line

    def _function(self, place: OpRef) -> object:
        return place.function

    def _is_quick_enough(self, places: Sequence[OpRef]) -> bool:
        """Whether fewer passes give the same bits, so that the search can do with them."""
        self._quick = True
        quick = self._run_with(places)
        self._quick = False
        return quick == self._every

    def _is_valid(self, places: Sequence[OpRef]) -> bool:
        """Whether strict code gives side a's bits, and free code side b's: else what lies between
        says nothing."""
        self._what = "checking"
        none, every = self._run_with([]), self._run_with(places)
        self._every = every
        if none != self.a_after:
            self.out.notes.append(
                "with no operation free the side's code does not give side a's bits: something "
                "else than rewriting makes a difference"
            )
            return False
        if not self._explains(every):
            self.out.notes.append(
                "with the operations of this frame free, and no others, the side's bits do not come"
                if places
                else "no operation of this frame may be rewritten"
            )
            return False
        if every != self.b_after:
            self.out.notes.append("free operations give some of the side's bits, not all")
        return True

    def _operations(self, places: Sequence[OpRef], quick: bool = False) -> list[OpRef] | None:
        """A smallest set of operations; None where not even all of these are enough."""
        self._what, self._quick = "switching operations", quick
        search = MinimalSet(places, self._passes)
        found = self._least(search, "operations")
        self.out.is_minimal = search.is_minimal
        return found

    def _needed_flags(self, found: Sequence[OpRef]) -> tuple[str, ...]:
        self._what = "switching flags"
        search = MinimalSet(tuple(FLAGS), lambda flags: self._passes(found, flags))
        return tuple(self._least(search, "flags") or FLAGS)

    def _least(self, search: MinimalSet[T], what: str) -> list[T] | None:
        """The result of a search, or its best when no more runs are left."""
        try:
            return search.run()
        except BudgetSpent:
            self.out.is_minimal = False
            note = f"stopped after {self._most:,} runs: fewer {what} may be enough"
            if note not in self.out.notes:
                self.out.notes.append(note)
            return search.best

    def _passes(self, places: Collection[OpRef], flags: Collection[str] = tuple(FLAGS)) -> bool:
        """Raises BudgetSpent where no more runs are left."""
        if self.out.runs >= self._most:
            raise BudgetSpent
        return self._explains(self._run_with(places, flags))

    def _settled(self, found: Sequence[OpRef], quick: bool = False) -> bool:
        """Which flags are needed; then run once more with only what was found, compiled as the
        side is. Whether it is so."""
        self._quick = quick
        flags = self._needed_flags(found)
        self._what, self._quick = "confirming", False
        out = self.out
        after = self._run_with(found, flags)
        kernels = self.b.linked.kernels
        statements = [statement_at(kernels, place) for place in found]
        out.flags = flags
        out.operations = tuple(
            EnabledOperation(place, getattr(statement, "opcode", "for"), statement.span)
            for place, statement in zip(found, statements, strict=True)
        )
        out.is_confirmed = self._explains(after)
        out.is_whole = after == self.b_after
        if after is not None and self.b_after is not None:
            same = ~_unequal(self._state, after, self.b_after)
            out.explained = int((same & self._differ).sum())
        return out.is_confirmed

    def _explains(self, after: After) -> bool:
        """Whether it is as side b where side b is not as side a."""
        if after is None or self.b_after is None or self.a_after is None:
            return after == self.b_after
        same = ~_unequal(self._state, after, self.b_after)
        return bool((same & self._differ).any())

    def _run_with(self, places: Collection[OpRef], flags: Collection[str] = tuple(FLAGS)) -> After:
        """The frame, where only these places are free."""
        self.out.runs += 1
        self.progress(self._what, self.out.runs)
        enabled = dict.fromkeys(places, tuple(flags))
        program = with_flags(self.b, enabled, self._quick)
        with closing(self.b.execution(program)) as execution:
            return self.point.run(execution)


def _unequal(t: StructType, a: After, b: After) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each scalar, column by column, whether it is not the same in both states."""
    if a is None or b is None:
        return np.zeros(canonical_size(t), np.bool_)
    return np.concatenate([c.patterns(a) != c.patterns(b) for c in columns(t)])
