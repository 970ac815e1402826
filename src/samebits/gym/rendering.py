"""The rendering of an environment's worlds: pictures, or a window, of the simulation's scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samebits.errors import ArgumentError
from samebits.sim.batch.batch import Batch
from samebits.sim.simulation import Simulation

if TYPE_CHECKING:
    from samebits.gym.drawing import Drawing, Window

MODES = ("human", "rgb_array")


class Rendering:
    """The rendering of a simulation's environment in one of `MODES`, or None for none.

    Raises ArgumentError for another mode, for a simulation without a scene, and without pygame.
    """

    def __init__(self, simulation: Simulation, mode: str | None, window: bool = True) -> None:
        self.mode = mode
        self._state = simulation.state
        self._drawing: Drawing | None = None
        self.window: Window | None = None
        """The window of "human", until it is closed."""
        modes = MODES if window else MODES[1:]
        shown = list(modes) if simulation.scene is not None else []
        self.metadata: dict[str, Any] = {
            "render_modes": shown, "render_fps": simulation.tick_rate,
        }  # fmt: skip
        if mode is None:
            return
        if mode not in modes:
            raise ArgumentError(
                f"render_mode={mode!r:.40}", fix=f"give one of {', '.join(modes)}, or None"
            )
        if simulation.scene is None:
            raise ArgumentError(
                f"simulation '{simulation.name}' has no scene to render",
                fix="give it one: sb.Simulation(..., scene=sb.scene.Scene(draw, bounds=...))",
            )
        try:
            from samebits.gym.drawing import Drawing, Window
        except ModuleNotFoundError as missing:
            if missing.name != "pygame":
                raise
            raise ArgumentError(
                f"render_mode={mode!r} needs pygame-ce",
                fix="python -m pip install 'samebits[gym]'",
            ) from None
        if mode == "human":
            self.window = Window(simulation.scene, simulation.name, simulation.tick_rate)
        else:
            self._drawing = Drawing(simulation.scene)

    def show(self, batch: Batch) -> None:
        """Show world 0 in the window, if there is one, and wait until its frame is over."""
        if self.window is not None:
            self.window.show(self._state.from_memory(batch.states))

    def render(self, batch: Batch, world: int = 0) -> Any:
        """The picture of a world, of shape (height, width, 3); None of one in a window."""
        if self.mode is None:
            raise ArgumentError(
                "the environment has no render_mode", fix='make it with render_mode="rgb_array"'
            )
        if self._drawing is None:
            return None
        return self._drawing.picture(self._state.from_memory(batch.states, world))

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.window is not None:
            self.window.close()
            self.window = None
