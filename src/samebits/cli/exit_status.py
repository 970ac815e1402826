"""Exit statuses of the command line, and what else all commands share with its root.

0 the same, 1 they differ, 2 bad usage or input, 130 interrupted, 143 terminated. What nobody
expected is 2 as well: only a command that has compared says that something differs.
"""

from __future__ import annotations

import samebits_command

SAME, DIFFERS, BAD, INTERRUPTED = 0, 1, 2, samebits_command.INTERRUPTED
MOST_FRAMES = 10**9
"""Of one run: half a year at 60 frames a second."""
TRACEBACK = "--traceback"
"""Shows, wherever it stands before `--`, where an error that nobody expected comes from."""
