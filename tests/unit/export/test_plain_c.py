"""Side a's program as plain C, built strictly, has the bits of the kernels."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

from samebits.diagnosis.builds.compilers.build import STRICT, Workshop
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.export.plain_c.program import PlainC, support
from samebits.export.plain_c.waiting import Step
from samebits.export.plain_c.widths import Widths
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


@pytest.mark.parametrize("name", ["arena", "cloth"])
def test_vectors_in_flat_arrays_change_no_hash(name: str, tmp_path: Path) -> None:
    assert_has_its_hashes(load_simulation(f"examples/{name}/{name}.py"), tmp_path, flat=True)


def test_arrays_are_cleared_where_they_are_declared_and_no_hash_changes(tmp_path: Path) -> None:
    game = load_simulation("examples/pendulum/pendulum.py")
    plain, cleared = (PlainC(game.program, game.players, cleared=each) for each in (False, True))
    assert plain.has_locals
    text, own = (each.definitions(each.kernels) for each in (cleared, plain))
    assert "double m[3][3] = {0};" in text
    assert "double m[3][3];" in own
    assert_has_its_hashes(game, tmp_path, cleared=True)


def test_vectors_in_flat_arrays_are_written_as_their_floats() -> None:
    game = load_simulation("tools/prove_diagnose/foreign/simulations/springs.py")
    plain, flat = (PlainC(game.program, game.players, flat=flat) for flat in (False, True))
    assert plain.has_vectors
    text, own = (each.definitions(each.kernels) for each in (flat, plain))
    assert "((float *)state->pos)[b * 2 + 0] - ((float *)state->pos)[a * 2 + 0]" in text
    assert "float *t = &((float *)state->pos)[(i * 6ll + j) * 2];" in text
    assert "t[0 + 1] = " in text
    assert ".x" not in text.replace("inputs.at[player].x", "")
    assert "state->pos[b].x - state->pos[a].x" in own


def test_math_functions_and_wide_words_as_plain_c_have_their_bits(tmp_path: Path) -> None:
    """Numbers of every size, of which the fast phases of the functions do not decide all."""
    file = SIMULATIONS / "functions_simulation.py"
    assert_has_its_hashes(load_simulation(str(file)), tmp_path)


def assert_has_its_hashes(
    game: Simulation, tmp_path: Path, flat: bool = False, cleared: bool = False
) -> None:
    rows = InputStream(source(game)).between(0, FRAMES)
    with closing(open_run(parse_side("", game))) as run:
        run.start(1)
        wanted = [run.hash(), *run.advance(rows).hashes]
    with closing(BuiltExecution(game.program, strict(game, tmp_path, flat, cleared), 60)) as built:
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


def strict(game: Simulation, folder: Path, flat: bool = False, cleared: bool = False) -> Path:
    """The program that the first compiler here builds strictly."""
    plain = PlainC(game.program, game.players, flat=flat, cleared=cleared)
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


@pytest.mark.parametrize(
    ("widths", "wanted", "absent"),
    [
        (Widths.SAME, ["double a;", "fall * 9.81", "sqrt(total)"], []),
        (Widths.SINGLE_CONSTANTS, ["double a;", "fall * 9.81f", "0.16666f"], ["float a;"]),
        (Widths.SINGLE_LOCALS, ["float a;", "float total;", "fall * 9.81 ", "sqrt(total)"], []),
        (Widths.SINGLE_LOCALS_CONSTANTS, ["float a;", "9.81f", "sqrt(total)"], ["sqrtf"]),
        (Widths.SINGLE_LOCALS_ALL, ["float a;", "9.81f", "sqrtf(total)", "double push)"], []),
        (Widths.SINGLE_ALL, ["float a;", "9.81f", "sqrtf(total)", "float push)"], []),
    ],
)
def test_floats_of_double_kernels_are_written_as_floats(
    widths: Widths, wanted: list[str], absent: list[str]
) -> None:
    assert_written(str(SIMULATIONS / "wide_simulation.py"), widths, wanted, absent)


@pytest.mark.parametrize(
    ("widths", "wanted", "absent"),
    [
        (Widths.SAME, ["float heat;", "* 0.995f", "sqrtf(heat)"], ["double"]),
        (Widths.DOUBLE_CONSTANTS, ["float heat;", "* 0.995 "], ["double", "0.995f"]),
        (Widths.DOUBLE_LOCALS, ["double heat;", "* 0.995f", "sqrtf(heat)"], []),
        (Widths.DOUBLE_LOCALS_CONSTANTS, ["double heat;", "* 0.995 ", "sqrtf(heat)"], []),
        (Widths.DOUBLE_ALL, ["double heat;", "* 0.995 ", "sqrt(heat)", "double push)"], []),
    ],
)
def test_floats_of_float_kernels_are_written_as_doubles(
    widths: Widths, wanted: list[str], absent: list[str]
) -> None:
    assert_written(str(SIMULATIONS / "ported_simulation.py"), widths, wanted, absent)


def test_constants_that_are_doubles_have_the_digits_of_their_source_or_the_fewest() -> None:
    for widths, digits in (
        (Widths.DOUBLE_CONSTANTS, "0.016666666666666666"),
        (Widths.DOUBLE_SHORT_CONSTANTS, "0.016666668"),
    ):
        assert_written("examples/racing/racing.py", widths, [f"car->time + {digits};"], [])


def assert_written(file: str, widths: Widths, wanted: list[str], absent: list[str]) -> None:
    game = load_simulation(file)
    plain = PlainC(game.program, game.players, widths)
    text = plain.definitions(plain.kernels)
    assert [each for each in wanted if each not in text] == []
    assert [each for each in absent if each in text] == []


def test_what_functions_return_is_logged_where_it_is_asked_for() -> None:
    game = load_simulation("examples/racing/racing.py")
    texts: list[str] = []
    steps: list[Step] = []
    for returns in (False, True):
        plain = PlainC(game.program, game.players, steps=steps, returns=returns)
        texts.append(plain.definitions(["racing.middle"]))
    assert "LOG_STEP" not in texts[0]
    assert "LOG_STEP(0, float, left);\n    return left;" in texts[1]
    assert [step.span.line for step in steps] == [120]


TURN = """#include "support.h"
#include <stdio.h>
__attribute__((noinline)) float turn(float *angle, bool up)
{
    float before = *angle;
    *angle = min_float32(max_float32(before + (up ? 0.2f : -0.2f), -10.0f), 10.0f);
    return (*angle - before) / 0.5f;
}
int main(void)
{
    float angle = 0.1f;
    printf("%d", turn(&angle, true) == 0.2f / 0.5f);
    return 0;
}
"""


@pytest.mark.skipif(not any(c.family == "gcc" for c in compilers()), reason="there is no gcc here")
def test_compilers_see_through_the_least_and_the_greatest_of_two(tmp_path: Path) -> None:
    """As through those that people write: reordered sums go on from an operand that is passed."""
    gcc = next(each for each in compilers() if each.family == "gcc")
    (tmp_path / "support.h").write_text(support())
    (tmp_path / "turn.c").write_text(TURN)
    order = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")
    found: list[bytes] = []
    for flags in ((), order):
        gcc.run(tmp_path, ["-O3", *flags, "turn.c", "-o", "turn", "-lm"], 60)
        found.append(subprocess.run([tmp_path / "turn"], capture_output=True, check=True).stdout)
    assert found == [b"0", b"1"]


ROUNDED = """\
#include <stdio.h>
#include "support.h"
bool log_step(uint32_t number, double value) { return false; }
double forced;
int main(void)
{
    for (int a = -128; a < 128; a++) {
        for (int b = -128; b < 128; b++) {
            if (b) printf("%d %d\\n", floordiv_int8(a, b), mod_int8(a, b));
        }
    }
    return 0;
}
"""


@pytest.mark.parametrize("flags", [(), ("-DBRANCHES",)], ids=["plain", "branches"])
def test_integers_are_rounded_down_in_either_form(flags: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "support.h").write_text(support())
    (tmp_path / "rounded.c").write_text(ROUNDED)
    compilers()[0].run(tmp_path, ["-O2", *flags, "rounded.c", "-o", "rounded", "-lm"], 60)
    done = subprocess.run([tmp_path / "rounded"], capture_output=True, check=True, text=True)
    every = [(a, b) for a in range(-128, 128) for b in range(-128, 128) if b]
    quotients = [-128 if (a, b) == (-128, -1) else a // b for a, b in every]
    wanted = [f"{q} {a % b}" for q, (a, b) in zip(quotients, every, strict=True)]
    assert done.stdout.split("\n")[:-1] == wanted
