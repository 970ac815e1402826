"""The targets that gave a math function's bits: identical.json, for docs/results/accuracy.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

PLACE = Path(__file__).with_name("identical.json")


def load(place: Path = PLACE) -> dict[str, dict[str, str]]:
    """By target, the digest of each function that gave the reference's bits there."""
    return json.loads(place.read_text()) if place.exists() else {}


def keep(
    agreed: Mapping[str, Mapping[str, int]], digests: Mapping[str, str], place: Path = PLACE
) -> None:
    """Put in what was compared now; what was kept for other targets stays."""
    kept = load(place)
    for target, functions in agreed.items():
        kept[target] = {name: digests[name] for name in functions if name in digests}
    write(kept, place)


def write(kept: Mapping[str, Mapping[str, str]], place: Path = PLACE) -> None:
    """Replace all that is kept."""
    place.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
