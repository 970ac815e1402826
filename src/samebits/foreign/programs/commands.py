"""Commands of a description as they are run: without a shell, with a limit, as one group.

Owns that nothing which a command starts outlives it, and what is told of one that fails.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from samebits.errors import RunnerError
from samebits.output import os_reason
from samebits.visible import visible

_TOLD = 4_000
_LINES = 12


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its status, negative for a signal, and the end of what it printed."""

    status: int
    printed: str

    @property
    def how(self) -> str:
        if self.status >= 0:
            return f"status {self.status}"
        return f"signal {signal.Signals(-self.status).name}"


def run_command(
    words: Sequence[str],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command to its end. Raises RunnerError where it can't start or takes too long."""
    with tempfile.TemporaryFile() as printed:
        try:
            process = subprocess.Popen(
                words, cwd=folder, env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            reason = os_reason(error) if isinstance(error, OSError) else str(error)
            raise RunnerError(
                f"cannot run {words[0]:.200}: {reason}",
                fix="install it, or name another in sim.toml",
            ) from None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise RunnerError(
                f"{shown(words)} takes more than {seconds:g} s",
                fix="give sim.toml fewer frames to run, or more `seconds`",
            ) from None
        finally:
            _end_group(process)
        size = printed.seek(0, os.SEEK_END)
        printed.seek(max(0, size - _TOLD))
        return Ended(status, printed.read().decode("utf-8", "replace"))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End what a command has started, and the command itself where it still runs."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def must_run(
    words: Sequence[str],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    what: str = "",
) -> None:
    """As `run_command`; RunnerError where it fails, with what it printed last."""
    ended = run_command(words, folder, seconds, environment)
    if ended.status:
        raise RunnerError(
            f"{what or shown(words)} fails with {ended.how}",
            note=f"{shown(words)}\n{last_lines(ended.printed)}",
            fix="mend sim.toml or the sources",
        )


def shown(words: Sequence[str]) -> str:
    """A command in a line that is not too long."""
    text = visible(" ".join(words))
    return text if len(text) <= 300 else f"{text[:297]}..."


def last_lines(printed: str) -> str:
    """The lines that tell most of a failure: those with errors, else the last."""
    lines = [visible(line) for line in printed.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()]
    return "\n".join((wrong or lines[-_LINES:])[:_LINES])
