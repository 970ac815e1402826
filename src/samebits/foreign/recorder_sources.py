"""The recorders for programs of other languages, as they are shipped: one source text each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "recorders"


@dataclass(frozen=True, slots=True)
class Recorder:
    """A recorder: the name of its file, and the parts that it is put together of, in order."""

    file: str
    parts: str


RECORDERS = {
    "c": Recorder("samebits.h", "c/*.h"),
    "rust": Recorder("lib.rs", "rust/*.rs"),
    "csharp": Recorder("SamebitsRecorder.cs", "csharp/*.cs"),
    "js": Recorder("samebits_recorder.mjs", "js/*.mjs"),
}
"""The recorders by language. All write the same bytes for the same run."""


def recorder_source(language: str) -> str:
    """The text of a recorder. Raises KeyError for a language that has none."""
    parts = sorted(_FOLDER.glob(RECORDERS[language].parts))
    return "".join(part.read_text(encoding="utf-8") for part in parts)
