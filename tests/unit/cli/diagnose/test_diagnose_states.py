"""A run is compared with another machine's state after single frames."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.support.command_line import Run, refused
from tests.support.runs.compared import FUSED, SMALL

import samebits as sb
from samebits.bits import from_canonical
from samebits.desync.report import Report
from samebits.sim.load import load_simulation
from samebits.sim.state.columns import columns
from samebits.sim.state.difference import shown

SIMULATION = load_simulation(SMALL)
HERE = (SMALL, "push.mcap", "--a", "opt=0")


@pytest.fixture
def theirs(run: Run) -> Report:
    """Another machine's states of frames 5 to 15, other ones from frame 10 on."""
    return sb.make_report(SIMULATION, "push.mcap", range(5, 15), side=FUSED)


@pytest.fixture
def dumps(theirs: Report) -> None:
    """`8.bin` to `11.bin` hold C structs, `8.csv` to `11.csv` values with all digits, `10.txt` such
    with five."""
    t = SIMULATION.state_type
    for frame in (8, 9, 10, 11):
        state = theirs.state(frame + 1)
        assert state is not None
        Path(f"{frame}.bin").write_bytes(from_canonical(t, state).tobytes())
        scalars = [
            (column.path(k), shown(column.type, int(pattern)))
            for column in columns(t)
            for k, pattern in enumerate(column.patterns(state))
        ]
        with open(f"{frame}.csv", "w", newline="") as file:
            csv.writer(file).writerows((frame, *row) for row in scalars)
        with open(f"{frame}.txt", "w", newline="") as file:
            short = ((path, f"{float(v):.5f}" if "." in v else v) for path, v in scalars)
            csv.writer(file, delimiter=";").writerows(short)


@pytest.mark.usefixtures("dumps")
@pytest.mark.parametrize("given", [("9=9.bin", "10=10.bin"), ("10.csv", "9.csv")])
def test_whole_dumps_give_fields_operation_and_cause(run: Run, given: tuple[str, str]) -> None:
    code, out, err = run(*HERE, "--state", given[0], "--state", given[1])
    assert (code, err) == (1, "")
    answer, fix, *_ = out.splitlines()
    place = "step, small_simulation.py:59"
    assert answer == f"frame 10 · bodies[1].pos.x · {place} · fused multiply-add (likely)"
    assert fix == "fix: build with -ffp-contract=off; write fma where you mean it"
    assert "\n  b  the set of 2 dumps\n" in out
    found = sb.diagnose(SIMULATION, "push.mcap", states={9: "9.bin", 10: "10.bin"})
    assert (found.frame, found.differing, found.causes[0].hazard) == (10, 2, "fma")


@pytest.mark.usefixtures("dumps")
def test_of_one_dump_the_frames_before_it_are_told(run: Run) -> None:
    code, out, _ = run(*HERE, "--state", "11=11.bin")
    assert (code, out.startswith("one of frames 0 to 11 · bodies[0].vel.y · ")) == (1, True)
    code, out, _ = run(*HERE, "--state", "9=9.bin")
    said = "the same in the one frame compared, of 10; the others are not known"
    assert (code, out.splitlines()[0]) == (0, said)
    found = json.loads(run(*HERE, "--state", "9=9.bin", "--json")[1])
    assert (found["same"], found["frames"], found["compared"]) == (True, 10, 1)


@pytest.mark.usefixtures("dumps")
def test_what_may_be_rounding_does_not_differ(run: Run) -> None:
    code, out, _ = run(*HERE, "--state", "9=9.bin", "--state", "10=10.txt")
    assert (code, out.startswith("frame 10 · energy · ")) == (1, True)
    assert "field: energy; one scalar differs after the frame\n" in out
    assert "\n  b  unknown\n" in out
    assert (
        "note: 21 of the 50 values in 10.txt have too few digits to be bits: those that side a's "
        "may be rounded to count as the same\n"
    ) in out
    assert (
        "does not tell the whole state after frame 10: the operation and its cause are not" in out
    )
    assert "\noperation: " not in out
    code, out, _ = run(*HERE, "--state", "9=9.txt")
    said = "the same in the one frame compared, of 10, as far as the dumps tell; "
    assert (code, out.startswith(said)) == (0, True)
    assert "have too few digits to be bits" in out


@pytest.mark.usefixtures("dumps")
def test_some_fields_alone_are_compared(run: Run, theirs: Report) -> None:
    state = theirs.state(11)
    assert state is not None
    memory = from_canonical(SIMULATION.state_type, state)
    there = [float(x) for x in memory["bodies"][0, 1]["pos"]]
    Path("10.json").write_text(json.dumps({"bodies[1].pos": there, "bodies[0].charge": 11}))
    code, out, _ = run(*HERE, "--state", "9=9.bin", "--state", "10=10.json")
    assert code == 1
    assert out.startswith("frame 10 · bodies[1].pos.x · cause unknown\n")
    assert "field: bodies[1].pos.x; one scalar differs after the frame\n" in out
    assert "\n  b  unknown\n" in out
    assert (
        "10.json tells 10 of the 164 bytes of a state: the fields that it has are compared" in out
    )
    Path("10.json").write_text(json.dumps({"bodies[0].charge": 11}))
    code, out, _ = run(*HERE, "--state", "10=10.json")
    assert (code, "10.json tells 2 of the 164 bytes" in out) == (0, True)


@pytest.mark.usefixtures("dumps")
def test_dumps_stand_beside_hashes_and_reports(run: Run, theirs: Report) -> None:
    rows = [f"{n} {hash_:016x}\n" for n, hash_ in theirs.known.items() if n >= 0]
    Path("theirs.txt").write_text("".join(rows))
    for evidence in ("theirs.txt", "hashes.desync"):
        code, out, _ = run(*HERE, evidence, "--state", "10=10.bin")
        assert code == 1
        assert out.startswith("frame 10 · bodies[1].pos.x · step, small_simulation.py:59 · fused ")
        found = sb.diagnose(SIMULATION, "push.mcap", b=Path(evidence), states={10: "10.bin"})
        assert (found.frame, found.causes[0].hazard) == (10, "fma")
    assert found.certainty == "certain"  # by the 30 hashes from there on
    assert (
        f"\n  b  {theirs.hash_after(10):016x}\n"
        in run(*HERE, "theirs.txt", "--state", "10=10.txt")[1]
    )


@pytest.mark.usefixtures("dumps")
def test_a_dump_of_another_moment_is_told_as_such(run: Run, theirs: Report) -> None:
    assert refused(run, *HERE, "hashes.desync", "--state", "11=10.bin") == (
        "10.bin is not the state after frame 11 of which hashes.desync has the hash\n"
        "  fix: it is the state after frame 10: --state 10=10.bin"
    )
    code, out, _ = run(*HERE, "--state", "9=8.bin", "--state", "10=9.bin", "--state", "11=10.bin")
    assert (code, out.startswith("frame 10 · bodies[1].pos.x · ")) == (1, True)
    assert "the set of 3 dumps numbers frames one higher than samebits, or that machine is" in out


@pytest.mark.usefixtures("dumps")
def test_fields_that_the_hashes_contradict_are_refused(run: Run) -> None:
    Path("8.json").write_text('{"bodies[0].charge": 1000}')
    assert refused(run, *HERE, "hashes.desync", "--state", "8=8.json") == (
        "8.json has other fields than the state after frame 8 of which hashes.desync has the hash: "
        "that is side a's\n"
        "  fix: give the dump and the hashes of one run, written after the frame"
    )


@pytest.mark.usefixtures("dumps")
def test_what_does_not_go_with_dumps_is_refused(run: Run) -> None:
    assert refused(run, *HERE, "--state", "10=10.bin", "--state", "10.csv") == (
        "10.bin and 10.csv are both of frame 10\n  fix: give one dump of each frame"
    )
    assert refused(run, *HERE, "--state", "40=10.bin") == (
        "10.bin is of frame 40, and push.mcap has frames 0 to 39\n"
        "  fix: give the replay that it is of"
    )
    assert refused(run, *HERE, "--state", "10=10.bin", "--b", "opt=0") == (
        "--b does not go with this: b is the state dump\n  fix: leave out --b"
    )
    assert refused(run, SMALL, "--b", "opt=0", "--state", "10=10.bin") == (
        "--state does not go with this: name the replay that the dump is of\n"
        "  fix: leave out --state"
    )
    assert refused(run, "push.desync", "fused.desync", "--state", "10=10.bin") == (
        "--state does not go with this: two reports are compared as they are\n"
        "  fix: leave out --state"
    )
    with pytest.raises(sb.ArgumentError, match="states= does not go with this: b runs here"):
        sb.diagnose(SIMULATION, "push.mcap", b="opt=0", states={1: "10.bin"})
    with pytest.raises(sb.ArgumentError, match="states is a list, not a dict of paths by frame"):
        sb.diagnose(SIMULATION, "push.mcap", states=["10.bin"])  # type: ignore[arg-type]


def test_a_partial_dump_behind_a_trap_is_refused(run: Run) -> None:
    Path("20.json").write_text('{"energy": 1}')
    said = refused(run, SMALL, "crash.mcap", "--a", "opt=0", "--state", "12=20.json")
    assert said == (
        "20.json is of frame 12, and the run traps before its end\n"
        "  fix: dump whole states, or give a report of that machine"
    )


def test_a_dump_beside_hashes_is_compared_with_the_build_that_gives_these(run: Run) -> None:
    theirs = sb.make_report(SIMULATION, "push.mcap", range(25, 26), side="opt=0,hazard=fma#0")
    Path("theirs.txt").write_text("\n".join(f"{n} {h:016x}" for n, h in theirs.known.items()
                                            if 0 <= n != 25))  # fmt: skip
    state = theirs.state(26)
    assert state is not None
    column = columns(SIMULATION.state_type)[0]
    right = shown(column.type, int(column.patterns(state)[0]))
    for value, said in ((right, "is, as far as it goes, what that build leaves"),
                        ("77", "is not what that build leaves: it parts in")):  # fmt: skip
        Path("25.json").write_text(json.dumps({column.path(0): value}))
        code, out, err = run(*HERE, "theirs.txt", "--state", "25=25.json", "--seconds", "20")
        assert (code, err) == (1, "")
        assert "fused multiply-add" in out.splitlines()[0]
        assert f"note: 25.json, the dump of frame 25, {said}" in out
