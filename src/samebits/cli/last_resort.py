"""What is said of an error that nobody expected: a line to report, and the traceback on request.

Knows nothing of commands. Whatever an error's text says is made harmless to terminals.
"""

from __future__ import annotations

import sys
import traceback

from samebits.cli.exit_status import TRACEBACK
from samebits.errors import unexpected
from samebits.version import __version__


def tell(error: BaseException, whole: bool) -> None:
    """Say on stderr what happened and what to report; with `whole`, the traceback before it."""
    if whole:
        traceback.print_exception(error, file=sys.stderr)
    fix = "report these lines with the command"
    if not whole:
        fix += f"; {TRACEBACK} shows how it came to this"
    print(
        f"samebits {__version__} did not expect this: {unexpected(error)}\n"
        "  note: nothing was found out: neither that bits are the same, nor that they differ\n"
        f"  fix: {fix}",
        file=sys.stderr,
    )
