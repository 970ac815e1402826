"""A run of a script by another program: `samebits_lua_run`, or one that tells the same."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence

from samebits.lua.errors import LuaError

SECONDS = 600.0
"""The most that one run may take."""
_LINE = re.compile(r"(-1|[0-9]{1,9}) ([0-9a-f]{16})")
_SHOWN = 300


def host_hashes(command: str, seed: int, inputs: Sequence[bytes]) -> dict[int, int]:
    """The hash of each frame that a program tells; -1 is the set-up.

    The command's words are run without a shell, with seed and number of frames behind them and the
    inputs on the standard input; it prints a line a frame, `frame hash`. Raises LuaError where it
    cannot be run, fails, takes too long or prints something else.
    """
    words = shlex.split(command)
    if not words:
        raise LuaError("the host's command is empty", fix="name the program and the script")
    try:
        done = subprocess.run(
            [*words, str(seed), str(len(inputs))], input=b"".join(inputs), capture_output=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except OSError as error:
        raise LuaError(
            f"{words[0]} cannot be run: {error.strerror or error}", fix="check the path"
        ) from None
    except subprocess.TimeoutExpired:
        raise LuaError(f"{words[0]} ran more than {SECONDS:.0f} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-_SHOWN:]
        raise LuaError(f"{words[0]} ended with {done.returncode}", note=said or None)
    found: dict[int, int] = {}
    for line in done.stdout.decode(errors="replace").splitlines():
        told = _LINE.fullmatch(line)
        if told is None:
            raise LuaError(
                f"{words[0]} prints {line[:60]!a}", fix="a line a frame: its number and its hash"
            )
        found[int(told[1])] = int(told[2], 16)
    return found
