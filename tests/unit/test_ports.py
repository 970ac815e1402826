"""The programs of examples/ports, beside references and in every execution."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.support.executions import same

import samebits as sb

PORTS = Path(__file__).parents[2] / "examples" / "ports"


def port(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ports_{name}", PORTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("text", [b"", b"abc", b"a" * 55, b"b" * 56, b"c" * 64, bytes(range(256))])
def test_sha256_is_hashlibs(text: bytes) -> None:
    data, digest = np.frombuffer(text, np.uint8), np.zeros(32, np.uint8)
    same(port("sha256").sha256, data, digest)
    assert digest.tobytes() == hashlib.sha256(text).digest()


def test_fannkuch_is_the_published_one() -> None:
    fannkuch = port("fannkuch").fannkuch
    assert same(fannkuch, 5) == (11, 7)
    assert fannkuch(7) == (228, 16)


def test_fft_is_numpys_within_rounding() -> None:
    data = np.random.default_rng(3).standard_normal((64, 2))
    wanted = np.fft.fft(data[:, 0] + 1j * data[:, 1])
    same(port("fft").fft, data)
    assert np.abs(data[:, 0] + 1j * data[:, 1] - wanted).max() < 1e-13


CLUES = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


@pytest.mark.parametrize("clues", [CLUES, "." * 81], ids=["a puzzle", "nothing"])
def test_sudoku_is_solved_by_its_rules(clues: str) -> None:
    board = np.array([int(c) for c in clues.replace(".", "0")], np.uint8)
    assert same(port("sudoku").solve, board)
    grid = board.reshape(9, 9)
    boxes = grid.reshape(3, 3, 3, 3).transpose(0, 2, 1, 3).reshape(9, 9)
    for part in (*grid, *grid.T, *boxes):
        assert sorted(part) == [*range(1, 10)]
    assert all(c == "." or int(c) == digit for c, digit in zip(clues, board, strict=True))


def test_burrau_keeps_its_energy_and_momentum() -> None:
    three = port("burrau")
    bodies = three.Bodies()
    three.begin(bodies)
    same(three.run, bodies, 1e-3, 20)
    three.begin(bodies)
    assert float(three.energy(bodies)) == pytest.approx(-769 / 60, rel=1e-15)
    three.run(bodies, 1e-5, 100_000)
    assert float(three.energy(bodies)) == pytest.approx(-769 / 60, rel=1e-10)
    momentum = sum(np.array([*b.vel], float) * float(b.mass) for b in bodies.all)
    assert np.abs(momentum).max() < 1e-12


def test_cartpole_is_plain_pythons() -> None:
    classic = port("cartpole")
    cart = classic.Cart(angle=0.05)
    x, speed, angle, turn = 0.0, 0.0, 0.05, 0.0
    for step in range(200):
        right = step % 3 != 0
        stands = cart.push(right)
        force = 10.0 if right else -10.0
        along = (force + 0.05 * turn**2 * math.sin(angle)) / 1.1
        bend = (9.8 * math.sin(angle) - math.cos(angle) * along) / (
            0.5 * (4 / 3 - 0.1 * math.cos(angle) ** 2 / 1.1)
        )
        pushed = along - 0.05 * bend * math.cos(angle) / 1.1
        x, speed, angle, turn = (
            x + 0.02 * speed, speed + 0.02 * pushed, angle + 0.02 * turn, turn + 0.02 * bend
        )  # fmt: skip
        assert [float(v) for v in (cart.x, cart.speed, cart.angle, cart.turn)] == pytest.approx(
            [x, speed, angle, turn], rel=1e-9, abs=1e-12
        )
        if not stands:
            break
    assert not stands
    assert same(classic.balanced, classic.Cart(angle=0.05), 500) == 500


def test_nbody_has_the_published_energies() -> None:
    nbody = port("nbody")
    system = nbody.solar_system()
    assert f"{float(system.energy()):.9f}" == "-0.169075164"
    system.advance(0.01, 1000)
    assert f"{float(system.energy()):.9f}" == "-0.169087605"
    same(nbody.System.advance, nbody.solar_system(), 0.01, 3)


def test_spectral_norm_is_the_published_one() -> None:
    found = port("spectral_norm").spectral_norm(np.ones(100), np.zeros(100), np.zeros(100))
    assert f"{float(found):.9f}" == "1.274219991"
    same(port("spectral_norm").spectral_norm, np.ones(6), np.zeros(6), np.zeros(6))


def test_mandelbrot_is_plain_pythons() -> None:
    image = np.zeros((40, 5), np.uint8)
    same(port("mandelbrot").mandelbrot, 40, image)
    for y, row in enumerate(np.unpackbits(image, axis=1)):
        for x, bit in enumerate(row):
            z, c = 0j, complex(2.0 * x / 40 - 1.5, 2.0 * y / 40 - 1.0)
            for _ in range(50):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag > 4:
                    break
            else:
                assert bit == 1
                continue
            assert bit == 0


def test_the_pendulum_is_plain_pythons() -> None:
    pendulum = port("inverted_pendulum").Pendulum(angle=3.0)
    angle, speed = 3.0, 0.0
    for step in range(200):
        torque = 3.0 * math.cos(step / 7)
        u = max(-2.0, min(torque, 2.0))
        at = (angle + math.pi) % (2 * math.pi) - math.pi
        cost = at**2 + 0.1 * speed**2 + 0.001 * u**2
        speed = max(-8.0, min(speed + (15.0 * math.sin(angle) + 3.0 * u) * 0.05, 8.0))
        angle += speed * 0.05
        assert float(pendulum.step(torque)) == pytest.approx(-cost, rel=1e-9, abs=1e-12)
    assert float(pendulum.angle) == pytest.approx(angle, rel=1e-9)
    same(type(pendulum).step, pendulum, 1.0)


def shortest(walls: np.ndarray) -> int:
    """The length of a shortest path between two corners, breadth first; -1 without one."""
    h, w = walls.shape
    lengths, queue = {(0, 0): 0}, [(0, 0)]
    for x, y in queue:
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= there[0] < w and 0 <= there[1] < h
            if inside and not walls[there[1], there[0]] and there not in lengths:
                lengths[there] = lengths[x, y] + 1
                queue.append(there)
    return lengths.get((w - 1, h - 1), -1)


@pytest.mark.parametrize("seed", range(8))
def test_a_star_finds_the_shortest_path(seed: int) -> None:
    astar = port("astar")
    walls = (np.random.default_rng(seed).random((30, 40)) < 0.3).astype(np.uint8)
    walls[0, 0] = walls[-1, -1] = 0
    search = astar.Search()
    found = astar.a_star(search, walls, 39, 29)
    assert found == shortest(walls)
    if found >= 0:
        at, steps = 29 * 40 + 39, 0
        while at != 0:
            at, steps = int(search.came_from[at]), steps + 1
        assert steps == found


def test_a_star_is_the_same_in_every_execution() -> None:
    astar = port("astar")
    walls = np.array([[0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]], np.uint8)
    assert same(astar.a_star, astar.Search(), walls, 3, 2) == 5


def test_a_disc_rolls_down_a_slope_by_two_thirds_of_its_pull() -> None:
    """a = 2/3 g sin(slope), of a solid disc that does not slip."""
    impulses = port("impulses")
    world = impulses.World(gravity=sb.double2(10 * math.sin(0.3), -10 * math.cos(0.3)))
    world.add(sb.double2(0, 0.49), 0.5, 1.0, 0.5)
    impulses.run(world, 1 / 60, 120)
    disc = world.bodies[0]
    assert float(disc.vel.x) == pytest.approx(2 / 3 * 10 * math.sin(0.3) * 2, rel=1e-9)
    assert float(disc.omega) == pytest.approx(-float(disc.vel.x) / 0.5, rel=1e-9)


def test_a_tower_of_discs_stands() -> None:
    impulses = port("impulses")

    def tower() -> Any:
        world = impulses.World(gravity=sb.double2(0, -10))
        for k in range(5):
            world.add(sb.double2(0, 0.5 + k), 0.5, 1.0, 0.5)
        return world

    world = tower()
    impulses.run(world, 1 / 60, 600)
    for k, disc in enumerate(world.bodies):
        assert float(disc.pos.x) == 0
        assert abs(float(disc.pos.y) - (0.5 + k)) < 0.04
        assert abs(float(disc.vel.y)) < 1e-9
    same(impulses.run, tower(), 1 / 60, 3)
