"""The facts of another machine's run that a build has to give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from samebits.desync.evidence.dump import Dump
from samebits.desync.report import Report
from samebits.diagnosis.cause.experiment import Agreement


@dataclass(frozen=True)
class Theirs:
    """The other machine's run: `known` are its hashes by the frame that they follow, -1 being
    `init`, `states` its whole states as canonical bytes, `architecture` its machine's, if it is
    known, and `dumps` what was told of single states."""

    known: Mapping[int, int]
    states: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    architecture: str = ""
    dumps: tuple[Dump, ...] = ()

    def agreement(self, first: int, end: int, parting: int | None) -> Agreement:
        """That of a run which has the hashes before frame `parting`, all where that is None, of
        those known from frame `first` to `end`."""
        frames = [n for n in self.known if first <= n < end]
        if parting is None:
            return Agreement(len(frames), len(frames))
        return Agreement(sum(n < parting for n in frames), len(frames))


def theirs_of(report: Report) -> Theirs:
    """What a report tells that a build has to give: of states those that are known whole."""
    found = {n - 1: report.state(n) for n in report.states if n - 1 not in report.incomplete}
    states = {n: state for n, state in found.items() if state is not None}
    return Theirs(report.told, states, report.machine.architecture, report.dumps)
