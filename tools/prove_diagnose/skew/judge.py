"""The verdict on one diagnosis of version skew, beside the truth."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.prove_diagnose.skew.case import (
    SUBJECTS,
    Case,
    Truth,
    draw,
    known,
    lines_of,
    written,
)

from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.report.findings import Diagnosis, EditFact
from samebits.sides.side import parse_side

MOST_DRAWS = 40
MOST_FIELDS = 64
_FOLDERS = re.compile(r"(?<!\S)/\S*/")
"""Those of this machine, before a file's name."""


@dataclass
class Verdict:
    """What is right of a diagnosis. `edits` are the kinds of the case's edits, `needed` the truth,
    `named` the edits that were named, None being one that nobody made."""

    number: int
    text: str
    kinds: list[str]
    needed: list[list[int]]
    answer: bool = False
    frame: bool = False
    fields: bool = False
    line: bool = False
    cause: bool = False
    apart: bool = True
    """Whether edits that act by themselves are causes of their own."""
    certainty: str = ""
    named: list[int | None] = field(default_factory=list[int | None])
    said: list[str] = field(default_factory=list[str])
    failure: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    version: str = ""
    """The commit of the samebits that was judged."""
    trials: int = 0

    @property
    def falsely_certain(self) -> bool:
        return self.certainty == "certain" and not (self.cause and self.frame)


def tried_until(end: float, number: int, seed: int) -> Verdict | None:
    """As `tried`; None where the clock has passed `end`."""
    return None if time.monotonic() > end else tried(number, seed)


def tried(number: int, seed: int) -> Verdict | None:
    """Draw a case and judge its diagnosis; None where no draw changes anything."""
    for attempt in range(MOST_DRAWS):
        case = draw(number, seed, attempt)
        if case is None:
            continue
        with TemporaryDirectory() as folder:
            truth = known(case, Path(folder))
            if truth is not None:
                return judged(case, truth, Path(folder))
    return None


def judged(case: Case, truth: Truth, folder: Path) -> Verdict:
    verdict = Verdict(
        case.number, str(case), [edit.kind for edit in case.edits],
        [sorted(some) for some in truth.sets],
    )  # fmt: skip
    path = written(case, range(len(case.edits)), folder / "b")
    simulation = SUBJECTS[case.subject].simulation()
    source = SUBJECTS[case.subject].source(case.inputs, case.seed, case.frames)
    began = time.perf_counter(), time.process_time()
    try:
        found = diagnose(
            simulation, source, parse_side("", simulation),
            parse_side(f"source={path}", simulation),
        )  # fmt: skip
    except Exception as error:
        verdict.failure = f"{type(error).__name__}: {error}"[:300]
        return verdict
    verdict.seconds = time.perf_counter() - began[0]
    verdict.cpu_seconds = time.process_time() - began[1]
    _compare(verdict, found, case, truth)
    return verdict


def _compare(verdict: Verdict, found: Diagnosis, case: Case, truth: Truth) -> None:
    verdict.certainty = found.certainty
    verdict.answer = found.frame is not None and bool(found.causes)
    verdict.frame = found.frame == truth.frame
    verdict.fields = (
        found.differing == len(truth.fields)
        and tuple(fact.path for fact in found.fields) == truth.fields[: len(found.fields)]
        and len(found.fields) == min(len(truth.fields), MOST_FIELDS)
    )
    edits = [] if found.edits is None else [e for a in found.edits.answers for e in a.edits]
    mine, theirs = lines_of(case)
    named = [_of(edit, mine, theirs) for edit in edits]
    verdict.named = named
    told = [f"{e.where}: {e.words}" for e in edits] + found.notes
    verdict.said = [_FOLDERS.sub("", text) for text in told]
    wanted, right = truth.sets[0], [set[int | None](some) for some in truth.sets]
    verdict.cause = {*named} in right
    if len(right) > 1:  # any of them explains it, and none is certain
        verdict.cause = verdict.cause and found.certainty != "certain"
    verdict.line = bool(named) and any(named[0] in some for some in truth.sets)
    if found.edits is not None:
        verdict.trials = found.edits.trials
        if len(truth.sets) == 1 and wanted <= truth.acting:
            verdict.apart = len(found.edits.answers) == len(wanted)


def _of(
    edit: EditFact, mine: dict[tuple[str, int], int], theirs: dict[tuple[str, int], int]
) -> int | None:
    """Which of the case's edits it is."""
    for place, lines in ((edit.a, mine), (edit.b, theirs)):
        if place is not None:
            found = lines.get((Path(place.file).name, place.line))
            if found is not None:
                return found
    return None
