"""Programs that a user's own commands build: the steps are read of what the build leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.support.program_sides import by_cmake, diagnosed, need, pendulum

from samebits.diagnosis.programs.driver import diagnose_program
from samebits.diagnosis.programs.stand_ins import stand_in
from samebits.errors import RunnerError
from samebits.foreign.pair import first_difference
from samebits.foreign.programs.description import ProgramSide, read_program
from samebits.foreign.programs.plan import BuildPlan, CompileStep
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop
from samebits.foreign.records import ForeignRun

SOURCES = ("collide.c", "energy.c", "forces.c", "main.c")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """Builds of the pendulum by CMake and Ninja, each made once for all tests."""
    need("gcc", "cmake", "ninja")
    with Workshop(by_cmake(tmp_path_factory.mktemp("ninja"), "Ninja", "ON")) as made:
        yield made


def run_of(shop: Workshop, plan: BuildPlan, steps: Sequence[CompileStep]) -> ForeignRun:
    """What a program of these steps records."""
    program = shop.linked(plan.link, shop.objects(steps))
    return recorded(shop.program, plan.side, program, shop.path("run.sbt")).run


def changed(plan: BuildPlan, name: str, flags: str) -> list[CompileStep]:
    """The steps with flags more for one source."""
    return [
        step.with_flags((*step.flags, *flags.split())) if step.source.name == name else step
        for step in plan.compiles
    ]


def told_apart_by_file(shop: Workshop) -> None:
    """Each source's steps reach the program, through archives and shared libraries too."""
    side = shop.program.side("strict")
    plan = shop.plan(side)
    assert plan is not None
    assert plan.names == SOURCES
    assert all("{out}" not in word for step in plan.compiles for word in step.words)
    plain = run_of(shop, plan, plan.compiles)
    own = recorded(shop.program, side, shop.built(side), shop.path("own.sbt")).run
    assert first_difference(own, plain) is None
    for name, flags in (
        ("energy.c", "-DPENDULUM_ADDRESS"), ("forces.c", "-mfma -ffp-contract=fast"),
        ("main.c", "-Dpull=collide"), ("collide.c", "-Dsqrtf=fabsf"),
    ):  # fmt: skip
        other = run_of(shop, plan, changed(plan, name, flags))
        assert first_difference(own, other) is not None, name


def test_a_flag_of_one_file_in_a_cmake_project_is_named_with_its_line(shop: Workshop) -> None:
    if stand_in(ProgramSide("a", ("gcc",))) is None:
        pytest.skip("clang is not here")
    found = diagnosed(shop, "strict", "fused")
    assert found.operation is not None
    place = found.operation.place
    assert (Path(place.file).name, place.line, place.function) == ("forces.c", 19, "pull")
    assert (found.causes[0].hazard, found.certainty) == ("fma", "certain")
    assert any(
        line.startswith("-ffp-contract=fast and -mfma for forces.c alone")
        for line in found.causes[0].evidence
    )


def test_the_steps_of_a_build_by_ninja_are_read_with_its_links(shop: Workshop) -> None:
    told_apart_by_file(shop)


def test_a_build_by_cmakes_makefiles_is_read_without_a_list_of_its_commands(tmp_path: Path) -> None:
    need("gcc", "cmake", "make")
    with Workshop(by_cmake(tmp_path, "Unix Makefiles", "OFF")) as shop:
        told_apart_by_file(shop)


MAKEFILE = """\
$(OUT)/pendulum: {objects}
\t$(CC) $(CFLAGS) $^ -lm -o $@
$(OUT)/%.o: %.c
\t$(CC) $(CFLAGS) -I$$SAMEBITS_INCLUDE -c $< -o $@
"""
LISTED = "ccache gcc -O2 -ffp-contract=off -std=c11 -Iinc -MD -MF x.d -c ../{name} -o {name}.o"


def made(folder: Path, commands: str = "") -> Path:
    """The pendulum with a Makefile, and its sides."""
    program = pendulum(folder)
    text = program.path.read_text().replace('sources = ["*.c"]', (
        f'build = [["make", "-s", "OUT={{out}}", "CC={{compiler}}", "CFLAGS={{flags}}"]{commands}]'
        '\nprogram = "{out}/pendulum"'
    ))  # fmt: skip
    program.path.write_text(text)
    objects = " ".join(f"$(OUT)/{name[:-2]}.o" for name in SOURCES)
    (folder / "Makefile").write_text(MAKEFILE.format(objects=objects))
    return program.path


def test_a_makefile_whose_commands_somebody_lists_is_linked_as_sources_are(tmp_path: Path) -> None:
    need("gcc", "make", "cp")
    path = made(tmp_path, ', ["cp", "listed.json", "{out}/compile_commands.json"]')
    rows = [
        {
            "directory": str(tmp_path / "tools"),
            "file": f"../{name}",
            "command": LISTED.format(name=name),
        }
        for name in SOURCES
    ]  # fmt: skip
    (tmp_path / "listed.json").write_text(json.dumps(rows))
    with Workshop(read_program(str(path))) as shop:
        plan = shop.plan(shop.program.side("strict"))
        assert plan is not None
        assert plan.names == SOURCES
        flags = ("-O2", "-ffp-contract=off", "-std=c11", "-Iinc")
        assert {(step.compiler, step.flags) for step in plan.compiles} == {(("gcc",), flags)}
        steps = [step.with_flags((*step.flags, f"-I{shop.headers}", "-D_POSIX_C_SOURCE=200809L"))
                 for step in plan.compiles]  # fmt: skip
        own = shop.built(plan.side)
        plain = recorded(shop.program, plan.side, own, shop.path("own.sbt")).run
        assert first_difference(plain, run_of(shop, plan, steps)) is None


def test_a_build_without_a_list_of_its_commands_is_compared_by_its_records(tmp_path: Path) -> None:
    need("gcc", "make")
    found = diagnose_program(read_program(str(made(tmp_path))), "strict", "fused")
    assert (found.frame, found.fields[0].path) == (1, "weights[0].speed")
    assert found.operation is None
    assert any("its build leaves no compile_commands.json" in note for note in found.notes)


def test_a_list_that_is_named_and_not_there_is_told(tmp_path: Path) -> None:
    need("gcc", "make")
    path = made(tmp_path)
    path.write_text('commands = "{out}/all.json"\n' + path.read_text())
    with Workshop(read_program(str(path))) as shop, pytest.raises(RunnerError) as error:
        shop.plan(shop.program.side("strict"))
    assert error.value.message.endswith("/all.json")
    assert error.value.fix == (
        "say in sim.toml where it leaves its compile_commands.json: commands"
    )
