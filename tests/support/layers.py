"""The layers of the package."""

from __future__ import annotations

LAYERS = {
    "source_lines": 0, "visible": 0, "mutex": 0, "output": 0, "importing": 0, "types": 0,
    "version": 0, "nearest": 0,
    "errors": 1, "compiling": 1, "bits": 1,
    "modes": 2, "patterns": 2, "replay": 2,
    "ir": 3, "lang": 3,
    "frontend": 4, "mathlib": 4, "passes": 4, "lint": 4,
    "managed": 5, "math": 5, "noise": 5, "random": 5, "backend": 5,
    "runtime": 6, "fpmodel": 6,
    "fpenv": 7, "wiring": 7, "jobs": 7, "sim": 7, "doctor": 7,
    "verify": 8, "export": 8, "inspection": 8, "hazards": 8, "trace": 8,
    "sides": 9,
    "desync": 10,
    "diagnosis": 11,
    "cli": 12,
    "__main__": 13,
}  # fmt: skip
"""A package imports, lazily and for types alone too, from packages of lower numbers alone."""
