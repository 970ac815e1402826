"""The version is written twice: in the package and in pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import samebits
from samebits import version

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_package_and_the_project_have_one_version() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    assert samebits.__version__ == version.__version__ == project["version"]
