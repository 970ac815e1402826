"""A set in a closure, a clock under another name, and a name that hides another."""

from time import monotonic as clock


def make():
    pending = set()

    def run(step):
        started = clock()  # expect: SB501
        for job in list(pending):  # expect: SB101
            step(job, started)

    return run
