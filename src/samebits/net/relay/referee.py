"""The referee: the relay's own run of a match, one more vote, and the source of snapshots."""

from __future__ import annotations

from collections import deque

from samebits.net import limits
from samebits.net.input_codec import InputCodec
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation

KEYFRAMES, APART = 6, 240
"""States that are kept, and frames from one to the next at least."""


class Referee:
    """Runs closed frames natively. Raises CompileError, and Trap of `init`."""

    def __init__(self, simulation: Simulation, codec: InputCodec, seed: int) -> None:
        self._codec = codec
        self._run = simulation.rollback(seed, 0)
        self.trap: SimulationTrap | None = None
        """The trap that ended its run: the same one that ends the match everywhere."""
        self.latest: deque[int] = deque(maxlen=limits.KEPT_FRAMES)
        """Hashes after the latest frames."""
        self.keyframes: deque[tuple[int, bytes]] = deque(maxlen=KEYFRAMES)
        """Frames and canonical states before them, for reports."""

    @property
    def frame(self) -> int:
        """How many frames it has run."""
        return self._run.frame

    def run(self, rows: list[bytes]) -> list[int]:
        """Run frames with these inputs, and return the hash after each."""
        if self.trap is not None or not rows:
            return []
        if not self.keyframes or self.frame - self.keyframes[-1][0] >= APART:
            self.keyframes.append((self.frame, self.state()))
        inputs = self._codec.memory(b"".join(rows))
        try:
            hashes = self._run.play(self.frame, inputs, checked=True).tolist()
        except SimulationTrap as trap:
            self.trap = trap
            hashes = trap.hashes.tolist()
        self.latest += hashes
        return hashes

    def state(self) -> bytes:
        """The canonical state after the frames so far."""
        return self._run.canonical_state()
