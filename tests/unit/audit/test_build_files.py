"""The commands of a build are found in what each build system leaves, and no Makefile is run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support.folders import PENDULUM
from tests.support.program_sides import need

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.build_files import build_file, commands_in
from samebits.audit.paths import binaries_of
from samebits.audit.sources.files import sources_of
from samebits.audit.worker import audited
from samebits.cli import status
from samebits.errors import ArgumentError

NINJA = """\
flags = -O2
rule cxx
  command = cd sub && ccache g++-12 -target x86_64 $flags -c $in -o $out @$out.rsp
  rspfile = $out.rsp
  rspfile_content = $more
rule link
  command = g++-12 $in -o $out
build a.o: cxx ../src/a.cpp
build b.o: cxx ../src/b.cpp
  flags = -O2 -ffp-contract=off
  more = -mfma -freciprocal-math
build game: link a.o b.o
"""
MAKE = """\
# CMAKE generated file: DO NOT EDIT!
sub/a.o: a.cpp
\t@echo "Building a -c nothing"
\tcd /there/sub && gcc-12 $(CXX_DEFINES) $(CXX_FLAGS) -DCOST=1$$ -c /there/a.cpp -o a.o
"""


def entries(path: Path) -> list[tuple[str, str, list[str]]]:
    return list(commands_in(str(path), path.read_bytes()))


def test_commands_of_a_build_ninja_are_judged_as_listed_ones(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    path = tmp_path / "build" / "build.ninja"
    path.parent.mkdir()
    path.write_text(NINJA)
    (binary,) = audited(str(path))
    assert (binary.error, binary.format, binary.functions) == (None, "ninja", 2)
    assert [(found.code, found.function) for found in binary.findings] == [
        ("AU406", "src/a.cpp"), ("AU402", "src/b.cpp"),
    ]  # fmt: skip


def test_commands_of_cmakes_makefiles_have_their_targets_flags(tmp_path: Path) -> None:
    path = tmp_path / "Makefile"
    path.write_text(MAKE)
    target = tmp_path / "sub" / "CMakeFiles" / "game.dir"
    target.mkdir(parents=True)
    (target / "build.make").write_text(MAKE)
    (target / "flags.make").write_text("# Flags\nCXX_FLAGS = -O2 -ffast-math\n")
    command = ["gcc-12", "-O2", "-ffast-math", "-DCOST=1$", "-c", "/there/a.cpp", "-o", "a.o"]
    assert entries(path) == [("/there/a.cpp", "/there/sub", command)]


def test_three_build_files_of_one_project_have_the_same_commands(tmp_path: Path) -> None:
    need("cmake", "ninja", "make", "gcc")
    found: dict[str, set[tuple[str, frozenset[str]]]] = {}
    for generator in ("Ninja", "Unix Makefiles"):
        folder = tmp_path / generator
        configure = ["cmake", "-S", str(PENDULUM), "-B", str(folder), "-G", generator]
        subprocess.run(
            [*configure, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, capture_output=True
        )
        for name in ("compile_commands.json", "build.ninja", "Makefile"):
            if (folder / name).is_file():
                found[f"{generator} {name}"] = {
                    (
                        file,
                        frozenset(word for word in words if word.startswith(("-f", "-D", "-std"))),
                    )
                    for file, _, words in entries(folder / name)
                }
    assert len(found) == 4
    listed = found.pop("Ninja compile_commands.json")
    assert len(listed) == 5
    assert all("-ffp-contract=off" in flags for _, flags in listed)
    assert all(each == listed for each in found.values())


def test_a_folder_has_one_file_that_counts(tmp_path: Path) -> None:
    for name in ("Makefile", "sub/Makefile", "build.ninja", "compile_commands.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(MAKE.encode())
        if name == "sub/Makefile":
            assert binaries_of([str(tmp_path)]) == []  # CMake's top folder has a CMakeCache.txt
            (tmp_path / "CMakeCache.txt").touch()
        elif name != "Makefile":
            assert build_file(tmp_path) == tmp_path / name
            assert binaries_of([str(tmp_path)]) == [str(tmp_path / name)]


def test_a_makefile_is_told_what_to_do_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Makefile"
    path.write_text("all:\n\tgcc -c a.c\n")
    with pytest.raises(UnreadableBinary, match="known by running it alone"):
        entries(path)
    with pytest.raises(ArgumentError, match="known by running it alone"):
        binaries_of([str(path)])
    pytest.importorskip("lief")
    assert status(["audit", str(path)]) == 2
    assert "bear -- make" in capsys.readouterr().err


def test_the_sources_of_a_build_ninja_are_read_with_their_commands(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / "src" / "a.cpp").touch()
    (tmp_path / "build" / "build.ninja").write_text(NINJA)
    ((source, folder, *command),) = sources_of([str(tmp_path / "build" / "build.ninja")])
    assert (Path(source).name, folder) == ("a.cpp", str(tmp_path / "build"))
    assert command[:3] == ["g++-12", "-target", "x86_64"]
