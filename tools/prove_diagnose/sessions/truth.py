"""The truth of two logs, and how much of it some evidence tells.

States are compared byte by byte, with nothing of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tools.prove_diagnose.sessions.case import INPUTS, Case
from tools.prove_diagnose.sessions.draw import Drawn
from tools.prove_diagnose.sessions.evidence import FORMS, Given
from tools.prove_diagnose.sessions.input_faults import MOST_LATE, Rows
from tools.prove_diagnose.sessions.play import Log, played
from tools.prove_diagnose.sessions.subjects import SUBJECTS
from tools.prove_diagnose.truth import differing

from samebits.bits import leaves


@dataclass(frozen=True)
class Change:
    """The state became another between two frames; `frame` is the second. `fields` are the paths
    of what changed, `shown` whether a keyframe of the evidence has it."""

    frame: int
    fields: tuple[str, ...]
    shown: bool


@dataclass(frozen=True, eq=False)
class Truth:
    """`frames` are those that may be called the first that differs, none where the evidence shows
    no difference; `fields` of each what differs after it, None where the evidence cannot tell.
    `needed` are the kinds of what made the evidence's frames differ: inputs, seed, state."""

    frames: tuple[int, ...]
    fields: dict[int, tuple[str, ...] | None]
    needed: tuple[str, ...]
    changes: tuple[Change, ...]
    covered: int
    """Frames that the evidence has hashes of."""
    ours: Rows
    theirs: Rows
    shapes_known: bool
    """Whether the evidence tells what became of the inputs."""
    since: int | None = None
    """The last frame before that is known to agree, where that is not the one before."""
    is_open: bool = False
    """Whether the evidence leaves open if the first frame's state was changed from outside, or
    computed otherwise: nothing but that frame's hash, and no later one that agrees, tells of it."""

    @property
    def is_same(self) -> bool:
        return not self.frames


def first_difference(ours: Log, theirs: Log) -> int | None:
    """The first frame that leaves another state, -1 for `init`."""
    if ours.init != theirs.init:
        return -1
    pairs = zip(ours.ends, theirs.ends, strict=True)
    return next((frame for frame, (a, b) in enumerate(pairs) if a != b), None)


def known(drawn: Drawn, given: Given) -> Truth:
    """The truth of a case, as far as its evidence tells."""
    case, form = drawn.case, FORMS[drawn.case.evidence]
    ours, theirs = drawn.ours, drawn.theirs
    if form.alone or not form.states:  # the inputs are run once more
        again = played(given.simulation, theirs.seed, theirs.inputs)
        ours, theirs = (again, theirs) if form.alone else (ours, again)
    covered = given.detail.stop if form.inputs == "detail" else case.frames
    shown = set[int]()
    if form.states and case.keyframes and form.inputs != "nothing":
        shown = set(range(0, covered, case.keyframes))
    if form.has_all_states:
        shown = set(range(covered))
    changes = _changes(case, theirs, shown) if form.states else ()
    rows = _canonical(given, ours), _canonical(given, theirs)
    listed = range(covered)
    if form.has_gaps:
        listed = range(given.every - 1, covered, given.every)
    elif form.only_dumps:
        listed = range(given.dumped - 1, given.dumped + 1)
    kept = set[int]() if form.has_all_states else shown  # a session keeps those that frames leave
    frames = _frames(ours, theirs, listed, kept, has_init=not form.states or form.has_all_states)
    fields: dict[int, tuple[str, ...] | None] = {
        f: _fields(given, ours, theirs, f, shown, changes) for f in frames
    }
    if form.inputs == "nothing":
        fields, needed = dict.fromkeys(fields), ()
        if form.has_dump:
            t = given.simulation.state_type
            for n in frames:
                if n == given.dumped:
                    fields[n] = tuple(differing(t, ours.ends[n], theirs.ends[n]))
    elif form.alone:
        needed = ("state",) if frames else ()
    else:
        needed = tuple(
            cause_of(fault.kind)
            for fault, without in zip(case.faults, drawn.without, strict=True)
            if frames and without.ends[:covered] != theirs.ends[:covered]
        ) or (("state",) if frames else ())  # fmt: skip
    if form.inputs == "none" and len(given.case.faults) == 2:
        fields = dict.fromkeys(fields) if needed.count("inputs") == 2 else fields
    told = _shapes_are_known(given, *rows)
    if form.counts_from_1 and frames and frames[0] == 0:  # none agrees, so nobody could notice
        frames = (0, 1)
        fields = {0: None, 1: None}
    if case.evidence == "two reports" and frames == (-1,):
        fields = {-1: None}
    if not told and form.inputs == "none":
        fields = dict.fromkeys(fields)
    since = None
    if frames and form.has_gaps:
        since = max(frames[0] - given.every, -2) if frames[0] >= given.every else None
    return Truth(frames, fields, needed, changes, covered, *rows, told, since,
                 _is_open(case, frames, changes, theirs, ours, shown))  # fmt: skip


def _canonical(given: Given, log: Log) -> Rows:
    """The inputs as replays have them, without padding."""
    data = np.frombuffer(given.simulation.inputs.to_bytes(log.inputs), np.uint8)
    return data.reshape(*log.inputs.shape, -1)


def cause_of(kind: str) -> str:
    """What a fault is a cause of: inputs, seed or state."""
    return "inputs" if kind in INPUTS else "seed" if kind == "seed" else "state"


def _changes(case: Case, theirs: Log, shown: set[int]) -> tuple[Change, ...]:
    """Where a log's state became another outside of its frames."""
    found: list[Change] = []
    t = SUBJECTS[case.subject].simulation().state_type
    short = {f.frame + f.count - 1 for f in case.faults if f.kind == "one frame short"}
    for frame in range(len(theirs.ends)):
        fields = tuple(differing(t, theirs.end_before(frame), theirs.starts[frame]))
        if fields or frame in short:
            found.append(Change(frame, fields, frame in shown and bool(fields)))
    return tuple(found)


def _is_open(
    case: Case, frames: tuple[int, ...], changes: tuple[Change, ...], theirs: Log, ours: Log,
    shown: set[int],
) -> bool:  # fmt: skip
    first = next((change for change in changes if change.frame in frames), None)
    if first is None or first.shown or max(shown, default=0) > first.frame:
        return False
    if any(f.kind in ("wrong frame", "one frame short") for f in case.faults):
        return False
    return not any(
        a == b for a, b in zip(ours.ends[first.frame :], theirs.ends[first.frame :], strict=True)
    )


def _frames(
    ours: Log, theirs: Log, listed: range, shown: set[int], has_init: bool
) -> tuple[int, ...]:
    """The first that differs: in its hash, if that is listed, or in a keyframe before it."""
    if ours.init != theirs.init:
        return (-1,) if has_init else (listed[0], -1) if len(listed) else ()
    for frame in range(listed.stop):
        if frame in listed and ours.ends[frame] != theirs.ends[frame]:
            return (frame,)
        if frame in shown and ours.starts[frame] != theirs.starts[frame]:
            return (frame,)
    return ()


def _fields(
    given: Given, ours: Log, theirs: Log, frame: int, shown: set[int], changes: tuple[Change, ...]
) -> tuple[str, ...] | None:
    """What differs after a frame, where the evidence tells: what was changed from outside is known
    by a keyframe alone, and by running on from it."""
    t = given.simulation.state_type
    if frame == -1:
        return tuple(differing(t, ours.init, theirs.init))
    acting = [change for change in changes if change.frame <= frame]
    if acting and not all(c.shown for c in acting) and not (
        frame + 1 in shown and theirs.starts[frame + 1] == theirs.ends[frame]
    ):  # fmt: skip
        return None
    return tuple(differing(t, ours.ends[frame], theirs.ends[frame]))


def _shapes_are_known(given: Given, ours: Rows, theirs: Rows) -> bool:
    """Whether what became of the inputs can be told: by the inputs, or by trying what is likely
    against their hashes."""
    form = FORMS[given.case.evidence]
    faults = [f for f in given.case.faults if f.kind in INPUTS]
    if form.inputs in ("all", "nothing") or not faults:
        return True
    two = given.case.evidence.startswith("two reports")
    if form.inputs == "none" and two:
        return False
    frames = [f for f in range(len(ours)) if (ours[f] != theirs[f]).any()]
    for fault in faults:
        mine = [f for f in frames if fault.frame <= f < fault.frame + fault.count]
        if form.inputs == "detail" and all(f in given.detail for f in mine):
            if two and fault.kind in ("late", "left", "range", "repeated"):
                return False
            continue
        if two or len(faults) == 2:
            return False
        if fault.kind == "range" and len(fault.bits) > 8:
            return False
        if fault.kind == "range" and _is_float(given, fault.field):
            return False
    return True


def _is_float(given: Given, field: str) -> bool:
    return any(p == field and s.is_ieee for p, s, _ in leaves(given.simulation.input_type))


def is_true(stretch: dict[str, Any], truth: Truth) -> bool:
    """Whether what is said of a stretch of inputs is so."""
    first, last = stretch["frame"], stretch["last"]
    players: list[int] = stretch["players"]
    here, ours, theirs = slice(first, last + 1), truth.ours, truth.theirs
    if not all((ours[f] != theirs[f]).any() for f in (first, last)):
        return False
    if stretch["shape"] == "exchanged":
        crossed = theirs[here, players] == ours[here, players[::-1]]
        return len(players) == 2 and bool(crossed.all())
    return all(_is_true_of(p, here, stretch, ours, theirs) for p in players)


def _is_true_of(p: int, here: slice, stretch: dict[str, Any], ours: Rows, theirs: Rows) -> bool:
    first, end, given = here.start, here.stop, theirs[here, p]
    by: int = stretch["frames"]
    match stretch["shape"]:
        case "dropped":
            return not given.any()
        case "repeated":
            return bool((given == theirs[first - 1, p]).all())
        case "late":
            if not 0 < by <= min(MOST_LATE, first):
                return False
            return bool((given == ours[first - by : end - by, p]).all())
        case "early":
            return end + by <= len(ours) and bool((given == ours[first + by : end + by, p]).all())
        case "another's":
            return bool((given == ours[here, stretch["other"]]).all())
        case "left":
            return bool((theirs[first:, p] == theirs[first, p]).all())
        case _:  # of a field: what it is, and that it is all
            return True
