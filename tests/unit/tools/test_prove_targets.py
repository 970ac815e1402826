"""`make prove-targets` as a command: bad usage, Ctrl-C, processes that die, and its page."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS
from tools import scratch
from tools.prove_targets import functions, ledger, report
from tools.prove_targets.finding import Finding
from tools.prove_targets.worker import Task, Worker

from samebits.modes import Precision
from samebits.runtime.emulation.calls import runners

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "tools.prove_targets"]
HOST = next(runner.target.name for runner in runners() if runner.reason is None)


def test_an_unknown_target_is_bad_usage() -> None:
    done = subprocess.run(
        [*COMMAND, "--targets", "pdp-11"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no target 'pdp-11'; the targets are x86-64-v1, " in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--targets", "aarch64-macos"], "target 'aarch64-macos' cannot run here: only object"),
        (["--programs", "0"], "--programs 0: nothing would be compared"),
        (["--batch", "0"], "--batch 0: nothing would be compared"),
    ],
)
def test_what_would_compare_nothing_is_bad_usage(options: list[str], said: str) -> None:
    done = subprocess.run(
        [*COMMAND, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_findings_of_nothing_are_not_the_same() -> None:
    tallies = report.Tallies()
    assert not tallies.same
    tallies.add(Finding("aarch64", "arena", count=3))
    assert tallies.same
    tallies.add(Finding("aarch64", "fuzz programs"))
    assert not tallies.same
    assert tallies.complaints() == ["aarch64, fuzz programs: nothing was compared"]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
def test_ctrl_c_ends_every_process_and_writes_what_was_compared(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    options = ["--targets", HOST, "--checks", "programs", "--jobs", "1", "--batch", "5"]
    command = [*COMMAND, "--programs", "100000", *options, "--out", str(page)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE,
        text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            said = ""
            while f"{HOST}, fuzz programs" not in said:
                more = process.stdout.read(1)
                assert more, said
                said += more
            below = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            children = below.read_text().split()
            assert children
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            assert process.wait(HANG_SECONDS) == 130
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    while any(Path(f"/proc/{child}").exists() for child in children):
        time.sleep(0.1)  # multiprocessing's own helper sees a pipe close
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.json", "page.md"]
    (run,) = ledger.read(tmp_path / "page.json")
    assert run.stopped
    count = ledger.combined([run])[HOST, "fuzz programs"].count
    assert count >= 5
    text = page.read_text(encoding="utf-8")
    assert "; stopped before its end; " in text
    assert f" {count:,} same |" in text


def test_files_of_a_process_that_was_killed_vanish_with_the_folder() -> None:
    with scratch.folder() as folder:
        worker = Worker()
        try:
            worker.give(Task("programs", (HOST,), tuple(range(1000))))
            while not any(folder.glob("samebits-fuzz-*/*.py")):
                time.sleep(0.01)
        finally:
            worker.kill()
            worker.end()
        assert any(folder.iterdir())
        assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(folder)
    assert not folder.exists()
    assert tempfile.gettempdir() != str(folder) != os.environ.get("TMPDIR")


def test_a_process_that_dies_is_distinguished_from_one_that_is_done() -> None:
    worker = Worker()
    worker.give(Task("programs", (HOST,), tuple(range(100_000))))
    worker.kill()
    with pytest.raises(EOFError):
        worker.take()
    assert worker.end() == -signal.SIGKILL


def run(seeds: tuple[int, int] | None, *cells: ledger.Cell) -> ledger.Run:
    return ledger.Run("2026-01-02", "abc1234", "LLVM", seeds, False, cells)


def test_the_page_names_what_differs_what_failed_and_what_did_not_run() -> None:
    tallies = report.Tallies()
    tallies.add(Finding(HOST, "fuzz programs", 100))
    assert tallies.same
    tallies.add(Finding(HOST, "fuzz programs", 50, ["seed 7: result 0: 0x1 != 0x2"]))
    tallies.add(Finding(HOST, "TestFloat vectors", 0, failure="zig failed\nand more"))
    assert not tallies.same
    found = ledger.run_of(tallies.rows.values(), tallies.failures, "LLVM", (0, 149))
    page = report.text([found], runners())
    row = next(line for line in page.splitlines() if line.startswith(f"| {HOST} |"))
    assert row.split(" | ")[-3:] == ["150 1 differ", "0 compared, 1 failed", " |"]
    assert "not run: only object code is made for it here |" in page
    assert f"- {HOST}, fuzz programs: seed 7: result 0: 0x1 != 0x2\n" in page
    assert f"- {HOST}, TestFloat vectors: failed: zig failed\n" in page


def test_programs_add_up_over_runs_and_of_all_else_the_latest_counts(tmp_path: Path) -> None:
    runs = [
        run(None, ledger.Cell(HOST, "TestFloat vectors", 9)),
        run((0, 99), ledger.Cell(HOST, "fuzz programs", 100, ("seed 5: so",))),
        run(None, ledger.Cell(HOST, "TestFloat vectors", 7)),
        run((100, 149), ledger.Cell(HOST, "fuzz programs", 50, (), ("a crash",))),
    ]
    kept = ledger.useful(runs)
    assert kept == runs[1:]
    ledger.write(kept, tmp_path / "results.json")
    assert ledger.read(tmp_path / "results.json") == kept
    assert ledger.combined(kept) == {
        (HOST, "fuzz programs"): ledger.Cell(
            HOST, "fuzz programs", 150, ("seed 5: so",), ("a crash",)
        ),
        (HOST, "TestFloat vectors"): ledger.Cell(HOST, "TestFloat vectors", 7),
    }


def test_the_page_names_the_functions_of_the_run_that_had_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Finding(HOST, functions.CHECK, 9)]
    monkeypatch.setattr(functions, "FUNCTIONS", {"sqrt": 1, "floor": 1})
    ledger.write([ledger.run_of(found, {}, "LLVM", None)], tmp_path / "results.json")
    monkeypatch.setattr(functions, "FUNCTIONS", {"sqrt": 1, "floor": 1, "fdim": 2})
    later = ledger.run_of([Finding(HOST, "fuzz programs", 9)], {}, "LLVM", (0, 8))
    page = report.text([*ledger.read(tmp_path / "results.json"), later], runners())
    assert "patterns for each of\n  `sqrt`, `floor`; " in page


@pytest.mark.parametrize("name", ["exp", "pow", "ldexp", "sqrt"])
def test_every_function_gets_as_many_inputs_as_the_page_says(name: str) -> None:
    for entry in functions.entries(frozenset((name,))):
        count = entry.count(functions.INPUTS)
        high = entry.precision in (None, Precision.HIGH)
        assert count == (1 << 20 if high else 1 << 16)
        assert {len(column) for column in functions.operands(entry, count)} == {count}
