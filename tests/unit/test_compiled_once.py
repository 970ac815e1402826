"""An object of a C file is made once by the same compiler from the same text, and never from
another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.compiled_once import Objects

COMMAND = ("cc", "-O2")
ARGUMENTS = ("-c", "f.c", "-o", "f.o")


class Compiler:
    """One that counts how often it is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, 0
        self.objects = Objects(folder / "objects")
        self.objects.folder.mkdir()

    def run(self, arguments: Sequence[str] = ARGUMENTS, command: Sequence[str] = COMMAND) -> bytes:
        out = self.folder / arguments[-1]
        out.unlink(missing_ok=True)

        def make() -> None:
            self.asked += 1
            out.write_bytes(f"object {self.asked}".encode())

        self.objects.made(command, self.folder, arguments, make)
        return out.read_bytes()


@pytest.fixture
def compiler(tmp_path: Path) -> Compiler:
    (tmp_path / "f.c").write_text('#include "f.h"\n')
    (tmp_path / "f.h").write_text("int f;\n")
    return Compiler(tmp_path)


def test_the_same_object_is_made_once_under_any_name(compiler: Compiler) -> None:
    assert compiler.run() == compiler.run() == compiler.run(("-c", "f.c", "-o", "g.o"))
    assert compiler.asked == 1


def test_another_text_header_flag_or_compiler_makes_another(compiler: Compiler) -> None:
    made = [compiler.run()]
    made.append(compiler.run(("-DX", *ARGUMENTS)))
    made.append(compiler.run(command=("clang",)))
    (compiler.folder / "f.c").write_text('#include "f.h"\nint g;\n')
    made.append(compiler.run())
    (compiler.folder / "f.h").write_text("long f;\n")
    made.append(compiler.run())
    assert len(set(made)) == compiler.asked == len(made)


@pytest.mark.parametrize("arguments", [
    ("-I", "elsewhere", *ARGUMENTS), ("-include", "elsewhere.h", *ARGUMENTS),
    ("f.c", "-o", "program"), ("f.c", "g.c", *ARGUMENTS),
])  # fmt: skip
def test_what_reads_other_files_or_makes_no_object_is_left_alone(
    compiler: Compiler, arguments: tuple[str, ...]
) -> None:
    compiler.run(arguments)
    compiler.run(arguments)
    assert compiler.asked == 2


def test_a_compiler_that_fails_leaves_nothing(compiler: Compiler) -> None:
    def fails() -> None:
        raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            compiler.objects.made(COMMAND, compiler.folder, ARGUMENTS, fails)
    assert [*compiler.objects.folder.iterdir()] == []


def test_a_test_may_have_all_compiled_anew(compiler: Compiler) -> None:
    compiler.run()
    compiler.objects.enabled = False
    compiler.run()
    assert compiler.asked == 2
