"""Environments render a simulation's scene: as arrays, and in a window."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from tests.support.folders import EXAMPLES
from tests.support.simulations.walk_simulation import (
    WALK,
    Input,
    State,
    done,
    init,
    observe,
    reward,
    step,
)

import samebits as sb
from samebits.errors import ArgumentError
from samebits.sim.load import load_simulation

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'samebits[gym]'")
pytest.importorskip("pettingzoo", reason="pip install 'samebits[gym]'")
pygame = pytest.importorskip("pygame", reason="pip install 'samebits[gym]'")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import samebits.gym as sg  # noqa: E402
from samebits.gym.drawing import Drawing  # noqa: E402

BLACK, RED, GREEN = (0, 0, 0), (255, 0, 0), (0, 255, 0)


def picture(state: Any) -> list[sb.scene.Shape]:
    """A red disc where the walker is."""
    return [sb.scene.Discs((float(state.place), 0.0), 1.0, "#ff0000")]


def walk(**options: Any) -> sb.Simulation:
    return sb.Simulation(
        name="shown walk", version="1", state=State, input=Input, players=1, init=init, step=step,
        observe=observe, reward=reward, done=done, actions={"move": (-1, 3)}, episode_frames=8,
        **options,
    )  # fmt: skip


SHOWN = walk(scene=sb.scene.Scene(picture, ((-8, -2), (8, 2)), pixels=160, background="#000000"))


def middle(seen: np.ndarray[Any, Any]) -> float:
    """The place of what is red, in the scene's units."""
    rows, columns = np.nonzero(seen[:, :, 0] > 128)
    assert abs(rows.mean() - 19.5) < 1
    return float(columns.mean() + 0.5) / 10 - 8


def test_pictures_show_the_state() -> None:
    env = sg.make(SHOWN, render_mode="rgb_array")
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    assert env.metadata["render_fps"] == 60
    env.reset(seed=3)
    for _ in range(3):
        seen = env.render()
        assert (seen.shape, seen.dtype) == ((40, 160, 3), np.uint8)
        assert middle(seen) == pytest.approx(float(env.batch.states["place"][0]), abs=0.06)
        env.step(1)
    env.close()


def test_every_environment_of_a_vector_has_its_own() -> None:
    envs = sg.make_vec(SHOWN, 5, render_mode="rgb_array")
    envs.reset(seed=1)
    seen = envs.render()
    assert [middle(one) for one in seen] == pytest.approx(
        envs.batch.states["place"].tolist(), abs=0.06
    )


def test_a_window_shows_each_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for make in (sg.make, sg.make_parallel):
        made: Any = make(SHOWN, render_mode="human")
        made.reset(seed=3)
        window = made._rendering.window
        before = pygame.surfarray.array3d(window.screen)
        if hasattr(made, "agents"):
            made.step({"player_0": 2})
        else:
            made.step(2)
        after = pygame.surfarray.array3d(window.screen)
        assert before.any()
        assert (before != after).any()
        assert made.render() is None
        made.close()
        made.close()
        assert made._rendering.window is None


def test_gymnasium_s_checker_renders() -> None:
    cart = load_simulation(str(EXAMPLES / "classic_control" / "cart_pole.py"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(sg.make(cart, render_mode="rgb_array"), skip_render_check=False)
        name = sg.register(cart, "samebits/ShownCart-v1")
        env = gymnasium.make(name, render_mode="rgb_array")
        env.reset(seed=1)
        assert env.render().shape == (271, 640, 3)
        envs = gymnasium.make_vec(name, num_envs=2, render_mode="rgb_array")
        envs.reset(seed=1)
        assert len(envs.render()) == 2


@pytest.mark.parametrize("name", ["cart_pole", "mountain_car", "acrobot", "swing_up"])
def test_the_examples_draw_something_that_moves(name: str) -> None:
    simulation = load_simulation(str(EXAMPLES / "classic_control" / f"{name}.py"))
    env = sg.make(simulation, render_mode="rgb_array")
    env.reset(seed=2)
    before = env.render()
    for _ in range(5):
        env.step(env.action_space.sample())
    after = env.render()
    assert len(np.unique(before.reshape(-1, 3), axis=0)) > 3
    assert (before != after).any()


def drawn(*shapes: sb.scene.Shape) -> np.ndarray[Any, Any]:
    scene = sb.scene.Scene(lambda state: shapes, ((0, 0), (4, 2)), pixels=80, background="#000000")
    return Drawing(scene).picture(None)


def at(seen: np.ndarray[Any, Any], x: float, y: float) -> tuple[int, ...]:
    """The color at a place of the scene."""
    return tuple(int(part) for part in seen[int((2 - y) * 20), int(x * 20)])


def test_every_shape_is_where_it_belongs() -> None:
    green = "#00ff00"
    seen = drawn(sb.scene.Polygon([(0, 0), (2, 0), (2, 1), (0, 1)], green))
    assert at(seen, 0.2, 0.2) == at(seen, 1.8, 0.8) == GREEN
    assert at(seen, 0.2, 1.5) == at(seen, 2.5, 0.5) == BLACK
    seen = drawn(sb.scene.Line([(0.5, 0.5), (3.5, 0.5), (3.5, 1.5)], 0.4, green))
    assert at(seen, 2, 0.5) == at(seen, 3.5, 1) == GREEN
    assert at(seen, 2, 1) == BLACK
    seen = drawn(sb.scene.Line([(0.5, 0.5), (3.5, 0.5), (3.5, 1.5)], 0.4, green, closed=True))
    assert at(seen, 2, 1) == GREEN
    seen = drawn(sb.scene.Discs((2, 1), 0.8, green, outline=0.2))
    assert at(seen, 2, 1) == BLACK
    assert at(seen, 2.7, 1) == GREEN
    behind, before = (2.0, 1.0, -1.0), (2.2, 1.0, 1.0)
    seen = drawn(sb.scene.Balls([before], 0.3, green), sb.scene.Balls([behind], 0.3, "#ff0000"))
    assert at(seen, 2.1, 1) == RED
    seen = drawn(sb.scene.Balls([before, behind], [0.3, 0.6], green))
    assert at(seen, 1.6, 1) == GREEN
    assert drawn(sb.scene.Text((2, 1), "III", 1.0, green))[10:30, 20:60].any()
    seen = drawn(sb.scene.Discs((2, 1), 0.8, "#ff0000"), sb.scene.Discs((2, 1), 0.8, "#00ff0080"))
    red, mixed, blue = at(seen, 2, 1)
    assert blue == 0
    assert 100 < red < 150
    assert 100 < mixed < 150


def test_what_is_not_finite_or_far_away_is_left_out() -> None:
    nan, far = float("nan"), 1e300
    shapes = (
        sb.scene.Discs([(nan, 1), (1, 1)], [1, nan], "#ff0000"),
        sb.scene.Line([(0, 0), (nan, 1)], 1, "#ff0000"),
        sb.scene.Polygon([(0, 0), (1, nan), (1, 1)], "#ff0000"),
        sb.scene.Text((nan, 0), "no", 1, "#ff0000"),
    )
    assert not drawn(*shapes).any()
    drawn(
        sb.scene.Line([(0, 0), (far, far)], far),
        sb.scene.Discs((far, 1), 1),
        sb.scene.Text((far, 0), "no", 1),
    )


def test_what_cannot_be_rendered_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sg.make(WALK).metadata["render_modes"] == []
    for make in (sg.make, sg.make_parallel, lambda s, **o: sg.make_vec(s, 2, **o)):
        with pytest.raises(ArgumentError, match="has no scene to render"):
            make(WALK, render_mode="rgb_array")
        with pytest.raises(ArgumentError, match="render_mode='ansi'"):
            make(SHOWN, render_mode="ansi")
        env: Any = make(SHOWN)
        env.reset(seed=1)
        with pytest.raises(ArgumentError, match="has no render_mode"):
            env.render()
    with pytest.raises(ArgumentError, match="give one of rgb_array"):
        sg.make_vec(SHOWN, 2, render_mode="human")
    monkeypatch.delitem(sys.modules, "samebits.gym.drawing")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ArgumentError, match="needs pygame-ce"):
        sg.make(SHOWN, render_mode="rgb_array")
