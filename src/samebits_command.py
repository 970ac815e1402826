"""The command's first step: while what it needs is imported, Ctrl-C ends it without a traceback.

Stands outside of the package, which imports for most of that time. Owns what the signals mean that
ask a process to end.
"""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Besides Ctrl-C. Their exit status is 128 more than the signal, as a shell has it."""
_ended_by: list[int] = []


def main() -> None:
    """Run the command line and exit with its status."""
    begin()
    from samebits.cli import main

    main()


def begin() -> None:
    """Until `end`, Ctrl-C ends the process: there is nothing yet that must be put in order."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
        signal.signal(signal.SIGINT, _ended)


def end() -> None:
    """Ctrl-C is a KeyboardInterrupt again, and so is all else that asks the process to end: folders
    and children are there to be removed."""
    if signal.getsignal(signal.SIGINT) is _ended:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in _ENDS:
        if signal.getsignal(number) is signal.SIG_DFL:  # else it is to be ignored
            signal.signal(number, _interrupted)


def interrupted() -> tuple[str, int]:
    """What is to be said of a KeyboardInterrupt, and its exit status."""
    return ("terminated", 128 + _ended_by[0]) if _ended_by else ("interrupted", INTERRUPTED)


def ends_asked() -> int:
    """How often the process was asked to end, by other signals than Ctrl-C: a library that runs
    meanwhile may have caught what that raised."""
    return len(_ended_by)


def keep() -> None:
    """From now on the process ends by itself, whatever is pressed or sent."""
    for number in (signal.SIGINT, *_ENDS):
        signal.signal(number, signal.SIG_IGN)


def _interrupted(number: int, frame: object) -> None:
    _ended_by.append(number)
    raise KeyboardInterrupt


def _ended(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
