"""`samebits verify --bits` on several machines, and `samebits compare` of what they wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import Run, called, refused
from tests.support.folders import SIMULATIONS
from tests.support.runs.bits_files import changed

import samebits as sb
from samebits.ci import first_finding
from samebits.ci.across import report_of
from samebits.ci.agreement import Member
from samebits.ci.bits_file import read_bits, write_bits
from samebits.ci.first_finding import report_name
from samebits.sim.load import load_simulation
from samebits.sim.players import player

SMALL = SIMULATIONS / "small_simulation.py"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = called(*arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("machines") / "corpus"
    (folder / "deep").mkdir(parents=True)
    simulation = load_simulation(str(SMALL))
    for seed, name in enumerate(("a.mcap", "b.mcap", "deep/c.mcap"), 1):
        with simulation.record(folder / name, seed=seed) as recording:
            recording.run(player(simulation, "push", seed)(0, 90))
    other = load_simulation(str(SIMULATIONS / "tour_simulation.py"))
    with other.record(folder / "other.mcap", seed=1) as recording:
        recording.run(player(other, "random", 1)(0, 5))
    return folder


@pytest.fixture(scope="module")
def bits(corpus: Path) -> Path:
    """Two bits files, of this processor's code and of the reference interpreter."""
    for label, targets in (("native", "x86-64-v1-O3"), ("reference", "evaluate")):
        path = corpus.parent / f"{label}.bits"
        given = (SMALL, corpus, "--targets", targets, "--label", label, "--frames", "60")
        assert called("verify", *given, "--bits", path) == 0
    return corpus.parent


def test_replays_of_older_code_are_played_and_parting_machines_diagnosed(
    corpus: Path, tmp_path: Path, run: Run
) -> None:
    text = SMALL.read_text()
    assert "0.999" in text
    (tmp_path / "game.py").write_text(text.replace("0.999", "0.998"))
    given = ("verify", tmp_path / "game.py", corpus / "a.mcap", "--frames", "60")
    code, _, err = run(*given)
    assert (code, "is a replay of other code" in err) == (2, True)
    for label in ("one", "other"):
        path = tmp_path / f"{label}.bits"
        code, _, err = run(
            *given, "--bits", path, "--label", label, "--targets", "evaluate,x86-64-v1-O3"
        )
        assert (code, "was recorded by other code: its inputs are played" in err) == (0, True)
    found = read_bits(str(tmp_path / "other.bits"))
    hashes = np.array(changed([int(h) for h in found.runs[0].hashes], 40), np.uint64)
    write_bits(replace(found, runs=(replace(found.runs[0], hashes=hashes),)))
    words = ("--diagnose", tmp_path / "game.py", "--replays", corpus)
    code, out, _ = run("compare", tmp_path / "one.bits", tmp_path / "other.bits", *words)
    assert code == 1
    assert "other code" not in out
    assert "frame 40 · " in out


def test_machines_that_agree_are_the_same(bits: Path, run: Run) -> None:
    code, out, err = run("compare", bits / "native.bits", bits / "reference.bits", "--json")
    found = json.loads(out)
    assert (code, err, found["result"], found["problems"]) == (0, "", "same", [])
    assert sorted(Path(each["run"]).name for each in found["runs"]) == [
        "a.mcap",
        "b.mcap",
        "c.mcap",
    ]
    assert all(each["frames"] > 20 for each in found["runs"])
    simulation = load_simulation(str(SMALL))
    session = simulation.start(seed=1)
    expected = [f"{int(h):016x}" for h in session.run(player(simulation, "push", 1)(0, 60))]
    native = read_bits(str(bits / "native.bits"))
    first = next(each for each in native.runs if each.name.endswith("a.mcap"))
    assert [f"{int(h):016x}" for h in first.hashes] == expected


def test_a_flipped_hash_fails_and_is_named(bits: Path, tmp_path: Path, run: Run) -> None:
    found = read_bits(str(bits / "native.bits"))
    first = found.runs[0]
    odd = replace(first, hashes=np.array(changed(first.hashes.tolist(), 7), np.uint64))
    path = tmp_path / "odd.bits"
    write_bits(replace(found, path=str(path), label="odd", runs=(odd, *found.runs[1:])))
    summary = tmp_path / "summary.md"
    given = ("compare", bits, path, "--summary", summary)
    code, out, _ = run(*given)
    assert code == 1
    assert f"{Path(first.name).as_posix()} of small parts, frame 7" in out
    assert f"{int(first.hashes[7]):016x}  native, reference" in out
    assert f"{int(odd.hashes[7]):016x}  odd" in out
    assert "parts, frame 7" in summary.read_text()
    source = tmp_path / "ball.py"
    source.write_text("x = 1\n")
    code, _, err = run(*given[:-1], source)
    assert (code, source.read_text()) == (2, "x = 1\n")
    assert "does not look like Markdown" in err
    data = bytearray(path.read_bytes())
    data[data.index(b'"hashes": "') + 20] ^= 1
    path.write_bytes(data)
    code, _, err = run("compare", bits, path)
    assert code == 2
    assert "odd.bits is damaged" in err


def test_parts_of_a_corpus_are_joined(bits: Path, corpus: Path, tmp_path: Path, run: Run) -> None:
    common = (SMALL, corpus, "--targets", "x86-64-v1-O3", "--label", "parts", "--frames", "60")
    for index in (1, 2):
        path = tmp_path / f"{index}.bits"
        assert called("verify", *common, "--shard", f"{index}/2", "--bits", path) in (0, 2)
    parts = [read_bits(str(tmp_path / f"{index}.bits")) for index in (1, 2)]
    names = [Path(each.name).name for file in parts for each in file.runs]
    assert sorted(names) == ["a.mcap", "b.mcap", "c.mcap"]
    assert run("compare", bits, tmp_path)[0] == 0
    code, _, err = run("compare", bits, tmp_path / "1.bits")
    assert code == 2
    assert "small on parts: shard 2/2 is missing" in err
    assert "--shard 4/4 of 3 replays has none" in refused(run, "verify", *common, "--shard", "4/4")


def test_copies_of_a_replay_are_one_run(corpus: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for n, name in enumerate(("a.mcap", "b.mcap", "broken.mcap", "broken too.mcap")):
        data = (corpus / "a.mcap").read_bytes() if n < 2 else b"nothing"
        (folder / name).write_bytes(data)
    path = tmp_path / "copies.bits"
    code, _, _ = run("verify", SMALL, folder, "--targets", "evaluate,x86-64-v1-O3", "--bits", path)
    assert code == 2, "two files cannot be read"
    runs = read_bits(str(path)).runs
    assert [Path(each.name).name for each in runs] == [
        "a.mcap", "broken too.mcap", "broken.mcap",
    ]  # fmt: skip


def test_another_machines_hashes_are_diagnosed(corpus: Path, tmp_path: Path, run: Run) -> None:
    """Hashes of code that fuses: no report says more, and the cause is found by experiments."""
    replay = corpus / "a.mcap"
    simulation = load_simulation(str(SMALL))
    theirs = sb.make_report(simulation, replay, range(60, 61), side="opt=0,hazard=fma")
    for label in ("one", "two"):
        path = tmp_path / f"{label}.bits"
        given = ("--targets", "x86-64-v1-O3", "--label", label, "--bits", path)
        assert run("verify", SMALL, replay, *given)[0] == 0
    found = read_bits(str(tmp_path / "two.bits"))
    parted = replace(found.runs[0], hashes=theirs.hashes.values[1:].copy())
    write_bits(replace(found, label="odd", path=str(tmp_path / "odd.bits"), runs=(parted,)))
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "renamed.mcap").write_bytes(replay.read_bytes())
    given = ("--diagnose", SMALL, "--replays", tmp_path / "replays", "--json")
    code, out, _ = run("compare", tmp_path, *given)
    told = json.loads(out)["diagnoses"]
    assert code == 1
    assert told[0]["run"].endswith("a.mcap of small on odd")
    assert told[0]["text"].startswith("frame "), told
    assert "fused multiply-add" in told[0]["text"].splitlines()[0]


def test_a_report_is_written_of_what_differs(corpus: Path, tmp_path: Path, run: Run) -> None:
    text = SMALL.read_text()
    here = tmp_path / "small_simulation.py"
    here.write_text(text)
    replay = tmp_path / "a.mcap"
    simulation = load_simulation(str(here))
    inputs = player(simulation, "push", 1)(0, 40)
    with simulation.record(replay, seed=1) as recording:
        for frame in range(40):
            if frame == 20:
                recording.state.bodies[1].charge = 77
            recording.step(inputs[frame])
    given = ("--targets", "x86-64-v1-O3", "--label", "odd", "--report", tmp_path / "found")
    code, _, err = run("verify", here, replay, *given, "--bits", tmp_path / "odd.bits")
    assert code == 1
    content = read_bits(str(tmp_path / "odd.bits")).runs[0].content
    name = report_name("odd", "small", "a", content=content)
    assert name.startswith("odd-small-a-")
    assert [path.name for path in (tmp_path / "found").iterdir()] == [name], err
    assert read_bits(str(tmp_path / "odd.bits")).runs[0].result == "differs"


def test_each_replay_that_differs_has_a_report_of_its_own(
    corpus: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replays of one name in several folders, and names that only differ in what files can't."""
    simulation = load_simulation(str(SMALL))
    names = ("one/a.mcap", "two/a.mcap", "\u00e4.mcap", "\u00f6.mcap")
    for seed, name in enumerate(names, 1):
        (tmp_path / "some" / name).parent.mkdir(parents=True, exist_ok=True)
        with simulation.record(tmp_path / "some" / name, seed=seed) as recording:
            for frame in range(4):
                if frame == 2:
                    recording.state.bodies[1].charge = 77
                recording.step(player(simulation, "push", seed)(frame, 1)[0])
    made: list[str] = []

    def write(words: Any, row: str, frame: int, path: Path) -> str:
        made.append(path.name)
        return f"{path} written"

    monkeypatch.setattr(first_finding, "write_report", write)
    monkeypatch.chdir(tmp_path)
    given = ("--targets", "x86-64-v1-O3", "--report", "found", "--label", "n")
    assert run("verify", SMALL, "some", *given, "--bits", "n.bits")[0] == 1
    assert len(set(made)) == len(names), made
    members = [Member(read_bits("n.bits"), each) for each in read_bits("n.bits").runs]
    for name in made:
        (tmp_path / "found" / name).write_text("")
    found = [report_of(member, tmp_path / "found") for member in members]
    assert sorted(path.name for path in found if path is not None) == sorted(made)


def test_mistakes_are_told(bits: Path, corpus: Path, tmp_path: Path, run: Run) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    common = ("verify", SMALL, corpus, "--bits")
    for words, said in (
        (("compare", tmp_path / "none.bits"), "cannot read"),
        (("compare", empty), "has no bits file"),
        (("compare", bits, "--replays", corpus), "--replays is for --diagnose"),
        (("compare", tmp_path / "mine.txt"), "is not a bits file"),
        ((*common, tmp_path / "mine.txt"), "exists already and is not a bits file"),
        ((*common, tmp_path / "no" / "x.bits"), "cannot write"),
        ((*common, tmp_path / "x.bits", "--label", "a\tb"), "--label 'a\\tb' is not a name"),
        ((*common, tmp_path / "x.bits", "--shard", "0/2"), "--shard '0/2' is not a part"),
        (("verify", SMALL, empty), "has no replay of 'small'"),
    ):
        assert said in refused(run, *words)
    code, _, err = run("compare", bits, "--expect", "native,windows")
    assert code == 2
    assert "windows is missing" in err
