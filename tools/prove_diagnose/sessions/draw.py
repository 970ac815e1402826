"""Cases drawn by number: a session, what goes wrong in it, and what a team has of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from random import Random

import numpy as np
from tools.prove_diagnose.sessions import evidence, input_faults
from tools.prove_diagnose.sessions.case import FAULTS, INPUTS, Case, Fault, Rollback
from tools.prove_diagnose.sessions.play import Log, played
from tools.prove_diagnose.sessions.state_faults import state_fault
from tools.prove_diagnose.sessions.subjects import SUBJECTS

from samebits.errors import Trap
from samebits.sim.inputs import Inputs

TURNS = (*FAULTS, "nothing", "two", "nothing", "two", "two")
"""What case n has wrong is the one at n, over and over."""
_OF_TWO = (*INPUTS, "seed", "poke", "lost field", "wrong frame")
MOST_DRAWS = 300
LEAST_FRAMES, MOST_FRAMES = 40, 300


@dataclass(frozen=True)
class Drawn:
    """A case with both logs: that of the right session, and the other one's. `without` are the
    other one's without each of its faults."""

    case: Case
    ours: Log
    theirs: Log
    without: tuple[Log, ...]


def drawn(number: int, seed: int) -> Drawn:
    """Case `number`. Every one can be drawn: RuntimeError if not."""
    for attempt in range(MOST_DRAWS):
        try:
            found = _attempt(number, Random(f"{seed} sessions {number} {attempt}"))
        except Trap:
            continue
        if found is not None:
            return found
    raise RuntimeError(f"case {number} of seed {seed}: {MOST_DRAWS} draws gave nothing")


@cache
def _inputs(subject: str, name: str, seed: int, frames: int) -> tuple[int, Inputs]:
    source = SUBJECTS[subject].source(name, seed, frames)
    blocks = [block.inputs for block in source.blocks()]
    return source.seed, np.concatenate(blocks, dtype=blocks[0].dtype)


def _attempt(number: int, draws: Random) -> Drawn | None:
    turn = TURNS[number % len(TURNS)]
    name = draws.choice(sorted(SUBJECTS))
    subject = SUBJECTS[name]
    script = draws.choice(subject.inputs)
    frames = draws.randint(LEAST_FRAMES, min(MOST_FRAMES, subject.frames))
    seed, inputs = _inputs(name, script, draws.randrange(1, 1 << 32), frames)
    keyframes = draws.choice((0, 1, 1, 10, 10, 25, 600))
    kinds = {"nothing": (), "two": tuple(draws.sample(_OF_TWO, 2))}.get(turn, (turn,))
    form = evidence.drawn(kinds, draws)
    case = Case(number, name, script, seed, len(inputs), keyframes, form, ())
    ours = played(subject.simulation(), seed, inputs)
    found = _wrong(case, kinds, ours, draws)
    if found is None:
        return None
    case, theirs, without = found
    if not _is_as_meant(turn, case, ours, theirs):
        return None
    return Drawn(case, ours, theirs, without)


def _wrong(
    case: Case, kinds: tuple[str, ...], ours: Log, draws: Random
) -> tuple[Case, Log, tuple[Log, ...]] | None:
    simulation = SUBJECTS[case.subject].simulation()
    inputs = ours.inputs.copy()
    faults: list[Fault] = []
    rollbacks: list[Rollback] = []
    for kind in kinds:
        if kind == "seed":
            fault = Fault("seed", by=draws.choice((case.seed + 1, draws.randrange(1 << 32))))
        elif kind in INPUTS:
            rows = input_faults.rows_of(ours.inputs), input_faults.rows_of(inputs)
            fault = input_faults.fault_of(kind, simulation, *rows, draws)
        else:
            fault, back = state_fault(kind, simulation, ours, case.keyframes, draws)
            rollbacks += [back] if back is not None else []
        if fault is None:
            return None
        faults.append(fault)
    if draws.random() < (0.6 if not kinds else 0.2):
        rollbacks += _rollbacks(case, rollbacks, draws)
    case = replace(case, faults=tuple(faults), rollbacks=tuple(rollbacks))
    theirs = _replayed(case, inputs, faults)
    if len(faults) < 2:
        return case, theirs, (ours,) * len(faults)
    without = tuple(_replayed(case, *_alone(case, ours, only)) for only in reversed(faults))
    if any(log.ends == theirs.ends for log in without):  # both are to matter
        return None
    return case, theirs, without


def _alone(case: Case, ours: Log, fault: Fault) -> tuple[Inputs, list[Fault]]:
    """The inputs with one fault alone, and that."""
    inputs = ours.inputs.copy()
    if fault.kind in INPUTS:
        rows = input_faults.rows_of(ours.inputs), input_faults.rows_of(inputs)
        input_faults.apply(fault, SUBJECTS[case.subject].simulation(), *rows)
    return inputs, [fault]


def _replayed(case: Case, inputs: Inputs, faults: list[Fault]) -> Log:
    """A session of a case with some faults."""
    simulation = SUBJECTS[case.subject].simulation()
    seed = next((f.by for f in faults if f.kind == "seed"), case.seed)
    return played(simulation, seed, inputs, case.rollbacks, faults)


def _rollbacks(case: Case, others: list[Rollback], draws: Random) -> list[Rollback]:
    """Some that are right."""
    found: list[Rollback] = []
    taken = {f for r in others for f in range(r.frame - 1, r.frame + r.count + 1)}
    players = SUBJECTS[case.subject].simulation().players
    for _ in range(draws.randint(1, 5)):
        count = draws.randint(1, 8)
        back = Rollback(draws.randint(1, case.frames - count - 1), count, draws.randrange(players))
        frames = set(range(back.frame - 1, back.frame + count + 1))
        if not frames & taken:
            found.append(back)
            taken |= frames
    return found


def _is_as_meant(turn: str, case: Case, ours: Log, theirs: Log) -> bool:
    """Whether the faults do what their names say."""
    same = [a == b for a, b in zip(ours.ends, theirs.ends, strict=True)]
    if turn == "nothing":
        return all(same) and ours.init == theirs.init
    frame = case.faults[0].frame
    changed = theirs.starts[frame] != theirs.end_before(frame)
    if turn == "poke overwritten":
        return changed and all(same)
    if turn == "poke that heals":
        return changed and not same[frame] and all(same[-3:])
    if turn == "poke put right":
        return changed and not same[frame]
    return not all(same)
