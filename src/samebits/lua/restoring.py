"""The check that a script's state is all of it: each frame from a saved state, in a new engine."""

from __future__ import annotations

from samebits.lua.game import Game, Script
from samebits.lua.record import Frames


def first_unrestored(script: Script, engine: str, run: Frames) -> int | None:
    """The first frame of a run that gives another state where it begins from the saved one, as
    after a rollback: something is kept in a local or a global; None if there is none."""
    for frame, given in enumerate(run.inputs):
        game = Game(script, engine)
        game.restore(run.states[frame])
        if game.step(given) != run.states[frame + 1]:
            return frame
    return None
