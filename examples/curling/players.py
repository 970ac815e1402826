"""What players' machines send: `python players.py FOLDER FIRST STOP`.

In each match the host has the right bits, and five players have builds with a fault each, planted
as `samebits diagnose --b hazard=…` plants them. Every one writes a desync report.
"""

import sys
from pathlib import Path

from curling import CURLING, duel

import samebits as sb

FRAMES = 240
BEGIN = 90
"""The frame from which the faults act."""
BUILDS = {
    "handheld": "fma@stone.pos += stone.vel * DT",
    "browser": "double-rounding@stone.vel = float2(stone.vel.x",
    "console": "libm-ulp@turn = math.sin",
    "beta": "changed-constant@state.heat *= COOLING",
    "tablet": "narrower@return heat + math.dot",
}
"""A hazard, and the line at which it acts."""


def side_of(build: str) -> str:
    """The side that runs as a build does."""
    hazard, _, begins = build.partition("@")
    lines = (Path(__file__).parent / "curling.py").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.strip().startswith(begins))
    return f"hazard={hazard}@curling.py:{line},from={BEGIN}"


def play(folder: Path, seed: int) -> None:
    """One match's reports."""
    folder.mkdir(parents=True, exist_ok=True)
    replay = folder / "match.mcap"
    with CURLING.record(replay, seed) as recording:
        for frame in range(FRAMES):
            recording.step([duel(frame, player, seed) for player in range(2)])
    host = sb.make_report(CURLING, replay, range(BEGIN - 1, FRAMES))
    sb.write_report(host, folder / "0-host.desync")
    for name, build in BUILDS.items():
        side = side_of(build)
        there = sb.make_report(CURLING, replay, side=side)
        differs = host.hashes.first_difference(there.hashes)
        assert differs is not None, f"{name} had the right bits in match {seed}"
        frame = differs - 1  # the first hash is that of the state before frame 0
        made = sb.make_report(CURLING, replay, range(frame, differs), trace=frame, side=side)
        sb.write_report(made, folder / f"{name}.desync")


if __name__ == "__main__":
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        play(Path(sys.argv[1]) / f"match-{number:03}", number)
