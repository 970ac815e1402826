"""The first statement that makes the difference of a build by a compiler.

Both builds log what their statements give to names and memory, in the frame that differs first. The
logs hold where the build that logs still has the other machine's hash. What b's log has otherwise
is put into side a's program, value by value: statements that compute another value of the same
operands differ. The first of them is told which each side's hash depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samebits.bits import pattern_of, ulp_distance
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.report.findings import OperationFact, Place
from samebits.export.plain_c.waiting import Step
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program

_MOST = 1 << 19
_MOST_DIFFERING = 128
"""Values that are put into side a's program."""
_MOST_PLACES = 32
"""Values of one statement that side b's build is tried without."""
_VALIDATION = "both builds log what their statements give, and the one of b's has its hash"


@dataclass(frozen=True)
class FirstStep:
    """The first statement that makes the difference. It is `sure` where side a's program has
    another hash with b's values there, and b's, whose steps can be forced, has with one of a's; or
    where a's has b's hash with b's values there, and at others that are needed as well."""

    fact: OperationFact
    sure: bool


@dataclass(frozen=True)
class LoggedRuns:
    """Programs of side a's C that log their steps, each made when it is needed: `strict`, whose
    steps can be forced, and built as side b's is, without that and with it, `forced`."""

    program: Program
    strict: Callable[[], Path]
    foreign: Callable[[], Path]
    forced: Callable[[], Path]
    steps: list[Step]
    seed: int
    rows: Inputs
    known: Mapping[int, int]
    seconds: float
    begins: bytes | None = None
    """The foreign one's state after `init`, where it is not its own."""
    is_strict: bool = False
    """Whether the foreign one is what is written, and no more: then logs change nothing."""
    forms: bytes = b""
    """Which form of each function acts in the foreign one, where there are several."""

    def first(self, frame: int) -> FirstStep | None:
        """The first statement that makes the difference of a frame, or of those before it of which
        no hash is known; None where the logs do not hold. Raises RunnerError.

        Where b's build has another hash once its steps can be forced, or is strict, the first of
        those is told whose values give side a's program b's hash; where none are enough, the first
        whose value gives it another one.
        """
        since = max((n for n in self.known if n < frame), default=-2) + 1
        if self.begins is not None:
            since = max(since, 0)
        goal = self.known[frame]
        with self._run(self.foreign(), self.begins, self.forms) as built:
            theirs = _Frames(built, self.seed, self.rows, since, frame).logged({})
        if theirs.hash != goal:
            return None
        with (
            self._run(self.strict(), None) as one,
            self._run(self.forced(), self.begins, self.forms) as other,
        ):
            own = _Frames(one, self.seed, self.rows, since, frame)
            forced = _Frames(other, self.seed, self.rows, since, frame)
            plain = own.logged({}).hash
            differing, changing = _put(own, theirs, plain)
            if not self.is_strict and forced.logged({}).hash == goal:
                for some in _by_step(differing):
                    mine = [{each.place: each.mine[1]} for each in some[:_MOST_PLACES]]
                    its = {each.place: each.its[1] for each in some}
                    matters = any(forced.logged(each).hash != goal for each in mine)
                    if matters and own.logged(its).hash != plain:
                        return FirstStep(self._told(some[0]), True)
            needed = _needed(own, differing, goal)
            if needed is not None:
                return FirstStep(self._told(needed), True)
            return None if changing is None else FirstStep(self._told(changing), self.is_strict)

    def _run(self, file: Path, begins: bytes | None, forms: bytes = b"") -> closing[BuiltExecution]:
        built = BuiltExecution(self.program, file, self.seconds, begins)
        if forms:
            built.choose(forms)
        return closing(built)

    def _told(self, each: _Differing) -> OperationFact:
        step = self.steps[each.mine[0]]
        place = Place.of(step.span)
        if each.is_path:
            return OperationFact("path", "line", place, (), (), (), None, None, None, _VALIDATION)
        t = step.type
        a, b = (pattern_of(t, _value(bits)) for _, bits in (each.mine, each.its))
        return OperationFact(
            "result", "line", place, (), (), (), datum(t, a), datum(t, b),
            ulp_distance(a, b, t.bits), _VALIDATION,
        )  # fmt: skip


@dataclass(frozen=True)
class _Differing:
    """A place in the logs at which both differ: a step's number and what it gave, of either."""

    place: int
    mine: tuple[int, int]
    its: tuple[int, int]

    @property
    def is_path(self) -> bool:
        """Whether it is another step."""
        return self.mine[0] != self.its[0]


@dataclass(frozen=True)
class _Log:
    """Rows of a step's number and the bits of what it gave, and the hash after the last frame."""

    steps: NDArray[np.uint64]
    hash: int


class _Frames:
    """A program's frames from `since` to `frame`, run again and again."""

    def __init__(
        self, built: BuiltExecution, seed: int, rows: Inputs, since: int, frame: int
    ) -> None:
        self._built = built
        self._seed = seed
        self._rows = rows[max(0, since) : frame + 1]
        self._memory: bytes | None = None
        if since >= 0:
            built.start(seed)
            built.advance(rows[:since])
            self._memory = built.save_memory()

    def logged(self, given: Mapping[int, int]) -> _Log:
        """What they log, and come to, with other values `given` to steps by their places in it."""
        built = self._built
        built.force(given)
        built.log_steps(_MOST)
        if self._memory is None:
            built.start(self._seed)
        else:
            built.restore_memory(self._memory)
        found = built.first_hash
        if len(self._rows):
            found = int(built.advance(self._rows).hashes[-1])
        return _Log(built.logged(_MOST), found)


def _put(own: _Frames, theirs: _Log, plain: int) -> tuple[list[_Differing], _Differing | None]:
    """The steps that differ though all before them have b's values, which are put into side a's
    program one after another; and the first of them with which its hash is no longer `plain`, or
    that is another step, behind which none are told."""
    found: list[_Differing] = []
    changing: _Differing | None = None
    while len(found) <= _MOST_DIFFERING:
        given = {each.place: each.its[1] for each in found}
        log = own.logged(given)
        if changing is None and log.hash != plain:
            changing = found[-1]
        place = _parting(log, theirs, given)
        if place is None:
            break
        mine, its = (tuple(map(int, each.steps[place])) for each in (log, theirs))
        each = _Differing(place, (mine[0], mine[1]), (its[0], its[1]))
        if each.is_path:
            return found, changing or each
        found.append(each)
    return found, changing


def _needed(own: _Frames, differing: Sequence[_Differing], goal: int) -> _Differing | None:
    """The first of the steps whose values give side a's program b's hash, and none of which can be
    left out; None where all together do not give it."""

    def gives(some: Sequence[Sequence[_Differing]]) -> bool:
        values = {each.place: each.its[1] for step in some for each in step}
        return own.logged(values).hash == goal

    left = _by_step(differing)
    if not left or not gives(left):
        return None
    for step in list(left):
        fewer = [each for each in left if each is not step]
        if gives(fewer):
            left = fewer
    return left[0][0] if left else None


def _by_step(differing: Sequence[_Differing]) -> list[list[_Differing]]:
    """Places by the step that is there, in the order of their first."""
    found: dict[int, list[_Differing]] = {}
    for each in differing:
        found.setdefault(each.mine[0], []).append(each)
    return list(found.values())


def _parting(one: _Log, other: _Log, but: Mapping[int, int]) -> int | None:
    """The first place at which both logs have a step and these differ, `but` for some: a log has
    what was computed there, and not what was given instead."""
    count = min(len(one.steps), len(other.steps))
    differ = np.flatnonzero((one.steps[:count] != other.steps[:count]).any(axis=1))
    return next((int(place) for place in differ if int(place) not in but), None)


def _value(bits: int) -> float:
    return float(np.uint64(bits).view(np.float64))
