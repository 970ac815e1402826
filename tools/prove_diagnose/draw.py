"""The drawn cases: case number n of a seed is always the same.

Each row of the tables is taken as often as every other one; a simulation in which it acts, a place,
a variant, inputs and frames are drawn, each evenly. A draw that changes no state of its run is
made again, and counted.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tools.prove_diagnose import edits, injections
from tools.prove_diagnose.case import Case
from tools.prove_diagnose.injections import Injection
from tools.prove_diagnose.subjects import SUBJECTS, Subject
from tools.prove_diagnose.truth import Truth, known

from samebits.errors import CompileError, HazardError, SamebitsError, SideError
from samebits.ir.refs import OpRef
from samebits.sides.other_source import load_version
from samebits.sim.simulation import Simulation

MOST_DRAWS = 200
LEAST_FRAMES = 40
_EVERYWHERE = 1 / 8
"""How often an expression's hazard is injected at all of its places."""
_FROM_INIT = 1 / 4
"""How often a hazard acts from `init` on, rather than from some frame."""
_EDITED = 1 / 2
"""How often another version is another text, rather than a injected difference."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A case with its answer; `case` is the last that was drawn where none had any."""

    case: Case
    truth: Truth | None
    refused: int
    """Draws that there is no program for: IR cannot say it, or the text does not compile."""


def hazard_of(number: int, seed: int) -> str:
    """The hazard of a case."""
    cycle, place = divmod(number, len(injections.NAMES))
    names = list(injections.NAMES)
    Random(f"{seed} hazards {cycle}").shuffle(names)
    return names[place]


@cache
def _places(subject: str, hazard: str) -> Sequence[OpRef]:
    return injections.places_of(SUBJECTS[subject].simulation().program.kernels, hazard)


@cache
def _variants(subject: str, hazard: str, place: OpRef | None) -> int:
    return injections.count_variants(SUBJECTS[subject].simulation().program.kernels, hazard, place)


def _acts_in(hazard: str) -> list[Subject]:
    return [subject for name, subject in SUBJECTS.items() if _places(name, hazard)]


def drawn(number: int, seed: int, most: int = MOST_DRAWS) -> Drawn:
    """Case number `number`."""
    refused = 0
    case = draw(number, seed, 0)
    for attempt in range(most):
        case = draw(number, seed, attempt)
        try:
            truth = _known(case)
        except (HazardError, CompileError, SideError):
            refused += 1
            continue
        if truth is not None:
            return Drawn(case, truth, refused)
    return Drawn(case, None, refused)


def redrawn(case: Case, seed: int) -> Drawn:
    """A case that was drawn before, by the same draw if that still gives other states: draws
    before it, in vain then, are not made again."""
    again = draw(case.number, seed, case.futile)
    try:
        truth = _known(again)
    except (HazardError, CompileError, SideError):
        truth = None
    return drawn(case.number, seed) if truth is None else Drawn(again, truth, 0)


def _known(case: Case) -> Truth | None:
    with _version(case) as other:
        return known(case, other)


def draw(number: int, seed: int, attempt: int) -> Case:
    """Draw number `attempt` of a case."""
    hazard = hazard_of(number, seed)
    draws = Random(f"{seed} {number} {attempt}")
    subject = draws.choice(_acts_in(hazard))
    frames = draws.randint(LEAST_FRAMES, subject.frames)
    inputs, start, run_seed = draws.choice(subject.inputs), None, draws.randrange(1, 1 << 32)
    texts = edits.edits(subject.path, hazard)
    if texts and draws.random() < _EDITED:
        edit = edits.moved(draws.choice(texts), draws)
        return Case(number, subject.name, inputs, run_seed, frames, hazard, edit=edit,
                    futile=attempt)  # fmt: skip
    if draws.random() >= _FROM_INIT:
        start = draws.randrange(frames)
    place: OpRef | None = draws.choice(_places(subject.name, hazard))
    if not injections.is_program_hazard(hazard) and draws.random() < _EVERYWHERE:
        place = None
    variant = draws.randrange(max(1, _variants(subject.name, hazard, place)))
    fresh = hazard in injections.VARYING or (hazard == "uninitialised" and draws.random() < 0.5)
    injected = Injection(hazard, place, variant, draws.randrange(1 << 32), fresh)
    return Case(number, subject.name, inputs, run_seed, frames, hazard, injected, start,
                futile=attempt)  # fmt: skip


@contextmanager
def _version(case: Case) -> Generator[Simulation | None]:
    """The other version of the source, where the case has one."""
    if case.edit is None:
        yield None
        return
    with TemporaryDirectory() as folder:
        path = edits.written(case.edit, case.simulation.path, Path(folder))
        try:
            yield load_version(str(path), case.simulation.simulation())
        except SamebitsError as error:
            raise SideError(error.message) from error
