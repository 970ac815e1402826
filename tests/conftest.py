"""Options that the whole suite shares."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count

import pytest

# NumPy's linear algebra, which nothing here uses, starts its threads in every process there is: a
# quarter of what a child costs before it does anything.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

MODULES_A_COLLECTION = 8
"""Test modules from one collection of garbage to the next."""

# Collections took a seventh of the time of generated programs; some modules begin with one, and
# tests that need one ask for it.
gc.set_threshold(1_000_000, 20, 100)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so; tests of Ctrl-C would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--update-golden"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is made for thousands of tests stays: to look through it would free nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


_begun = count()


@pytest.fixture(scope="module", autouse=True)
def _collections_look_at_the_last_modules_objects(request: pytest.FixtureRequest) -> None:
    """After thousands of tests there are millions of objects that stay: `gc.collect()`, which many
    tests call, would take a second to look through them. Where none does, some modules together
    are looked through, and what they left behind goes."""
    if next(_begun) % MODULES_A_COLLECTION == 0 or hasattr(request.module, "gc"):
        gc.collect()
        gc.freeze()
