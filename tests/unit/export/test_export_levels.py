"""One library for several levels of a processor: the best is taken, and each has the same bits."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import DUEL, arena, compiled, duel_inputs, made, needs_zig, output

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS, of_levels
from samebits.errors import TargetError
from samebits.export.build import choose_targets
from samebits.export.inputs_file import export_inputs

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]
HERE = [
    row.target.level
    for row in engine.available_targets()
    if row.reason is None and row.target.architecture == "x86_64"
]
FINAL = duel_inputs()[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not HERE:
        pytest.skip("this machine is no x86-64")
    return made(arena(), tmp_path_factory.mktemp("levels"), "x86-64")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inputs") / "duel.inputs"
    export_inputs(DUEL, path)
    return path


def verified(folder: Path, *arguments: object) -> tuple[int, str]:
    done = subprocess.run(
        [folder / "x86-64" / "arena-verify", *map(str, arguments)],
        capture_output=True, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_every_level_has_the_replays_hashes(folder: Path, inputs: Path, level: int) -> None:
    code, said = verified(folder, inputs, "--final", "--level", level)
    if level in HERE:
        assert (code, said.split()[1]) == (0, FINAL)
    else:
        assert code == 2
        assert "--level is none of this program's, or not one of this processor's" in said


def test_without_a_word_the_highest_level_is_taken(folder: Path, inputs: Path) -> None:
    code, said = verified(folder, inputs, "--final")
    assert (code, said.split()[1]) == (0, FINAL)
    library = ctypes.CDLL(str(folder / "x86-64" / "libarena.so"))
    assert library.arena_level() == max(HERE)
    assert library.arena_set_level(1) == library.arena_level() == 1
    for unknown in (5, -1, 2**31 - 1):
        assert library.arena_set_level(unknown) == -1
        assert library.arena_level() == 1
    assert library.arena_set_level(0) == library.arena_level() == max(HERE)


@pytest.mark.parametrize(
    "arguments", [("--level",), ("--level", "x"), ("--level", "12"), ("--level", "0"), ("--what",)]
)
def test_a_wrong_option_of_the_verifier_is_bad_usage(
    folder: Path, inputs: Path, arguments: tuple[str, ...]
) -> None:
    code, said = verified(folder, inputs, *arguments)
    assert code == 2
    assert said.startswith("usage: arena-verify INPUTS [--final] [--level N]")


@pytest.mark.parametrize(("cpu", "level"), [("qemu64", 1), ("Nehalem", 2), ("Haswell", 3)])
def test_a_processor_without_the_instructions_takes_a_lower_level(
    folder: Path, cpu: str, level: int
) -> None:
    emulator = shutil.which("qemu-x86_64")
    if emulator is None:
        pytest.skip("qemu-x86_64 is missing: apt-get install qemu-user")
    program = compiled(
        folder,
        '#include "arena.h"\n#include <stdio.h>\n'
        'int main(void) { printf("%d\\n", (int)arena_level()); return 0; }\n',
        "c",
        folder / "x86-64" / "libarena.a",
    )
    done = subprocess.run([emulator, "-cpu", cpu, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= level
    assert output(program) == f"{max(HERE)}\n"


def test_the_same_simulation_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = made(arena(), tmp_path, "x86-64")
    for name in ("libarena.a", "libarena.so", "arena-verify"):
        path = Path("x86-64", name)
        assert (again / path).read_bytes() == (folder / path).read_bytes(), name


def test_a_library_for_one_level_says_so(tmp_path: Path) -> None:
    library = ctypes.CDLL(str(made(arena(), tmp_path, "x86-64-v1") / "x86-64-v1" / "libarena.so"))
    assert library.arena_level() == library.arena_set_level(0) == 0
    assert library.arena_set_level(1) == -1


def test_targets_for_several_levels_are_named_by_them() -> None:
    some = of_levels("x86-64-v3+v1")
    assert some is not None
    assert some.levels == ("x86-64-v1", "x86-64-v3")
    assert some.cpu == TARGETS["x86-64-v1"].cpu
    assert [t.name for t in choose_targets(["x86-64", "wasm32"])] == ["x86-64", "wasm32"]
    for wrong in ("x86-64-v1+v9", "x86-64-", "aarch64+v1", "x86-64-v1+", "x86"):
        with pytest.raises(TargetError, match="x86-64 for all levels in one library"):
            choose_targets([wrong])
