"""A simulation with injected hazards, which runs like the plain one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.errors import ArgumentError
from samebits.sim.execution import NativeExecution
from samebits.sim.program import Program
from samebits.sim.rollback import Rollback
from samebits.sim.session import Session, SimulationTrap
from samebits.sim.simulation import Simulation


class InjectedSimulation(Simulation):
    """A simulation whose `program` has injected hazards.

    It keeps the plain simulation's name, version and digest, so that its replays are the other
    side of a desync.
    """

    def __init__(
        self,
        plain: Simulation,
        program: Program,
        from_frame: int = 0,
        until_frame: int | None = None,
    ) -> None:
        first = plain.plain if isinstance(plain, InjectedSimulation) else plain
        vars(self).update(vars(first), _program=program)
        self.plain = first
        """The simulation without hazards."""
        self.from_frame = from_frame
        """The first frame in which the hazards act; 0 includes `init`."""
        self.until_frame = until_frame
        """The first frame after that in which they do not, in rollbacks; None: they go on."""

    def start(self, seed: int = 0, keep: int = 0) -> Session:
        """A new session, plain until `from_frame`; `keep` as of other simulations, from frame 0 on.
        Raises CompileError, Trap, and ArgumentError for a `keep` beside a `from_frame`."""
        if not self.from_frame:
            return super().start(seed, keep)
        if keep:
            raise ArgumentError(
                "a session whose hazards act from a frame on keeps no frames to report",
                fix="leave out `keep`, or inject the hazards from frame 0 on",
            )
        return InjectedSession(self, seed)

    def rollback(self, seed: int = 0, window: int = 8) -> Rollback:
        """As of other simulations; plain before `from_frame` and from `until_frame` on."""
        if not self.from_frame and self.until_frame is None:
            return super().rollback(seed, window)
        from samebits.hazards.injected_rollback import InjectedRollback

        acting = InjectedSimulation(self.plain, self.program)
        return InjectedRollback(self.plain, acting, self.from_frame, window, seed, self.until_frame)

    def __repr__(self) -> str:
        return f"<simulation {self.name} {self.version}, with hazards>"


class InjectedSession(Session):
    """A session that runs the plain simulation until the hazards act."""

    def __init__(self, simulation: InjectedSimulation, seed: int) -> None:
        super().__init__(simulation.plain, seed)
        self._copier = None  # each frame goes through `_advance`
        self._from_frame = simulation.from_frame
        program = simulation.program
        self._injected = NativeExecution(program, program.cached(host_target(), 3))

    def _advance(self, inputs: np.ndarray[Any, Any]) -> NDArray[np.uint64]:
        plain = max(0, self._from_frame - self.frame)
        if plain >= len(inputs):
            return super()._advance(inputs)
        hashes = super()._advance(inputs[:plain])
        # `state` shows the plain execution's memory, so the result is copied back there.
        self._injected.restore(self._execution.save())
        done = self._injected.advance(inputs[plain:])
        frame = self.frame + len(done.hashes)
        hashes = np.concatenate([hashes, done.hashes])
        self._execution.restore(self._injected.save())
        self.frame, self._latest = frame, hashes
        if done.trap is not None:
            raise SimulationTrap(done.trap, self.frame, hashes)
        return hashes
