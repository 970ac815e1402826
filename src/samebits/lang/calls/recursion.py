"""The words of a recursion's bound, and its count in a managed run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from samebits.errors import Trap


def too_deep(name: str, bound: int) -> str:
    """The message of the trap where kernel `name` is called once too often inside itself."""
    return f"recursion deeper than {bound} in {name}"


class _Chain(threading.local):
    """The recursion that this thread is in."""

    group: object = None
    """The kernels that recurse with one another; None outside any recursion."""
    depth = 0
    """How many of their calls are inside one another."""


chain = _Chain()
_LEVELS = 8
"""Calls inside one another for which Python's stack has room in any case."""


def is_deep() -> bool:
    """Whether Python's stack may have no room for this recursion's next calls."""
    return chain.depth % _LEVELS == 0


@contextmanager
def called(group: object, name: str, bound: int) -> Generator[None]:
    """One more call of a kernel of `group`. Raises Trap "assert" where `bound` are under way."""
    before = chain.group, chain.depth
    depth = chain.depth + 1 if chain.group is group else 1
    if depth > bound:
        raise Trap("assert", detail=too_deep(name, bound))
    chain.group, chain.depth = group, depth
    try:
        yield
    finally:
        chain.group, chain.depth = before


def carried(call: Callable[[], Any]) -> Callable[[], Any]:
    """`call` for another thread, in this one's recursion."""
    group, depth = chain.group, chain.depth

    def there() -> Any:
        chain.group, chain.depth = group, depth
        return call()

    return there
