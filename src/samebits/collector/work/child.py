"""The process that opens what strangers sent, within limits, one job after another.

Owns the limits and the conversation: a line of JSON on standard input is a job, a line on standard
output its answer. What takes too much ends this process alone; `helper.py` starts another.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from samebits.collector.work.jobs import JOBS
from samebits.errors import SamebitsError, unexpected

FILE = 256 << 20
"""Most bytes of a file that it writes."""


def main(seconds: int, memory: int) -> None:
    """Answer jobs until the input ends, each in `seconds` of the processor."""
    renew = _limits(seconds, memory)
    for line in sys.stdin:
        renew()
        try:
            answer = _answer(json.loads(line))
        except SamebitsError as error:
            answer = {"refused": f"{error.message}" + (f"; {error.fix}" if error.fix else "")}
        except MemoryError:
            raise  # the limit: another process is to begin
        except Exception as error:
            answer = {"refused": f"the diagnosis failed: {unexpected(error)}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    return JOBS[job.pop("job")](**job)


def _limits(seconds: int, memory: int) -> Callable[[], None]:
    """Set the limits of this process; what is returned gives it the next job's seconds."""
    if sys.platform != "linux":
        return lambda: None
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]

    def renew() -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))

    return renew


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
