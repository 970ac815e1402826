"""A case: a simulation, its inputs, and one difference that is injected into it. Plain data.

Knows nothing of what the difference does, or of how it is found.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tools.prove_diagnose.edits import Edit
from tools.prove_diagnose.injections import Injection
from tools.prove_diagnose.subjects import SUBJECTS, Subject

from samebits.ir.refs import OpRef


@dataclass(frozen=True)
class Case:
    """`start` is the frame from which the injected hazard acts on; None is from `init` on.

    A case has either a injected hazard or an edit of the source, of which `hazard` is the name.
    `futile` counts the draws before it that changed no state within their run.
    """

    number: int
    subject: str
    inputs: str
    seed: int
    frames: int
    hazard: str
    injected: Injection | None = None
    start: int | None = None
    edit: Edit | None = None
    futile: int = 0

    @property
    def simulation(self) -> Subject:
        return SUBJECTS[self.subject]

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Case:
        """What `to_json` gave."""
        given: dict[str, Any] = dict(data)
        if data["injected"] is not None:
            injected: dict[str, Any] = dict(data["injected"])
            place = injected["place"]
            injected["place"] = None if place is None else OpRef(**place)
            given["injected"] = Injection(**injected)
        if data["edit"] is not None:
            edit: dict[str, Any] = dict(data["edit"])
            edit["places"] = tuple((line, column) for line, column in edit["places"])
            given["edit"] = Edit(**edit)
        return cls(**given)

    def __str__(self) -> str:
        """On one line, as a side's words have it."""
        what = f"source with {self.edit}" if self.edit else str(self.hazard)
        if self.injected is not None:
            place = self.injected.place
            what = f"hazard={self.hazard}{'' if place is None else f'@{place}'}"
            what += f"#{self.injected.variant}" if self.injected.variant else ""
        start = "" if self.start is None else f",from={self.start}"
        return f"{self.subject} {self.inputs} seed {self.seed}, {self.frames} frames: {what}{start}"
