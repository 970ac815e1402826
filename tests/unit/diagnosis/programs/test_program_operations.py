"""From two builds of a program to line, operation and cause, each shown by experiment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.program_sides import diagnosed, need, pendulum

from samebits.diagnosis.programs.driver import diagnose_program
from samebits.diagnosis.programs.stand_ins import stand_in
from samebits.diagnosis.report.text import as_lines
from samebits.foreign.programs.description import ProgramSide
from samebits.foreign.programs.workshop import Workshop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """Builds of the pendulum, each made once for all tests."""
    with Workshop(pendulum(tmp_path_factory.mktemp("pendulum"))) as made:
        yield made


def need_clang() -> None:
    need("gcc")
    if stand_in(ProgramSide("a", ("gcc",))) is None:
        pytest.skip("clang is not here")


def test_a_contracted_product_is_named_by_its_line_and_by_its_flags(shop: Workshop) -> None:
    need_clang()
    found = diagnosed(shop, "strict", "fused")
    assert found.operation is not None
    place = found.operation.place
    assert (Path(place.file).name, place.line, place.function) == ("forces.c", 19, "pull")
    assert (found.causes[0].hazard, found.certainty) == ("fma", "likely")
    assert found.causes[0].expression == "fma(b, c, a) * d"
    told = "\n".join(text for _, text in as_lines(found))
    assert "-ffp-contract=fast and -mfma for forces.c alone" in told
    assert found.operation.ask.startswith('samebits explain "((a + (b * c)) * d)"')


def test_an_operation_made_strict_by_itself_shows_that_others_remain(shop: Workshop) -> None:
    need_clang()
    need("clang-16")
    found = diagnosed(shop, "clang", "clangfused")
    assert (found.causes[0].hazard, found.certainty) == ("fma", "likely")
    assert any("confirmed, and others remain" in line for line in found.causes[0].evidence)


def test_an_operation_that_one_side_shows_by_what_its_function_gives_has_its_line(
    tmp_path: Path,
) -> None:
    """Every probe within the loop keeps the compiler from fusing there: its result alone tells."""
    need_clang()
    program = pendulum(tmp_path)
    (tmp_path / "forces.c").write_text(
        '#include "pendulum.h"\n'
        "void set_up(World *world) {\n"
        "  for (int k = 0; k < kWeights; k++) world->weights[k].place = (float)(k + 1) / 3.0f;\n"
        "}\n"
        "void pull(World *world) {\n"
        "  for (int k = 0; k < kWeights; k++) {\n"
        "    world->weights[k].speed = world->weights[k].place - 1.25f;\n"
        "    world->weights[k].place = world->weights[k].place / 1.0625f;\n"
        "  }\n"
        "}\n"
    )
    (tmp_path / "energy.c").write_text(
        '#include "pendulum.h"\n'
        "float energy_of(const World *world) {\n"
        "  float sum = 0.0f;\n"
        "  for (int k = 0; k < kWeights; k++) {\n"
        "    const float part = world->weights[k].speed * world->weights[k].place;\n"
        "    sum += part;\n"
        "  }\n"
        "  return sum;\n"
        "}\n"
        "unsigned stamp_of(const World *world) { (void)world; return 1; }\n"
    )
    found = diagnose_program(program, "strict", "fused")
    assert found.operation is not None
    place = found.operation.place
    assert (Path(place.file).name, place.line) == ("energy.c", 6)
    assert found.operation.validation.endswith("of side b it is seen at main.c:27")
    assert found.causes[0].hazard == "fma"


def test_an_order_that_c_leaves_open_is_named_as_such(tmp_path: Path) -> None:
    need_clang()
    pytest.importorskip("clang.cindex", reason="libclang is not here")
    program = pendulum(tmp_path)
    (tmp_path / "energy.c").write_text(
        '#include "pendulum.h"\n'
        "static unsigned drawn;\n"
        "static unsigned next(void) { return drawn = drawn * 1664525u + 1013904223u; }\n"
        "static unsigned mixed(unsigned a, unsigned b) { return a * 3 + b; }\n"
        "float energy_of(const World *world) { return world->weights[0].speed; }\n"
        "unsigned stamp_of(const World *world) {\n"
        "  (void)world;\n"
        "  return mixed(next(), next());\n"
        "}\n"
    )
    found = diagnose_program(program, "strict", "clang")
    assert found.operation is not None
    assert found.operation.place.line in (3, 4, 8)
    assert (found.causes[0].hazard, found.certainty) == ("argument-order", "likely")
    assert "the compiler itself for energy.c alone" in found.causes[0].evidence[-1]


def test_a_processor_that_fuses_is_told_by_the_line(shop: Workshop) -> None:
    need_clang()
    need("aarch64-linux-gnu-gcc", "qemu-aarch64")
    found = diagnosed(shop, "strict", "arm")
    assert found.operation is not None
    assert found.operation.place.line == 19
    assert found.causes[0].hazard == "fma"


def test_a_macro_is_named_as_another_source(tmp_path: Path) -> None:
    need_clang()
    sides = {"other": "-O2 -ffp-contract=off -DSTIFFER=1"}
    program = pendulum(tmp_path, sides)
    forces = tmp_path / "forces.c"
    forces.write_text(forces.read_text().replace("0.5f;", "(STIFFER + 0) * 0.5f;").replace(
        "#include", "#ifndef STIFFER\n#define STIFFER 3\n#endif\n#include", 1))  # fmt: skip
    found = diagnose_program(program, "strict", "other")
    assert found.operation is not None
    assert found.operation.place.line == 23
    assert "a macro" in found.causes[0].title
    assert found.certainty == "certain"
