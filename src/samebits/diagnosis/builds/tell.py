"""The telling of a build that gives another machine's hashes: cause, fields, operation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Protocol

from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.builds.boards import Boards
from samebits.diagnosis.builds.build import Build
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.compilers.built_by import CompiledSide
from samebits.diagnosis.builds.compilers.hits import Near
from samebits.diagnosis.builds.dumps import beside_dumps
from samebits.diagnosis.builds.hypotheses import SLOW, are_kin
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.cause.proxy import ENOUGH
from samebits.diagnosis.frame.lockstep import LockstepSearch
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.frame.state_diff import AFTER, differences, timeline
from samebits.diagnosis.narrow import KnownCause
from samebits.diagnosis.report.findings import (
    IN_PLACES,
    SCOPES,
    CauseFact,
    Diagnosis,
    TimelineFact,
)
from samebits.diagnosis.report.wording import moment
from samebits.diagnosis.telling_apart import hash_apart, tell_apart
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.sources import InputSource

_FEW_SCALARS = 4
"""Scalars that chance may give."""
_MOST_OTHERS = 8
"""Other builds that are named, where they give all hashes too."""


class Compare(Protocol):
    """Two sides' diagnosis, over the same inputs."""

    def __call__(self, a: Side, b: Side, *, known: KnownCause) -> Diagnosis: ...


def tell_builds(
    out: Diagnosis,
    a: Side,
    source: InputSource,
    theirs: Theirs,
    compare: Compare,
    progress: Progress,
    seconds: float,
    boards: Boards | None = None,
) -> None:
    """Add to a diagnosis that has no cause the build that gives the hashes of side b, and with it
    the fields and the operation, which are then those of side a's program built so.

    Raises what reading the inputs and running side a raise.
    """
    assert out.frame is not None
    if seconds <= 0:
        return
    found = BuildSearch(a, source, theirs, out.frame, progress, seconds, boards)
    with closing(found):
        found.run()
        _tell(out, a, source, theirs, compare, found)


def _tell(
    out: Diagnosis,
    a: Side,
    source: InputSource,
    theirs: Theirs,
    compare: Compare,
    found: BuildSearch,
) -> None:
    assert out.frame is not None
    best = found.best
    if best is None:
        every = "all" if found.finished else "the first"
        out.note(
            f"{every} builds that are known were tried, {found.tried:,} runs, and none gives b's "
            f"hash of {moment(out.frame)}"
        )
        for note in found.notes:
            out.note(note)
        if found.nearest is not None and _is_near(found.nearest):
            out.causes, out.certainty = (_near_cause(out, found, found.nearest),), "possible"
        if out.frame == 0 and -1 not in theirs.known:
            out.note(
                "all that init and frame 0 do is in one hash: that of the state after init, a line "
                "`init HASH`, would part the two"
            )
        return
    with beyond_first_facts(out.notes, "which flags give the first frame is"):
        found.name_first()
    best = found.best or best
    cause = _cause(best, found)
    mine = replace(best.side, text=a.text, spec=a.spec, variants=()) if _is_inlined(best) else a
    shown = best.shown or best.side
    first = None
    with beyond_first_facts(out.notes, "the line is"):
        first = found.first_step()
    step = None if first is None else first.fact
    # A build by a compiler has no trace: what gives the first hashes as well may stand for it.
    proxies = found.by_boards if isinstance(shown, CompiledSide) else None
    live = compare(mine, shown, known=KnownCause(cause, best.variants, step, proxies))
    _take(out, live, best)
    if live.frame != out.frame and best.agreement.same:  # whose hash it has
        with beyond_first_facts(out.notes, "the fields are"):
            _fields(out, mine, best.side, source)
    with beyond_first_facts(out.notes, "the function is"):
        out.operation = step or out.operation or found.first_function()
    if not out.timeline and best.agreement.whole:
        with beyond_first_facts(out.notes, "the timeline is"):
            out.timeline = _timeline(mine, best.side, source)
    others = [_cause(each, found) for each in found.whole if each is not best]
    out.causes = (replace(cause, expression=_expression(best, live)), *others[:_MOST_OTHERS])
    out.certainty = _certainty(best, found)
    if first is not None and not first.sure and out.certainty == "certain":
        out.certainty = "likely"  # the line is a part of the answer
    rival = next((each for each in found.whole if each.story.title != best.story.title), None)
    if rival is not None and best.agreement.whole:
        with beyond_first_facts(out.notes, "what would tell the causes apart is"):
            tell_apart(out, hash_apart((best.side, rival.side), source))
            if out.apart is None:
                out.note(
                    f"no frame of this run tells {best.story.title} from {rival.story.title}: a "
                    "longer one, or one of other inputs, may"
                )
    if theirs.dumps:
        out.notes += beside_dumps(best.side, source, theirs.dumps)


def _timeline(a: Side, built: Side, source: InputSource) -> tuple[TimelineFact, ...]:
    """How the states of a build of which a part alone was looked at go on."""
    inputs = InputStream(source)
    with closing(open_run(a)) as one, closing(open_run(built)) as other:
        found = LockstepSearch(one, inputs, other).run().found
        if found is None:
            return ()
        rows = inputs.between(max(found.frame, 0), max(found.frame, 0) + AFTER)
        return timeline(a.plain.state, found, one, other, rows, source.seed)


def _fields(out: Diagnosis, a: Side, built: Side, source: InputSource) -> None:
    """The fields that differ after the frame, where those of another one are known."""
    assert out.frame is not None
    states: list[bytes] = []
    for side in (a, built):
        with closing(open_run(side)) as run:
            run.start(source.seed)
            run.advance(InputStream(source).between(0, out.frame + 1))
            states.append(run.save())
    every = differences(a.plain.state, states[0], states[1])
    out.fields, out.differing = every.first, every.differing
    out.columns = tuple(row for row in every.columns if row.differing)


def _is_inlined(best: Build) -> bool:
    return isinstance(best.side, BuiltSide) and best.side.inlined


def _take(out: Diagnosis, live: Diagnosis, best: Build) -> None:
    """What the planted side shows, where side b itself shows nothing."""
    if live.frame != out.frame:
        if not best.agreement.same or live.frame is None:
            return
        out.note(f"side a built so differs from {moment(live.frame)} on")
    if not (out.fields or out.columns):
        out.fields, out.columns, out.differing = live.fields, live.columns, live.differing
    if out.operation is None:
        out.operation = live.operation
    out.exposed, out.exposed_left = live.exposed, live.exposed_left
    if not out.timeline and best.shown is None:
        out.timeline = live.timeline
    out.note(f"values of side b are those of side a's program with `{best.side}`, which has its "
             "hashes")  # fmt: skip


def _expression(best: Build, live: Diagnosis) -> str:
    """The evaluation at the operation that differs first."""
    if live.operation is None:
        return ""
    place = live.operation.place
    for variant in best.variants:
        span = variant.site.op.span
        if (span.line, span.column) == (place.line, place.column):
            return variant.expression
    return ""


def _cause(best: Build, found: BuildSearch) -> CauseFact:
    story, agreement = best.story, best.agreement
    made = best.told or f"side a built with `{best.side}` gives them"
    evidence = [f"{made}; {found.tried:,} runs", *best.places]
    return CauseFact(
        hazard=story.hazard,
        title=story.title,
        expression="",
        practice=story.practice,
        remedy=story.remedy,
        scope=SCOPES[-1] if best.everywhere else IN_PLACES,
        frames_same=agreement.same,
        frames_compared=agreement.compared,
        evidence=tuple(evidence),
    )


def _is_near(near: Near) -> bool:
    return near.differing >= _FEW_SCALARS and near.alike > ENOUGH * near.differing


def _near_cause(out: Diagnosis, found: BuildSearch, near: Near) -> CauseFact:
    """What gives b's bits in most scalars, though it gives no hash: what that machine builds may be
    written otherwise."""
    assert out.frame is not None
    hit, compared = near.hit, sum(frame >= out.frame for frame in found.theirs.known)
    return CauseFact(
        hazard=hit.hazards[0],
        title=hit.title,
        expression="",
        practice=hit.row.practice,
        remedy=hit.row.remedy,
        scope=SCOPES[-1],
        frames_same=0,
        frames_compared=compared,
        evidence=(
            f"side a's program as C, built by {hit.words}, gives b's bits in {near.alike:,} of the "
            f"{near.differing:,} scalars that differ after {moment(out.frame)}, more than all else "
            f"that was tried, and no hash; {found.tried:,} runs",
        ),
    )


def _certainty(best: Build, found: BuildSearch) -> str:
    """Certain where it alone gives all hashes of enough frames. A build that does one thing
    everywhere is not doubted for the sake of one that does another here and there; one made of
    hazards that are kin is, for each of them might be the other."""
    agreement = best.agreement
    if not agreement.whole:
        return "possible"
    rivals = [
        each
        for each in found.whole
        if set(each.hazards) != set(best.hazards) and (each.everywhere or not best.everywhere)
    ]
    told = best.sure and not rivals and found.finished and agreement.compared >= SURE_FRAMES
    one, *more = best.hazards
    if one in SLOW and any(are_kin(one, name) for name in found.partly if name not in SLOW):
        told = False  # what is more plausible might have done it, in a way that was not tried
    if not isinstance(best.side, CompiledSide):  # whose parts no one has put together
        told = told and not any(are_kin(one, each) for each in more)
    return "certain" if told else "likely"
