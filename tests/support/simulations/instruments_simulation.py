"""Instruments on a panel, whose probes drop out and overflow.

NaNs, infinities, zeros of both signs, subnormal numbers and conversions out of range all reach the
state.

Games rarely have such numbers, and what a hazard does to them would hardly ever be drawn there.
"""

from __future__ import annotations

import samebits as sb
from samebits import float32, float64, int8, int32, math, uint32, uint64

PROBES = 12
RESET = 25


@sb.struct
class Probe:
    """One probe: what it reads, what has been smoothed and kept of it, and what is shown."""

    level: float32
    trend: float32
    charge: float32
    least: float32
    most: float32
    heading: float64
    shown: int32
    ticks: uint32
    bits: uint32
    wide_bits: uint64
    side: float32


@sb.struct
class State:
    probes: sb.FixedArray[Probe, PROBES]
    noise: uint32
    total: float32
    worst: float32
    shown: int32
    frame: uint32


@sb.struct
class Input:
    """A knob from -127 to 127, and whether a probe's cable is pulled out."""

    knob: int8
    pulled: bool


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.noise = uint32(seed) * 2654435761 + 1
    for i in range(PROBES):
        p = state.probes[i]
        p.level = float32(i) * 0.25 - 1.0
        p.charge = 1.5e-38 * float32(i + 1)
        p.heading = float64(i) * 0.5


@sb.kernel
def draw(state: State) -> float32:
    """From -1 to 1."""
    n = state.noise
    n ^= n << 13
    n ^= n >> 17
    n ^= n << 5
    state.noise = n
    return float32(n >> 8) * (1.0 / 8388608.0) - 1.0


@sb.kernel
def measured(probe: Probe, signal: float32, gain: float32, pulled: bool) -> float32:
    """A reading: nothing over nothing where the cable is out."""
    span = gain * signal
    if pulled:
        span = span * 0.0
    return span * signal / math.abs(span) - probe.level


@sb.kernel
def kept(probe: Probe, reading: float32) -> None:
    """Extremes, of which a drop-out or a zero may come first."""
    probe.least = math.min(reading, probe.least)
    probe.most = math.max(-reading, probe.most)
    probe.side = math.copysign(float32(1.0), reading - probe.trend)
    probe.bits = math.bitcast(uint32, reading * 0.5) ^ (probe.bits >> 1)
    wide = float64(reading) * probe.heading
    probe.wide_bits = math.bitcast(uint64, wide + 1.0) ^ (probe.wide_bits >> 3)


@sb.kernel
def smoothed(probe: Probe, reading: float32) -> None:
    """An average that forgets, from which drop-outs are kept, and a charge that leaks away."""
    sound = reading == reading and math.abs(reading) < 1e30
    if sound:
        probe.trend = probe.trend + 0.125 * (reading - probe.trend)
        probe.level = -(probe.trend - probe.level) * 0.0 + 0.5 * probe.trend
    probe.charge = probe.charge * 0.9375
    if probe.charge < 1e-44:
        probe.charge = 1.5e-38 * (2.0 + math.abs(probe.trend))
    probe.heading = math.atan2(float64(-probe.level) * 0.0, float64(probe.trend))


@sb.kernel
def shown(probe: Probe, reading: float32, knob: float32) -> None:
    """A needle's position, as an integer that the reading may be far beyond."""
    scale = math.exp2(knob * 0.3)
    probe.shown = int32(reading * scale * 1e6)
    probe.ticks = uint32(reading * scale * -3e4)


@sb.kernel
def summed(state: State) -> None:
    """The whole panel: a sum of the sound ones, the worst trend, and a mean of what is shown."""
    total = float32(0.0)
    worst = float32(0.0)
    needle = int32(0)
    for i in range(PROBES):
        p = state.probes[i]
        total += p.trend * p.trend + p.charge
        worst = math.max(worst, -math.abs(p.trend) * 0.0)
        needle ^= p.shown
    state.total = total
    state.worst = math.min(worst, -worst)
    state.shown = needle


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    turned = sb.zeros(PROBES, float32)
    for i in range(0, PROBES, 2):
        turned[i] = float32(inputs[0].knob) * (1.0 + float32(i))
    for i in range(PROBES):
        p = state.probes[i]
        pulled = inputs[i % 2].pulled and (state.frame + uint32(i)) % 5 == 0
        signal = draw(state) * 4.0 + turned[i] * 0.01
        reading = measured(p, signal, 0.1 + 0.01 * float32(i), pulled)
        kept(p, reading)
        smoothed(p, reading)
        shown(p, reading, turned[i])
        if state.frame % RESET == RESET - 1:
            p.least = float32(0.0)
            p.most = float32(-0.0)
    summed(state)
    state.frame += 1


def sweep(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"knob": (frame * 3 + seed) % 255 - 127, "pulled": (frame // 20 + player) % 3 == 0}


def rest(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"knob": (seed + player) % 9 - 4, "pulled": frame % 7 == player}


PANEL = sb.Simulation(
    name="instruments", version="1", state=State, input=Input, players=2, init=init, step=step,
    tick_rate=60, scripts={"sweep": sweep, "rest": rest},
)  # fmt: skip
