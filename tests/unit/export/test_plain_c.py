"""Side a's program as plain C, built strictly, has the bits of the kernels."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.export.plain_c.program import PlainC
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource

EXAMPLES = (
    "arena", "cloth", "flock", "maze", "outer_planets", "pendulum", "pinball", "racing",
)  # fmt: skip
FRAMES = 150
pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler here")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_as_plain_c_has_its_hashes(name: str, tmp_path: Path) -> None:
    assert_has_its_hashes(load_simulation(f"examples/{name}/{name}.py"), tmp_path)


def test_math_functions_and_wide_words_as_plain_c_have_their_bits(tmp_path: Path) -> None:
    """Numbers of every size, of which the fast phases of the functions do not decide all."""
    file = SIMULATIONS / "functions_simulation.py"
    assert_has_its_hashes(load_simulation(str(file)), tmp_path)


def assert_has_its_hashes(game: Simulation, tmp_path: Path) -> None:
    rows = InputStream(source(game)).between(0, FRAMES)
    with closing(open_run(parse_side("", game))) as run:
        run.start(1)
        wanted = [run.hash(), *run.advance(rows).hashes]
    with closing(BuiltExecution(game.program, strict(game, tmp_path), 60)) as built:
        built.start(1)
        assert [built.first_hash, *built.advance(rows).hashes] == wanted
        assert built.hash() == wanted[-1]


def test_a_program_of_c_goes_on_from_a_state(tmp_path: Path) -> None:
    game = load_simulation("examples/racing/racing.py")
    rows = InputStream(source(game)).between(0, 30)
    with closing(BuiltExecution(game.program, strict(game, tmp_path), 60)) as built:
        built.start(1)
        first = built.advance(rows[:10])
        memory, state = built.save_memory(), built.save()
        rest = built.advance(rows[10:])
        assert len({*map(int, first.hashes), *map(int, rest.hashes)}) == 30
        for restore in (
            lambda: built.restore_memory(memory),
            lambda: built.restore(state),
        ):
            restore()
            assert np.array_equal(built.advance(rows[10:]).hashes, rest.hashes)


def source(game: Simulation) -> PlayerSource:
    return PlayerSource(game, next(iter(game.scripts), "random"), 1, FRAMES)


def strict(game: Simulation, folder: Path) -> Path:
    """The program that the first compiler here builds strictly."""
    plain = PlainC(game.program, game.players)
    shop = Workshop(folder, plain, compilers()[0])
    kernels = shop.file_of("kernels", [*plain.library, *plain.kernels])
    objects = [shop.object(file, STRICT) for file in (kernels, shop.driver())]
    return shop.program(objects, STRICT)


def test_functions_of_c_stand_in_the_place_of_the_librarys() -> None:
    game = load_simulation("examples/arena/arena.py")
    plain = PlainC(game.program, game.players, c_math=True)
    text = plain.definitions(plain.kernels)
    assert "cosf(ship->angle)" in text
    assert "sin_cos_f32" not in text
