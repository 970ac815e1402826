"""A run is compared with another machine's bare list of hashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command_line import Run, refused
from tests.support.runs.compared import FRAMES, SMALL

import samebits as sb
from samebits.sim.load import load_simulation


@pytest.fixture
def theirs(run: Run) -> dict[int, int]:
    """Another machine's hashes by frame, other ones from frame 10 on."""
    known = sb.read_report("hashes.desync").known
    assert list(known) == list(range(-1, FRAMES))
    return known


@pytest.fixture
def ours(run: Run) -> dict[int, int]:
    """This machine's hashes by frame."""
    return sb.make_report(load_simulation(SMALL), "push.mcap", side="opt=0").known


def listed(hashes: dict[int, int], shift: int = 0) -> None:
    rows = [f"{n + shift} {hash_:016x}\n" for n, hash_ in hashes.items()]
    Path("theirs.txt").write_text("".join(rows))


def test_the_first_frame_of_a_list_that_differs_is_found(run: Run, theirs: dict[int, int]) -> None:
    listed(theirs)
    code, out, err = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert (code, err) == (1, "")
    assert out.startswith("frame 10 · ")
    assert "\n  b  theirs.txt\n" in out
    assert f"\n  b  {theirs[10]:016x}\n" in out
    assert (
        "next: theirs.txt does not tell the state after frame 10: have that "
        "program write it to a file, and add it here, `samebits diagnose … --state 10=FILE`\n"
        in out
    )
    found = sb.diagnose(load_simulation(SMALL), "push.mcap", b=Path("theirs.txt"))
    assert (found.frame, found.since, found.followed) == (10, 9, 29)
    assert not found.headers


def test_of_a_list_with_gaps_the_frames_between_are_told(run: Run, theirs: dict[int, int]) -> None:
    listed({n: theirs[n] for n in (5, 11, 17, 39)})
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert code == 1
    assert out.startswith("one of frames 6 to 11 · ")
    assert "\nframe: one of frames 6 to 11, of 40, is the first that differs\n" in out
    assert (
        "next: theirs.txt does not tell which of them: log the hash of what frames 6 to 10 leave "
        "there too, and run `samebits diagnose` again\n" in out
    )
    assert "samebits report" not in out, "another program wrote the list"
    found = json.loads(run(SMALL, "push.mcap", "theirs.txt", "--json")[1])
    assert (found["frame"], found["since"]) == (11, 5)


def test_a_list_that_agrees_is_the_same(run: Run, ours: dict[int, int]) -> None:
    listed({n: ours[n] for n in (5, 11)})
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    said = "the same in the 2 frames compared, of 12; the others are not known"
    assert (code, out.splitlines()[0]) == (0, said)
    assert "2 of the 12 frames have a hash to compare" in out


@pytest.mark.parametrize("shift", [1, -1])
def test_a_list_with_frames_one_off_is_noticed(
    run: Run, ours: dict[int, int], theirs: dict[int, int], shift: int
) -> None:
    word = "higher" if shift > 0 else "lower"
    listed({n: ours[n] for n in range(1, FRAMES)}, shift)
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert (code, out.startswith(f"the same in the {FRAMES - 1} frames compared, ")) == (0, True)
    assert f"theirs.txt numbers frames one {word} than samebits, or that machine is one" in out
    assert f"its hash of frame {1 + shift} is that of frame 1 here" in out
    listed({n: theirs[n] for n in range(1, FRAMES)}, shift)
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert (code, out.startswith("frame 10 · ")) == (1, True)


def test_one_strange_hash_at_the_beginning_is_no_other_numbering(
    run: Run, ours: dict[int, int]
) -> None:
    listed({n: ours[n] for n in range(12)} | {0: ours[-1]})
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert (code, out.startswith("frame 0 · ")) == (1, True)
    assert "numbers frames" not in out
    assert "heals: after frame 1 " in out


def test_hashes_of_something_else_are_told_as_such(run: Run, ours: dict[int, int]) -> None:
    listed({n: hash_ ^ 1 for n, hash_ in ours.items() if n >= 0})
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert (code, out.startswith("frame 0 · ")) == (1, True)
    assert "no hash of theirs.txt that was compared is of this run: it may be of another run" in out


def test_hashes_behind_the_replay_are_not_compared(run: Run, ours: dict[int, int]) -> None:
    listed(ours | {FRAMES: 1, FRAMES + 7: 2})
    code, out, _ = run(SMALL, "push.mcap", "theirs.txt", "--a", "opt=0")
    assert (code, out.splitlines()[0]) == (0, f"the same: no frame of {FRAMES} differs")
    assert (
        "theirs.txt has hashes of frames up to 47, and push.mcap ends with frame 39: those" in out
    )
    listed({FRAMES + 7: 2})
    assert refused(run, SMALL, "push.mcap", "theirs.txt") == (
        "theirs.txt has no hash of a frame of this run\n"
        "  note: it has those of frames 47 to 47, and push.mcap has frames 0 to 39\n"
        "  fix: give the replay that they are of"
    )


def test_what_is_no_evidence_is_refused(run: Run) -> None:
    assert refused(run, SMALL, "push.mcap", "junk") == (
        "junk is not a list of frames and hashes: line 2 is not text\n"
        "  fix: give the path of a list of frames and hashes"
    )
    Path("nul").write_bytes(b"\0" * 99)
    assert refused(run, SMALL, "push.mcap", "nul") == (
        "nul is nothing that a run can be compared with\n"
        "  fix: give a report, a second replay, a golden file, a list of hashes; the bytes of a "
        "state go with --state FRAME=nul"
    )
    assert refused(run, SMALL, "push.mcap", "none.txt") == (
        "cannot read none.txt: No such file or directory\n"
        "  fix: give the path of a list of frames and hashes that this user may read"
    )
    listed({0: 1})
    assert refused(run, SMALL, "push.mcap", "theirs.txt", "--b", "opt=0") == (
        "--b does not go with this: b is the list of hashes\n  fix: leave out --b"
    )


def test_what_stands_in_anothers_place_is_told(run: Run, ours: dict[int, int]) -> None:
    listed(ours)
    code, _, err = run(SMALL, "theirs.txt", "push.mcap")
    assert (code, err.startswith("push.mcap is the replay, and stands behind")) == (2, True)
    code, _, err = run(SMALL, "theirs.txt")
    assert (code, err.startswith("theirs.txt is no replay\n")) == (2, True)
    code, _, err = run(SMALL, "push.mcap", SMALL)
    assert (code, f"--b source={SMALL}" in err) == (2, True)
    Path("theirs.txt").write_text(Path("theirs.txt").read_text().strip()[:-5])
    code, _, err = run(SMALL, "push.mcap", "theirs.txt")
    assert (code, "11 of 16 digits: the file is cut" in err) == (2, True)
