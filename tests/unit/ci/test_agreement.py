"""Bits files joined: what is the same, what parts where, and what a proof lacks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.runs.bits_files import HASHES, changed, machine, run, trap

from samebits.ci.agreement import Agreement, join
from samebits.ci.bits_file import BitsFile, Run
from samebits.ci.summary import as_json, differences, headline, markdown

PLAIN = [int(value) for value in HASHES]


def joined(*files: BitsFile, expected: tuple[str, ...] = ()) -> Agreement:
    return join(files, expected)


def test_equal_runs_of_several_machines_are_the_same() -> None:
    found = joined(machine("a"), machine("b"), machine("c"), expected=("a", "c"))
    assert (found.result, found.frames, found.problems) == ("same", 40, [])
    assert headline(found) == "the same bits: 1 run on 3 machines, 40 frames compared"


@pytest.mark.parametrize("frame", [0, 17, 39])
def test_one_hash_that_differs_is_found_in_its_frame(frame: int) -> None:
    odd = list(PLAIN)
    odd[frame] ^= 1
    found = joined(machine("a"), machine("b", run(hashes=odd)), machine("c"))
    (parting,) = found.joined[0].partings
    assert found.result == "differs"
    assert parting.frame == frame
    assert [m.label for m in parting.most] == ["a", "c"]
    assert [m.label for m in parting.others] == ["b"]


def test_states_after_init_are_compared() -> None:
    found = joined(machine("a"), machine("b", run(start="f" * 16)))
    assert found.joined[0].partings[0].frame == -1
    assert as_json(found)["runs"][0]["partings"][0]["results"]["b"] == "f" * 16


def test_each_kind_of_machines_is_a_parting() -> None:
    found = joined(
        machine("a"), machine("b", run(hashes=changed(PLAIN, 9))), machine("c"),
        machine("d", run(hashes=changed(PLAIN, 30))), machine("e", run(hashes=changed(PLAIN, 30))),
        machine("f"),
    )  # fmt: skip
    assert sorted((p.frame, len(p.others)) for p in found.joined[0].partings) == [(9, 1), (30, 2)]


def test_a_shorter_run_agrees_in_what_it_has() -> None:
    short = run(hashes=PLAIN[:5])
    found = joined(machine("a"), machine("b", short), machine("c", short))
    assert (found.result, found.frames) == ("same", 5)
    # Two short runs that agree with each other, one long run that both agree with, and one that
    # parts from it where the short ones have ended.
    found = joined(machine("a"), machine("b", short), machine("d", run(hashes=changed(PLAIN, 9))))
    assert found.result == "differs"
    assert found.joined[0].partings[0].frame == 9


def test_a_replay_is_its_bytes_however_many_frames_are_run() -> None:
    short = replace(run(hashes=PLAIN[:5]), asked=5)
    for one, other in ((run(), short), (script(), replace(script(), hashes=HASHES[:5], asked=5))):
        found = joined(machine("a", one), machine("b", other))
        assert (found.result, found.problems, len(found.joined)) == ("same", [], 1)
        assert as_json(found)["runs"][0]["of_frames"] == 40
        assert "| 5 of 40 |" in markdown(found)
    odd = replace(short, hashes=np.array(changed(PLAIN[:5], 3), np.uint64))
    assert joined(machine("a"), machine("b", odd)).joined[0].partings[0].frame == 3


def test_a_shorter_copy_of_a_replay_is_another_one_which_is_said_with_its_frames() -> None:
    short = replace(run(content="be", hashes=PLAIN[:5]), asked=5)
    found = joined(machine("a"), machine("b", short))
    assert found.result == "incomplete"
    assert any(
        "is another file for a and b, of 40 and 5 frames: nothing proves" in problem
        and "--frames 5 where" in problem
        for problem in found.problems
    ), found.problems


def script() -> Run:
    """A run without a replay."""
    return replace(run("script", ""), players="push", seed=7)


ENDS: list[tuple[Run, Run, int | None]] = [
    (run(end=trap(40)), run(end=trap(40)), None),
    (run(end=trap(40)), run(end=trap(40, "index")), 40),
    (run(end=trap(40)), run(end=trap(40, place="small.py:8:5")), 40),
    (run(hashes=PLAIN[:9], end=trap(9)), run(), 9),
    (run(end=trap(40)), run(), None),  # the other stopped early
]


@pytest.mark.parametrize(("one", "other", "frame"), ENDS)
def test_traps_are_compared(one: Run, other: Run, frame: int | None) -> None:
    for a, b in ((one, other), (other, one)):
        found = joined(machine("a", a), machine("b", b))
        frames = [p.frame for p in found.joined[0].partings]
        assert frames == ([] if frame is None else [frame])


def test_a_trap_in_init_is_compared() -> None:
    none = np.zeros(0, np.uint64)
    ended = replace(run(), start=None, hashes=none, end=trap(-1))
    assert joined(machine("a", ended), machine("b", ended)).result == "same"
    assert joined(machine("a", ended), machine("b")).result == "differs"


LACKING: list[tuple[tuple[BitsFile, ...], tuple[str, ...], str]] = [
    ((), (), "no run is in any of the files: nothing was compared"),
    ((machine("a"),), (), "a.mcap of small was run by a alone: nothing was compared"),
    ((machine("a"), machine("a")), (), "a.mcap of small was run by a alone"),
    ((machine("a"), machine("b")), ("c",), "c is missing: no bits file of it was given"),
    ((machine("a", run(), run("b", "be")), machine("b")), (), "b of small was not run by b"),
    ((machine("a"), machine("b", digest="cd" * 16)), (), "other code of small was run, by its"),
    ((machine("a"), machine("b", run(content="be"))), (), "small is another file for a and b"),
    ((machine("a"), machine("b", shard=(1, 3))), (), "small on b: shard 2/3, 3/3 is missing"),
    (
        (machine("a"), machine("b", shard=(1, 2)), machine("b", shard=(2, 2), corpus="other")), (),
        "small on b: the shards are of different corpora",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected", "said"), LACKING)
def test_a_proof_that_lacks_something_is_no_proof(
    files: tuple[BitsFile, ...], expected: tuple[str, ...], said: str
) -> None:
    found = join(files, expected)
    assert found.result == "incomplete"
    assert any(said in problem for problem in found.problems), found.problems


@pytest.mark.parametrize("result", ["failed", "error", "damaged", "not run", "not compared"])
def test_what_went_wrong_on_one_machine_is_no_proof(result: str) -> None:
    found = joined(machine("a"), machine("b", run(result=result, told="why")))
    assert found.result == ("differs" if result == "failed" else "incomplete")
    assert [lines[1] for _, lines in differences(found)] == ["  why"]


def test_parts_together_are_the_whole() -> None:
    one, two = run(), run("b.mcap", "be")
    parts = machine("b", one, shard=(1, 2)), machine("b", two, shard=(2, 2))
    found = joined(machine("a", one, two), *parts)
    assert (found.result, len(found.joined)) == ("same", 2)


def test_markdown_is_not_broken_by_names() -> None:
    hostile = run("a|b`<img src=x onerror=alert(1)>\n# c.mcap", hashes=changed(PLAIN, 3))
    plain = replace(hostile, hashes=HASHES)
    text = markdown(joined(machine("x|y", hostile), machine("```", plain)))
    table = [line for line in text.splitlines() if line.startswith("| small")]
    assert len(table) == 1
    assert "<img" not in table[0]
    assert table[0].count("\\|") == 1
    assert "````text" in text
