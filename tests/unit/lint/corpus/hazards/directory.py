"""Loads levels in the order in which the disk has them."""

import os
from pathlib import Path

LEVELS = Path("levels")


def load():
    for name in os.listdir("mods"):  # expect: SB104
        yield name
    for path in LEVELS.iterdir():  # expect: SB104
        yield path.name
    yield from (p.stem for p in LEVELS.glob("*.lvl"))  # expect: SB104
