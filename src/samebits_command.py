"""The command's first step: while what it needs is imported, Ctrl-C ends it without a traceback.

Stands outside of the package, which imports for most of that time.
"""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130


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
    """Ctrl-C is a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _ended:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _ended(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
