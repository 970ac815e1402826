"""A run is compared with the hashes of a golden file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.command_line import Run, called, refused
from tests.support.runs.compared import OTHER, SMALL

import samebits as sb
from samebits.sim.load import load_simulation
from samebits.verify.golden import write_golden

SIMULATION = load_simulation(SMALL)


@pytest.fixture
def golden(run: Run) -> dict[int, int]:
    """Hashes by frame that another machine gave, other ones from frame 10 on."""
    return {n: hash_ for n, hash_ in sb.read_report("hashes.desync").known.items() if n >= 0}


def test_the_first_frame_that_differs_from_a_golden_file_is_found(
    run: Run, golden: dict[int, int]
) -> None:
    write_golden("game.golden", "small", SIMULATION.digest, golden.items())
    code, out, err = run(SMALL, "push.mcap", "game.golden", "--a", "opt=0")
    assert (code, err, out.startswith("frame 10 · ")) == (1, "", True)
    assert "digest" not in out
    write_golden("game.golden", "small", SIMULATION.digest, golden.items(), every=6)
    out = run(SMALL, "push.mcap", "game.golden", "--a", "opt=0")[1]
    assert out.startswith("one of frames 7 to 12 · ")
    found = sb.diagnose(SIMULATION, "push.mcap", b=Path("game.golden"))
    assert (found.frame, found.since) == (12, 6)


def test_the_file_that_the_command_wrote_agrees(run: Run) -> None:
    assert called("verify", SMALL, "push.mcap", "--golden", "game.golden", "--update-golden") == 0
    code, out, _ = run(SMALL, "push.mcap", "game.golden")
    assert (code, "the same in the " in out) == (0, True)


def test_another_digest_is_the_first_suspect(run: Run, golden: dict[int, int]) -> None:
    write_golden("game.golden", "small", "00" * 16, golden.items())
    code, out, _ = run(SMALL, "push.mcap", "game.golden", "--a", "opt=0")
    assert code == 1
    assert out.splitlines()[0] == "frame 10 · cause unknown: suspect digest"
    assert f"  digest  a {SIMULATION.digest[:16]}, b {'0' * 16}\n" in out


def test_what_is_no_whole_golden_file_of_the_simulation_is_refused(
    run: Run, golden: dict[int, int]
) -> None:
    write_golden("game.golden", load_simulation(OTHER).name, "00" * 16, golden.items())
    assert refused(run, SMALL, "push.mcap", "game.golden") == (
        "push.mcap is of simulation 'small', and game.golden of 'traced'\n"
        "  fix: give two of the same simulation"
    )
    data = Path("game.golden").read_bytes()
    Path("cut.golden").write_bytes(data[: len(data) // 2])
    assert refused(run, SMALL, "push.mcap", "cut.golden").startswith("cut.golden is cut short: ")
    write_golden("late.golden", "small", "00" * 16, [(1, 2), (2**40, 3)])
    assert refused(run, SMALL, "push.mcap", "late.golden") == (
        "late.golden has frame 1099511627776, and a run of 4,194,304 frames is the longest\n"
        "  fix: leave out the frames behind it, and write the file again"
    )
    shutil.copy("game.golden", "game.txt")
    assert refused(run, SMALL, "push.mcap", "game.txt", "--b", "opt=0").startswith(
        "--b does not go with this: b is the golden file\n"
    )
