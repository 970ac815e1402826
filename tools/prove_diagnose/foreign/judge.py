"""The verdict on one diagnosis of a foreign build, beside the truth.

The diagnosis is what `samebits diagnose --json` prints and how it ends, and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.prove_diagnose.foreign import evidence
from tools.prove_diagnose.foreign.binary import BuildFailed, Workshop
from tools.prove_diagnose.foreign.case import SUBJECTS, Case, draw
from tools.prove_diagnose.foreign.compilers import BUILDS, COMMON, COMPILERS
from tools.prove_diagnose.foreign.truth import Different, Truth, known
from tools.prove_diagnose.subjects import ROOT
from tools.prove_diagnose.truth import native

from samebits.sim.execution import NativeExecution

MOST_DRAWS = 12
"""Draws until a program runs."""
MOST_SAME = 3
"""Draws until a build that could change something does: else it is one that does not."""
MOST_FIELDS = 64
SECONDS = 1800.0
"""By the clock: a diagnosis that takes longer never ends. Loaded machines are slow."""
_PLACE = re.compile(r"([\w.]+), \S*\.py:(\d+)")


@dataclass
class Verdict:
    """What is right of a diagnosis. None is what could not be judged: the line where functions
    could not be told apart, all but the answer where nothing differs."""

    number: int
    text: str
    build: str
    form: str
    truth: str = ""
    said: str = ""
    command: str = ""
    answer: bool = False
    frame: bool | None = None
    fields: bool | None = None
    line: bool | None = None
    cause: bool | None = None
    tells_line: bool = True
    """Whether a statement is named; else it is a function at most."""
    certainty: str = ""
    named: list[str] = field(default_factory=list[str])
    failure: str = ""
    how: str = ""
    cpu_seconds: float = 0.0
    version: str = ""
    """The commit of the samebits that was judged."""
    seconds: float = 0.0

    @property
    def falsely_certain(self) -> bool:
        """Whether something is certain and false; that no line is told is not."""
        line = self.line if self.tells_line else None
        return self.certainty == "certain" and False in (self.frame, line, self.cause)

    @property
    def right(self) -> bool:
        return self.answer and False not in (self.frame, self.fields, self.line, self.cause)


@dataclass(frozen=True)
class Limits:
    """What is drawn from, empty for everything; where evidence is kept."""

    builds: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    forms: tuple[str, ...] = evidence.FORMS
    folder: Path = Path()
    keep: Path | None = None
    judged: Path = ROOT / "src"
    """The samebits that is judged."""
    only_truths: bool = False


def tried_until(end: float, number: int, seed: int, limits: Limits) -> Verdict | None:
    """As `tried`; None where the clock has passed `end`."""
    return None if time.monotonic() > end else tried(number, seed, limits)


def tried(number: int, seed: int, limits: Limits) -> Verdict | None:
    """Draw a case and judge its diagnosis; None where no program that was drawn runs."""
    same = 0
    for attempt in range(MOST_DRAWS):
        case = draw(number, seed, attempt, limits.builds, limits.subjects, limits.forms)
        build = BUILDS[case.build]
        shop = Workshop(SUBJECTS[case.subject].simulation(), limits.folder / case.subject)
        seed_of_run, inputs = case.given()
        try:
            truth = known(
                shop, build, case.layout, seed_of_run, inputs, strict_states(shop, case),
                case.loaded,
            )  # fmt: skip
        except BuildFailed as error:
            if attempt == 0:
                print(f"{number}: {case}: {error}", file=sys.stderr)
            continue
        except Different as error:
            return Verdict(number, str(case), case.build, case.form, failure=f"port: {error}")
        same += truth.frame is None
        if truth.frame is not None or build.control or same == MOST_SAME:
            if limits.keep is not None:
                _keep(shop, case, limits.keep / f"case{number}")
            return judged(case, truth, limits)
    return None


def _keep(shop: Workshop, case: Case, place: Path) -> None:
    """Write the C beside the evidence, and how it is built."""
    place.mkdir(parents=True, exist_ok=True)
    build = BUILDS[case.build]
    command = (*COMPILERS[build.compiler].command, *COMMON, *build.flags)
    told = f"/* {case}: {' '.join(command)} */\n"
    (place / "theirs.c").write_text(told + shop.program(build.style).one_file())


def strict_states(shop: Workshop, case: Case) -> list[bytes]:
    """The states of the source itself."""
    seed, inputs = case.given()
    run: NativeExecution = native(shop.simulation.program)
    run.start(seed)
    states = [run.save()]
    for i in range(len(inputs)):
        done = run.advance(inputs[i : i + 1])
        if done.trap is not None:
            raise BuildFailed(f"the source traps in frame {i}")
        states.append(run.save())
    return states


def judged(case: Case, truth: Truth, limits: Limits) -> Verdict:
    verdict = Verdict(case.number, str(case), case.build, case.form, how=truth.how)
    place = (limits.keep or limits.folder) / f"case{case.number}"
    place.mkdir(parents=True, exist_ok=True)
    simulation = SUBJECTS[case.subject].simulation()
    replay = place / "game.mcap"
    with simulation.record(replay, seed=case.given()[0]) as recording:
        recording.run(case.given()[1])
    words = evidence.written(
        case.form, simulation, case.source(), truth, COMPILERS[BUILDS[case.build].compiler], place
    )
    command = ["diagnose", str(case.path.relative_to(ROOT)), str(replay), *words]
    verdict.command = " ".join(["samebits", *command])
    verdict.truth = _told(truth)
    if limits.only_truths:
        return verdict
    found, status = _run(
        [*command, "--json"], verdict, place, limits.judged, limits.folder / "bytecode"
    )
    if found is not None:
        compare(verdict, found, status, truth)
    return verdict


def _told(truth: Truth) -> str:
    if truth.frame is None:
        return "nothing differs"
    functions = ", ".join(sorted(truth.functions)) or "?"
    lines = ", ".join(map(str, sorted(truth.lines))) or "?"
    fields = ", ".join(truth.fields[:4]) + (", …" if len(truth.fields) > 4 else "")
    return (
        f"frame {truth.frame} · {len(truth.fields)} fields ({fields}) · {functions}, line {lines} "
        f"· {' or '.join(sorted(truth.causes))} [{truth.how}]"
    )


def _run(
    command: list[str], verdict: Verdict, place: Path, judged: Path, bytecode: Path
) -> tuple[dict[str, Any] | None, int]:
    out = place / "diagnosis.json"
    # What is installed has its modules compiled: only the first process compiles them here.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(judged), str(ROOT)]),
        "PYTHONPYCACHEPREFIX": str(bytecode),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    began = time.monotonic()
    with out.open("w") as file, (place / "errors.txt").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "samebits", *command], cwd=ROOT, stdout=file, stderr=errors,
            env=environment,
        )  # fmt: skip
        timed_out = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - began > SECONDS and not timed_out:
                process.kill()
                timed_out = True
            time.sleep(0.02)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    verdict.seconds = time.monotonic() - began
    verdict.cpu_seconds = usage.ru_utime + usage.ru_stime
    if code not in (0, 1):
        message = (place / "errors.txt").read_text()[-600:] or out.read_text()[:600]
        verdict.failure = f"exit {code}{' (time)' if timed_out else ''}: {message}"
        return None, code
    try:
        return json.loads(out.read_text()), code
    except ValueError:
        verdict.failure = f"exit {code}, no JSON: {out.read_text()[:300]}"
        return None, code


def compare(verdict: Verdict, found: dict[str, Any], status: int, truth: Truth) -> None:
    verdict.said = str(found.get("answer", ""))
    verdict.certainty = str(found.get("certainty") or "")
    if truth.frame is None:
        verdict.answer = status == 0 and bool(found["same"])
        verdict.certainty = "certain" if status == 1 and verdict.certainty == "certain" else ""
        if not verdict.answer:
            verdict.frame = False
        return
    verdict.answer = status == 1 and found.get("frame") is not None
    # A list has no hash of what `init` leaves.
    later = verdict.form == "list" and truth.frame < 0 and found.get("frame") == 0
    verdict.frame = later or found.get("frame") == truth.frame
    paths = tuple(f["path"] for f in found["fields"])
    fields = truth.later if later else truth.fields
    verdict.fields = found["differing"] == len(fields) and paths == fields[:MOST_FIELDS]
    causes = found["causes"]
    verdict.named = [c["hazard"] for c in causes]
    function, line = _place(found)
    operation: dict[str, Any] = found.get("operation") or {}
    verdict.tells_line = line is not None and operation.get("opcode") != "function"
    if truth.functions and not later:
        names = {name.split(".")[1] for name in truth.functions}
        is_line = truth.lines and verdict.tells_line
        verdict.line = line in truth.lines if is_line else function.split(".")[-1] in names
        verdict.line &= verdict.tells_line or not truth.lines
    verdict.cause = _cause(verdict, causes, truth)
    verdict.said += f" | {found['differing']} fields | causes {verdict.named} | {function}:{line}"
    if found["notes"]:
        verdict.said += f" | notes {found['notes']}"


def _place(found: dict[str, Any]) -> tuple[str, int | None]:
    """The function and the line that are named."""
    operation: dict[str, Any] = found.get("operation") or {}
    if operation and operation.get("place"):
        return str(operation["place"]["function"]), operation["place"]["line"]
    told = _PLACE.search(str(found.get("answer", "")))
    return (told[1], int(told[2])) if told else ("", None)


def _cause(verdict: Verdict, causes: list[dict[str, Any]], truth: Truth) -> bool | None:
    """Whether the cause is right, or one of several that fit as well, none of them certain; None
    where another is named, not as certain, that no evidence could tell from it."""
    if not causes:
        return False
    best = causes[0]["frames_same"]
    equal = [c["hazard"] for c in causes if c["frames_same"] == best]
    if causes[0]["hazard"] in truth.causes:
        return True
    if verdict.certainty == "certain":
        return False
    if any(name in truth.causes for name in equal):
        return True
    return None if truth.fits(causes[0]["hazard"]) else False
