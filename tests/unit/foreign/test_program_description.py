"""What sim.toml may say, and what is told of a file that says something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.folders import HARBOUR, PENDULUM

from samebits.errors import SideError
from samebits.foreign.programs.description import Program, filled, read_program

SIDE = '[sides.a]\ncompiler = "gcc"\n'
REFUSED = {
    "": "needs either sources or build",
    'sources = ["*.c"]\nbuild = [["make"]]\n' + SIDE: "needs either sources or build",
    'build = [["make"]]\n' + SIDE: "has build, and not where it leaves the program",
    'sources = ["*.c"]\n': "has no sides",
    'sources = ["*.c"]\nsides = 3\n': "sides is 3",
    'sources = ["*.c"]\n[sides.a]\n': "[sides.a] has no compiler",
    'sources = ["*.c"]\n[sides]\na = 1\n': "[sides.a] is no table",
    'sources = ["*.c"]\n[sides."a b"]\ncompiler = "gcc"\n': "a side is called 'a b'",
    'sources = ["*.c"]\nflag = []\n' + SIDE: "has the key 'flag'",
    'sources = ["*.c"]\nflags = [1]\n' + SIDE: "flags is [1]",
    'sources = ["*.c"]\nflags = \'"\'\n' + SIDE: "flags cannot be split",
    'sources = ["*.c"]\nflags = ["a\\u0000"]\n' + SIDE: "flags has a NUL",
    'sources = ["*.c"]\nrun = ["{programme}"]\n' + SIDE: "run has '{programme}'",
    'sources = ["*.c"]\nseconds = 0\n' + SIDE: "seconds is 0",
    'sources = ["*.c"]\nseconds = nan\n' + SIDE: "seconds is nan",
    'sources = ["*.c"]\nseconds = true\n' + SIDE: "seconds is True",
    'sources = ["/etc/*.c"]\n' + SIDE: "is not below sim.toml's folder",
    'sources = ["../*.c"]\n' + SIDE: "is not below sim.toml's folder",
    'sources = ["none.c"]\n' + SIDE: "no file is 'none.c'",
    'sources = ["*.toml"]\n' + SIDE: "sim.toml is no source of C or C++",
    'sources = ["*.c"]\n' + SIDE + 'libm = "none.a"\n': "there is no library none.a",
    'sources = ["*.c"]\n' + SIDE + "environment = { A = 1 }\n": "environment is {'A': 1}",
    'sources = ["*.c"]\n' + SIDE + 'environment = { "A=B" = "1" }\n': "environment is",
    "sources = [": "cannot be read",
}


def described(folder: Path, text: str) -> Program:
    (folder / "game.c").touch()
    (folder / "sim.toml").write_text(text)
    return read_program(str(folder / "sim.toml"))


@pytest.mark.parametrize("text", REFUSED)
def test_what_does_not_fit_is_told_with_its_place(text: str, tmp_path: Path) -> None:
    with pytest.raises(SideError) as error:
        described(tmp_path, text)
    assert REFUSED[text] in error.value.message


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(SideError, match="there is no file"):
        read_program(str(tmp_path))
    (tmp_path / "sim.toml").write_bytes(b"\xff" * 8)
    with pytest.raises(SideError, match="cannot be read"):
        read_program(str(tmp_path / "sim.toml"))
    (tmp_path / "sim.toml").write_text("a = " + "[" * 5000)
    with pytest.raises(SideError, match="cannot be read"):
        read_program(str(tmp_path / "sim.toml"))


def test_a_side_that_is_not_there_is_told_with_its_nearest_name(tmp_path: Path) -> None:
    program = described(tmp_path, 'sources = ["*.c"]\n[sides.strict]\ncompiler = "gcc"\n')
    with pytest.raises(SideError) as error:
        program.side("strct")
    assert error.value.fix == "did you mean strict?"


def test_texts_are_split_as_a_shell_splits_them(tmp_path: Path) -> None:
    program = described(
        tmp_path,
        'sources = ["*.c"]\n[sides.zig]\ncompiler = "zig cc"\nflags = "-O2 \'-DA=b c\'"\n'
        'wrapper = "qemu-aarch64 -L x"\nenvironment = { A = "1" }\ntarget = "aarch64-linux"\n',
    )
    side = program.side("zig")
    assert side.compiler == ("zig", "cc")
    assert side.flags == ("-O2", "-DA=b c")
    assert side.words == ("zig: zig cc --target aarch64-linux -O2 -DA=b c A=1 under qemu-aarch64")


def test_a_place_of_several_words_becomes_them() -> None:
    places = {"flags": ("-O2", "-g x"), "program": "/a b"}
    assert filled(["{flags}", "X={flags}", "{program}"], places) == [
        "-O2", "-g x", "X=-O2 '-g x'", "/a b",
    ]  # fmt: skip


@pytest.mark.parametrize("folder", [HARBOUR, PENDULUM])
def test_the_descriptions_of_this_repository_are_read(folder: Path) -> None:
    program = read_program(str(folder / "sim.toml"))
    assert program.side("strict").flags == ("-O2", "-ffp-contract=off")
    assert len(program.sources) == len([*folder.glob("*.c"), *folder.glob("*.cpp")])
