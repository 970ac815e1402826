"""The pictures of a run whose scene is Python: each frame's shapes as a line of JSON.

A page can't run Python. What a replay shows can be drawn before, where Python is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from samebits.errors import SimulationError, Trap
from samebits.replay.reader import ReplayReader
from samebits.scene import Balls, Discs, Line, Polygon, Scene, Shape, Text
from samebits.scene.shapes import color, places, spread
from samebits.sim.simulation import Simulation

MOST_BYTES = 256 << 20
_FINER = 8
"""Steps of a pixel in which places are given."""
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Pictures:
    """A line a state, from that before the first frame on. Numbers are `scale` times the world's.
    `differs` is the first frame whose hash here is not the recorded one."""

    lines: list[str]
    scale: float
    differs: int | None


def pictures_of(
    simulation: Simulation, replay: str, limit: int | None, progress: Progress | None = None
) -> Pictures:
    """Run a replay and draw every frame, up to a trap.

    Raises ReplayError for a replay of another simulation, SimulationError for a scene's mistakes,
    and for pictures of more than 256 MiB.
    """
    scene = simulation.scene
    assert scene is not None
    scale = _FINER * scene.size[0] / abs(scene.bounds[1][0] - scene.bounds[0][0])
    with ReplayReader(replay) as reader:
        simulation.require(reader.header, replay)
        session = simulation.start(reader.header.seed)
        lines = [_line(scene, session.state, scale)]
        size, differs = len(lines[0]), None
        for block in reader.blocks():
            inputs = simulation.inputs.from_bytes(block.inputs, block.frames)
            for k in range(block.frames):
                if limit is not None and session.frame >= limit:
                    return Pictures(lines, scale, differs)
                try:
                    session.run(inputs[k : k + 1])
                except Trap:
                    return Pictures(lines, scale, differs)
                hashes = block.hashes
                if differs is None and hashes is not None and hashes[k] != session.hash():
                    differs = session.frame - 1
                lines.append(_line(scene, session.state, scale))
                size += len(lines[-1])
                if size > MOST_BYTES:
                    raise SimulationError(
                        f"the pictures of {session.frame:,} frames take more than 256 MiB",
                        fix=f"give --frames {session.frame // 2}, or make the scene a kernel",
                    )
            if progress is not None:
                progress(session.frame)
    return Pictures(lines, scale, differs)


def _line(scene: Scene, state: Any, scale: float) -> str:
    shapes = [each for shape in scene.shapes(state) for each in _told(shape, scale)]
    return json.dumps(shapes, separators=(",", ":"))


def _told(shape: Shape, scale: float) -> Iterator[list[Any]]:
    """A shape as pages read it; nothing of one with a number that is not finite."""
    color(shape.color)
    match shape:
        case Discs() | Balls():
            at = places("at", shape.at)
            radii = spread("radius", shape.radius, len(at))
            drawn = np.isfinite(at).all(1) & np.isfinite(radii) & (radii > 0)
            if at.shape[1] == 3:
                order = np.flatnonzero(drawn)[np.argsort(at[drawn, 2], kind="stable")]
            else:
                order = np.flatnonzero(drawn)
            numbers = np.column_stack([at[order, :2], radii[order]])
            outline = shape.outline if isinstance(shape, Discs) else 0.0
            if len(order):
                yield ["d", shape.color, _whole(outline, scale), _wholes(numbers, scale)]
        case Line():
            points = places("points", shape.points, 2)[:, :2]
            if np.isfinite(points).all():
                width = _whole(shape.width, scale)
                yield ["l", shape.color, width, int(shape.closed), _wholes(points, scale)]
        case Polygon():
            points = places("points", shape.points, 3)[:, :2]
            if np.isfinite(points).all():
                yield ["p", shape.color, _wholes(points, scale)]
        case Text():
            at = places("at", shape.at, 1)[0, :2]
            if np.isfinite(at).all():
                size = _whole(shape.size, scale)
                yield ["t", shape.color, size, str(shape.text), _wholes(at, scale)]


def _wholes(numbers: np.ndarray, scale: float) -> list[int]:
    return np.rint(np.clip(numbers * scale, -1e12, 1e12)).astype(np.int64).ravel().tolist()


def _whole(number: float, scale: float) -> int:
    return _wholes(np.array([number]), scale)[0]
