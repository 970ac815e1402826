"""A prepared call is the entry's own call, and keeps no reference and no lock."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.simulations.small_simulation import SMALL

from samebits.runtime.calls import packing, prepared_calls
from samebits.runtime.calls.prepared_calls import NOT_COPIED, PreparedCall


def ways() -> list[PreparedCall]:
    execution: Any = SMALL.start(3)._execution
    return [execution._hash, execution._unpack, execution._one]


def test_statuses_and_references_are_as_python_has_them() -> None:
    hashed, _, one = ways()
    given: list[Any] = [{"at": 99}, {}]
    assert hashed.function() == 0
    assert one.function([{}, {}]) == 0
    assert one.function(given) > 0
    assert one.function("no inputs") == NOT_COPIED
    before = [sys.getrefcount(x) for x in (given, *given, one.function, hashed.function)]
    for _ in range(300):
        one.function(given)
        hashed.function()
        one.function(None)
    assert before == [sys.getrefcount(x) for x in (given, *given, one.function, hashed.function)]
    with pytest.raises(TypeError):
        one.function()
    with pytest.raises(TypeError):
        hashed.function(1)


def test_without_machine_code_the_same_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    session = SMALL.start(4)
    session.step([{"push": 0.5}, {}])
    expected = session.hash(), session.save()
    monkeypatch.setattr(packing, "routine", lambda: None)
    monkeypatch.setattr("samebits.runtime.calls.input_copies._routine", lambda: None)
    monkeypatch.setattr(prepared_calls, "_makers", lambda: None)
    other = SMALL.start(4)
    assert other._copier is None
    other.step([{"push": 0.5}, {}])
    assert (other.hash(), other.save()) == expected
    other.restore(expected[1])
    assert other.hash() == expected[0]


def test_a_session_ends_with_its_last_reference() -> None:
    session = SMALL.start(1)
    session.step([{}, {}])
    watched = weakref.ref(session), weakref.ref(session._execution)
    del session
    gc.collect()
    assert [ref() for ref in watched] == [None, None]


def test_threads_that_step_sessions_of_their_own_all_end() -> None:
    done: list[int] = []

    def play(seed: int) -> None:
        session = SMALL.start(seed)
        for _ in range(2000):
            session.step([{"push": 0.25}, {}])
        done.append(session.frame)

    threads = [threading.Thread(target=play, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_SECONDS)
    assert done == [2000] * 4
