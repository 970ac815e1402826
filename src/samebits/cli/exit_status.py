"""Exit statuses, and what all commands share with the root of the command line.

0 the same, 1 they differ, 2 bad usage or input, 130 interrupted, 143 terminated. An unexpected
error is 2 as well: 1 comes only from a command that has compared something.
"""

from __future__ import annotations

import samebits_command

SAME, DIFFERS, BAD, INTERRUPTED = 0, 1, 2, samebits_command.INTERRUPTED
TRACEBACK = "--traceback"
"""The option that shows the traceback of an unexpected error, anywhere before `--`."""
