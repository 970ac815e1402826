"""A trial: the first version with some edits made, run natively, its hashes kept.

A set of edits that does not compile is an outcome like any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.bits import xxh64
from samebits.diagnosis.edits.versions import Versions
from samebits.diagnosis.frame.examine import begun, outcome
from samebits.diagnosis.frame.state_diff import differences
from samebits.errors import SamebitsError, SideError
from samebits.ir.grammar import Module
from samebits.ir.text import print_module
from samebits.sides.common_layout import CommonLayout
from samebits.sides.common_run import CommonRun
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import Side
from samebits.sides.words import NATIVE
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.simulation import Simulation

FIELDS = 4
"""Fields that are named of those that differ."""
_PLACES = re.compile(r' @\d+:[-:\d]+|^  source .*$|#\d+(?=")', re.MULTILINE)
"""Where in the source IR comes from, and numbers of names that another version has as well."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a set of edits: the hashes after `init` and after each frame, and a trap behind
    them; or, in words, why there is no such program."""

    hashes: NDArray[np.uint64]
    trap: TrapFact | None = None
    refusal: str = ""

    @property
    def is_program(self) -> bool:
        return not self.refusal

    def parts_from(self, other: Outcome) -> int | None:
        """The first frame in which the two differ, -1 for what `init` leaves; None where they are
        the same."""
        if self.refusal or other.refusal:
            return None if self.refusal and other.refusal else -1
        shared = min(len(self.hashes), len(other.hashes))
        unequal = np.flatnonzero(self.hashes[:shared] != other.hashes[:shared])
        if len(unequal):
            return int(unequal[0]) - 1
        same = other.trap is None if self.trap is None else self.trap.is_same(other.trap)
        if len(self.hashes) == len(other.hashes) and same:
            return None
        return shared - 1


@dataclass(eq=False)
class Trials:
    """Trials of sets of edits on `side`, the first version's, over the frames of `inputs`."""

    versions: Versions
    side: Side
    seed: int
    inputs: Inputs
    layout: CommonLayout | None = None
    """The part of the state that is compared, where the versions have others."""
    count: int = 0
    """Programs that were compiled and run."""
    _known: dict[frozenset[int], Outcome] = field(default_factory=dict[frozenset[int], Outcome])
    _of_text: dict[int, Outcome] = field(default_factory=dict[int, Outcome])

    def of(self, chosen: Collection[int]) -> Outcome:
        """The outcome of a set of edits."""
        key = frozenset(chosen)
        if key not in self._known:
            self._known[key] = self._made(key)
        return self._known[key]

    def of_side(self, side: Side) -> Outcome:
        """The outcome of a side as it is, or natively where that takes too long."""
        if side.is_slow or side.is_emulated:
            side = _quick(side, side.simulation)
        return self._outcome(side)

    def fields(self, chosen: Collection[int], frame: int) -> tuple[str, ...]:
        """The first fields in which the first version with these edits differs from itself after a
        frame, -1 being `init`. Raises what loading and running it raise."""
        changed = _quick(self.side, self.versions.load(chosen, self.side.simulation))
        own = _quick(self.side, self.side.simulation)
        states: list[bytes] = []
        for side in (own, changed):
            with closing(self._opened(side)) as run:
                first = begun(run, self.seed, placed=False)
                if first.trap is not None or run.advance(self.inputs[: frame + 1]).trap is not None:
                    return ()
                states.append(run.save())
        t = own.plain.state if self.layout is None else self.layout.type
        return tuple(fact.path for fact in differences(t, *states, most=FIELDS).first)

    def _made(self, chosen: frozenset[int]) -> Outcome:
        try:
            simulation = self.versions.load(chosen, self.side.simulation)
            return self._run(_quick(self.side, simulation))
        except SamebitsError as error:
            return Outcome(np.zeros(0, np.uint64), None, error.message)

    def _run(self, side: Side) -> Outcome:
        """Of programs that are the same but for places in the source, one is run."""
        text = _text(side.program.kernels)
        if text not in self._of_text:
            self.count += 1
            self._of_text[text] = self._outcome(side)
        return self._of_text[text]

    def _opened(self, side: Side) -> SideRun:
        try:
            return open_run(side) if self.layout is None else CommonRun(side, self.layout)
        except KeyError as error:  # between both versions, a field may be of neither
            raise SideError(f"the state lacks {error}") from None

    def _outcome(self, side: Side) -> Outcome:
        with closing(self._opened(side)) as run:
            first = begun(run, self.seed, placed=False)
            if first.trap is not None:
                return Outcome(first.hashes, first.trap)
            done = outcome(run.advance(self.inputs), placed=False)
            return Outcome(np.concatenate([first.hashes, done.hashes]), done.trap)


def _quick(side: Side, simulation: Simulation) -> Side:
    """A native side of a version, compiled in less time where that changes no bits."""
    spec = side.spec
    rounded = "mode" in spec.options or spec.environment
    here = replace(spec, kind=NATIVE, target=host_target(), source="")
    return replace(side, simulation=simulation, spec=here if rounded else replace(here, opt=0))


def _text(kernels: Module) -> int:
    """A digest of what kernels compute, wherever in the source they stand."""
    return xxh64(_PLACES.sub("", print_module(kernels)).encode())
