"""ARCHITECTURE.md names files that exist, and the layers that the test of layers has."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.layers import LAYERS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()


def test_every_file_that_it_names_exists() -> None:
    named = set(re.findall(r"`([\w/]+/[\w/]+(?:\.py)?/?)`", TEXT))
    assert len(named) > 40
    places = [ROOT, ROOT / "src" / "samebits"]
    missing = [name for name in named if not any((place / name).exists() for place in places)]
    assert missing == []


def test_its_layers_are_those_that_are_tested() -> None:
    found: dict[str, int] = {}
    for number, names in re.findall(r"^\| (\d+) \| ([^|]+) \|", TEXT, re.MULTILINE):
        found.update((name.strip("/"), int(number)) for name in re.findall(r"`([\w/]+)`", names))
    assert found == {name: layer for name, layer in LAYERS.items() if name != "__main__"}
