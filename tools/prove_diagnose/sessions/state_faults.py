"""Faults of states, drawn: pokes from outside, and bad restores."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
from tools.prove_diagnose.sessions.case import POKES, Fault, Rollback
from tools.prove_diagnose.sessions.play import Log, column, scalars

from samebits.bits import leaves
from samebits.sim.simulation import Simulation
from samebits.types import BOOL, ScalarType

MOST_BACK = 9


def state_fault(
    kind: str, simulation: Simulation, right: Log, keyframes: int, draws: Random
) -> tuple[Fault, Rollback | None]:
    """A fault, and the rollback that it is part of. `right` is the session with nothing wrong."""
    frames = len(right.ends)
    frame = _frame(frames, keyframes, draws)
    if kind in POKES:
        at, fields = 0, [*leaves(simulation.state_type)]
        chosen = draws.randrange(len(fields))
        for _, scalar, _ in fields[:chosen]:
            at += scalar.size
        path, scalar, _ = fields[chosen]
        bits = _nudged(scalar, right.end_before(frame)[at : at + scalar.size], draws)
        by = draws.randint(1, min(12, frames - frame - 1)) if kind == "poke put right" else 0
        return Fault(kind, frame, by=by, field=path, bits=bits.hex()), None
    count = draws.randint(2, min(MOST_BACK, frames - frame))
    back = Rollback(frame, count, draws.randrange(simulation.players))
    if kind in ("wrong frame", "one frame short"):
        by = draws.choice((-1, -2, 1)) if kind == "wrong frame" else 0
        return Fault(kind, frame, count, by=max(by, -frame)), back
    return Fault(kind, frame, count, field=_column(kind, simulation, draws),
                 bits=draws.choice(("zero", "kept", "kept"))), back  # fmt: skip


def _frame(frames: int, keyframes: int, draws: Random) -> int:
    """Any, or one before which the replay has a keyframe."""
    if 0 < keyframes < frames - 10 and draws.random() < 0.4:
        return keyframes * draws.randint(1, (frames - 10) // keyframes)
    return draws.randint(2, frames - 10)


def _nudged(scalar: ScalarType, old: bytes, draws: Random) -> bytes:
    """Another value, near the old one."""
    if scalar is BOOL:
        return bytes([old[0] ^ 1])
    number = int.from_bytes(old, "little")
    size = scalar.size
    if scalar.is_ieee:
        value = np.frombuffer(old, scalar.dtype)[0]
        if draws.random() < 0.3 or value == 0 or not np.isfinite(value):
            return (number ^ draws.choice((1, 4, 256))).to_bytes(size, "little")
        return np.array(value * scalar.dtype.type(draws.choice((1.001, 0.75, 1.5)))).tobytes()
    step = draws.choice((1, 1, -1, 5))
    return ((number + step) % (1 << 8 * size)).to_bytes(size, "little")


def _column(kind: str, simulation: Simulation, draws: Random) -> str:
    """A top-level field, a column, or one scalar; of a tail, one that is of several."""
    paths = [path for path, _, _ in leaves(simulation.state_type)]
    columns = Counter(column(path) for path in paths)
    if kind == "lost tail":
        several = [path for path, count in columns.items() if count >= 4]
        if several:
            return draws.choice(several)
    tops = sorted({path.split(".")[0].split("[")[0] for path in paths})
    found = draws.choice((draws.choice(tops), draws.choice([*columns]), draws.choice(paths)))
    assert scalars(simulation, found)
    return found
