"""The settings that a collector is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """`folder` has files and, without `database`, SQLite's. `workers` processes diagnose, each
    diagnosis in `seconds` of a processor and `memory` bytes. Files are kept for `keep_days`, 0 for
    ever. `rate` requests a second are taken of each key, `burst` at once."""

    folder: Path
    database: str | None = None
    host: str = "127.0.0.1"
    port: int = 8484
    workers: int = 1
    keep_days: int = 90
    rate: float = 50.0
    burst: float = 500.0
    seconds: int = 60
    memory: int = 4 << 30
    cert: str | None = None
    key: str | None = None
    catalogue: Path | None = None
    """A TOML file of known causes, besides those that samebits knows."""
