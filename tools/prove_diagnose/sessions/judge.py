"""The verdict on one answer, beside the truth: what the command printed, and nothing else of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.prove_diagnose.sessions.case import Fault
from tools.prove_diagnose.sessions.draw import drawn
from tools.prove_diagnose.sessions.evidence import FORMS, Given
from tools.prove_diagnose.sessions.truth import (
    Change,
    Truth,
    cause_of,
    first_difference,
    is_true,
    known,
)

MOST_FIELDS = 64
SECONDS = 1800.0
"""By the clock: a command that takes longer never ends. Loaded machines are slow."""
_SHAPES = {
    "dropped": ("dropped", "repeated"), "late": ("late",), "repeated": ("repeated", "dropped"),
    "exchanged": ("exchanged",), "another": ("another's",), "nan": ("nan",),
    "range": ("range", "infinite", "changed"), "bit": ("changed", "range", "infinite", "nan"),
    "left": ("left",),
}  # fmt: skip
"""What a fault of inputs may be called. Others may where they hold too: see `_named_right`."""


@dataclass
class Verdict:
    """What is right of an answer. `wanted` is the truth in words, `said` the answer."""

    number: int
    text: str
    kinds: list[str]
    form: str
    wanted: str = ""
    said: str = ""
    command: str = ""
    status: int = 0
    answer: bool = False
    frame: bool = False
    fields: bool = False
    cause: bool = False
    every_cause: bool = False
    """Of two that act: both are named."""
    decidable: bool = True
    """Whether the evidence tells a cause. Where it does not, none that is certain is right."""
    is_control: bool = False
    certainty: str = ""
    falsely_certain: bool = False
    cpu_seconds: float = 0.0
    version: str = ""
    """The commit of the samebits that was judged."""


def tried_until(end: float, seed: int, keep: Path | None, number: int) -> Verdict | None:
    """As `tried`; None where the clock has passed `end`."""
    return None if time.monotonic() > end else tried(number, seed, keep)


def tried(number: int, seed: int, keep: Path | None = None) -> Verdict:
    """Draw a case, ask, and judge. Its files are left in `keep`, if that is given."""
    with TemporaryDirectory() as place:
        folder = Path(place) if keep is None else keep / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        case = drawn(number, seed)
        first = first_difference(case.ours, case.theirs)
        given = Given(case.case, case.ours, case.theirs, first, folder)
        command = FORMS[case.case.evidence].command(given)
        truth = known(case, given)
        verdict = Verdict(number, str(case.case), [f.kind for f in case.case.faults],
                          case.case.evidence, command=" ".join(command),
                          is_control=truth.is_same)  # fmt: skip
        verdict.wanted = _words(truth, case.case.faults)
        verdict.decidable = truth.is_same or (bool(truth.needed) and not truth.is_open)
        found = _asked(command, verdict)
        if found is not None:
            _judge(verdict, found, truth, case.case.faults)
        return verdict


def _asked(command: list[str], verdict: Verdict) -> dict[str, Any] | None:
    """The JSON that the command prints, with its status and time in the verdict."""
    process = subprocess.Popen(
        [sys.executable, "-m", "samebits", *command, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    before = os.times()
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        verdict.said = f"no answer within {SECONDS:.0f} s"
        return None
    after = os.times()
    verdict.cpu_seconds = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    verdict.status = process.returncode
    try:
        found: dict[str, Any] = json.loads(out)
    except json.JSONDecodeError:
        verdict.said = f"no JSON: {out[:200]} {err[-300:]}"
        return None
    if "error" in found:
        error = found["error"]
        verdict.said = error["message"] if isinstance(error, dict) else str(error)
        return None
    return found


def _words(truth: Truth, faults: tuple[Fault, ...]) -> str:
    if truth.is_same:
        return "the same"
    frame = truth.frames[0]
    fields = truth.fields[frame]
    what = "unknown" if fields is None else f"{len(fields)}: {', '.join(fields[:3])}"
    changes = "; ".join(
        f"changed before {c.frame}: {', '.join(c.fields[:3]) or 'not run'}"
        f"{' (shown)' if c.shown else ''}"
        for c in truth.changes
    )
    return f"frame {frame}, fields {what}; {'+'.join(truth.needed)}; {changes}"


def _judge(
    verdict: Verdict, found: dict[str, Any], truth: Truth, faults: tuple[Fault, ...]
) -> None:
    said = _Said(found)
    verdict.said = said.text[:900]
    verdict.certainty = said.certainty
    verdict.answer = verdict.status == (0 if truth.is_same else 1) and bool(
        said.text or said.is_report
    )
    if truth.is_same:
        right = said.frame is None and verdict.status == 0
        verdict.frame = verdict.fields = verdict.cause = verdict.every_cause = right
        verdict.falsely_certain = not right and said.certainty == "certain"
        return
    verdict.frame = said.frame in truth.frames
    if truth.since is not None:
        verdict.frame = verdict.frame and found.get("since") == truth.since
    verdict.fields = _fields_are_right(said, truth)
    if not truth.needed:  # nothing but frames can be told; what is certain is to be right even so
        kinds = dict.fromkeys(map(cause_of, (fault.kind for fault in faults)))
        is_found = all(_named(kind, said, truth, faults) for kind in kinds)
        verdict.falsely_certain = said.is_same or (said.certainty == "certain" and not is_found)
        verdict.cause = verdict.every_cause = not verdict.falsely_certain
        return
    named = [_named(cause, said, truth, faults) for cause in dict.fromkeys(truth.needed)]
    first = _first_acting(truth, faults)
    verdict.cause = _named(first, said, truth, faults)
    verdict.every_cause = all(named)
    is_sure = said.certainty == "certain" or said.is_same
    verdict.falsely_certain = is_sure and not (verdict.frame and all(named))


def _first_acting(truth: Truth, faults: tuple[Fault, ...]) -> str:
    """What made the first frame differ."""
    if "seed" in truth.needed:
        return "seed"
    frame = truth.frames[0]
    changed = any(change.frame == frame for change in truth.changes)
    if "state" in truth.needed and changed:
        return "state"
    return "inputs" if "inputs" in truth.needed else "state"


@dataclass
class _Said:
    """An answer, read as its documentation has it."""

    found: dict[str, Any]
    departure: dict[str, Any] | None = field(init=False)

    def __post_init__(self) -> None:
        recorded: dict[str, Any] = self.found.get("recorded") or {}
        self.departure = recorded.get("departure")

    @property
    def is_report(self) -> bool:
        return "answer" not in self.found

    @property
    def is_same(self) -> bool:
        return self.frame is None

    @property
    def frame(self) -> int | None:
        frame = self.found.get("frame")
        if isinstance(frame, int) and not self.is_report:
            return frame
        changes = self.found.get("changes", [])
        return changes[0]["frame"] if changes else self.departs_at

    @property
    def departs_at(self) -> int | None:
        """The frame from which on a replay is another than its run: of a change between two frames,
        the second."""
        if self.departure is None:
            return None
        return self.departure["frame"] + bool(self.departure["between"])

    @property
    def fields(self) -> tuple[list[str], int]:
        """The paths that are listed, and how many differ."""
        of = self.found
        if self.is_report or (of.get("frame") is None and self.departure is not None):
            of = self.departure or {}
        return [row["path"] for row in of.get("fields", [])], of.get("differing", 0)

    @property
    def certainty(self) -> str:
        return self.found.get("certainty", "")

    @property
    def text(self) -> str:
        """All words that are read for a cause."""
        parts = [self.found.get("answer", ""), self.found.get("to_do", "")]
        parts += self.found.get("notes", [])
        for cause in self.found.get("causes", []):
            parts += [cause["title"], cause["expression"], *cause["evidence"]]
        if self.departure is not None:
            d = self.departure
            paths = ", ".join(row["path"] for row in d.get("fields", []))
            parts.append(f"departure at {d['frame']} {d.get('between')}: {paths}")
        parts += [
            f"[{s['frame']}-{s['last']} {s['players']} {s['shape']} {s['frames']} {s['other']} "
            f"{','.join(f['path'] for f in s['fields'])}]"
            for s in self.found.get("inputs", [])
        ]
        return " | ".join(str(part) for part in parts if part)


def _fields_are_right(said: _Said, truth: Truth) -> bool:
    paths, count = said.fields
    if said.departure is not None and (said.is_report or said.found.get("frame") is None):
        return _departure_fields(said, truth)
    wanted = truth.fields.get(said.frame if said.frame is not None else -2)
    if wanted is None:
        return not paths or said.frame in truth.frames
    return (
        count == len(wanted)
        and tuple(paths) == wanted[: len(paths)]
        and len(paths) == min(len(wanted), MOST_FIELDS)
    )


def _departure_fields(said: _Said, truth: Truth) -> bool:
    """Those of a keyframe before the frame are what was changed there; else they are of a later
    keyframe, which is not judged."""
    paths, _ = said.fields
    for change in truth.changes:
        if change.frame == said.frame and change.shown:
            return tuple(paths) == change.fields[: len(paths)] and bool(paths)
    return True


def _named(cause: str, said: _Said, truth: Truth, faults: tuple[Fault, ...]) -> bool:
    match cause:
        case "seed":
            headers = [row["name"] for row in said.found.get("headers", [])]
            causes = [row["hazard"] for row in said.found.get("causes", [])]
            suspect = "seed" in said.found.get("answer", "")
            return "seed" in headers and ("seed" in causes or suspect)
        case "inputs":
            return _inputs_are_named(said, truth, faults)
        case _:
            return any(_change_is_named(said, change) for change in truth.changes[:1])


def _change_is_named(said: _Said, change: Change) -> bool:
    """Whether it is said between which frames, and, where a keyframe shows them, in what fields."""
    n, text = change.frame, said.text.replace(",", "")
    between = re.search(rf"between frames? {n - 1} and (frame )?{n}\b", text) is not None
    left_out = re.search(rf"frame {n} (was|is) not (run|simulated|played)", text) is not None
    departs = said.departs_at == n
    if not (between or left_out or departs):
        return False
    return not change.shown or any(path.replace(",", "") in text for path in change.fields)


def _inputs_are_named(said: _Said, truth: Truth, faults: tuple[Fault, ...]) -> bool:
    stretches: list[dict[str, Any]] = said.found.get("inputs", [])
    frames = [f for f in range(truth.covered) if (truth.ours[f] != truth.theirs[f]).any()]
    if not stretches or not frames or stretches[0]["frame"] != frames[0]:
        return False
    if not truth.shapes_known:
        return all(s["shape"] == "unknown" or is_true(s, truth) for s in stretches)
    if not all(is_true(s, truth) for s in stretches):
        return False
    here = [s for s in stretches if s["frame"] <= frames[0] <= s["last"]]
    differ = {
        int(p) for p in (truth.ours[frames[0]] != truth.theirs[frames[0]]).any(1).nonzero()[0]
    }
    return {p for s in here for p in s["players"]} == differ and all(
        _shape_is_right(s, faults) for s in stretches
    )


def _shape_is_right(stretch: dict[str, Any], faults: tuple[Fault, ...]) -> bool:
    """Whether it is called what it is, or what it cannot be told from."""
    shape = stretch["shape"]
    of = [
        f for f in faults if f.kind in _SHAPES and f.frame <= stretch["frame"] < f.frame + f.count
    ]
    if any(shape in _SHAPES[f.kind] for f in of):
        return all(
            f.field in {row["path"] for row in stretch["fields"]} for f in of if f.field
        )  # fmt: skip
    if shape in ("changed", "unknown"):
        return False
    return shape not in ("nan", "infinite", "range") or not of
