"""The programs of examples/ports, beside references and in every execution."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.support.executions import same

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


def test_sudoku_is_solved_by_its_rules() -> None:
    clues = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
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
