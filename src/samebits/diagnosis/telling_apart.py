"""The measurement that would tell two causes apart that both fit all that is known of side b.

Owns what is asked for: the hash of a frame that nobody has told, or else the operation's result for
other operands.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from samebits.diagnosis.cause.asked import read
from samebits.diagnosis.explain import explain
from samebits.diagnosis.frame.lockstep import LockstepSearch
from samebits.diagnosis.report.findings import ApartFact, CauseFact, Diagnosis
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.sources import InputSource


def hash_apart(sides: tuple[Side, Side], source: InputSource) -> ApartFact | None:
    """The first frame of a run whose hash two sides do not both give; None where there is none. Its
    titles are left empty. Raises what running the sides raises."""
    one, other = sides
    with closing(open_run(one)) as a, closing(open_run(other)) as b:
        found = LockstepSearch(a, InputStream(source), b).run().found
    if found is None or not found.is_exact:
        return None
    return ApartFact(("", ""), (found.a.shown(), found.b.shown()), found.frame)


def tell_apart(out: Diagnosis, by_hash: ApartFact | None = None) -> None:
    """Tell what would decide between the first two causes that fit everything, if there are two:
    a hash, where that is known, or a row of operands of the operation."""
    if not out.causes or not out.causes[0].holds or out.apart is not None:
        return
    first, *others = out.causes
    rivals = [each for each in others if each.holds and each.title != first.title]
    if not rivals:
        return
    titles = first.title, rivals[0].title
    found = by_hash or _row(out, first, rivals[0])
    if found is not None:
        out.apart = replace(found, titles=titles)


def _row(out: Diagnosis, first: CauseFact, other: CauseFact) -> ApartFact | None:
    """Operands for which the operation gives something else by either cause."""
    asked = None if out.operation is None else read(out.operation.ask)
    if asked is None:
        return None
    found = explain(asked.expression, asked.operands, asked.result, asked.type)
    names = [tuple(hazard.name for hazard in cause.hazards) for cause in found.causes]
    wanted = (first.hazard,), (other.hazard,)
    if found.decisive is None or any(each not in names for each in wanted):
        return None
    digits = found.decisive.width // 4
    one, two = (f"0x{found.decisive.results[names.index(n)]:0{digits}x}" for n in wanted)
    if one == two:
        return None
    operands = tuple(found.decisive.operands_as_text().items())
    return ApartFact(("", ""), (one, two), None, asked.expression, operands)
