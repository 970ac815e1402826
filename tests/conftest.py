"""Options that the whole suite shares."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings

from tests.support import compiled_once, long_tests, rewriting
from tests.support.compiled_once import Objects
from tests.support.folders import ROOT

# NumPy's linear algebra, which nothing here uses, starts its threads in every process there is: a
# quarter of what a child costs before it does anything.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

MODULES_A_COLLECTION = 8
"""Test modules from one collection of garbage to the next."""

# Collections took a seventh of the time of generated programs; some modules begin with one, and
# tests that need one ask for it.
gc.set_threshold(1_000_000, 20, 100)

# No test depends on a clock, and on a busy machine any example may be slow.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

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


def pytest_sessionstart(session: pytest.Session) -> None:
    """A worker of several compiles its share of the test modules for all."""
    worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if worker is not None:
        number = int(worker["workerid"].removeprefix("gw"))
        rewriting.share(session.config, number, worker["workercount"])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long is marked, before `-m` chooses."""
    long_tests.mark(items)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of which `-m` chooses nothing are not imported."""
    if collection_path.suffix != ".py" or not collection_path.is_relative_to(ROOT):
        return None
    file = collection_path.relative_to(ROOT).as_posix()
    return long_tests.left_out(file, cast("str", config.option.markexpr)) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is made for thousands of tests stays: to look through it would free nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _objects(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Objects]:
    """Objects of C files, compiled once for the tests of all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "objects"
    folder.mkdir(exist_ok=True)
    objects = Objects(folder)
    with pytest.MonkeyPatch.context() as patch:
        compiled_once.install(objects, patch)
        yield objects


@pytest.fixture
def compile_anew(_objects: Objects) -> Iterator[None]:
    """A test in which compilers compile, whatever there is already."""
    _objects.enabled = False
    yield
    _objects.enabled = True


_begun = count()


@pytest.fixture(scope="module", autouse=True)
def _collections_look_at_the_last_modules_objects(request: pytest.FixtureRequest) -> None:
    """After thousands of tests there are millions of objects that stay: `gc.collect()`, which many
    tests call, would take a second to look through them. Where none does, some modules together
    are looked through, and what they left behind goes."""
    module = cast("object", request.module)  # pyright: ignore[reportUnknownMemberType]
    if next(_begun) % MODULES_A_COLLECTION == 0 or hasattr(module, "gc"):
        gc.collect()
        gc.freeze()
