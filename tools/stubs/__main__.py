"""`python -m tools.stubs` writes the stubs that are made of the run time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.stubs import arrays, containers, functions, kernels, values

import samebits
from samebits import noise, random
from samebits.scene import marks

SOURCE = Path(samebits.__file__).parent


def texts() -> dict[Path, str]:
    """Each stub's text by its file."""
    return {
        SOURCE / "typed" / "dimensions.pyi": arrays.dimensions(),
        SOURCE / "typed" / "containers.pyi": containers.containers(),
        SOURCE / "typed" / "values.pyi": values.values(),
        SOURCE / "typed" / "swizzles.pyi": values.swizzles(),
        SOURCE / "typed" / "functions.pyi": functions.language(),
        SOURCE / "math.pyi": functions.mathematics(),
        SOURCE / "random.pyi": kernels.module(random),
        SOURCE / "noise.pyi": kernels.module(noise),
        SOURCE / "scene" / "marks.pyi": kernels.module(marks),
    }


def formatted(text: str, name: str) -> str:
    """The text as `ruff format` and its import rules leave it."""
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--stdin-filename", name]
    checked = [*ruff, "check", "--quiet", "--fix-only", "--select=F401,I", *options, "-"]
    for command in (checked, [*ruff, "format", "--quiet", *options, "-"]):
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def main() -> None:
    for path, text in texts().items():
        path.write_text(formatted(text, str(path)), "utf-8")


if __name__ == "__main__":
    main()
