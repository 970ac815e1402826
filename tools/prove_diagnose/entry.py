"""One case that has been tried: what it was, the known answer in short, and the verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from tools.prove_diagnose.case import Case
from tools.prove_diagnose.draw import Drawn, drawn, redrawn
from tools.prove_diagnose.judge import Verdict, judged


@dataclass
class Entry:
    """`verdict` is None where no draw of the case changed a state."""

    case: Case
    refused: int = 0
    frame: int | None = None
    """The first frame that differs, in truth."""
    differing: int = 0
    answers: list[str] = field(default_factory=list[str])
    left: int = 0
    """Frames of the run from the differing one on."""
    trapped: bool = False
    verdict: Verdict | None = None
    seconds: float = 0.0
    """What drawing, answering and judging took in all."""
    digest: str = ""
    """Of the code that was under test."""

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        verdict = None if self.verdict is None else vars(self.verdict)
        return {**vars(self), "case": self.case.to_json(), "verdict": verdict}

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Entry:
        """What `to_json` gave."""
        verdict = data["verdict"]
        given: dict[str, Any] = dict(data)
        given["case"] = Case.of_json(data["case"])
        given["verdict"] = None if verdict is None else Verdict(**verdict)
        return cls(**given)


def tried(number: int, seed: int, known: Case | None = None) -> Entry:
    """Draw a case, or take the draw that is known, and judge the diagnosis of it."""
    began = time.perf_counter()
    found = drawn(number, seed) if known is None else redrawn(known, seed)
    entry = _entry(found)
    if found.truth is not None:
        entry.verdict = judged(found.case, found.truth)
    entry.seconds = time.perf_counter() - began
    return entry


def _entry(found: Drawn) -> Entry:
    entry, truth = Entry(found.case, found.refused), found.truth
    if truth is not None:
        entry.frame = truth.frame
        entry.differing = len(truth.fields)
        entry.answers = [str(answer) for answer in truth.answers]
        entry.left = len(truth.hashes)
        entry.trapped = truth.trapped
    return entry
