"""A scene as a picture, by pygame-ce, which Gymnasium's own environments draw with.

Drawn at twice the size and made smaller, so that edges are smooth.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it prints its name when it is imported
import pygame

from samebits.scene import Balls, Discs, Line, Polygon, Scene, Shape, Text
from samebits.scene.shapes import color, places, spread

_FINER = 2
Picture = NDArray[np.uint8]
"""Of shape (height, width, 3): red, green, blue."""


class Drawing:
    """Draws the states of one scene, onto a surface of its own."""

    def __init__(self, scene: Scene) -> None:
        pygame.font.init()
        self._scene = scene
        width, height = scene.size
        self._surface = pygame.Surface((width * _FINER, height * _FINER))
        self._glass = pygame.Surface(self._surface.get_size(), pygame.SRCALPHA)
        (left, bottom), (right, top) = scene.bounds
        self._origin = np.array([left, top])
        self._scale = np.array([width * _FINER / (right - left), height * _FINER / (bottom - top)])
        self._unit = float(abs(self._scale[0]))
        """Pixels of a unit of length."""
        self._fonts: dict[int, pygame.font.Font] = {}

    def surface(self, state: Any) -> pygame.Surface:
        """The picture of a state. Raises SimulationError."""
        self._surface.fill(_bytes(self._scene.background))
        for shape in self._scene.shapes(state):
            ink = _bytes(shape.color)
            if ink[3] == 255:
                self._draw(self._surface, shape, ink)
            else:
                self._glass.fill((0, 0, 0, 0))
                self._draw(self._glass, shape, ink)
                self._surface.blit(self._glass, (0, 0))
        return pygame.transform.smoothscale(self._surface, self._scene.size)

    def picture(self, state: Any) -> Picture:
        """The picture of a state as an array. Raises SimulationError."""
        pixels = pygame.surfarray.array3d(self.surface(state))
        return np.ascontiguousarray(pixels.transpose(1, 0, 2))

    def _draw(self, onto: pygame.Surface, shape: Shape, ink: tuple[int, int, int, int]) -> None:
        match shape:
            case Discs() | Balls():
                at = places("at", shape.at)
                radii = spread("radius", shape.radius, len(at))
                drawn = np.isfinite(at).all(1) & np.isfinite(radii) & (radii > 0)
                width = 0
                if isinstance(shape, Discs) and shape.outline:
                    width = self._pixels(shape.outline)
                order = np.argsort(at[drawn, 2], kind="stable") if at.shape[1] == 3 else slice(None)
                found = zip(self._on(at[drawn][order]), radii[drawn][order], strict=True)
                for (x, y), radius in found:
                    pygame.draw.circle(onto, ink, (x, y), max(1.0, radius * self._unit), width)
            case Line():
                points = self._points("points", shape.points, 2)
                if points is not None:
                    self._line(onto, points, self._pixels(shape.width), ink, shape.closed)
            case Polygon():
                points = self._points("points", shape.points, 3)
                if points is not None:
                    pygame.draw.polygon(onto, ink, points)
            case Text():
                points = self._points("at", shape.at, 1)
                if points is not None:
                    text = self._font(shape.size).render(str(shape.text), True, ink)
                    onto.blit(text, text.get_rect(center=points[0]))

    def _line(
        self,
        onto: pygame.Surface,
        points: list[tuple[float, float]],
        width: int,
        ink: tuple[int, int, int, int],
        closed: bool,
    ) -> None:
        ends = [*points, points[0]] if closed else points
        for (ax, ay), (bx, by) in pairwise(ends):
            along = np.array([bx - ax, by - ay])
            length = float(np.hypot(*along))
            if width > 1 and length:
                # pygame's own wide lines have ends that lean.
                px, py = width / 2 * -along[1] / length, width / 2 * along[0] / length
                corners = [
                    (ax + px, ay + py), (bx + px, by + py), (bx - px, by - py), (ax - px, ay - py),
                ]  # fmt: skip
                pygame.draw.polygon(onto, ink, corners)
                pygame.draw.circle(onto, ink, (bx, by), width / 2)
                pygame.draw.circle(onto, ink, (ax, ay), width / 2)
            else:
                pygame.draw.line(onto, ink, (ax, ay), (bx, by), width)

    def _points(self, what: str, given: Any, least: int) -> list[tuple[float, float]] | None:
        points = places(what, given, least)
        return self._on(points) if np.isfinite(points).all() else None

    def _on(self, points: NDArray[np.float64]) -> list[tuple[float, float]]:
        """Places on the surface, near enough for pygame's numbers."""
        found = np.clip((points[:, :2] - self._origin) * self._scale, -1e6, 1e6)
        return [(x, y) for x, y in found.tolist()]

    def _pixels(self, width: float) -> int:
        return int(min(max(1.0, width * self._unit), 1e4))

    def _font(self, size: float) -> pygame.font.Font:
        height = int(min(max(6.0, size * self._unit), 2000.0))
        if height not in self._fonts:
            self._fonts[height] = pygame.font.Font(None, height)
        return self._fonts[height]


class Window:
    """A window that shows a scene, at the simulation's own speed."""

    def __init__(self, scene: Scene, title: str, rate: int) -> None:
        pygame.display.init()
        self._drawing = Drawing(scene)
        self._window = pygame.Window(title, scene.size)
        self._clock = pygame.time.Clock()
        self._rate = rate

    @property
    def screen(self) -> pygame.Surface:
        """The pixels that are shown."""
        return self._window.get_surface()

    def show(self, state: Any) -> None:
        """Draw a state, and wait until its frame is over."""
        self.screen.blit(self._drawing.surface(state), (0, 0))
        pygame.event.pump()
        self._window.flip()
        self._clock.tick(self._rate)

    def close(self) -> None:
        """Close the window."""
        self._window.destroy()


def _bytes(text: str) -> tuple[int, int, int, int]:
    red, green, blue, opacity = (round(part * 255) for part in color(text))
    return red, green, blue, opacity
