"""The message for an unexpected error: a line to report, and the traceback on request.

Knows nothing of commands. The error's text is escaped, so that it cannot control the terminal.
"""

from __future__ import annotations

import sys
import traceback

from samebits.cli.exit_status import TRACEBACK
from samebits.errors import unexpected
from samebits.version import __version__


def tell(error: BaseException, whole: bool) -> None:
    """Print on stderr what happened and what to report; with `whole`, the traceback before it."""
    if whole:
        traceback.print_exception(error, file=sys.stderr)
    fix = "report these lines with the command"
    if not whole:
        fix += f"; {TRACEBACK} shows the traceback"
    print(
        f"unexpected error in samebits {__version__}: {unexpected(error)}\n"
        "  note: no result: the bits may be the same or differ\n"
        f"  fix: {fix}",
        file=sys.stderr,
    )
