"""What README shows of `verify` is what the replay holds, and its picture is there and small."""

from __future__ import annotations

import re
from pathlib import Path

import samebits as sb
from samebits.sim.load import load_simulation

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
ROW = re.compile(r"^([\w-]+) +([\d,]+)(?: of [\d,]+)?  ([0-9a-f]{16})  same\b", re.MULTILINE)


def test_the_hashes_of_its_eight_rows_are_the_replays() -> None:
    arena = ROOT / "examples" / "arena"
    replay = sb.Replay.open(
        arena / "replays" / "duel.mcap", load_simulation(str(arena / "arena.py"))
    )
    rows = ROW.findall(TEXT)
    assert len(rows) == 8
    for _, frames, shown in rows:
        assert int(shown, 16) == int(replay.hashes[int(frames.replace(",", "")) - 1])


def test_its_picture_is_small() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", TEXT)
    assert len(pictures) == 1
    assert 0 < (ROOT / pictures[0]).stat().st_size < 100_000


def test_it_begins_with_two_sentences_and_its_kernel_comes_early() -> None:
    first = re.split(r"\n\n", TEXT)[1]
    assert len(re.findall(r"\.(?:\s|$)", first)) == 2
    assert TEXT.splitlines().index("```python") < 25
