"""Sources with one file name in two folders are told apart."""

from __future__ import annotations

from pathlib import Path

from samebits.foreign.programs.description import ProgramSide
from samebits.foreign.programs.plan import BuildPlan, CompileStep, LinkStep


def plan(*sources: str) -> BuildPlan:
    steps = [CompileStep(Path(source), ("gcc",), (), Path()) for source in sources]
    return BuildPlan(ProgramSide("a", ("gcc",)), tuple(steps), LinkStep(()))


def test_a_source_is_called_by_its_file_name_and_by_its_folders_where_others_have_it() -> None:
    assert plan("/p/main.c", "/p/src/world.c").names == ("main.c", "world.c")
    names = plan("/p/world.c", "/p/src/world.c", "/p/old/src/world.c", "/p/main.c").names
    assert names == ("p/world.c", "p/src/world.c", "old/src/world.c", "main.c")
