"""Flags in commands and binaries are findings, safe flags are printed, builds are compared."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.support.audited import built, needs_libraries

from samebits.audit.against import differences
from samebits.audit.flags.safe import BUILD_SYSTEMS, SAFE, safe_flags
from samebits.audit.model import AuditedBinary, Finding
from samebits.audit.rules.imports import linked_math
from samebits.audit.worker import audited
from samebits.cli import status


def commands(folder: Path, *rows: str | list[str]) -> str:
    """A compile_commands.json of src/0.c, src/1.c, …"""
    entries = [
        {"directory": str(folder), "file": f"{folder}/src/{number}.c",
         "arguments" if isinstance(row, list) else "command": row}
        for number, row in enumerate(rows)
    ]  # fmt: skip
    path = folder / "compile_commands.json"
    path.write_text(json.dumps(entries))
    return str(path)


def test_commands_are_judged_by_source_file(tmp_path: Path) -> None:
    path = commands(
        tmp_path,
        "gcc-12 -target x86_64 -O2 -ffast-math -c src/0.c",
        ["clang-16", "-target", "aarch64-linux-gnu", "-c", "src/1.c"],
        "cc1plus something",
        "gcc-12 -target x86_64 -O2 -ffp-contract=off -fno-fast-math -c src/3.c",
    )
    (binary,) = audited(path)
    assert binary.error is None
    assert [(f.code, f.function) for f in binary.findings] == [
        ("AU406", "src/0.c"), ("AU402", "src/0.c"), ("AU403", "src/0.c"), ("AU401", "src/1.c"),
    ]  # fmt: skip
    assert binary.findings[1].message.startswith("-ffast-math: associative, reciprocal")
    assert binary.notes == ("1 commands are of compilers that are not known",)


def test_functions_that_libsbmath_stands_behind_are_no_platforms() -> None:
    assert linked_math({"sinf", "atan2f", "main"}) == ["atan2f", "sinf"]
    assert linked_math({"sinf", "atan2f", "sb_atan2f", "sb_sinf"}) == []


def test_sources_are_called_by_the_folder_that_holds_them_and_the_build(tmp_path: Path) -> None:
    rows = [
        {"directory": folder, "file": file, "command": "gcc -target aarch64 -c x.c"}
        for folder, file in (
            ("/home/me/game/build/gcc", "/home/me/game/src/a.c"), ("/home/me/game", "src/b.c"),
            ("/home/me/game/build", "/usr/src/c.c"), ("/home/me/game", "/home/me/game/d.c"),
        )
    ]  # fmt: skip
    path = tmp_path / "compile_commands.json"
    path.write_text(json.dumps(rows))
    (binary,) = audited(str(path))
    names = [finding.function for finding in binary.findings]
    assert names == ["src/a.c", "src/b.c", "/usr/src/c.c", "d.c"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "no JSON"), ("{}", "no list"), ("[3]", "an entry of it is no table"),
        ('[{"command": "gcc \\"x"}]', "a command of it can't be read"), ("[" * 100_000, "no JSON"),
    ],
)  # fmt: skip
def test_a_damaged_list_of_commands_is_told(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    (binary,) = audited(str(path))
    assert said in str(binary.error)


@needs_libraries
@pytest.mark.skipif(shutil.which("gcc-12") is None, reason="gcc-12 is not installed")
def test_flags_that_a_binary_recorded_are_findings(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int a(int x) { return x; }\n")
    options = ["-O2", "-g", "-ffp-contract=off", "-freciprocal-math"]
    built(["gcc-12", *options, "-c", "a.c", "-o", "a.o"], tmp_path, "a.o")
    (binary,) = audited(str(tmp_path / "a.o"))
    said = [(f.code, f.message) for f in binary.findings]
    assert said == [("AU402", "recorded: -freciprocal-math: reciprocal")]


def test_safe_flags_are_printed_for_every_build_system(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for compiler, row in SAFE.items():
        for system in BUILD_SYSTEMS:
            assert all(flag in safe_flags(compiler, system) for flag in row.flags)
    assert status(["audit", "--safe-flags", "g++", "--for", "meson"]) == 0
    said = "'-ffp-contract=off', '-fno-fast-math', '-fno-builtin', language: ['c', 'cpp'])"
    assert f"add_project_arguments({said}" in capsys.readouterr().out
    assert status(["audit", "--safe-flags", "clagn"]) == 2
    assert "did you mean clang?" in capsys.readouterr().err


def test_two_builds_are_compared_by_file_and_function() -> None:
    def build(base: str, count: int, *more: Finding) -> list[AuditedBinary]:
        found = Finding("AU101", "step", "fmadd", count)
        same = Finding("AU301", "", "imports sinf")
        return [
            AuditedBinary(f"{base}/lib/a.so", findings=(found, same, *more)),
            AuditedBinary(f"{base}/lib/b.so", findings=(same,)),
        ]

    other = build("other", 2, Finding("AU102", "old", "fadd", 3))
    found = list(differences(build("ours", 1), other, "ours", "other"))
    assert [str(each) for each in found] == [
        "lib/a.so: AU101 step: 1 here, 2 there", "lib/a.so: AU102 old: 0 here, 3 there",
    ]  # fmt: skip
    assert list(differences(other, other, "other", "other")) == []
    one, two = build("ours", 1)[:1], build("x", 2)[:1]
    assert len(list(differences(one, two, "ours/lib/a.so", "x/lib/a.so"))) == 1


@needs_libraries
def test_the_command_compares_two_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, option in (("a", "-ffast-math"), ("b", "-ffp-contract=off")):
        (tmp_path / name).mkdir()
        commands(tmp_path / name, f"gcc -target x86_64 -O2 {option} src/0.c")
    assert status(["audit", "a", "--against", "b"]) == 1
    out = capsys.readouterr().out
    assert "compile_commands.json: AU402 src/0.c: 1 here, 0 there" in out
    assert out.endswith("3 differences in findings\n")


@needs_libraries
def test_a_page_holds_all_findings_and_escapes_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"directory": ".", "file": "<b>.c", "command": "gcc -target x86_64 -ffast-math a.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([row]))
    assert status(["audit", ".", "--html", "audit.html"]) == 1
    text = (tmp_path / "audit.html").read_text("utf-8")
    assert "<td>&lt;b&gt;.c</td>" in text
    assert "AU402 fast-math" in text
    assert "2 findings in 1 of 1 binary" in text
    assert status(["audit", ".", "--html", "."]) == 2
    assert "is a folder" in capsys.readouterr().err
