"""State dumps beside the build that gives the hashes: whether it leaves what they tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from samebits.desync.evidence.dump import Dump
from samebits.diagnosis.frame.examine import begun
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.report.wording import moment
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.sources import InputSource


def beside_dumps(built: Side, source: InputSource, dumps: Sequence[Dump]) -> Iterator[str]:
    """For each dump, in the order of their frames, a sentence: it is what the build `built` leaves,
    or where the two part; up to where the build traps.

    Raises what reading the inputs and running the build raise.
    """
    inputs, state = InputStream(source), built.plain.state
    with closing(open_run(built)) as run:
        trap = begun(run, inputs.seed).trap
        for dump in sorted(dumps, key=lambda dump: dump.frame):
            if trap is None and run.frame <= dump.frame:
                trap = run.advance(inputs.between(run.frame, dump.frame + 1)).trap
            said = f"{dump.name}, the dump of {moment(dump.frame)},"
            if trap is not None:
                yield f"{said} is not what that build leaves: it traps before"
                return
            left = run.save()
            theirs = dump.beside(left)
            if theirs == left:
                limits = "" if dump.state is not None else ", as far as it goes,"
                yield f"{said} is{limits} what that build leaves"
                continue
            found = differences(state, left, theirs, 1)
            first = found.first[0]
            more = f" and {found.differing - 1:,} more" if found.differing > 1 else ""
            yield (
                f"{said} is not what that build leaves: it parts in {first.path}{more}, which is "
                f"{first.b.text} in the dump and {first.a.text} of the build"
            )
