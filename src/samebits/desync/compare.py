"""Pairs of desync reports: whether they can be compared, and over which frames.

Owns the facts and the errors that follow from them; `diagnosis` finds what differs and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.replay.header import ReplayHeader

_MOST_SHOWN = 8
AROUND = 5
"""Frames before and after a differing one that a report should hold in detail."""


@dataclass(frozen=True, eq=False)
class ReportPair:
    """Two reports that may be compared."""

    a: Report
    b: Report

    @cached_property
    def first_differing_inputs(self) -> int | None:
        """The first frame whose input hashes both have and which differ."""
        return self.a.input_hashes.first_difference(self.b.input_hashes)

    @cached_property
    def first_difference(self) -> int | None:
        """The first frame after which the hashes that both have differ, or in which one side traps
        differently; -1 if the state after `init` differs, None if nothing does."""
        number = self.a.hashes.first_difference(self.b.hashes)
        found = [] if number is None else [number - 1]
        ends = [(report.frames, report.contents.trap) for report in (self.a, self.b)]
        begun = min(self.a.contents.begun, self.b.contents.begun)
        if ends[0] != ends[1]:
            found += [frame for frame, trap in ends if trap is not None and frame < begun]
        return min(found, default=None)

    def last_alike(self, frame: int) -> int:
        """The last frame before `frame` after which both have the hash; -2 for none."""
        before = self.hashed[self.hashed < frame]
        return int(before[-1]) if len(before) else -2

    @property
    def hashed(self) -> NDArray[np.int64]:
        """The frames after which both have the hash; -1 is `init`."""
        return self.a.hashes.shared(self.b.hashes) - 1

    @property
    def asked(self) -> range:
        """The frames that both hold in detail."""
        one, other = self.a.asked, self.b.asked
        start = max(one.start, other.start)
        return range(start, max(start, min(one.stop, other.stop)))

    @property
    def wanted(self) -> range:
        """The frames that a report should hold in detail: around the first that differs or, if that
        is unknown, those of `a`."""
        frame = self.first_difference
        if frame is None:
            return self.a.asked or self.b.asked
        return range(max(0, frame - AROUND), max(0, frame) + AROUND + 1)

    def require(self) -> None:
        """Raise ReportError unless both are of one simulation, with states and inputs alike, and
        share hashes. Version, seed and inputs may differ: they are the cause to find."""
        _require_same_run(self.a.header, self.b.header, self.a.name, self.b.name)
        if len(self.hashed):
            return
        known = [_ranges(report) for report in (self.a, self.b)]
        raise ReportError(
            f"{self.a.name} and {self.b.name} share no frame's hash",
            note=f"the first has those of {known[0]}, the second those of {known[1]}",
            fix=f"write them again: {command(self.wanted)}",
        )

    def require_detail(self) -> range:
        """The frames that both hold in detail, which include the first differing one. Raises
        ReportError otherwise, with the command that writes such reports."""
        frame, shared = self.first_difference, self.asked
        if shared and (frame is None or frame in shared or frame < 0):
            return shared
        what = "share no frame in detail"
        if shared and frame is not None:
            what = f"differ first in frame {frame}, and do not both hold it in detail"
        raise ReportError(
            f"{self.a.name} and {self.b.name} {what}",
            note=f"{_asked(self.a)}, and {_asked(self.b)}",
            fix=f"write both again: {command(self.wanted, frame)}",
        )


def command(frames: range, traced: int | None = None) -> str:
    """The command that writes a report of these frames, and the trace of one."""
    if not frames:
        return "samebits report SIM REPLAY"
    given = f"{frames.start}:{frames.stop}" if len(frames) > 1 else f"{frames.start}"
    trace = "" if traced is None or traced < 0 else f" --trace {traced}"
    return f"samebits report SIM REPLAY --frames {given}{trace}"


def require_replay(report: Report, header: ReplayHeader, replay: str) -> None:
    """Raise ReportError unless a report is of the simulation that a replay's header names, with
    states and inputs alike."""
    _require_same_run(header, report.header, replay, report.name)


def _require_same_run(a: ReplayHeader, b: ReplayHeader, one: str, other: str) -> None:
    if a.simulation != b.simulation:
        raise ReportError(
            f"{one} is of simulation '{a.simulation}', and {other} of '{b.simulation}'",
            fix="give two of the same simulation",
        )
    if a.schema != b.schema or a.players != b.players:
        versions = f" (versions {a.version} and {b.version})" if a.version != b.version else ""
        raise ReportError(
            f"{one} and {other} are of '{a.simulation}'{versions} with different states, "
            "inputs or players",
            fix="run the same code on both machines, and write reports again",
        )


def _asked(report: Report) -> str:
    frames = report.asked
    if not frames:
        return f"{report.name} holds none in detail"
    return f"{report.name} holds {frames.start} to {frames.stop - 1} in detail"


def _ranges(report: Report) -> str:
    ranges = [range(max(0, r.start - 1), r.stop - 1) for r in report.hashes.ranges()]
    known = [f"{frames.start} to {frames.stop - 1}" for frames in ranges if frames]
    if len(known) > _MOST_SHOWN:
        known[_MOST_SHOWN:] = [f"{len(known) - _MOST_SHOWN:,} more ranges"]
    return f"frames {', '.join(known)}" if known else "none"
