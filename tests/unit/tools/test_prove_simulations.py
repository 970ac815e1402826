"""Public simulations: what is fetched is checked, and their page says what was found."""

from __future__ import annotations

import hashlib
import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from tools.prove_foreign.judge import Judged
from tools.prove_foreign.simulations.__main__ import DRIVERS, cases, sides
from tools.prove_foreign.simulations.fetch import Absent, unpacked
from tools.prove_foreign.simulations.packages import PACKAGES
from tools.prove_foreign.simulations.page import Agreement, Figures, page

JUDGED = Judged("-Ofast", "a.c:3", "fma", "certain", "file", "yes", 9.0)


def archived(folder: Path) -> bytes:
    """An archive of a folder with a file, put where packages are looked for."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as opened:
        entry = tarfile.TarInfo("thing-1/src/a.c")
        entry.size = 4
        opened.addfile(entry, io.BytesIO(b"int;"))
    (folder / "archives").mkdir()
    (folder / "archives" / PACKAGES[0].archive).write_bytes(made.getvalue())
    return made.getvalue()


def test_an_archive_that_is_another_is_refused_and_says_where_it_belongs(tmp_path: Path) -> None:
    data = archived(tmp_path)
    with pytest.raises(Absent, match=f"put Debian's source package {PACKAGES[0].name}"):
        unpacked(PACKAGES[0], tmp_path)
    package = replace(PACKAGES[0], sha256=hashlib.sha256(data).hexdigest())
    for _ in range(2):
        assert (unpacked(package, tmp_path) / "src" / "a.c").read_bytes() == b"int;"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_each_package_has_a_scene_and_compilers_of_its_language(package: object) -> None:
    (mine,) = (each for each in PACKAGES if each is package)
    text = (DRIVERS / mine.scene).read_text()
    assert "sb_begin(run, -1" in text
    compilers = {side.compiler[-1] for side in sides(mine, None).values()}
    cpp = {"g++-12", "g++-11", "clang++-16", "c++", "aarch64-linux-gnu-g++"}
    c = {"gcc-12", "gcc-11", "clang-16", "cc", "aarch64-linux-gnu-gcc"}
    assert compilers == (cpp if mine.is_cpp else c)
    assert {case.a.compiler for case in cases(mine)} == {("g++-12" if mine.is_cpp else "gcc-12",)}


def test_a_cause_that_is_wrong_and_certain_makes_the_figures_wrong() -> None:
    same = [Agreement("zig", "parts in frame 3", "same")]
    assert not Figures("x", "1", 2, same, [JUDGED]).is_wrong
    assert Figures("x", "1", 2, same, [replace(JUDGED, cause_right="no")]).is_wrong
    likely = replace(JUDGED, cause_right="no", certainty="likely")
    assert not Figures("x", "1", 2, same, [likely]).is_wrong
    assert Figures("x", "1", 2, [Agreement("zig", "same", "parts in frame 3")], []).is_wrong


def test_flags_that_change_no_bits_are_no_cases_of_the_page() -> None:
    same = replace(JUDGED, name="-mrecip", place="same bits", cause="", line_right="none")
    text = page([Figures("x", "1", 2, [], [JUDGED, same])])
    assert "| flags that change bits | 1 |" in text
    assert "| -mrecip | same bits |" in text
