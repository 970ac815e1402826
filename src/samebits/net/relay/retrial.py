"""The retrial of a match without a referee: it is run from its beginning when votes are tied.

Owns the inputs of all frames, and the run, some frames at a time so that nobody waits for it.
"""

from __future__ import annotations

from samebits.errors import SamebitsError
from samebits.net.input_codec import InputCodec
from samebits.net.relay.referee import Referee
from samebits.sim.simulation import Simulation

AT_ONCE = 500
"""Frames that one call runs."""
MOST = 64 << 20
"""Bytes of inputs that are kept; a match that has more gets no retrial."""


class Retrial:
    """What a match needs for one."""

    def __init__(self, simulation: Simulation, codec: InputCodec, seed: int) -> None:
        self._simulation, self._codec, self._seed = simulation, codec, seed
        self._rows: bytearray | None = bytearray()
        self._referee: Referee | None = None

    @property
    def possible(self) -> bool:
        """Whether all inputs are kept, and the simulation runs here."""
        return self._rows is not None

    def add(self, row: bytes) -> None:
        """The next frame was closed with these inputs."""
        if self._rows is None:
            return
        if len(self._rows) + len(row) > MOST:
            self._rows = None
        else:
            self._rows += row

    def run(self) -> Referee | None:
        """Run some frames; the referee, once it has run all that were closed. None also where
        there can't be one, which `possible` says from then on."""
        if self._rows is None:
            return None
        try:
            if self._referee is None:
                self._referee = Referee(self._simulation, self._codec, self._seed)
            referee = self._referee
            size = max(1, self._codec.size * self._codec.players)
            first = referee.frame * size
            part = bytes(self._rows[first : first + AT_ONCE * size])
            referee.run([part[n : n + size] for n in range(0, len(part), size)])
        except SamebitsError:
            self._rows = self._referee = None
            return None
        done = referee.trap is not None or referee.frame * size >= len(self._rows)
        return referee if done else None
