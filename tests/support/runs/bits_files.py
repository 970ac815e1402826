"""Bits files of machines that are made up, and workflow files run step by step."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from ruamel.yaml import YAML

from samebits.ci.bits_file import FACTS, BitsFile, End, Row, Run, write_bits

HASHES = np.arange(100, 140, dtype=np.uint64)


def run(
    name: str = "corpus/a.mcap", content: str = "c0ffee", hashes: Sequence[int] | None = None,
    **changes: Any,
) -> Run:  # fmt: skip
    """A run of 40 frames."""
    values = HASHES if hashes is None else np.array(hashes, np.uint64)
    rows = (Row("x86-64-v3-O3", "same", len(values), f"{int(values[-1]):016x}", ""),)
    found = Run(name, content, "", 1, 40, "same", "0" * 15 + "1", values, None, rows, "")
    return replace(found, **changes)


def machine(label: str, *runs: Run, **changes: Any) -> BitsFile:
    """What one machine found; a run of 40 frames where none is given."""
    facts: dict[str, str] = dict.fromkeys(FACTS, "known")
    found = BitsFile(
        f"{label}.bits", label, facts, "small", "1", "ab" * 16, (1, 1), "all", runs or (run(),)
    )
    return replace(found, **changes)


def written(folder: Path, *files: BitsFile) -> list[str]:
    """The paths of files, once they are written into the folder."""
    paths: list[str] = []
    for file in files:
        paths.append(str(folder / f"{file.label}-{file.shard[0]}.bits"))
        write_bits(replace(file, path=paths[-1]))
    return paths


def changed(values: Sequence[int], frame: int) -> list[int]:
    """The hashes with all from a frame on changed."""
    return [*values[:frame], *(int(value) ^ 0x80 for value in values[frame:])]


def trap(frame: int, kind: str = "divide", place: str = "small.py:7:5") -> End:
    return End(frame, kind, place)


def loaded(path: Path) -> dict[str, Any]:
    """A YAML file's content."""
    read = cast("Any", YAML(typ="safe")).load
    return cast("dict[str, Any]", read(path.read_text()))


@dataclass(eq=False)
class Harness:
    """A workflow file of GitHub, run as its service would: each job in a copy of the project,
    actions replaced by what they do with files, installations left out."""

    project: Path
    room: Path
    status: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    said: dict[str, str] = field(default_factory=dict[str, str])
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def workflow(self) -> dict[str, Any]:
        path = self.project / ".github" / "workflows" / "samebits.yml"
        return loaded(path)

    def job(self, name: str, matrix: Mapping[str, str], change: Any = None) -> None:
        """Run a job; `change` is called with its folder before, and returns its environment."""
        job = self.workflow()["jobs"][name]
        label = matrix.get("label", name)
        here = self.room / label
        shutil.copytree(self.project, here)
        self.environment = {} if change is None else change(here)
        self.status[label] = []
        for step in job["steps"]:
            if "uses" in step:
                self._action(step, here, matrix)
            elif not step["name"].startswith("Install"):
                self._step(step, here, matrix, label)

    def _action(self, step: Mapping[str, Any], here: Path, matrix: Mapping[str, str]) -> None:
        kind = step["uses"].split("@")[0]
        stored = self.room / "artifacts"
        if kind == "actions/upload-artifact":
            name = _filled(step["with"]["name"], matrix)
            found = here / step["with"]["path"]
            assert any(found.iterdir()), self.said
            shutil.copytree(found, stored / name)
        elif kind == "actions/download-artifact":
            for each in sorted(stored.glob(step["with"]["pattern"])):
                shutil.copytree(each, here / step["with"]["path"] / each.name)
        else:
            assert kind in ("actions/checkout", "actions/setup-python")

    def _step(
        self, step: Mapping[str, Any], here: Path, matrix: Mapping[str, str], label: str
    ) -> None:
        assert "${{" not in step["run"]  # what stands in a script is no expression
        given = {name: _filled(value, matrix) for name, value in step.get("env", {}).items()}
        environment = {
            **os.environ, **self.environment, **given,
            "GITHUB_STEP_SUMMARY": str(self.room / "summary.md"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=here, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.status[label].append(done.returncode)
        self.said[label] = self.said.get(label, "") + done.stdout + done.stderr


def _filled(text: str, matrix: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: matrix[found[1]], text)
