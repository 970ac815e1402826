"""A run here as a third side beside two reports: from their last common state, over their inputs.

Owns from where it can run, and which of the reports it agrees with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samebits.bits import to_canonical, xxh64
from samebits.desync.compare import ReportPair
from samebits.desync.portable import PortableNames
from samebits.desync.report import Report
from samebits.diagnosis.frame.examine import FrameBlock, SideFrame, begun, of_init, outcome
from samebits.sides.run import SideRun
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact


@dataclass(frozen=True, eq=False)
class Beginning:
    """The state before frame `number` that both reports have, as a state or as its hash; None:
    what `init` leaves is to be run. `rows` are the inputs from frame 0 on, zero before `number`, as
    far as they are known."""

    number: int
    state: bytes | None
    rows: Inputs

    def frames(self) -> dict[int, Inputs]:
        """The known inputs by frame."""
        return {n: self.rows[n] for n in range(self.number, len(self.rows))}


def beginning(both: ReportPair, frame: int) -> Beginning | None:
    """Where a run has to begin to come to a frame that differs: the last state before it that both
    have, from which on the inputs of all frames are known, and the same; or `init`."""
    if frame < 0:
        return Beginning(0, None, _zeros(both.a, 0))
    found = (_beginning(both, frame, number, state) for number, state in _states(both, frame))
    return next((each for each in found if each is not None), None)


def from_init(both: ReportPair, frame: int) -> Beginning | None:
    """`init`, where the inputs of all frames up to one that differs are known, and the same."""
    if both.a.header.seed != both.b.header.seed or frame < 0:
        return None
    return _beginning(both, frame, 0, None)


def _beginning(both: ReportPair, frame: int, number: int, state: bytes | None) -> Beginning | None:
    """A state, where the inputs from there on to a frame are known."""
    last = max(both.a.contents.begun, both.b.contents.begun)
    rows = list(_rows(both, number, last))
    if len(rows) <= frame - number:
        return None
    every = _zeros(both.a, number + len(rows))
    for k, row in enumerate(rows):
        every[number + k] = row
    return Beginning(number, state, every)


def _states(both: ReportPair, frame: int) -> Iterator[tuple[int, bytes | None]]:
    """States up to the one before a frame, the last first, which neither report contradicts."""
    found: dict[int, bytes] = {}
    for report in (both.a, both.b):
        for number in report.states:
            state = report.state(number)
            if number <= frame and state is not None and number not in report.incomplete:
                found[number] = state
    for number in sorted(found, reverse=True):
        hash_ = xxh64(found[number])
        if all(r.hashes[number] in (None, hash_) for r in (both.a, both.b)):
            yield number, found[number]
    if both.a.header.seed == both.b.header.seed:
        yield 0, None


def _rows(both: ReportPair, first: int, last: int) -> Iterator[Inputs]:
    """Inputs of frames, up to the first that is not known or differs."""
    for frame in range(first, last):
        given = [r.inputs_array(frame) for r in (both.a, both.b)]
        hashes = [r.input_hashes[frame] for r in (both.a, both.b)]
        row = next((each for each in given if each is not None), None)
        if row is None:
            return
        mine = xxh64(to_canonical(both.a.types[1], row))
        if any(hash_ not in (None, mine) for hash_ in hashes):
            return
        yield row


def _zeros(report: Report, frames: int) -> Inputs:
    return np.zeros((frames, report.header.players), report.types[1].dtype)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The run's own frame, and whether it ends as each report's does. `parted` is an earlier frame
    after which the run has another hash than both reports, which agree there."""

    seen: SideFrame
    agrees: tuple[bool, bool]
    parted: int | None = None


def judged(run: SideRun, both: ReportPair, start: Beginning, frame: int) -> Verdict:
    """Run up to a frame and over it; the run is left before it. Raises what running raises."""
    reports = both.a, both.b
    names = PortableNames(run.side.simulation)
    if start.state is not None:
        run.restore_canonical(start.number, start.state)
    else:
        done = begun(run, both.a.header.seed)
        if frame < 0 or done.trap is not None:
            seen = of_init(run, done)
            return _verdict(seen, reports, names, -1, None if frame < 0 else -1)
    for n in range(start.number, frame):
        done = outcome(run.advance(start.rows[n : n + 1]))
        known = {r.hash_after(n) for r in reports} - {None}
        if done.trap is not None or (known and int(done.hashes[0]) not in known):
            hash_ = None if done.trap is not None else int(done.hashes[0])
            seen = SideFrame(None, hash_, None, done.trap, None)
            return Verdict(seen, (False, False), n)
    seen = FrameBlock.run(run, start.rows[frame : frame + 1]).at(0)
    return _verdict(seen, reports, names, frame)


def _verdict(
    seen: SideFrame,
    reports: tuple[Report, Report],
    names: PortableNames,
    frame: int,
    parted: int | None = None,
) -> Verdict:
    trap = None if seen.trap is None else names.trap(seen.trap)
    agrees = [_ends(report, frame) == (seen.hash, trap) for report in reports]
    return Verdict(seen, (agrees[0], agrees[1]), parted)


def _ends(report: Report, frame: int) -> tuple[int | None, TrapFact | None]:
    trap = report.contents.trap if frame == report.frames else None
    return (report.hash_after(frame) if trap is None else None), trap
