"""Golden files on the command line: written, compared, and refused if they tell of another."""

from __future__ import annotations

from pathlib import Path

from samebits.verify.golden import read_golden, write_golden
from tests.support.command_line import Run, refused
from tests.support.runs.verified import NATIVE, QUICK, SMALL


def test_a_golden_file_is_written_and_compared(run: Run, replay: Path, tmp_path: Path) -> None:
    golden = tmp_path / "push.golden"
    code, _, err = run("verify", SMALL, replay, *QUICK, "--golden", golden, "--update-golden")
    assert (code, err) == (0, f"{golden}: 3 hashes written\n")
    said = read_golden(golden)
    assert [frame for frame, _ in said.hashes] == [0, 30, 39]
    code, out, _ = run("verify", SMALL, replay, *QUICK, "--golden", golden)
    assert code == 0
    assert "golden: hashes of 3 of these 40 frames\n" in out
    other = [(frame, 0 if frame == 30 else value) for frame, value in said.hashes]
    write_golden(golden, said.simulation, said.digest, other)
    code, out, _ = run("verify", SMALL, replay, *QUICK, "--golden", golden)
    assert code == 1
    assert "golden differs from this run, frame 30" in out
    assert out.splitlines()[-2].split() == ["golden", "0000000000000000"]


def test_new_code_with_the_old_bits_passes_its_golden_file(
    run: Run, replay: Path, tmp_path: Path
) -> None:
    golden = tmp_path / "push.golden"
    run("verify", SMALL, replay, *QUICK, "--golden", golden, "--update-golden")
    said = read_golden(golden)
    write_golden(golden, said.simulation, "0" * 32, said.hashes)
    code, out, _ = run("verify", SMALL, replay, *QUICK, "--golden", golden)
    assert code == 0
    assert f"note: the simulation's code has changed since {golden} was written" in out


def test_a_cut_golden_file_is_never_the_same(run: Run, replay: Path, tmp_path: Path) -> None:
    golden = tmp_path / "push.golden"
    run("verify", SMALL, replay, *QUICK, "--golden", golden, "--update-golden")
    lines = golden.read_bytes().splitlines(keepends=True)
    for count in range(len(lines)):
        golden.write_bytes(b"".join(lines[:count]))
        assert refused(run, "verify", SMALL, replay, *QUICK, "--golden", golden)


def test_a_golden_file_of_another_simulation_is_refused(run: Run, tmp_path: Path) -> None:
    golden = tmp_path / "g"
    write_golden(golden, "big", "0" * 32, [(0, 0)])
    assert refused(run, "verify", SMALL, *QUICK, "--golden", golden) == (
        f"{golden} is a golden file of another simulation: 'big', not 'small'"
    )


def test_no_golden_file_is_written_from_a_damaged_replay(
    run: Run, cut: Path, tmp_path: Path
) -> None:
    golden = tmp_path / "g"
    code, _, err = run(
        "verify", SMALL, cut, "--targets", NATIVE, "--golden", golden, "--update-golden"
    )
    assert (code, err) == (2, f"{golden} is not written: the replay is damaged\n")
    assert not golden.exists()
