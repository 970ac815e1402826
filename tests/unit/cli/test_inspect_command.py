"""`samebits inspect`: kernels by the names that users type, and errors that say what to type."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.cli import status

SOURCE = """
from typing import TypeVar

import samebits as sb
from samebits import Array, float32, float64

T = TypeVar("T", float32, float64)
NUMBER = 3


@sb.kernel
def scale(x: Array[float32], k: float32) -> None:
    for i in range(len(x)):
        x[i] *= k


@sb.kernel
def larger(a: T, b: T) -> T:
    return sb.max(a, b)


@sb.struct
class Body:
    speed: float32

    def faster(self, by: float32) -> None:
        self.speed += by
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(SOURCE)
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "samebits", "inspect", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command in this process, in the folder."""
    monkeypatch.chdir(folder)

    def command(*arguments: str) -> tuple[int, str, str]:
        sys.modules.pop("shapes", None)  # that of another test's folder
        return status(["inspect", *arguments]), *capsys.readouterr()

    return command


def test_a_kernel_is_shown_in_the_sections_that_are_asked_for(folder: Path) -> None:
    found, out, err = run(
        folder, "shapes.py:scale", "--target", "x86-64-v3", "--show", "source,asm"
    )
    assert (found, err) == (0, "")
    assert "scale(x: Array[float32], k: float32)" in out
    assert "vectorised: 8 lanes" in out
    assert "vmulps" in out
    assert "== LLVM IR ==" not in out
    assert "\x1b" not in out
    assert "\x1b[32m" in run(folder, "shapes.py:scale", "--show", "asm", "--color")[1]


@pytest.mark.parametrize(
    ("name", "more", "signature"),
    [
        ("shapes:scale", (), "scale(x: Array[float32]"),
        ("shapes.py:Body.faster", (), "Body.faster(self: Body, by: float32)"),
        ("shapes.py:larger", ("--types", "float64, float64"), "larger(a: float64, b: float64)"),
        ("samebits.math:sqrt", ("--types", "float32"), ""),
    ],
)
def test_kernels_go_by_the_names_that_users_type(
    folder: Path, name: str, more: tuple[str, ...], signature: str
) -> None:
    found, out, err = run(folder, name, *more, "--show", "source", "--opt", "0")
    if name.endswith("sqrt"):  # an operation, not a kernel
        assert (found, "not a kernel" in err) == (2, True)
        return
    assert (found, err) == (0, "")
    assert out.startswith(signature)


def test_a_line_is_shown_once_and_an_empty_section_says_so(folder: Path, here: Here) -> None:
    source = """
import samebits as sb
from samebits import Array, float32

@sb.kernel
def halve(x: Array[float32]) -> None:
    for i in sb.prange(len(x)):
        x[i] *= 0.5
"""
    (folder / "ranges.py").write_text(source)
    found, out, _ = here("ranges.py:halve", "--show", "source,rewrites", "--target", "x86-64-v3")
    assert found == 0
    assert out.count("for i in sb.prange") == 1
    assert "== rewrites of the mode ==\nnone" in out


def test_json_stays_json_where_a_page_is_written_too(folder: Path, here: Here) -> None:
    found, out, _ = here("shapes.py:scale", "--json", "--html", "both.html")
    assert found == 0
    assert json.loads(out)["kernel"] == "shapes.scale"
    assert (folder / "both.html").exists()


def test_json_holds_the_facts_and_html_is_a_file(folder: Path, here: Here) -> None:
    found, out, _ = here("shapes.py:scale", "--target", "wasm32-simd", "--json")
    assert found == 0
    assert json.loads(out)["target"] == "wasm32-simd"
    found, out, _ = here("shapes.py:scale", "--target", "aarch64", "--html", "page.html")
    assert found == 0
    assert out.startswith("page.html: shapes.scale on aarch64, ")
    assert (folder / "page.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shapes.py:nothing",), "its kernels are larger, scale"),
        (("shapes.py:NUMBER",), "NUMBER is int, not a kernel"),
        (("shapes.py",), "fix: name one: shapes.py:larger"),
        (("missing.py:f",), "path.py:function"),
        (("shapes.py:larger",), "--types"),
        (("shapes.py:larger", "--types", "float33"), "--types 'float33' can't be read"),
        (("shapes.py:scale", "--target", "vax"), "there is no target 'vax'"),
        (("shapes.py:scale", "--show", "bytes"), "there is no section 'bytes'"),
        (("shapes.py:scale", "--opt", "1"), "opt=1 is not a level"),
        (
            ("shapes.py:scale", "--html", "no/page.html"),
            "--html no/page.html: there is no folder no",
        ),
        (("shapes.py:scale", "--html", "shapes.py"), "shapes.py exists already and is not a page"),
    ],
)
def test_bad_input_has_status_2_and_says_what_to_write(
    here: Here, arguments: tuple[str, ...], message: str
) -> None:
    found, out, err = here(*arguments)
    assert found == 2
    assert message in err
    assert "Traceback" not in err
    assert out == ""
