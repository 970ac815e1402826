"""How the command line ends where a command does not: errors that nobody expected, interrupts,
closed pipes, what a script asks for. Status 1 is for bits that differ alone."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import SIMULATIONS

from samebits.cli import main, status
from samebits.cli import verify as command
from samebits.cli.exit_status import INTERRUPTED
from samebits.replay import read_replay
from samebits.version import __version__

ERRORS: list[BaseException] = [
    RuntimeError("lost\nmore"),
    KeyError("x"),
    RecursionError("maximum recursion depth exceeded"),
    MemoryError(),
    AssertionError(),
    EOFError(),
    OSError(5, "Input/output error"),
    SystemExit(1),
    SystemExit("gone"),
    BaseException("anything"),
    GeneratorExit(),
]
NOTE = "  note: no result: the bits may be the same or differ"
Failing = Callable[[BaseException], None]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Lets `samebits verify` raise an error."""

    def set_error(error: BaseException) -> None:
        def run(options: object) -> int:
            raise error

        monkeypatch.setattr(command, "run", run)

    return set_error


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_an_error_that_nobody_expected_is_no_difference(
    error: BaseException, failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(error)
    assert status(["verify", "game.py"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, note, fix = err.splitlines()
    assert first.startswith(f"unexpected error in samebits {__version__}: {type(error).__name__}")
    assert ", at samebits/cli/commands.py:" in first
    assert "more" not in first
    assert note == "  note: no result: the bits may be the same or differ"
    assert fix == ("  fix: report these lines with the command; --traceback shows the traceback")


@pytest.mark.parametrize(
    "arguments",
    [("--traceback", "verify", "game.py"), ("verify", "game.py", "--traceback")],
)
def test_the_traceback_is_shown_on_request(
    arguments: tuple[str, ...], failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(KeyError("x"))
    assert status(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):\n")
    assert "--traceback" not in err.partition("unexpected error")[2]


def test_behind_two_dashes_stands_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["verify", "--", "--traceback"]) == 2
    assert "there is no module '--traceback'" in capsys.readouterr().err


def test_an_errors_text_does_not_steer_the_terminal(
    failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(ValueError("\x1b[2J\x9b" + "long" * 1000))
    assert status(["verify", "game.py"]) == 2
    err = capsys.readouterr().err
    assert r"ValueError: \x1b[2J\x9blong" in err
    assert all(line.isprintable() and len(line) < 400 for line in err.splitlines())


def test_an_interrupt_ends_with_130(failing: Failing, capsys: pytest.CaptureFixture[str]) -> None:
    failing(KeyboardInterrupt())
    assert status(["verify", "game.py"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_the_program_ends_as_its_command(failing: Failing) -> None:
    failing(KeyError("x"))
    with pytest.raises(SystemExit) as caught:
        main(["verify", "game.py"])
    assert caught.value.code == 2


def test_a_pipe_that_nobody_reads_is_no_difference() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "samebits", "targets"],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (2, b"")


class Gone(io.TextIOBase):
    """A pipe whose reader has gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)


SMALL = str(SIMULATIONS / "small_simulation.py")
PRINTING = [
    ["--help"], ["--version"], ["targets"], ["targets", "--json"], ["lint", "--list-rules"],
    ["explain", "a*b", "a=1.0", "b=3.0", "--got", "3.0"], ["lint", SMALL, "--format", "sarif"],
    ["verify", SMALL, "--frames", "2", "--targets", "managed,evaluate"],
    ["diagnose", SMALL, "--frames", "2", "--a", "managed", "--b", "evaluate"],
]  # fmt: skip


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
@pytest.mark.parametrize(
    ("stream", "said"), [(Gone(), ""), (None, "cannot write: Bad file descriptor\n")]
)
def test_where_nobody_takes_the_output_nothing_is_said_to_be_the_same(
    words: list[str], stream: Any, said: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "stdout", stream)
    assert status(words) == 2
    assert capsys.readouterr().err == said


SCRIPTS = """
import os
import samebits as sb
from samebits import float32, uint64

@sb.struct
class State:
    x: float32

@sb.struct
class Input:
    push: float32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = 1.0

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x += inputs[0].push

def key(buttons):
    return buttons["fire"]

def lacking(frame, player, seed):
    return {"push": key({})}

def other(frame, player, seed):
    return {"pull": 1.0}

def nothing(frame, player, seed):
    pass

def leaving(frame, player, seed):
    raise SystemExit(1)

def shouting(frame, player, seed):
    try:
        os.write(1, b"loud")
    except OSError:
        pass
    return {"push": 1.0}

class Recorded:
    def __call__(self, frame, player, seed):
        return {"push": [][frame]}

class Drop(BaseException):
    pass

class Silent(Exception):
    def __str__(self):
        raise OSError

def dropping(frame, player, seed):
    raise Drop("all of it")

def silent(frame, player, seed):
    raise Silent

SIM = sb.Simulation(
    name="scripted", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"lacking": lacking, "other": other, "nothing": nothing, "leaving": leaving,
             "dropping": dropping, "silent": silent,
             "shouting": shouting, "recorded": Recorded()},
)
"""


@pytest.mark.parametrize(
    ("script", "error", "line"),
    [
        ("lacking", "KeyError: 'fire'", 'return buttons["fire"]'),
        ("other", "ArgumentError: input of player 0: Input has no field 'pull'", "def other("),
        ("nothing", "TypeError: 'NoneType' object is not iterable", "def nothing("),
        ("leaving", "SystemExit: 1", "raise SystemExit(1)"),
        ("dropping", "Drop: all of it", 'raise Drop("all of it")'),
        ("silent", "Silent: its text cannot be had: OSError", "raise Silent"),
        ("recorded", "IndexError: list index out of range", '{"push": [][frame]}'),
    ],
)
def test_a_script_that_fails_is_reported_with_its_line(
    script: str, error: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"scripted_{script}.py"
    path.write_text(SCRIPTS)
    out = tmp_path / "out.mcap"
    assert status(["record", str(path), "--players", script, "--out", str(out)]) == 2
    first, place, source, *_ = capsys.readouterr().err.splitlines()
    assert first == f"script '{script}' of simulation 'scripted' fails at frame 0: {error}"
    number = 1 + next(n for n, text in enumerate(SCRIPTS.split("\n")) if line in text)
    assert place.startswith(f"  at {path}:{number}:")
    assert line in source


def test_a_process_without_an_output_gives_no_file_its_number(tmp_path: Path) -> None:
    path, out = tmp_path / "shouting.py", tmp_path / "out.mcap"
    path.write_text(SCRIPTS)
    words = f'record "{path}" --players shouting --frames 2 --out "{out}" >&-'
    command = f'"{sys.executable}" -m samebits {words}'
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 2
    found = read_replay(out)
    assert (found.frames, found.damage) == (2, None)


def test_a_script_that_closes_its_output_leaves_the_commands_its_own(tmp_path: Path) -> None:
    (tmp_path / "closing.py").write_text("import sys\nsys.stdout.close()\nsys.stderr.close()\n")
    command = [sys.executable, "-m", "samebits", "verify", str(tmp_path / "closing.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "closing.py has no simulation" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["build", "game.py", "--out", ""], "--out is empty"),
        (["verify", SMALL, "--players="], "--players is empty"),
        (["lint", "", "--select", "SB1"], "the argument after lint is empty"),
        (["lint", SMALL, "--select", ""], "--select is empty"),
        (["build", SMALL, "--out", "b", "--target", ""], "--target is empty"),
        (["", "verify"], "the argument after samebits is empty"),
        (["verify", SMALL, "--targets", "managed,,evaluate"], "--targets managed,,evaluate has an"),
        (["build", SMALL, "--out", "b", "--target", ","], "--target , has an empty word"),
        (["lint", SMALL, "--ignore", "SB1,"], "--ignore SB1, has an empty word"),
        (["inspect", f"{SMALL}:step", "--show", ","], "--show , has an empty word"),
        (["verify", "/proc/self/mem"], "does not have the name of a Python file"),
        (["doctor", "-m", "there_is_none"], "there is no module there_is_none"),
        (["doctor", "-m", "json.tool.none"], "there is no module json.tool.none"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_named_by_nothing_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(words) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert not out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("argument", ["--version", "targets"])
def test_output_that_nobody_takes_is_bad_and_reported_in_a_line(argument: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "samebits", argument],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "cannot write: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("streams", ["2>/dev/full", ">/dev/full 2>&1", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("words", ["nonsense", "lint nowhere"])
def test_where_nothing_can_be_said_the_status_is_not_that_of_a_difference(
    words: str, streams: str
) -> None:
    command = f'"{sys.executable}" -m samebits {words} {streams}'
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 2


@pytest.mark.parametrize(
    "options",
    [["--ignore", "SB"], ["--select", "SL1"], ["--select", "SB201", "--ignore", "SB2"]],
)
def test_lint_without_a_rule_finds_nothing_out(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["lint", __file__, *options]) == 2
    assert "no rule is left" in capsys.readouterr().err


def test_sources_that_can_be_none_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.py").touch()
    os.truncate("large.py", 1 << 30)  # sparse
    (tmp_path / "zeros.py").write_bytes(bytes(100))
    (tmp_path / "needing").mkdir()
    (tmp_path / "needing" / "__init__.py").write_text("import no_such_library\n")
    (tmp_path / "needing" / "sim.py").touch()
    for words, said in (
        (["verify", "large.py"], "large.py has more than 16,777,216 bytes"),
        (["inspect", "zeros.mcap:step"], "zeros.mcap does not import: SyntaxError"),
        (["verify", "needing.sim"], "needing.sim does not import: ModuleNotFoundError"),
        (["verify", "needing.sim.none"], "needing.sim.none does not import: ModuleNotFoundError"),
        (["verify", "json.none"], "there is no module 'json.none'"),
        (["verify", "json.none.none"], "there is no module 'json.none.none'"),
    ):
        assert status(words) == 2
        assert capsys.readouterr().err.startswith(said)


def test_a_ctrl_c_while_the_process_ends_shows_no_traceback() -> None:
    code = (
        "import atexit, os, signal\n"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "from samebits.cli import main\n"
        "main(['--version'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_is_one_even_where_what_it_unwound_raised_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def app(arguments: list[str]) -> int:
        lock = threading.Lock()
        with lock:  # as `threading.Condition.wait`, whose lock is released twice
            lock.release()
            raise KeyboardInterrupt

    monkeypatch.setattr("samebits.cli.commands.app", app)
    assert status(["targets"]) == INTERRUPTED
    assert "interrupted" in capsys.readouterr().err
