"""Interleaved timing: every peer in every round, medians."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers import Arguments, copies, restore

BATCH_SECONDS = 0.004
"""Calls are timed in batches of about this length: far above the clock's resolution."""

MAXIMUM_BATCH = 200

Clock = Callable[[], int]
"""Nanoseconds: `time.thread_time_ns` for what runs on the calling thread alone,
`time.perf_counter_ns` for what does not."""


@dataclass
class Runner:
    """A peer ready to run: its function, arguments of its own, and its times a call.

    `prepare` is called before each batch, outside the time.
    """

    function: Callable[..., Any]
    arguments: Arguments
    seconds: list[float] = field(default_factory=list[float])
    prepare: Callable[[], object] = lambda: None

    @property
    def median(self) -> float:
        """Median seconds of one call."""
        return statistics.median(self.seconds)

    def time(self, start: Arguments, calls: int, clock: Clock = time.thread_time_ns) -> float:
        """Seconds a call by the clock, over `calls` calls from the arguments `start`."""
        restore(self.arguments, start)
        self.prepare()
        function, arguments = self.function, self.arguments
        before = clock()
        for _ in range(calls):
            function(*arguments)
        return (clock() - before) / calls / 1e9


def batch_size(runner: Runner, start: Arguments, clock: Clock = time.thread_time_ns) -> int:
    """How many calls of `runner` fill a batch, at least one."""
    once = max(runner.time(start, 1, clock), 1e-7)
    return max(1, min(MAXIMUM_BATCH, round(BATCH_SECONDS / once)))


def interleave(
    runners: Sequence[Runner],
    start: Arguments,
    rounds: int,
    clock: Clock = time.thread_time_ns,
) -> None:
    """Time every runner `rounds` times, in turn, so that drift of the machine hits all alike.

    The first round warms caches and branch predictors and is not counted. The order rotates
    from round to round.
    """
    calls = batch_size(runners[0], start, clock)
    for number in range(rounds + 1):
        turn = number % len(runners)
        for runner in [*runners[turn:], *runners[:turn]]:
            seconds = runner.time(start, calls, clock)
            if number:
                runner.seconds.append(seconds)


def runner(function: Callable[..., Any], start: Arguments) -> Runner:
    """A runner with arrays of its own, equal to those in `start`."""
    return Runner(function, copies(start))
