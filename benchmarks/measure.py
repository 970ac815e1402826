"""Interleaved timing: every peer in every round, thread CPU time, medians."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers import Arguments, copies, restore

BATCH_SECONDS = 0.004
"""Calls are timed in batches of about this length: far above the clock's resolution."""

MAXIMUM_BATCH = 200


@dataclass
class Runner:
    """A peer ready to run: its function, arguments of its own, and its times a call."""

    function: Callable[..., Any]
    arguments: Arguments
    seconds: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        """Median seconds of one call."""
        return statistics.median(self.seconds)

    def time(self, start: Arguments, calls: int) -> float:
        """Thread CPU seconds a call, over `calls` calls from the arguments `start`."""
        restore(self.arguments, start)
        function, arguments = self.function, self.arguments
        before = time.thread_time_ns()
        for _ in range(calls):
            function(*arguments)
        return (time.thread_time_ns() - before) / calls / 1e9


def batch_size(runner: Runner, start: Arguments) -> int:
    """How many calls of `runner` fill a batch, at least one."""
    once = max(runner.time(start, 1), 1e-7)
    return max(1, min(MAXIMUM_BATCH, round(BATCH_SECONDS / once)))


def interleave(runners: list[Runner], start: Arguments, rounds: int) -> None:
    """Time every runner `rounds` times, in turn, so that drift of the machine hits all alike.

    The first round warms caches and branch predictors and is not counted. The order rotates
    from round to round.
    """
    calls = batch_size(runners[0], start)
    for number in range(rounds + 1):
        turn = number % len(runners)
        for runner in runners[turn:] + runners[:turn]:
            seconds = runner.time(start, calls)
            if number:
                runner.seconds.append(seconds)


def runner(function: Callable[..., Any], start: Arguments) -> Runner:
    """A runner with arrays of its own, equal to those in `start`."""
    return Runner(function, copies(start))
