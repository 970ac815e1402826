"""A peer's timeline: the frames that it played, those confirmed and those only guessed.

Owns prediction (each player's latest known input is repeated), rollback, and the rule that a hash
counts only when all inputs up to its frame are confirmed. Knows nothing of messages.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from samebits.lang.signal_safe import keeps_flags
from samebits.net.input_codec import InputCodec
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation

HISTORY = 900
"""Confirmed frames whose inputs are kept behind the latest played one."""
MOST_AT_ONCE = 600
"""Frames that one call plays, so that a peer far behind still hears the relay in between, and tells
its hashes before they are forgotten."""
KEYFRAMES = 8
"""Canonical states that are kept, one each `HISTORY / KEYFRAMES` frames or so."""


@dataclass
class TimelineStats:
    """What prediction cost so far."""

    rollbacks: int = 0
    """How often frames were played again."""
    replayed: int = 0
    """How many frames that were, together."""
    deepest: int = 0
    """The most frames of one rollback."""
    depths: dict[int, int] = field(default_factory=dict[int, int])
    """Rollbacks by their frames."""
    restores: int = 0
    """How often a state from elsewhere was taken."""
    restored: int = 0
    """The frame before which the latest one was."""


class Timeline:
    """One peer's run of a match, which predicts up to `window` frames: 0 is lockstep.

    Raises CompileError and Trap, of `init`.
    """

    @keeps_flags
    def __init__(self, simulation: Simulation, codec: InputCodec, window: int, seed: int) -> None:
        self.simulation = simulation
        self.rollback = simulation.rollback(seed, window)
        self.window = window
        self.confirmed = 0
        """How many frames have final inputs."""
        self.finished = 0
        """How many frames were played with final inputs: hashes of these are final."""
        self.trap: SimulationTrap | None = None
        """The trap that ends the match, if its frame was played with final inputs."""
        self.stats = TimelineStats()
        self.hashes: dict[int, int] = {}
        """Hashes after the latest frames, final ones and others."""
        self.keyframes: deque[tuple[int, bytes]] = deque(maxlen=KEYFRAMES)
        """Frames and canonical states before them, of final frames."""
        self._codec = codec
        self._rows: dict[int, bytes] = {}
        self._used: dict[int, bytes] = {}
        self._early: list[dict[int, bytes]] = [{} for _ in range(codec.players)]
        self._latest = codec.inputs_of(codec.zeros)
        self._oldest = 0

    @property
    def frame(self) -> int:
        """How many frames have been played, predicted ones included."""
        return self.rollback.frame

    def row(self, frame: int) -> bytes | None:
        """The final inputs of a frame, if they are kept."""
        return self._rows.get(frame)

    @property
    def oldest_row(self) -> int:
        """The first frame whose final inputs are kept."""
        return self._oldest

    def confirm(self, row: bytes) -> None:
        """Frame `confirmed` has these inputs, for good."""
        self._rows[self.confirmed] = row
        for early in self._early:
            early.pop(self.confirmed, None)
        self.confirmed += 1
        self._latest = self._codec.inputs_of(row)

    def guess(self, slot: int, frame: int, given: bytes) -> None:
        """A player's input for a frame came before the frame was closed."""
        if frame >= self.confirmed:
            self._early[slot][frame] = given

    @keeps_flags
    def advance(self, target: int) -> None:
        """Play until `target` frames are over, or as far as confirmed inputs and the window allow;
        frames that were played with other inputs than are known now are played again first."""
        if self.trap is not None:
            return
        now = self.rollback.frame
        end = min(max(target, now), self.confirmed + self.window, now + MOST_AT_ONCE)
        end = max(end, now)
        rows = self._known(self.finished, end)
        first = now
        for frame in range(self.finished, now):
            if self._used[frame] != rows[frame - self.finished]:
                first = frame
                break
        if first < end:
            self._play(first, rows[first - self.finished :], now)
        self.finished = max(self.finished, min(self.confirmed, self.rollback.frame))
        self._forget()

    @keeps_flags
    def settle(self) -> None:
        """Come to the state after the last final frame: those that were predicted behind it never
        come."""
        while True:
            before = self.finished
            self.advance(self.confirmed)
            if self.finished in (before, self.confirmed):
                break
        if self.rollback.frame > self.finished:
            self.rollback.restore(self.finished, self.rollback.canonical_state(self.finished))

    @keeps_flags
    def restore(self, frame: int, state: bytes) -> None:
        """Go on with the state before `frame`. Final inputs from there on stay, where all are kept.

        Raises ArgumentError if the state does not fit.
        """
        self.rollback.restore(frame, state)
        kept = all(n in self._rows for n in range(frame, self.confirmed))
        if frame > self.confirmed or not kept:
            self._rows.clear()
            self.confirmed = self._oldest = frame
            self._latest = self._codec.inputs_of(self._codec.zeros)
            self._early = [{} for _ in self._early]
        self.finished = self.stats.restored = frame
        self.stats.restores += 1
        self.trap = None
        self._used.clear()
        self.hashes = {n: h for n, h in self.hashes.items() if n < frame}
        # Reports begin with a state that is known to be right.
        self.keyframes.clear()
        self.keyframes.append((frame, state))

    def state_for_snapshot(self) -> tuple[int, bytes]:
        """The latest final frame count, and the canonical state there."""
        return self.finished, self.rollback.canonical_state(self.finished)

    def _known(self, first: int, end: int) -> list[bytes]:
        """The inputs of frames as far as they are known now, and else as they are predicted."""
        stop = min(end, self.confirmed)
        rows = [self._rows[frame] for frame in range(first, stop)]
        if end > stop:
            latest, early = list(self._latest), self._early
            for frame in range(max(first, stop), end):
                for slot, found in enumerate(early):
                    if frame in found:
                        latest[slot] = found[frame]
                rows.append(b"".join(latest))
        return rows

    def _play(self, first: int, rows: list[bytes], now: int) -> None:
        if first < now:
            depth = now - first
            stats = self.stats
            stats.rollbacks += 1
            stats.replayed += depth
            stats.deepest = max(stats.deepest, depth)
            stats.depths[depth] = stats.depths.get(depth, 0) + 1
        inputs = self._codec.memory(b"".join(rows))
        trap: SimulationTrap | None = None
        try:
            hashes = self.rollback.play(first, inputs, checked=True)
        except SimulationTrap as error:
            trap, hashes = error, error.hashes
        for n, value in enumerate(hashes.tolist()):
            self.hashes[first + n] = value
            self._used[first + n] = rows[n]
        for frame in range(first + len(hashes), now):
            self._used.pop(frame, None)
            self.hashes.pop(frame, None)
        # With inputs that are only guessed a trap means nothing: the frame waits for the real ones.
        if trap is not None and trap.frame < self.confirmed:
            self.trap = trap

    def _forget(self) -> None:
        if self.finished - (self.keyframes[-1][0] if self.keyframes else -HISTORY) >= (
            HISTORY // KEYFRAMES
        ):
            self.keyframes.append((self.finished, self.rollback.canonical_state(self.finished)))
        limit = self.finished - HISTORY
        while self._oldest < limit:
            self._rows.pop(self._oldest, None)
            self.hashes.pop(self._oldest, None)
            self._oldest += 1
        for frame in [n for n in self._used if n < self.finished]:
            del self._used[frame]
