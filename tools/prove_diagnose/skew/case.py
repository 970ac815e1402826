"""A case of version skew: a simulation, inputs, and one to three drawn edits of its source.

The truth of a case is had by running the version with each set of its edits: the sets that give all
hashes of the version with all of them, and of which no edit can be left out.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from tools.prove_diagnose.skew.edits import HARMLESS, KINDS, Edit, Text, applied
from tools.prove_diagnose.subjects import SUBJECTS as OTHERS
from tools.prove_diagnose.subjects import Subject
from tools.prove_diagnose.truth import differing, native

from samebits.errors import SamebitsError, Trap
from samebits.sides.other_source import load_version
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation

SUBJECTS = {name: row for name, row in OTHERS.items() if row.file.startswith("examples")} | {
    "maze": Subject("maze", "examples/maze/maze.py", ("builders", "random"), 300),
    "pendulum": Subject(
        "pendulum", "examples/pendulum/pendulum.py", ("steady", "rough", "falling", "random"), 300
    ),
    "curling": Subject("curling", "examples/curling/curling.py", ("duel", "random"), 400),
    "train_cartpole": Subject(
        "train_cartpole", "examples/train_cartpole/train_cartpole.py", ("learner", "random"), 40
    ),
    **{
        name: Subject(name, f"examples/classic_control/{name}.py", ("random",), 300)
        for name in ("acrobot", "cart_pole", "mountain_car", "swing_up")
    },
}
"""All examples that are simulations."""
MODULES = {"outer_planets": ("orbits.py",)}
"""Files beside them that they import, which are edited too."""
MOST_FRAMES, LEAST_FRAMES = 400, 40
MOST_EDITS = 3
MOST_PLACES = 20
_Set = frozenset[int]


@dataclass(frozen=True)
class Case:
    """Numbers of `edits` are their indices."""

    number: int
    subject: str
    inputs: str
    seed: int
    frames: int
    edits: tuple[Edit, ...]

    def __str__(self) -> str:
        what = ", ".join(
            f"{e.kind} {e.file}:{min(e.lines, default=e.hunks[0].first)}" for e in self.edits
        )
        return f"{self.subject} {self.inputs} seed {self.seed}, {self.frames} frames: {what}"


@dataclass(frozen=True, eq=False)
class Truth:
    """`frame` is the first that differs, -1 for what `init` leaves, and `fields` what differs after
    it; `sets` the minimal sets of edits that give the second version's hashes, `acting` the edits
    that change a hash by themselves."""

    frame: int
    trapped: bool
    fields: tuple[str, ...]
    sets: tuple[_Set, ...]
    acting: _Set


def draw(number: int, seed: int, attempt: int) -> Case | None:
    """A case, of whose edits each compiles by itself; None where a kind of edit is not to be had in
    the simulation that was drawn."""
    kinds = _kinds(Random(f"{seed} skew {number}"))
    draws = Random(f"{seed} skew {number} {attempt}")
    name = draws.choice(sorted(SUBJECTS))
    subject = SUBJECTS[name]
    frames = draws.randint(LEAST_FRAMES, min(MOST_FRAMES, subject.frames))
    case = Case(number, name, draws.choice(subject.inputs), draws.randrange(1, 1 << 32), frames, ())
    for kind in kinds:
        edit = _edit(case, kind, draws)
        if edit is None:
            return None
        case = replace(case, edits=(*case.edits, edit))
    return case


def _edit(case: Case, kind: str, draws: Random) -> Edit | None:
    """An edit of lines that no other one is of, which compiles."""
    path = SUBJECTS[case.subject].path
    for _ in range(MOST_PLACES):
        file = path.with_name(draws.choice((path.name, *MODULES.get(case.subject, ()))))
        edit = KINDS[kind](Text(file.name, file.read_text()), draws)
        if edit is None:
            return None
        if not any(_touch(edit, other) for other in case.edits) and _compiles(case, edit):
            return edit
    return None


def _compiles(case: Case, edit: Edit) -> bool:
    alone = replace(case, edits=(edit,))
    if not parses(alone):
        return False
    with TemporaryDirectory() as folder:
        try:
            path = written(alone, (0,), Path(folder))
            return bool(load_version(str(path), _simulation(case.subject)).program)
        except SamebitsError:
            return False


def _kinds(draws: Random) -> list[str]:
    """One to three kinds, of which one at least means to change something."""
    found = draws.sample([*KINDS], draws.randint(1, MOST_EDITS))
    if all(kind in HARMLESS for kind in found):
        found.append(draws.choice([kind for kind in KINDS if kind not in HARMLESS]))
    return found


def _touch(a: Edit, b: Edit) -> bool:
    """Whether two edits are of the same lines."""
    if a.file != b.file:
        return False
    lines = [set(e.lines) | {n for h in e.hunks for n in (h.first, h.end)} for e in (a, b)]
    return bool(lines[0] & lines[1])


def written(case: Case, chosen: Sequence[int], folder: Path) -> Path:
    """The version with some of the edits; where its simulation lies."""
    original = SUBJECTS[case.subject].path
    target = folder / "_".join(["v", *map(str, chosen)]) / original.parent.name
    ignored = shutil.ignore_patterns("replays", "__pycache__", "test_*")
    shutil.copytree(original.parent, target, ignore=ignored)
    for file in {case.edits[n].file for n in chosen}:
        text, _ = applied(
            (target / file).read_text(),
            [case.edits[n] for n in chosen if case.edits[n].file == file],
        )
        (target / file).write_text(text)
    return target / original.name


@dataclass(frozen=True, eq=False)
class _Run:
    """The hashes of a run, that after `init` first, and how it trapped."""

    program: Program
    hashes: NDArray[np.uint64]
    trap: str

    @property
    def all(self) -> tuple[bytes, str]:
        return self.hashes.tobytes(), self.trap

    def state(self, seed: int, inputs: Inputs) -> bytes:
        """The state after all of some inputs."""
        execution = native(self.program)
        execution.start(seed)
        execution.advance(inputs)
        return execution.save()


def known(case: Case, folder: Path) -> Truth | None:
    """The truth; None where all edits change nothing, or don't compile. Raises nothing else."""
    numbers = range(len(case.edits))
    subject = SUBJECTS[case.subject]
    source = subject.source(case.inputs, case.seed, case.frames)
    inputs = np.concatenate([block.inputs for block in source.blocks()])
    runs: dict[_Set, _Run | None] = {}
    for some in ((), tuple(numbers)):
        runs[frozenset(some)] = _run(case, some, folder, source.seed, inputs)
    a, b = runs[frozenset()], runs[frozenset(numbers)]
    if a is None or b is None or a.all == b.all:
        return None
    for size in range(1, len(case.edits)):
        for some in combinations(numbers, size):
            runs[frozenset(some)] = _run(case, some, folder, source.seed, inputs)
    giving = [some for some, run in runs.items() if run is not None and run.all == b.all]
    minimal = [some for some in giving if not any(other < some for other in giving)]
    acting = frozenset(
        n for n in numbers if (run := runs.get(frozenset({n}))) is not None and run.all != a.all
    )
    frame, trapped = _first(a, b)
    fields: tuple[str, ...] = ()
    if not trapped:
        t = subject.simulation().state_type
        states = [run.state(source.seed, inputs[: frame + 1]) for run in (a, b)]
        fields = tuple(differing(t, states[0], states[1]))
    return Truth(frame, trapped, fields, tuple(sorted(minimal, key=sorted)), acting)


def _first(a: _Run, b: _Run) -> tuple[int, bool]:
    for frame, (x, y) in enumerate(zip(a.hashes, b.hashes, strict=False), -1):
        if x != y:
            return frame, False
    return min(len(a.hashes), len(b.hashes)) - 1, True


@cache
def _simulation(subject: str) -> Simulation:
    return SUBJECTS[subject].simulation()


def _run(case: Case, some: Sequence[int], folder: Path, seed: int, inputs: Inputs) -> _Run | None:
    """The run of a version; None where it does not compile."""
    path = written(case, some, folder)
    try:
        program = load_version(str(path), _simulation(case.subject)).program
        execution = native(program)
        try:
            execution.start(seed)
        except Trap as trap:
            return _Run(program, np.zeros(0, np.uint64), f"{trap.kind}: {trap.message}")
        first = np.array([execution.hash()], np.uint64)
        done = execution.advance(inputs)
    except SamebitsError:
        return None
    trap = "" if done.trap is None else f"{done.trap.kind}: {done.trap.message}"
    return _Run(program, np.concatenate([first, done.hashes]), trap)


def lines_of(case: Case) -> tuple[dict[tuple[str, int], int], dict[tuple[str, int], int]]:
    """Lines of both versions, by file, with the edits that they are of."""
    mine = {(e.file, line): n for n, e in enumerate(case.edits) for line in e.lines}
    theirs: dict[tuple[str, int], int] = {}
    for file in {edit.file for edit in case.edits}:
        text = (SUBJECTS[case.subject].path.with_name(file)).read_text()
        numbers = [n for n, edit in enumerate(case.edits) if edit.file == file]
        _, of = applied(text, [case.edits[n] for n in numbers])
        theirs |= {(file, line): numbers[k] for line, k in of.items()}
    return mine, theirs


def parses(case: Case) -> bool:
    """Whether all edits together are Python."""
    for file in {edit.file for edit in case.edits}:
        text = (SUBJECTS[case.subject].path.with_name(file)).read_text()
        try:
            ast.parse(applied(text, [e for e in case.edits if e.file == file])[0])
        except SyntaxError:
            return False
    return True
