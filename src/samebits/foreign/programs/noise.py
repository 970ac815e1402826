"""Noise: what two runs of one side do not agree on, which no comparison of sides may count.

Owns which scalars of the state these are, frame by frame; once noise, a scalar stays it. Why a run
does not repeat itself is asked elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.foreign.records import ForeignRun
from samebits.sim.state.columns import columns

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Noise:
    """The bytes of the state that are noise after each frame from `first` on."""

    first: int
    masks: dict[int, Mask]
    """By frame, only where it becomes another than after the frame before."""
    unknown: int | None = None
    """The first frame whose states differ and were not kept."""

    def after(self, frame: int) -> Mask | None:
        """The bytes that are noise after a frame; None for none."""
        known = [n for n in self.masks if n <= frame]
        return self.masks[max(known)] if known else None


def noise_of(one: ForeignRun, other: ForeignRun) -> Noise | None:
    """What two runs of one side disagree on; None where they are the same."""
    first: int | None = None
    masks: dict[int, Mask] = {}
    mask: Mask | None = None
    for frame, hash_ in one.hashes.items():
        if other.hashes.get(frame, hash_) == hash_:
            continue
        first = frame if first is None else first
        a, b = one.state_after(frame), other.state_after(frame)
        if a is None or b is None or len(a) != len(b):
            return Noise(first, masks, unknown=frame)
        differ = _whole_scalars(one, np.frombuffer(a, np.uint8) != np.frombuffer(b, np.uint8))
        grown = differ if mask is None else mask | differ
        if mask is None or (grown != mask).any():
            mask = masks[frame] = grown
    return None if first is None else Noise(first, masks)


def _whole_scalars(run: ForeignRun, differ: Mask) -> Mask:
    """All bytes of each scalar of which one byte differs: the others may agree by chance."""
    out = np.zeros_like(differ)
    for column in columns(run.state):
        at = column.offsets(np.arange(column.count))
        each = at[:, None] + np.arange(column.type.size)
        out[each[differ[each].any(axis=1)]] = True
    return out


@dataclass(slots=True)
class MaskedRun(ForeignRun):
    """A run without its noise: those bytes are zero, and hashes are of what is left."""

    whole: ForeignRun | None = None
    noises: Sequence[Noise] = field(default_factory=tuple)

    def state_after(self, frame: int) -> bytes | None:
        """The state after a frame, with zeros for noise."""
        state = None if self.whole is None else self.whole.state_after(frame)
        return None if state is None else _without(state, frame, self.noises)


def without_noise(run: ForeignRun, noises: Sequence[Noise]) -> ForeignRun:
    """A run without some noise. It ends before the first noisy frame whose state was not kept."""
    if not noises:
        return run
    start = min(noise.first for noise in noises)
    hashes: dict[int, int] = {}
    for frame, hash_ in run.hashes.items():
        if frame >= start:
            state = run.state_after(frame)
            if state is None or any(n.unknown is not None and n.unknown <= frame for n in noises):
                break
            hash_ = xxh64(_without(state, frame, noises))
        hashes[frame] = hash_
    values = {each.name: getattr(run, each.name) for each in fields(ForeignRun)}
    values["hashes"] = hashes
    values["places"] = {frame: place for frame, place in run.places.items() if frame in hashes}
    return MaskedRun(**values, whole=run, noises=tuple(noises))


def _without(state: bytes, frame: int, noises: Sequence[Noise]) -> bytes:
    data = np.frombuffer(state, np.uint8).copy()
    for noise in noises:
        mask = noise.after(frame)
        if mask is not None and len(mask) == len(data):
            data[mask] = 0
    return data.tobytes()
