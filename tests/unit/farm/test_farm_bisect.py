"""`samebits farm bisect` finds the commits that changed hashes, and leaves nothing behind."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.support.command_line import Run, called, refused
from tests.support.git_history import FRAGILE, History, changed

from samebits.farm import bisect as module
from samebits.farm.bisect import Bisect, Bisection, Subject
from samebits.farm.entries import Entry
from samebits.farm.errors import FarmError
from samebits.farm.git import Repository
from samebits.farm.limits import Limits
from samebits.farm.rows import HUNG, NOT_COMPARED, REFUSED, Row, Task
from samebits.sim.load import load_simulation
from samebits.sim.players import player

TARGET = "x86-64-v1-O3"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = called(*arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_commits_that_halve_alike_are_tried_in_one_order_whatever_their_hashes(
    tmp_path: Path,
) -> None:
    orders: set[tuple[str, ...]] = set()
    for k in range(8):
        history = History(tmp_path / f"{k}")
        first, *rest = [history.commit(f"{n}", f"{k} {n}") for n in range(7)]
        repository = Repository.of(history.folder)
        found = repository.between(rest[-1], [first])
        assert sorted(found) == sorted(rest)
        orders.add(tuple(repository.about(each).subject for each in found))
    assert orders == {("3", "4", "2", "5", "1", "6")}


class FakePool:
    """Runs `sim.py` whose lines are `replay: bits`; `broken` does not load. `ran` has all tasks."""

    ran: ClassVar[list[tuple[str, str]]] = []

    def __init__(self, limits: Limits) -> None: ...

    def about(self, simulation: str) -> tuple[str, str, str]:
        text = Path(simulation).read_text()
        if text.startswith("broken"):
            raise FarmError(f"{simulation} does not import")
        return "game", "1", text

    def run(self, task: Task) -> Row:
        self.ran.append((task.key.program, task.key.replay))
        lines = dict(line.split(": ") for line in task.key.program.splitlines())
        bits = lines.get(task.key.replay, "none")
        if bits in (HUNG, REFUSED):
            return task.row(bits)
        return task.row(NOT_COMPARED, run=bits, frames=len(bits))

    def close(self) -> None: ...


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[History]:
    monkeypatch.setattr(module, "Pool", FakePool)
    monkeypatch.setattr(FakePool, "ran", [])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    found = History(tmp_path / "repository")
    yield found
    assert list((tmp_path / "temporary").iterdir()) == []
    assert found.git("worktree", "list").count("\n") == 0


def found_by(history: History, old: str, new: str, *replays: str) -> Bisection:
    subject = Subject(Path("game/sim.py"), "", TARGET, 0, 1, Limits())
    entries = [Entry(f"{each}.mcap", each, "game", "") for each in replays]
    bisect = Bisect(Repository.of(history.file), subject, lambda what, done, total: None)
    return bisect.run(entries, old, new)


def told(found: Bisection) -> dict[str, str]:
    """The replays of each culprit, by its subject."""
    return {
        each.commit.subject: " ".join(e.content for e in each.replays) for each in found.culprits
    }


def test_each_replay_is_followed_to_the_commit_that_changed_it(history: History) -> None:
    old = history.commit("first", "a: 1\nb: 1\nc: 1")
    for n in range(9):
        history.commit(f"nothing {n}", "a: 1\nb: 1\nc: 1")
    history.commit("a", "a: 2\nb: 1\nc: 1")
    for n in range(5):
        history.commit(f"nothing more {n}", "a: 2\nb: 1\nc: 1")
    history.commit("b", "a: 2\nb: 2\nc: 1")
    new = history.commit("last", "a: 2\nb: 2\nc: 1")
    found = found_by(history, old, new, "a", "b", "c")
    assert told(found) == {"a": "a", "b": "b"}
    assert (found.compared, found.skipped) == (3, {})
    assert found.tested <= 12  # of 19, by halves
    assert len(FakePool.ran) <= 3 + 3 + 2  # programs that were run before are not run again


def test_the_commit_is_found_within_a_branch_that_was_merged(history: History) -> None:
    old = history.commit("first", "a: 1")
    history.git("checkout", "--quiet", "-b", "side")
    history.commit("side before", "a: 1\n")
    history.commit("side change", "a: 2")
    history.commit("side after", "a: 2\n")
    history.git("checkout", "--quiet", "main")
    history.commit("main goes on", "a: 1")
    history.git("merge", "--quiet", "--no-ff", "-m", "merge", "-X", "theirs", "side")
    new = history.commit("after the merge", "a: 2\n\n".rstrip() + "\n")
    assert told(found_by(history, old, new, "a")) == {"side change": "a"}


def test_a_merge_that_changes_bits_itself_is_found(history: History) -> None:
    old = history.commit("first", "a: 1")
    history.git("checkout", "--quiet", "-b", "side")
    history.commit("side", "a: 1")
    history.git("checkout", "--quiet", "main")
    history.commit("main", "a: 1")
    history.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    merge = history.commit("evil merge", "a: 3")
    new = history.commit("later", "a: 3")
    found = found_by(history, old, new, "a")
    assert told(found) == {"evil merge": "a"}
    assert found.culprits[0].commit.id == merge
    assert found.culprits[0].before in found.culprits[0].commit.parents


def test_commits_that_do_not_load_are_skipped_and_told(history: History) -> None:
    old = history.commit("first", "a: 1")
    history.commit("good", "a: 1")
    broken = history.commit("broken", "broken!")
    history.git("rm", "--quiet", "game/sim.py")
    history.git("commit", "--quiet", "-m", "gone")
    gone = history.git("rev-parse", "HEAD")
    history.file.parent.mkdir(exist_ok=True)
    history.commit("fixed", "a: 2")
    new = history.commit("last", "a: 2")
    found = found_by(history, old, new, "a")
    assert told(found) == {"fixed": "a"}
    assert {each.id for each in found.culprits[0].untested} == {broken, gone}
    assert found.skipped == {
        broken: "game/sim.py does not import", gone: "it has no game/sim.py",
    }  # fmt: skip


def test_bits_that_change_there_and_back_are_no_change(history: History) -> None:
    old = history.commit("first", "a: 1")
    history.commit("away", "a: 2")
    new = history.commit("back", "a: 1")
    assert told(found_by(history, old, new, "a")) == {}


def test_a_replay_that_begins_to_hang_has_changed(history: History) -> None:
    old = history.commit("first", "a: 1")
    history.commit("hangs", f"a: {HUNG}")
    new = history.commit("last", f"a: {HUNG}")
    assert told(found_by(history, old, new, "a")) == {"hangs": "a"}


def test_a_replay_that_one_end_does_not_run_is_not_compared(history: History) -> None:
    old = history.commit("first", "a: 1\nb: 1")
    new = history.commit("last", f"a: {REFUSED}\nb: 1")
    found = found_by(history, old, new, "a", "b")
    assert (found.compared, [row.path for row in found.unproven]) == (1, ["a.mcap"])


def test_an_end_that_cannot_be_tested_is_refused(history: History) -> None:
    old = history.commit("first", "a: 1")
    new = history.commit("last", "broken!")
    with pytest.raises(FarmError, match=f"{new[:10]} cannot be tested: game/sim.py does not"):
        found_by(history, old, new, "a")


def test_no_hook_runs_and_changed_files_stay(history: History, tmp_path: Path) -> None:
    old = history.commit("first", "a: 1")
    new = history.commit("last", "a: 2")
    hook = history.folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'hooked'}\n")
    hook.chmod(0o755)
    history.file.write_text("a: 7")
    assert Repository.of(history.file).is_dirty
    assert told(found_by(history, old, new, "a")) == {"last": "a"}
    assert history.file.read_text() == "a: 7"
    assert not (tmp_path / "hooked").exists()


def test_an_interrupt_leaves_no_worktree(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = history.commit("first", "a: 1"), history.commit("last", "a: 2")

    def about(self: FakePool, simulation: str) -> Any:
        assert Path(simulation).is_file()
        raise KeyboardInterrupt

    monkeypatch.setattr(FakePool, "about", about)
    with pytest.raises(KeyboardInterrupt):
        found_by(history, old, new, "a")


def test_revisions_that_no_line_joins_are_refused(history: History) -> None:
    first = history.commit("first", "a: 1")
    history.git("checkout", "--quiet", "-b", "side")
    side = history.commit("side", "a: 2")
    history.git("checkout", "--quiet", "main")
    main = history.commit("main", "a: 3")
    repository = Repository.of(history.file)
    with pytest.raises(FarmError, match="is no ancestor") as caught:
        repository.check_ancestor(side, main)
    assert caught.value.fix == f"--old {first[:10]} is where both come from"
    with pytest.raises(FarmError, match="are one commit"):
        repository.check_ancestor(main, main)
    with pytest.raises(FarmError, match="names no commit"):
        repository.commit("--output=x")


def test_a_simulation_outside_of_a_repository_is_refused(tmp_path: Path, run: Run) -> None:
    (tmp_path / "game.py").write_text("")
    given = ("farm", "bisect", tmp_path, "--sim", tmp_path / "game.py", "--old", "a")
    assert "is in no git repository" in refused(run, *given)


def test_the_finding_names_the_commit_the_smallest_replay_and_the_line(
    tmp_path: Path, run: Run
) -> None:
    found = History(tmp_path / "repository")
    found.commit("first", FRAGILE)
    found.commit("a comment", f"{FRAGILE}\n# nothing\n")
    guilty = found.commit("cells keep more cold", changed(FRAGILE, "0.93", "0.94"))
    found.commit("broken", "import nothing_of_this_name\n")
    found.commit("last", f"{changed(FRAGILE, '0.93', '0.94')}\n# last\n")
    simulation = load_simulation(str(found.file))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, frames in (("quiet", 30), ("long", 130), ("short", 90)):
        with simulation.record(corpus / f"{name}.mcap", seed=1) as recording:
            recording.run(player(simulation, "press", 1)(0, frames))
    code, out, err = run(
        "farm", "bisect", corpus, "--sim", found.file, "--old", "main~4", "--target", TARGET,
        "--local", 1, "--out", tmp_path / "small", "--json",
    )  # fmt: skip
    told = json.loads(out)
    assert (code, err) == (1, "")
    (culprit,) = told["culprits"]
    assert culprit["commit"]["id"] == guilty
    assert sorted(Path(each).name for each in culprit["replays"]) == ["long.mcap", "short.mcap"]
    finding = culprit["finding"]
    assert Path(finding["replay"]).name == "short.mcap"
    assert finding["frames"] <= 3
    assert Path(finding["small"]).is_file()
    assert "0.94" in finding["text"]
    assert "samebits-bisect" not in finding["text"]
