"""A build.ninja is read as Ninja reads it, and a damaged or hostile one is told within bounds."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.ninja import Edge, read_ninja

RULES = """\
flags = -O2
rule cc
  command = cc $flags $more -c $in -o $out
  depfile = $out.d
"""
MAIN = """\
# What is written once counts everywhere below.
dir = src$ files
include rules.ninja
pool one
  depth = 1
more = -DTOP

build a.o | a.d: cc ${dir}/a.c | a.h || order
build b.o: cc b$:1.c $
    c.c
  more = -DOWN$$ $
    $flags
  pool = one
flags = -O3
rule link
  command = cc @$out.rsp -o $out
  rspfile = $out.rsp
  rspfile_content = $in $libs
build game: link a.o b.o |@ check
  libs = -lm
subninja inner.ninja
build order: phony
build check: phony
default game
"""
INNER = """\
flags = -Os
rule cc
  command = inner $flags $in $out
build inner.o: cc inner.c
"""


def read(folder: Path, text: str) -> list[Edge]:
    path = folder / "build.ninja"
    path.write_text(text)
    return read_ninja(str(path), path.read_bytes())


def files(folder: Path) -> list[Edge]:
    (folder / "rules.ninja").write_text(RULES)
    (folder / "inner.ninja").write_text(INNER)
    return read(folder, MAIN)


def test_commands_are_what_ninja_would_run(tmp_path: Path) -> None:
    edges = files(tmp_path)
    assert [(edge.outputs, edge.inputs, edge.command) for edge in edges[:4]] == [
        (("a.o",), ("src files/a.c",), "cc -O3 -DTOP -c 'src files/a.c' -o a.o"),
        (("b.o",), ("b:1.c", "c.c"), "cc -O3 -DOWN$ -O2 -c b:1.c c.c -o b.o"),
        (("game",), ("a.o", "b.o"), "cc @game.rsp -o game"),
        (("inner.o",), ("inner.c",), "inner -Os inner.c inner.o"),
    ]
    assert edges[2].response == ("game.rsp", "a.o b.o -lm")
    assert [edge.command for edge in edges[4:]] == ["", ""]


def test_ninja_itself_gives_the_same_commands(tmp_path: Path) -> None:
    if shutil.which("ninja") is None:
        pytest.skip("ninja is not here")
    edges = files(tmp_path)
    done = subprocess.run(
        ["ninja", "-t", "commands", "game", "inner.o"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    ours = sorted(shlex.split(edge.command) for edge in edges if edge.command)
    assert sorted(map(shlex.split, done.stdout.splitlines())) == ours


BOMB = "v0 = 0123456789\n" + "".join(f"v{n + 1} = " + f"$v{n}" * 10 + "\n" for n in range(30))
DAMAGED = {
    "build a.o: none a.c\n": "it has no rule none",
    "build a.o cc a.c\n": "a build statement of it has no rule",
    "build a.o:\n": "a build statement of it has no rule",
    "what is this\n": "a line that is no statement",
    "a = $!\n": "it has a $ before '!'",
    "include none.ninja\n": "it includes none.ninja, which is no file here",
    "include build.ninja\n": "or no end",
    BOMB: "expands to more than",
    "rule r\n  command = $x\n  x = $y\n  y = $x\nbuild a: r\n": "has itself in it",
}


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_or_endless_file_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableBinary) as error:
        print([edge.command for edge in read(tmp_path, text)])
    assert DAMAGED[text] in str(error.value)
