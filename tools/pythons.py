"""`make test-pythons`: the tests on every Python here, and on the oldest NumPy supported.

Every warning is an error.

Each has a virtual environment of its own under build/pythons, with the newest versions that its
packages give it. Exit status 0 where all passed, 1 where one did not, 2 where there is none.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "pythons"
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")


@dataclass(frozen=True)
class Row:
    """One environment: a Python, and a NumPy where it is not the newest."""

    python: str
    version: str
    numpy: str | None = None

    @property
    def name(self) -> str:
        return f"Python {self.version}" + (f", NumPy {self.numpy}" if self.numpy else "")


def _version(python: str) -> str | None:
    """What this is; None where it does not start, as a version manager's stand-in may not."""
    code = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
    try:
        asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{python} does not start: {error}", file=sys.stderr, flush=True)
        return None
    return asked.stdout.strip()


def _floor() -> str:
    """The oldest NumPy that pyproject.toml takes."""
    found = re.search(r'"numpy>=([0-9.]+)"', (ROOT / "pyproject.toml").read_text())
    assert found is not None
    return found[1]


def _extras() -> str:
    """The extras that `make test` installs: what the tests import."""
    found = re.search(r'pip install .* -e "\.\[(.+)\]"', (ROOT / "Makefile").read_text())
    assert found is not None
    return found[1]


def rows(pythons: list[str]) -> list[Row]:
    """An environment for each interpreter that starts; the oldest NumPy goes with the oldest."""
    found = [Row(path, version) for path in pythons if (version := _version(path))]
    found.sort(key=lambda row: [int(part) for part in row.version.split(".")])
    return found + [Row(row.python, row.version, f"{_floor()}.0") for row in found[:1]]


def run(row: Row, tests: list[str]) -> bool:
    """Install and test; whether all passed."""
    folder = FOLDER / row.name.replace("Python ", "").replace(", NumPy ", "-numpy-")
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([row.python, "-m", "venv", folder], check=True)
    # The pinned versions are of one Python; each of these takes what there is for it.
    free = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    wanted = ["-e", f".[{_extras()}]", *([f"numpy=={row.numpy}"] if row.numpy else [])]
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # To compile a NumPy that has no wheel for this Python would take an hour.
    install = [*pip, "--only-binary=numpy", *wanted]
    if subprocess.run(install, cwd=ROOT, env=free, check=False).returncode:
        return False
    command = [python, "-W", "error", "-m", "pytest", "-n", "auto", *tests]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.pythons", description=__doc__)
    parser.add_argument("--python", nargs="+", metavar="PATH", help="these interpreters")
    parser.add_argument("tests", nargs="*", help="what to test (everything)")
    arguments = parser.parse_args()
    on_path = [path for v in VERSIONS if (path := shutil.which(f"python{v}"))]
    chosen = rows(arguments.python or on_path)
    if not chosen or (arguments.python and len(chosen) <= len(arguments.python)):
        wanted = arguments.python or [f"Python {', '.join(VERSIONS)}, all on the path"]
        print(f"nothing to test with: {', '.join(wanted)}", file=sys.stderr)
        return 2
    passed: dict[str, bool] = {}
    for row in chosen:
        print(f"{row.name}: {row.python}", flush=True)
        passed[row.name] = run(row, arguments.tests)
    for name, good in passed.items():
        print(f"{name}: {'passed' if good else 'FAILED'}")
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
