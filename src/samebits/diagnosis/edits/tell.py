"""The edits that explain a difference between two versions, as facts of a diagnosis."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from samebits.diagnosis.cause.experiment import FRAMES
from samebits.diagnosis.edits.edit import Edit
from samebits.diagnosis.edits.relevance import by_relevance
from samebits.diagnosis.edits.search import BUDGET, Answer, EditSearch, Found
from samebits.diagnosis.edits.trial import Trials
from samebits.diagnosis.edits.versions import Source, Versions, read
from samebits.diagnosis.edits.words import described, titled, where
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.report.findings import (
    ALONE,
    AnswerFact,
    CauseFact,
    Diagnosis,
    EditFact,
    EditsFact,
)
from samebits.diagnosis.report.wording import moment
from samebits.hazards.catalogue import by_name
from samebits.sides.common_layout import CommonLayout
from samebits.sides.input_stream import InputStream
from samebits.sides.side import Side

_NUMBERS = ("constant", "default")
MOST_WORDS = 3
"""Edits that a cause's own line names."""


def tell_edits(
    out: Diagnosis,
    sides: tuple[Side, Side],
    found: FirstFrame,
    stream: InputStream,
    progress: Progress,
    layout: CommonLayout | None = None,
) -> None:
    """Find the edits between the sources of side a and side b that give b's bits from `found` on,
    and the causes that they are; where the versions have other states, in the part of `layout`.
    Does nothing where both sides are of one source.

    The search ends after `BUDGET` seconds; what it lacks then is a note.
    """
    a, b = sides
    if a.spec.source == b.spec.source:
        return
    sources = Source.of(a), Source.of(b)
    if sources[0] is None or sources[1] is None:
        out.note("the edits between both versions are unknown: one of them is not in a file")
        return
    progress("comparing both versions", 0, 1)
    folder = Path(tempfile.mkdtemp(prefix="samebits-versions-"))
    with closing(Versions(sources[0], sources[1], folder)) as versions:
        rows = stream.between(0, max(found.frame, 0) + FRAMES)
        trials = Trials(versions, a, stream.seed, rows, layout)
        trees = [ast.parse(read(source.file)) for source in sources if source]
        ordered = by_relevance(versions.edits, trees, [fact.path for fact in out.fields])
        search = EditSearch(
            trials, ordered, trials.of_side(a), trials.of_side(b),
            lambda done: progress("trying edits", done, max(done, len(ordered))), BUDGET,
        )  # fmt: skip
        _add(out, search.run(), found.frame, len(rows))


def _add(out: Diagnosis, found: Found, frame: int, frames: int) -> None:
    if not found.needed:
        out.note(f"which edits of the source matter is unknown: {found.why}")
        return
    if found.why:
        out.note(found.why)
    answers = found.answers or (Answer(found.needed, frame, None),)
    facts = tuple(_answer(each) for each in answers)
    sure = found.is_minimal and found.is_unique and not found.why
    out.edits = EditsFact(
        facts, tuple(map(_edit, found.rivals)), tuple(map(_edit, found.masked)),
        tuple(map(_edit, found.harmless)), found.is_minimal, found.trials, found.frames,
    )  # fmt: skip
    out.causes = (_cause(facts, found, frames - max(frame, 0)),)
    out.certainty = "certain" if sure else "likely"


def _edit(edit: Edit) -> EditFact:
    return EditFact(
        edit.kind, edit.function, edit.a, edit.b, edit.old, edit.new, described(edit), where(edit)
    )


def _answer(answer: Answer) -> AnswerFact:
    return AnswerFact(
        titled(answer.edits),
        tuple(map(_edit, answer.edits)),
        answer.alone,
        answer.left,
        answer.fields,
    )


def _told(answers: Sequence[AnswerFact]) -> Iterator[str]:
    """Each answer, its edits, and what remains once it is mended."""
    for number, answer in enumerate(answers, 1):
        of = f"cause {number}: " if len(answers) > 1 else ""
        yield from (f"{of}{edit.where}: {edit.words}" for edit in answer.edits)
        if answer.left is not None:
            fields = f", in {', '.join(answer.fields)}" if answer.fields else ""
            yield f"once it is mended, {moment(answer.left)} is the first that differs{fields}"


def _cause(answers: Sequence[AnswerFact], found: Found, frames: int) -> CauseFact:
    """All answers as one cause: together they give the bits."""
    numbers = all(edit.kind in _NUMBERS for edit in found.needed)
    hazard = by_name("changed-constant" if numbers else "changed-operation")
    evidence = [*_told(answers)]
    if found.rivals:
        words = "; ".join(f"{where(edit)}: {described(edit)}" for edit in found.rivals)
        evidence.append(f"gives b's bits as well: {words}")
    several = f"{len(answers)} causes, independent of each other"
    return CauseFact(
        hazard=hazard.name,
        title=several if len(answers) > 1 else answers[0].title,
        expression="; ".join(described(edit) for edit in found.needed[:MOST_WORDS]),
        practice=hazard.practice,
        remedy=hazard.remedy,
        scope=ALONE,
        frames_same=frames,
        frames_compared=frames,
        evidence=tuple(evidence),
    )
