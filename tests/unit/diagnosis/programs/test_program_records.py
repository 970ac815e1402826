"""Two sides of a program: built, run twice, and compared without what a side itself changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.program_sides import diagnosed, need, pendulum

from samebits.diagnosis.programs.driver import diagnose_program
from samebits.diagnosis.programs.unrepeatable import UnsetUse, parsed_log, unset_uses
from samebits.errors import RunnerError, SideError
from samebits.foreign.programs.description import read_program
from samebits.foreign.programs.workshop import Workshop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """Builds of the pendulum, each made once for all tests."""
    sides = {"both": "-O2 -ffp-contract=fast -mfma -DPENDULUM_CLOCK"}
    program = pendulum(tmp_path_factory.mktemp("pendulum"), sides)
    with Workshop(program) as made:
        yield made


def test_strict_sides_of_two_compilers_are_the_same(tmp_path: Path) -> None:
    need("gcc", "aarch64-linux-gnu-gcc", "qemu-aarch64")
    program = pendulum(tmp_path)
    text = program.path.read_text() + (
        '\n[sides.cross]\ncompiler = "aarch64-linux-gnu-gcc"\nwrapper = "qemu-aarch64"\n'
        'flags = "-O1 -ffp-contract=off"\nlink = "-static"\n'
    )
    program.path.write_text(text)
    found = diagnose_program(read_program(str(program.path)), "strict", "cross")
    assert found.same
    assert found.b == ("cross: aarch64-linux-gnu-gcc -O1 -ffp-contract=off under qemu-aarch64")


def test_an_address_in_the_state_is_named_as_such(shop: Workshop) -> None:
    need("gcc", "setarch")
    found = diagnosed(shop, "strict", "address")
    assert (found.frame, found.fields[0].path) == (0, "stamp")
    assert (found.causes[0].hazard, found.certainty) == ("addresses", "certain")
    assert "two runs of side b disagree on" in found.notes[-1]


def test_a_clock_in_the_state_is_named_as_something_of_the_machine(shop: Workshop) -> None:
    need("gcc", "setarch")
    found = diagnosed(shop, "strict", "clock")
    assert (found.fields[0].path, found.causes[0].hazard, found.certainty) == (
        "stamp", "host", "likely",
    )  # fmt: skip


def test_noise_hides_no_difference_behind_it(shop: Workshop) -> None:
    need("gcc")
    found = diagnosed(shop, "strict", "both")
    assert (found.frame, found.fields[0].path, found.differing) == (1, "weights[0].speed", 1)
    assert any(
        note.startswith("two runs of side b differ from frame 0 on: stamp") for note in found.notes
    )


def test_memory_that_nobody_set_is_named_by_its_line(shop: Workshop) -> None:
    need("gcc", "valgrind")
    assert unset_uses(shop, shop.program.side("unset")) == [
        UnsetUse("stamp_of", "energy.c:22", "made at stamp_of, energy.c:11")
    ]
    assert unset_uses(shop, shop.program.side("strict")) == []


def test_a_build_that_fails_tells_the_compilers_words(tmp_path: Path) -> None:
    need("gcc")
    program = pendulum(tmp_path, {"broken": "-O2 -Dfloat=3"})
    with pytest.raises(RunnerError, match="fails with status 1") as error:
        diagnose_program(program, "strict", "broken")
    assert "error:" in (error.value.note or "")


def test_a_program_without_a_record_is_told_how_to_write_one(tmp_path: Path) -> None:
    need("gcc")
    (tmp_path / "main.c").write_text("int main(void) { return 3; }\n")
    (tmp_path / "sim.toml").write_text('sources = ["main.c"]\n[sides.a]\ncompiler = "gcc"\n')
    with pytest.raises(RunnerError, match="side a has no record") as error:
        diagnose_program(read_program(str(tmp_path / "sim.toml")), "a", "a")
    assert "the program ended with status 3" in (error.value.note or "")
    assert "sb_open(NULL" in (error.value.fix or "")


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    need("gcc")
    (tmp_path / "main.c").write_text("int main(void) { for (;;) {} }\n")
    (tmp_path / "sim.toml").write_text(
        'sources = ["main.c"]\nseconds = 0.3\n[sides.a]\ncompiler = "gcc"\n'
    )
    with pytest.raises(RunnerError, match=r"takes more than 0\.3 s"):
        diagnose_program(read_program(str(tmp_path / "sim.toml")), "a", "a")


def test_a_compiler_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "main.c").touch()
    (tmp_path / "sim.toml").write_text('sources = ["main.c"]\n[sides.a]\ncompiler = "no-cc"\n')
    with pytest.raises(RunnerError, match="cannot run no-cc"):
        diagnose_program(read_program(str(tmp_path / "sim.toml")), "a", "a")


def test_a_target_for_a_compiler_of_one_target_is_refused(tmp_path: Path) -> None:
    need("gcc")
    (tmp_path / "main.c").touch()
    (tmp_path / "sim.toml").write_text(
        'sources = ["main.c"]\n[sides.a]\ncompiler = "gcc"\ntarget = "s390x-linux-gnu"\n'
    )
    with pytest.raises(SideError, match="gcc has one target alone"):
        diagnose_program(read_program(str(tmp_path / "sim.toml")), "a", "a")


def test_a_build_of_the_users_own_leaves_its_program_where_sim_toml_says(tmp_path: Path) -> None:
    need("gcc", "make")
    program = pendulum(tmp_path)
    text = program.path.read_text().replace('sources = ["*.c"]', (
        'build = [["make", "-s", "OUT={out}", "CC={compiler}", "CFLAGS={flags}"]]\n'
        'program = "{out}/pendulum"'
    ))  # fmt: skip
    program.path.write_text(text)
    (tmp_path / "Makefile").write_text(
        "$(OUT)/pendulum: main.c forces.c collide.c energy.c\n"
        "\t$(CC) $(CFLAGS) -I$$SAMEBITS_INCLUDE $^ -lm -o $@\n"
    )
    found = diagnose_program(read_program(str(program.path)), "strict", "fused")
    assert (found.frame, found.fields[0].path) == (1, "weights[0].speed")


LOG = """\
==7== Memcheck, a memory error detector
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x10A: sb_canonical_ (samebits.h:700)
==7==    by 0x10B: steer(World&) (ship.cpp:12)
==7==    by 0x10C: main (main.cpp:3)
==7==  Uninitialised value was created by a heap allocation
==7==    at 0x4E0: operator new(unsigned long) (vg_replace_malloc.c:472)
==7==    by 0x10D: make (ship.cpp:40)
==7== Invalid read of size 8
==7==    at 0x10A: other (x.cpp:1)
"""


def test_a_log_of_valgrind_is_read_as_uses_outside_of_the_recorder() -> None:
    assert parsed_log(LOG) == [
        UnsetUse(
            "steer(World&)", "ship.cpp:12",
            "made at operator new(unsigned long), vg_replace_malloc.c:472",
        )
    ]  # fmt: skip
    assert parsed_log("") == []
