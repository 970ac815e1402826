"""A step that does not end is left on Ctrl-C and after --timeout, and nothing is printed of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS
from tests.support.levels import LOWEST
from tests.support.limits import HANG_SECONDS
from tests.support.simulations.endless_simulation import ENDLESS

from samebits.cli import status
from samebits.cli.record import BLOCK_FRAMES
from samebits.replay import read_replay
from samebits.runtime.threads import preempt
from samebits.sim.players import DEFAULT_SEED
from samebits.verify.executions import all_rows

SIMULATION = str(SIMULATIONS / "endless_simulation.py")
NATIVE = next(r.name for r in all_rows() if r.name.endswith("O3") and not r.emulated and not r.slow)
EMULATED = [
    r.name
    for r in all_rows()
    if r.emulated and r.reason is None and r.name in ("wasm32-O3", "aarch64-O3")
]

needs_signals = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="the system has no such signals"
)


def loops(*counts: int) -> np.ndarray[Any, Any]:
    inputs = np.zeros((len(counts), 1), ENDLESS.program.input.dtype)
    inputs["turns"][:, 0] = counts
    return inputs


@needs_signals
@pytest.mark.parametrize("how", ["run", "step"])
def test_an_interrupted_session_is_where_it_was_and_goes_on(how: str) -> None:
    session = ENDLESS.start(7)
    session.run(loops(3, 4, 5))
    before = session.hash(), session.frame, session.save()
    frames = loops(1, 1 << 50)

    def interrupt() -> None:
        while not preempt.is_inside():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    advance = {"run": lambda: session.run(frames), "step": lambda: session.step(frames[1])}
    with pytest.raises(KeyboardInterrupt):
        advance[how]()
    thread.join()
    assert (session.hash(), session.frame, session.save()) == before
    other = ENDLESS.start(7)
    assert session.run(loops(6, 7)).tolist() == other.run(loops(3, 4, 5, 6, 7)).tolist()[3:]


def _interrupted(*arguments: object, by: str = "SIGINT") -> tuple[int, str, str]:
    """A command that is sent a signal once its endless frame is being run."""
    code = (
        "import sys, threading, os, signal, time\n"
        # Whoever started this may ignore them, as nohup does.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_DFL)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "from samebits.cli import main\n"
        "from samebits.runtime.threads import preempt\n"
        "def interrupt():\n"
        "    seen, before = 0, None\n"
        "    while seen < 5:\n"  # the same call, five looks in a row
        "        now = preempt.is_inside() and preempt.calls()\n"
        "        seen = seen + 1 if now and now == before else 0\n"
        "        before = now\n"
        "        time.sleep(0.05)\n"
        f"    os.kill(os.getpid(), signal.{by})\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        f"sys.exit(main({[str(a) for a in arguments]!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          timeout=HANG_SECONDS, check=False)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@needs_signals
def test_ctrl_c_ends_record_in_the_middle_of_a_frame_and_keeps_the_blocks_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "endless.replay"
    code, out, err = _interrupted(
        "record", SIMULATION, "--out", path, "--players", "later", "--frames", "400"
    )
    assert (code, err.splitlines()[-1]) == (130, "interrupted"), (out, err)
    assert f"{BLOCK_FRAMES} frames" in out
    assert read_replay(path).frames == BLOCK_FRAMES


@needs_signals
@pytest.mark.parametrize(("by", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_what_asks_a_process_to_end_does_as_ctrl_c_does(
    by: str, status: int, tmp_path: Path
) -> None:
    players = ("--players", "endless")
    code, out, err = _interrupted("verify", SIMULATION, "--targets", NATIVE, *players, by=by)
    assert (code, err) == (status, "terminated: 0 frames compared\n"), out
    path = tmp_path / "endless.replay"
    code, out, err = _interrupted("record", SIMULATION, "--out", path, *players, by=by)
    ended = f"terminated: no frame was recorded, {path} is as it was\n"
    assert (code, err.endswith(ended), out) == (status, True, ""), err
    assert not path.exists()


@needs_signals
def test_ctrl_c_ends_verify_in_the_middle_of_a_frame() -> None:
    code, out, err = _interrupted("verify", SIMULATION, "--targets", NATIVE, "--players", "endless")
    assert (code, err) == (130, "interrupted: 0 frames compared\n"), out


@needs_signals
def test_rows_that_were_left_in_their_first_frame_are_not_the_same() -> None:
    code, out, err = _interrupted(
        "verify", SIMULATION, "--targets", LOWEST, "--players", "endless", "--json"
    )
    assert (code, err) == (130, "interrupted: 0 frames compared\n"), out
    (run,) = json.loads(out)["runs"]
    assert [row["result"] for row in (run, *run["targets"])] == ["not compared"] * 3


@needs_signals
@pytest.mark.parametrize("rows", [[NATIVE], ["managed", "evaluate"], EMULATED])
def test_a_row_that_takes_too_long_was_not_run(
    rows: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if not rows:
        pytest.skip("no emulated target runs here")
    arguments = ["verify", SIMULATION, "--targets", ",".join(rows), "--players", "endless"]
    assert status([*arguments, "--timeout", "1.5", "--json"]) == 2
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["result"] == "not run"
    assert [(row["result"], row["reason"]) for row in run["targets"]] == (
        [("not run", "over 1.5 s")] * len(rows)
    )
    session, hashes = ENDLESS.start(DEFAULT_SEED), list[str]()
    for _ in range(13):
        hashes.append(f"{session.hash():016x}")
        session.run(loops(3))
    frames = [row["frames"] for row in run["targets"]]
    assert [row["final_hash"] for row in run["targets"]] == [hashes[count] for count in frames]
    assert "managed" not in rows or frames == [12, 12]
    held = min(frames) if len(rows) > 1 else 0
    assert [row["compared"] for row in run["targets"]] == [held] * len(rows)
    assert run["frames"] == max(frames)


@needs_signals
def test_rows_that_do_not_take_too_long_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["verify", SIMULATION, "--targets", f"managed,{NATIVE}", "--players", "short"]
    assert status([*arguments, "--frames", "30", "--timeout", "600"]) == 0
    assert "same" in capsys.readouterr().out


def test_a_limit_that_no_row_can_keep_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["verify", SIMULATION, "--timeout", "0"]) == 2
    assert "--timeout 0 is not a positive number of seconds" in capsys.readouterr().err
