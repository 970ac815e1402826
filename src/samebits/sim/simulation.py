"""The public `Simulation`: a definition that sessions and recordings start from."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from samebits.errors import folding
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.definition import SimulationDefinition

if TYPE_CHECKING:
    from samebits.sim.batch.batch import Batch
    from samebits.sim.recording import Recording
    from samebits.sim.rollback import Rollback
    from samebits.sim.session import Session


class Simulation(SimulationDefinition):
    """A simulation: state, inputs, `init` and `step`. Raises SimulationError if they do not fit.

    `init(state: State, seed: uint64) -> None` fills a zeroed state;
    `step(state: State, inputs: ReadOnly[Input]) -> None` advances it by one frame, with one input
    per player. `options`, such as `mode` and `precision`, hold for both unless their decorators say
    otherwise; what they call keeps its own. FAST code is refused in `program`, unless it has
    `cosmetic=True`. `tick_rate` is in frames per second of simulated time. Change `version`
    whenever old replays would no longer give the same states.

    For learners: `observe(state: State, out: Seen) -> None` fills what they see, a struct of one
    type of number, which they get as an array: of its numbers in order, or, of a struct with one
    fixed array, of that one's shape. `reward(before: State, after: State) -> float32` and
    `done(state: State) -> tuple[bool, bool]`, terminated and truncated, follow a frame. Of several
    players `observe` takes `player: int` before `out`, and `reward` at its end. `actions` has the
    range of fields of the input, least and greatest; an episode is truncated after
    `episode_frames`, 0 for never. `scene` says how a state is drawn, by viewers and environments
    that render; see `samebits.scene`. None of these changes the state, nor what a replay is of.
    """

    @folding
    @keeps_flags
    def start(self, seed: int = 0, keep: int = 0) -> Session:
        """A new session, compiled for this processor. Raises CompileError, Trap.

        With `keep` it remembers the hash of every frame, and the states and inputs of so many of
        the last ones, 0 to 36,000, for `session.report`.
        """
        from samebits.sim.kept_session import KeptSession, check_keep
        from samebits.sim.session import Session

        return KeptSession(self, seed, keep) if check_keep(keep) else Session(self, seed)

    @folding
    @keeps_flags
    def rollback(self, seed: int = 0, window: int = 8) -> Rollback:
        """A new run that can go back up to `window` frames, 0 to 3,600, and play them again with
        other inputs, natively. Raises CompileError, Trap, ArgumentError."""
        from samebits.sim.rollback import Rollback

        return Rollback(self, window, seed)

    @folding
    @keeps_flags
    def batch(self, n: int, seeds: Any = 0, keep: int = 0) -> Batch:
        """`n` worlds in one block of memory, stepped together by compiled code on all workers.

        `seeds` is one int for all, of which each world and episode gets its own, or one a world.
        With `keep` the inputs of so many of each world's last frames are kept for replays. Raises
        CompileError, ArgumentError, Trap.
        """
        from samebits.sim.batch.batch import Batch

        return Batch(self, n, seeds, keep)

    @keeps_flags
    def record(
        self, path: str | os.PathLike[str], seed: int = 0, keyframe_every: int = 600
    ) -> Recording:
        """A new session whose inputs and hashes go to a replay file, in a `with` block."""
        from samebits.sim.recording import Recording

        return Recording(partial(self.start, seed), path, keyframe_every)
