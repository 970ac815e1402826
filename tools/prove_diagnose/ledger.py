"""Results of earlier runs: `results.json`, the latest entry of each case, with its code's digest.

A case whose code has not changed since need not be tried again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.prove_diagnose.entry import Entry
from tools.prove_diagnose.subjects import ROOT, SUBJECTS

FILE = Path(__file__).with_name("results.json")
_CODE = ROOT / "src" / "samebits"
_NO_PART = ("cli", "doctor", "lint")
"""Packages that no diagnosis uses."""
_TOOLS = ("draw.py", "edits.py", "judge.py", "injected_side.py", "injections.py", "subjects.py",
          "truth.py")  # fmt: skip


def digest() -> str:
    """Of the library's source, the simulations, and what draws and judges here."""
    files = [
        *(f for f in _CODE.rglob("*.py") if f.relative_to(_CODE).parts[0] not in _NO_PART),
        *(Path(__file__).with_name(name) for name in _TOOLS),
        *(subject.path for subject in SUBJECTS.values()),
    ]
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def read(path: Path = FILE) -> dict[tuple[int, int], Entry]:
    """Entries by seed and case number; none where there is no file."""
    if not path.exists():
        return {}
    rows: list[dict[str, Any]] = json.loads(path.read_text())
    return {
        (row["seed"], row["entry"]["case"]["number"]): Entry.of_json(row["entry"]) for row in rows
    }


def write(entries: dict[tuple[int, int], Entry], path: Path = FILE) -> None:
    """Replace the file."""
    rows = [
        json.dumps({"seed": seed, "entry": entry.to_json()})
        for (seed, _), entry in sorted(entries.items())
    ]
    beside = path.with_suffix(".new")
    beside.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    beside.replace(path)


def useful(entries: Iterable[Entry], code: str) -> list[Entry]:
    """Those that the code under test gave."""
    return [entry for entry in entries if entry.digest == code]
