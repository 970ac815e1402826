"""`samebits farm verify`: a hostile corpus costs a row for each replay, and is never run twice."""

from __future__ import annotations

import json
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import Run, called, refused
from tests.support.folders import SIMULATIONS

import samebits.farm.pool as pool_module
import samebits_command
from samebits.cli.farm import extra
from samebits.farm import run as farm
from samebits.farm.watch import Watch
from samebits.replay import ReplayWriter, read_replay
from samebits.sim.load import load_simulation
from samebits.sim.players import player

POISON = SIMULATIONS / "poison_simulation.py"
TARGET = "x86-64-v1-O3"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = called(*arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def altered(path: Path, out: Path) -> None:
    """A replay whose hash of frame 7 is another."""
    found = read_replay(path)
    assert found.hashes is not None
    hashes = found.hashes.copy()
    hashes[7] ^= np.uint64(1)
    with ReplayWriter(out, found.header) as writer:
        writer.add_block(found.inputs, [int(each) for each in hashes], frames=found.frames)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("farm") / "corpus"
    folder.mkdir()
    simulation = load_simulation(str(POISON))
    seeds = {"a good": 1, "b better": 2, "c crash": 101, "d hang": 102, "e grow": 103}
    for name, seed in seeds.items():
        with simulation.record(folder / f"{name}.mcap", seed=seed) as recording:
            recording.run(player(simulation, "push", 1)(0, 30))
    good = (folder / "a good.mcap").read_bytes()
    (folder / "twice.mcap").write_bytes(good)
    (folder / "cut.mcap").write_bytes(good[:-200])
    begin = bytearray(good)
    begin[len(begin) // 2] ^= 1  # in the first chunk
    (folder / "new\nline.mcap").write_bytes(begin)
    (folder / "text.mcap").write_text("<script>alert(1)</script>")
    altered(folder / "b better.mcap", folder / "<b>altered.mcap")
    return folder


class MarkedWatch(Watch):
    """A watch that ends what has begun to hang, whatever it takes."""

    marker: Path

    def _look(self) -> None:
        while not self._over.wait(0.02):
            if self.marker.exists():
                self.marker.unlink()
                self.late = True
                self._end()
                return


@pytest.fixture
def hangs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path_factory.mktemp("marks") / "hangs"
    monkeypatch.setenv("SAMEBITS_TEST_HANGS", str(marker))
    monkeypatch.setattr(MarkedWatch, "marker", marker, raising=False)
    monkeypatch.setattr(pool_module, "Watch", MarkedWatch)


def test_each_poison_costs_one_row_and_nothing_is_run_twice(
    corpus: Path, tmp_path: Path, run: Run, hangs: None
) -> None:
    store, page = tmp_path / "store", tmp_path / "farm.html"
    given: tuple[Any, ...] = (
        "farm", "verify", corpus, "--sim", POISON, "--targets", TARGET, "--local", 1, "--store",
        store, "--memory", 640, "--json", "--html", page,
    )  # fmt: skip
    code, out, err = run(*given)
    found = json.loads(out)
    assert (code, err, found["result"]) == (1, "", "differs")
    told = {Path(each["path"]).stem: each["rows"][0] for each in found["findings"]}
    assert {name: row["result"] for name, row in told.items()} == {
        "<b>altered": "differs", "c crash": "crashed", "d hang": "hung", "cut": "damaged",
        "e grow": "out of memory", "new\nline": "damaged",
    }  # fmt: skip
    assert told["<b>altered"]["frame"] == 7
    assert told["c crash"]["told"] == "the process that ran it ended: signal 9"
    assert told["e grow"]["told"] == "over 640 MiB"
    assert told["new\nline"]["told"].startswith("damaged at byte ")
    assert told["new\nline"]["frames"] == 0
    assert found["replays"]["same"] == 2
    assert found["rows"] == {"all": 8, "known": 0, "made": 8}
    assert [Path(each["path"]).name for each in found["unread"]] == ["text.mcap"]
    assert found["files"] == 10
    text = page.read_text()
    assert (
        "different bits: 1 of 9 replays on 1 target; 1 crashed, 1 hung, 1 out of memory, "
        "2 damaged, 1 not read"
    ) in text
    assert "<b>altered" not in text
    assert "&lt;b&gt;altered" in text

    again = json.loads(run(*given)[1])
    assert again["rows"] == {"all": 8, "known": 8, "made": 0}
    same = ("result", "replays", "findings", "table", "unread")
    assert {key: again[key] for key in same} == {key: found[key] for key in same}
    lines = run(*(word for word in given if word != "--json"))[1].splitlines()
    assert [line for line in lines if "line.mcap" in line] == [
        f"damaged  {corpus}/new\\nline.mcap, poison 1"
    ]


def test_without_its_extra_the_farm_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    message = refused(run, "farm", "verify", "corpus")
    assert message.startswith("a farm needs distributed and duckdb")
    assert "samebits[farm]" in message
    assert "--shard 1/4" in message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--local", 2, "--scheduler", "tcp://127.0.0.1:1"), "--local and --scheduler name"),
        (("--timeout", 0), "--timeout 0 is not a positive number"),
        (("--memory", 10), "--memory 10 is not from"),
        ((), "no simulation is named"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(
    corpus: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, given: Any, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refused(run, "farm", "verify", corpus, *given)
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_of_other_simulations_is_refused(corpus: Path, tmp_path: Path, run: Run) -> None:
    sim = SIMULATIONS / "small_simulation.py"
    folder = tmp_path / "some"
    folder.mkdir()
    (folder / "a.mcap").write_bytes((corpus / "a good.mcap").read_bytes())
    message = refused(
        run, "farm", "verify", folder, "--sim", sim, "--store", tmp_path / "store", "--targets",
        TARGET, "--local", 1,
    )  # fmt: skip
    assert "has no replay of" in message


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process of Windows at once")
def test_a_signal_that_a_library_swallows_is_the_commands_status_all_the_same(
    corpus: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes while the workers end is raised in code that takes any exception for its own."""
    monkeypatch.setattr(samebits_command, "_ended_by", [])
    whole = farm.run

    def swallowing(*given: Any) -> farm.Outcome:
        outcome = whole(*given)
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        return outcome

    monkeypatch.setattr(farm, "run", swallowing)
    one = tmp_path / "one"
    one.mkdir()
    (one / "good.mcap").write_bytes((corpus / "a good.mcap").read_bytes())
    store = tmp_path / "store"
    asked = ["farm", "verify", one, "--sim", POISON, "--targets", TARGET, "--store", store]
    before = signal.signal(signal.SIGTERM, samebits_command._interrupted)
    try:
        code, _, err = run(*asked, "--local", 1)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert code == 128 + signal.SIGTERM
    assert f"terminated: the rows so far are in {store}" in err
    monkeypatch.setattr(farm, "run", whole)
    assert run(*asked, "--local", 1)[0] == 0
