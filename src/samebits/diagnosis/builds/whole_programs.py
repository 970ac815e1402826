"""Trials of what builds do to a whole program: options, rewrites, other numbers, another library.

Owns how each is tried against the other machine's hashes; in what order is the search's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from samebits.diagnosis.before.planted import agreement
from samebits.diagnosis.builds.board_plans import BoardPlan
from samebits.diagnosis.builds.build import Build
from samebits.diagnosis.builds.hypotheses import OTHER_LIBRARY, SLIP, Option, Rewrite
from samebits.diagnosis.builds.option_side import side_of
from samebits.diagnosis.builds.other_library import OtherLibrary, described_results
from samebits.diagnosis.builds.other_numbers import OtherNumbers, described
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.frame.search import silent
from samebits.errors import SamebitsError
from samebits.hazards.edit.other_constants import with_constants
from samebits.hazards.edit.other_results import with_other_results
from samebits.sides.input_stream import InputStream
from samebits.sides.side import Side
from samebits.sim.sources import InputSource

_SECONDS_OF_NUMBERS = 3.0
_PLAIN = BoardPlan(())


@dataclass
class WholePrograms:
    """Trials against `theirs`, of which the hash of `frame` is the first that differs from side
    a's. Each gives the build, if it gives the first hashes. `end` is the time by `clock.spent` at
    which they stop, by OutOfTime."""

    a: Side
    source: InputSource
    inputs: InputStream
    theirs: Theirs
    frame: int
    end: float
    say: Callable[[str], None]
    tried: int = 0
    """Programs run, and settings of theirs."""

    def by_option(self, option: Option) -> Build | None:
        """Raises OutOfTime."""
        self._in_time()
        self.say(f"trying {option.story.title}")
        self.tried += 1
        try:
            side = side_of(option, self.a)
            fits = self._fits(side)
        except SamebitsError:
            return None
        if not fits.same:
            return None
        return Build(option.story, (option.story.hazard,), side, fits, True, fits.same)

    def rewritten(self, what: Rewrite) -> Build | None:
        """From `init` on, or from frame 0 on: states are often loaded from a file. Raises
        OutOfTime."""
        self.say(f"trying {what.story.title}")
        base = _PLAIN.base(self.a)
        for start in (None, 0):
            self._in_time()
            self.tried += 1
            spec = replace(base.spec, start=start)
            text = what.text + ("" if start is None else ", from frame 0 on")
            side = replace(base, text=text, spec=spec, rewrite=what.made)
            try:
                fits = self._fits(side)
            except SamebitsError:
                return None
            if fits.same:
                return Build(what.story, (what.story.hazard,), side, fits, True, fits.same)
        return None

    def with_other_number(self) -> Build | None:
        """With other values of the constants that side a's program writes."""
        self.say("trying other constants")
        base = _PLAIN.base(self.a)
        end = min(self.end, spent() + _SECONDS_OF_NUMBERS)
        try:
            search = OtherNumbers(base.program, self.inputs, self.theirs.known, self.frame, end)
            try:
                found = search.search()
            finally:
                self.tried += search.trials
        except (SamebitsError, OutOfTime):
            return None
        if found is None:
            return None
        number, parting = found
        words = described(number)
        side = replace(base, text=words, rewrite=partial(with_constants, values=number.values))
        agreed = self._agreement(parting)
        return Build(
            replace(SLIP, title=f"{SLIP.title}: {words}"), (SLIP.hazard,), side, agreed, True,
            min(SURE_FRAMES, agreed.same), sure=False,
            told=f"side a's program in which {words} gives them",
        )  # fmt: skip

    def with_other_library(self) -> Build | None:
        """With results of math functions that are a step off for some arguments. Raises
        OutOfTime."""
        self.say(f"trying {OTHER_LIBRARY.title}")
        base = _PLAIN.base(self.a)
        theirs = self.theirs
        try:
            search = OtherLibrary(base.program, self.inputs, theirs.known, theirs.states, self.end)
            try:
                parting = search.search()
            finally:
                self.tried += search.trials
            results = search.results()
        except SamebitsError:
            return None
        agreed = self._agreement(parting)
        if not results or not agreed.same:
            return None
        text = f"{len(results)} other result{'' if len(results) == 1 else 's'} of math functions"
        side = replace(base, text=text, rewrite=partial(with_other_results, results=results))
        return Build(
            OTHER_LIBRARY, (OTHER_LIBRARY.hazard,), side, agreed, True,
            min(SURE_FRAMES, agreed.same), tuple(described_results(results)), sure=False,
        )  # fmt: skip

    def _fits(self, side: Side) -> Agreement:
        return agreement(side, self.source, self.theirs.known, self.frame, silent)

    def _agreement(self, parting: int | None) -> Agreement:
        return self.theirs.agreement(self.frame, self.inputs.frames, parting)

    def _in_time(self) -> None:
        if spent() > self.end:
            raise OutOfTime
