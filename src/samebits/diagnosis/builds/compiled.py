"""The builds that compilers of this machine make of side a's program, and what these tell.

Owns how a compiler's hit becomes a build, and which of its first differences is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samebits.diagnosis.builds.build import Build
from samebits.diagnosis.builds.compilers.built_by import CompiledSide
from samebits.diagnosis.builds.compilers.hits import Hit, listed
from samebits.diagnosis.builds.compilers.plans import Stage
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.builds.compilers.steps import FirstStep
from samebits.diagnosis.builds.hypotheses import Story
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.clock import OutOfTime
from samebits.diagnosis.report.findings import OperationFact
from samebits.errors import SamebitsError


@dataclass
class CompiledBuilds:
    """The builds of one search against `theirs`."""

    search: CompilerSearch
    theirs: Theirs
    _told: set[Path] = field(default_factory=set[Path])
    """The programs of builds that were told."""

    def run(self, stages: Sequence[Stage], end: float) -> tuple[list[Build], bool]:
        """The builds that some stages have found anew, and whether time ran out, at `end` by
        `clock.spent`."""
        search, is_out = self.search, False
        search.end = end
        try:
            search.run(stages)
        except OutOfTime:
            is_out = True
        except SamebitsError:
            pass
        found = [hit for hit in search.hits if hit.file not in self._told]
        self._told |= {hit.file for hit in found}
        return [self._build_of(hit) for hit in found], is_out

    def _build_of(self, hit: Hit) -> Build:
        row, search = hit.row, self.search
        agreement = self.theirs.agreement(search.frame, search.inputs.frames, hit.parting)
        story = Story(hit.hazards[0], hit.title, row.practice, row.remedy)
        side = CompiledSide(
            f"its C built by {hit.words}", search.a.simulation, search.a.spec, file=hit.file,
            forms=hit.forms, begins=hit.begins,
        )  # fmt: skip
        many = "all" if agreement.whole else f"{agreement.same:,} of"
        told = (
            f"side a's program as C, built by {hit.words}, gives {many} {agreement.compared:,} "
            "hashes"
        )
        places = (f"it acts in {listed(hit.functions)}",) if hit.functions else ()
        return Build(
            story, hit.hazards, side, agreement, not places, agreement.same, places, told=told
        )

    def named_first(self, build: Build) -> Build:
        """A build, named by what makes its first difference, if a compiler made it and that is
        found in time. Raises RunnerError."""
        hit = self._hit_of(build)
        if hit is None:
            return build
        try:
            named = self.search.name_first(hit)
        except OutOfTime:
            return build
        return build if named is hit else self._build_of(named)

    def first_step(self, build: Build) -> FirstStep | None:
        """The statement in which a build, if a compiler made it, differs first: one within loops,
        or else, for logs keep compilers from making vectors of these, one around. Where it is not
        sure, a statement is told that gives the hash alone, or else such a function. Raises
        RunnerError, OutOfTime."""
        hit = self._hit_of(build)
        if hit is None:
            return None
        search = self.search
        found = search.first_step(hit, True) or search.first_step(hit, False)
        if found is not None and found.sure:
            return found
        fact = search.first_statement(hit)
        if fact is None and found is not None:
            fact = search.first_function(hit)
        return found if fact is None else FirstStep(fact, True)

    def first_function(self, build: Build) -> OperationFact | None:
        """The function in which a build differs first, if a compiler made it. Raises
        RunnerError."""
        hit = self._hit_of(build)
        return None if hit is None else self.search.first_function(hit)

    def _hit_of(self, build: Build) -> Hit | None:
        file = build.side.file if isinstance(build.side, CompiledSide) else None
        return next((each for each in self.search.hits if each.file == file), None)
