"""Faults of inputs, each drawn and applied to a copy of the right ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tools.prove_diagnose.sessions.case import Fault

from samebits.bits import leaves
from samebits.sim.simulation import Simulation
from samebits.types import BOOL, ScalarType

Rows = NDArray[np.uint8]
"""Inputs as bytes: of shape (frames, players, size)."""
MOST_LATE = 12


def rows_of(inputs: np.ndarray[Any, Any]) -> Rows:
    """The memory of inputs, not a copy."""
    return inputs.view(np.uint8).reshape(*inputs.shape, -1)


def fault_of(
    kind: str, simulation: Simulation, ours: Rows, theirs: Rows, draws: Random
) -> Fault | None:
    """Draw a fault and write it into `theirs`; None where it would change no bit."""
    fault = _DRAWN[kind](simulation, ours, draws)
    if fault is None:
        return None
    changed = theirs.copy()
    apply(fault, simulation, ours, changed)
    if np.array_equal(changed, theirs):
        return None
    theirs[:] = changed
    return fault


def apply(fault: Fault, simulation: Simulation, ours: Rows, theirs: Rows) -> None:
    """Write a fault into `theirs`, which begin as `ours`."""
    first, end = fault.frame, fault.frame + fault.count
    match fault.kind:
        case "dropped":
            theirs[first:end, fault.players] = 0
        case "late":
            theirs[first:end, fault.players] = ours[
                first - fault.by : end - fault.by, fault.players
            ]
        case "repeated" | "left" if fault.bits != "zero":
            theirs[first:end, fault.players] = ours[first - 1, fault.players]
        case "left":
            theirs[first:end, fault.players] = 0
        case "exchanged":
            theirs[first:end, fault.players] = ours[first:end, fault.players[::-1]]
        case "another":
            theirs[first:end, fault.players[0]] = ours[first:end, fault.players[1]]
        case _:
            offset = next(o for path, _, o in leaves(simulation.input_type) if path == fault.field)
            data = np.frombuffer(bytes.fromhex(fault.bits), np.uint8)
            theirs[first:end, fault.players[0], offset : offset + len(data)] = data


def _stretch(kind: str) -> Callable[[Simulation, Rows, Random], Fault]:
    def drawn(simulation: Simulation, ours: Rows, draws: Random) -> Fault:
        frames = len(ours)
        by = draws.randint(1, MOST_LATE) if kind == "late" else 0
        frame = draws.randint(max(1, by), frames - 8)
        most = {"dropped": 4, "repeated": 3, "late": 20}[kind]
        count = draws.randint(1, most)
        if kind == "late" and draws.random() < 0.25:
            count = frames
        everyone = draws.random() < 0.2
        players = tuple(range(simulation.players))
        return Fault(kind, frame, min(count, frames - frame),
                     players if everyone else (draws.choice(players),), by)  # fmt: skip

    return drawn


def _left(simulation: Simulation, ours: Rows, draws: Random) -> Fault:
    frame = draws.randint(1, len(ours) - 12)
    return Fault("left", frame, len(ours) - frame, (draws.randrange(simulation.players),),
                 bits=draws.choice(("zero", "held")))  # fmt: skip


def _pair(kind: str) -> Callable[[Simulation, Rows, Random], Fault | None]:
    def drawn(simulation: Simulation, ours: Rows, draws: Random) -> Fault | None:
        if simulation.players < 2:
            return None
        frame = draws.randint(1, len(ours) - 8)
        count = draws.choice((1, 1, 2, 5, len(ours)))
        pair = tuple(draws.sample(range(simulation.players), 2))
        return Fault(kind, frame, min(count, len(ours) - frame), pair)

    return drawn


def _one(
    kind: str, bits: Callable[[ScalarType, Rows, Random], bytes | None]
) -> Callable[[Simulation, Rows, Random], Fault | None]:
    """A fault of one scalar; `bits` is given its type, and its bytes of all frames and players."""

    def drawn(simulation: Simulation, ours: Rows, draws: Random) -> Fault | None:
        frame = draws.randint(1, len(ours) - 8)
        player = draws.randrange(simulation.players)
        path, scalar, offset = draws.choice([*leaves(simulation.input_type)])
        given = ours[:, :, offset : offset + scalar.size]
        order = np.roll(given, (-frame, -player), (0, 1))  # what it has there stands first
        found = bits(scalar, order, draws)
        if found is None:
            return None
        return Fault(kind, frame, 1, (player,), field=path, bits=found.hex())

    return drawn


def _nan(scalar: ScalarType, _: Rows, draws: Random) -> bytes | None:
    return np.array(np.nan, scalar.dtype).tobytes() if scalar.is_ieee else None


def _outside(scalar: ScalarType, given: Rows, draws: Random) -> bytes | None:
    """A value beyond all that are given in the session, by far where there is room."""
    if scalar is BOOL:
        return None
    values = np.ascontiguousarray(given).view(scalar.dtype)
    least, most = values.min(), values.max()
    if scalar.is_ieee:
        far = draws.choice((1e9, -1e9, 3.0e4))
        return np.array(far, scalar.dtype).tobytes() if not least <= far <= most else None
    info = np.iinfo(scalar.dtype)
    ends = [end for end in (info.min, info.max) if not least <= end <= most]
    return np.array(draws.choice(ends), scalar.dtype).tobytes() if ends else None


def _bit(scalar: ScalarType, given: Rows, draws: Random) -> bytes | None:
    if scalar is BOOL:
        return bytes([given[0, 0, 0] ^ 1])
    pattern = int.from_bytes(given[0, 0].tobytes(), "little") ^ 1 << draws.randrange(
        8 * scalar.size
    )
    found = pattern.to_bytes(scalar.size, "little")
    if scalar.is_ieee and np.isnan(np.frombuffer(found, scalar.dtype)[0]):
        return None
    return found


_DRAWN: dict[str, Callable[[Simulation, Rows, Random], Fault | None]] = {
    "dropped": _stretch("dropped"), "late": _stretch("late"), "repeated": _stretch("repeated"),
    "exchanged": _pair("exchanged"), "another": _pair("another"), "left": _left,
    "nan": _one("nan", _nan), "range": _one("range", _outside), "bit": _one("bit", _bit),
}  # fmt: skip
