"""ARCHITECTURE.md names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()


def test_every_file_that_it_names_exists() -> None:
    named = set(re.findall(r"`([\w/]+/[\w/]+(?:\.py)?/?)`", TEXT))
    assert len(named) > 40
    places = [ROOT, ROOT / "src" / "samebits"]
    missing = [name for name in named if not any((place / name).exists() for place in places)]
    assert missing == []
