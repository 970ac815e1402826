"""The limited process that runs replays: requests are lines of JSON, and so are answers.

Before a row that is run comes a line that says how, once everything is compiled: the replay's time
begins there. It runs the code of one simulation, which is its user's, over replays that come from
anywhere: what crashes, hangs or takes all memory is this process, and its parent says so of that
one replay.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from samebits.errors import SamebitsError
from samebits.farm.limits import end_after, limit_memory
from samebits.farm.once import Runner
from samebits.farm.rows import Task


def main() -> None:
    """Answer until the input ends. The arguments are the simulation and MiB of memory."""
    simulation, mebibytes = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape")
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", errors="surrogateescape")
    # What simulations print, or read, must not come between the answers.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    limit_memory(int(mebibytes))
    runner = Runner(simulation)
    try:
        _serve(runner, requests, answers)
    finally:
        runner.close()


def _serve(runner: Runner, requests: TextIO, answers: TextIO) -> None:
    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    for line in requests:
        request = json.loads(line)
        end_after(float(request["seconds"]))
        answer = _answer(runner, request, lambda how: say({"began": how}))
        end_after(0)
        say(answer)


def _answer(
    runner: Runner, request: dict[str, Any], began: Callable[[str], None]
) -> dict[str, Any]:
    """A row, facts of the simulation, an error in its code, or that memory was used up."""
    try:
        if "task" in request:
            return {"row": runner.run(Task.from_json(request["task"]), began).to_json()}
        found = runner.simulation
        return {"about": [found.name, found.version, found.digest]}
    except MemoryError:
        return {"memory": True}
    except SamebitsError as error:
        return {"error": [error.message, error.note, error.fix]}


if __name__ == "__main__":
    main()
