"""The first frame in which two sides differ is the one in which they begin to, states included."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from tests.support.runs.small_runs import changed_source, hashes, inputs, side

from samebits.bits import xxh64
from samebits.diagnosis.frame import lockstep
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.lockstep import LockstepSearch, frame_operations
from samebits.diagnosis.frame.search import FrameReport
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun
from samebits.sides.side import Side
from samebits.sim.execution import Advance
from samebits.sim.inputs import Inputs

FRAMES = 700
"""More than two blocks of a source."""


def search(a: str, b: str, given: InputStream | None = None, **more: object) -> FrameReport:
    return LockstepSearch(side(a), given or inputs(FRAMES), side(b), **more).run()  # type: ignore[arg-type]


def first(a: str, b: str, given: InputStream | None = None) -> FirstFrame:
    found = search(a, b, given).found
    assert found is not None
    return found


def test_two_sides_that_agree_are_compared_to_the_end() -> None:
    report = search("", "opt=0")
    assert (report.compared, report.found, report.trap, report.notes) == (FRAMES, None, None, [])


@pytest.mark.parametrize("frame", [0, 1, 255, 256, 600, FRAMES - 1])
def test_the_frame_is_the_one_in_which_they_begin_to_differ(frame: int) -> None:
    b = f"fpenv=up,from={frame}"
    found = first("", b)
    assert (found.frame, found.is_exact) == (frame, True)
    plain, other = hashes("", FRAMES), hashes(b, FRAMES)
    assert (found.a.hash, found.b.hash) == (plain[frame], other[frame])
    for one, expected in ((found.a, plain), (found.b, other)):
        assert one.before is not None
        assert one.state is not None
        assert (one.before.frame, xxh64(one.state)) == (frame, expected[frame])
        if frame:
            assert xxh64(one.before.canonical) == plain[frame - 1]
        assert (one.has_hidden, one.repeats) == (False, True)
        rows = inputs(FRAMES).between(frame, frame + 1)
        assert one.inputs is not None
        assert one.inputs.tobytes() == rows.tobytes()


def test_sides_are_left_before_the_frame() -> None:
    a, b = side(""), side("fpenv=up,from=300")
    report = LockstepSearch(a, inputs(FRAMES), b).run()
    assert report.found is not None
    assert (a.frame, b.frame, a.hash()) == (300, 300, b.hash())
    rows = inputs(FRAMES).between(300, 301)
    assert a.advance(rows).hashes[0] == report.found.a.hash != b.advance(rows).hashes[0]


def test_what_init_leaves_is_frame_minus_one() -> None:
    found = first("", "fpenv=up")
    assert found.frame == 0  # the small simulation's init rounds nothing
    assert found.is_exact


def test_init_is_compared(tmp_path: Path) -> None:
    path = changed_source(tmp_path, ("float2(float32(i), 0.5)", "float2(float32(i), 0.25)"))
    found = first("", f"source={path}")
    assert (found.frame, found.a.before, found.is_exact) == (-1, None, True)
    assert found.a.state is not None
    assert found.b.state is not None
    assert (xxh64(found.a.state), xxh64(found.b.state)) == (found.a.hash, found.b.hash)


def test_a_trap_is_an_answer() -> None:
    given = inputs(FRAMES, "crash")
    report = search("", "opt=0", given)
    assert (report.compared, report.found, report.trap) == (12, None, "index out of range")


def test_a_trap_of_one_side_alone_differs(tmp_path: Path) -> None:
    path = changed_source(tmp_path, ("state.bodies[given.at]", "state.bodies[given.at % 5]"))
    found = first("", f"source={path}", inputs(FRAMES, "crash"))
    assert found.frame == 12
    assert found.a.trap is not None
    assert (found.a.trap.kind, found.a.state, found.b.trap) == ("index", None, None)
    assert (found.a.shown(), found.b.shown()) == (
        "trap: index out of range", f"{found.b.hash:016x}",
    )  # fmt: skip


def test_a_trap_of_another_version_may_lie_elsewhere(tmp_path: Path) -> None:
    path = changed_source(tmp_path, ("import samebits as sb\n", "\n\nimport samebits as sb\n"))
    report = search("", f"source={path}", inputs(FRAMES, "crash"))
    assert (report.found, report.trap) == (None, "index out of range")


def test_a_side_that_is_not_determined_is_reported() -> None:
    b = side("")
    original = b.execution.advance
    count = [0]

    def flaky(rows: Inputs) -> Advance:
        count[0] += 1
        done = original(rows)
        if len(rows) == 1 or count[0] % 2:
            done.hashes[-1] ^= np.uint64(count[0])
        return done

    b.execution.advance = flaky  # type: ignore[method-assign]
    report = LockstepSearch(side(""), inputs(100), b).run()
    assert report.found is not None
    assert report.found.b.repeats is False
    assert report.notes == ["side b is nondeterministic: a second run differed"]


def test_memory_that_no_hash_sees_is_reported() -> None:
    """A side whose step adds up, behind the state, what the other's does not."""
    b = side("")
    _with_hidden(b)
    report = LockstepSearch(side(""), inputs(100), b).run()
    found = report.found
    assert found is not None
    assert (found.frame, found.a.has_hidden, found.b.has_hidden) == (40, False, True)


def _with_hidden(running: SideRun) -> None:
    """From frame 40 of a run on, not of frames run from a canonical state, the random number is
    another one."""
    execution = running.execution
    original, restore = execution.advance, execution.restore
    seen = [0]

    def advance(rows: Inputs) -> Advance:
        parts: list[int] = []
        for row in rows:
            original(row[None])
            seen[0] += 1
            if seen[0] > 40:
                execution.memory["random"] ^= 1
            parts.append(execution.hash())
        return Advance(np.array(parts, np.uint64), None)

    def restored(state: bytes) -> None:
        restore(state)
        seen[0] = 0

    def memory(data: bytes) -> None:
        execution.memory.reshape(-1).view(np.uint8)[:] = np.frombuffer(data, np.uint8)
        seen[0] = running.frame

    execution.advance = advance  # type: ignore[method-assign]
    execution.restore = restored  # type: ignore[method-assign]
    execution.restore_memory = memory  # type: ignore[method-assign]


def slow_searches() -> tuple[FrameReport, FrameReport]:
    """Of a slow side that may run about 100 frames, and as many here and there."""
    plain = side("")
    plain.start(1)
    most = 100 * frame_operations(plain.side, plain.save(), inputs(1).between(0, 1))
    late = search("evaluate", "fpenv=up,from=650", operations=most)
    return late, search("evaluate", "", operations=most // 3)


def test_a_slow_side_is_compared_here_and_there() -> None:
    late, same = slow_searches()
    assert late.found is not None
    assert late.compared < 650 <= late.found.frame
    assert not late.found.is_exact
    assert late.found.since == late.compared - 1
    assert late.notes[-1].startswith(f"only frames 0 to {late.compared - 1} were all compared")
    assert same.found is None
    assert same.notes == [
        f"only the first {same.compared} frames were all compared: a side is too slow for all 700"
    ]


def test_no_clock_decides_how_many_frames_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [(each.compared, each.notes) for each in slow_searches()]
    hours = iter(range(0, 10**9, 3600))
    for clock in ("perf_counter", "monotonic", "time"):
        monkeypatch.setattr(time, clock, lambda: float(next(hours)))
    assert [(each.compared, each.notes) for each in slow_searches()] == expected


def _other_run(_: Side) -> SideRun:
    return side("fpenv=down,from=30")


@pytest.mark.parametrize(("most", "repeats"), [(10**12, False), (0, True)])
def test_a_second_run_is_made_where_it_takes_little(
    most: int, repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frame 40 itself comes again, and the run up to it does not."""
    monkeypatch.setitem(lockstep.REPEAT_OPERATIONS, "compiled", most)
    monkeypatch.setattr("samebits.sides.run.open_run", _other_run)
    report = LockstepSearch(side(""), inputs(100), side("fpenv=up,from=40")).run()
    assert report.found is not None
    assert report.found.b.repeats is repeats


def test_memory_for_inputs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from samebits.sides import input_stream

    rows = inputs(FRAMES).between(0, FRAMES)
    monkeypatch.setattr(input_stream, "MOST_BYTES", rows.nbytes // 3)
    given = inputs(FRAMES)
    for begin, end in ((0, FRAMES), (250, 260), (690, 800), (3, 4), (600, 601)):
        assert given.between(begin, end).tobytes() == rows[begin:end].tobytes()
    assert len(given._blocks) < 3  # pyright: ignore[reportPrivateUsage]
    assert given.between(900, 910).shape == (0, 2)
    assert first("", "fpenv=up,from=600", given).frame == 600
