"""An at sign that is a decorator."""

import functools


@functools.cache
def table(n: int) -> tuple[int, ...]:
    return tuple(range(n))
