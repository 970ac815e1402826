"""The page on the built math library says what was measured."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from benchmarks.mathlib.c_library import RANGES, Row, page, source

from samebits.export.math_library.drop_in import c_names
from samebits.export.math_library.functions import FUNCTIONS
from samebits.export.math_library.header import header_text


def test_a_row_has_each_librarys_errors_and_the_times_ratio() -> None:
    rows = {"one libm": [Row("sin", 1 << 10, 2, 4.0, 3.0)], "two": [Row("sin", 0, 0, 2.0, 3.0)]}
    text = page(rows, "x86-64-v3", "It has 9 bytes.")
    assert "| sin | 3.0 | 0.098% | 2 | 4.0 | 0.75 | 0 | 0 | 2.0 | 1.50 |\n" in text
    assert "one libm: wrong | furthest" in text


def test_every_function_that_is_compared_is_one_of_c() -> None:
    assert {*RANGES} <= {name for function in FUNCTIONS for name in c_names(function)}


def test_the_program_is_c99(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    (tmp_path / "compare.c").write_text(source())
    (tmp_path / "sbmath.h").write_text(header_text(FUNCTIONS))
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "compare.c"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
