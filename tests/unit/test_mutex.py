"""A lock is free after its block, whatever a signal's handler cuts."""

from __future__ import annotations

import threading

import pytest
from tests.support.interrupting import at_each

from samebits.mutex import Mutex


def test_an_interrupt_at_any_bytecode_leaves_the_lock_open() -> None:
    mutex = Mutex()

    def twice() -> None:
        with mutex:
            assert mutex.locked()
        with mutex, mutex:  # as a handler does that comes back to it
            pass
        assert not mutex.locked()

    def check() -> None:
        assert not mutex.locked()

    assert at_each(twice, check) > 5


def test_another_thread_waits_for_it() -> None:
    mutex, seen = Mutex(), []

    def other() -> None:
        seen.append(mutex.locked())
        with mutex:
            seen.append("inside")

    with mutex:
        thread = threading.Thread(target=other)
        thread.start()
        while not seen:
            pass
        seen.append("still alone")
    thread.join()
    assert seen == [True, "still alone", "inside"]


def test_a_lock_that_is_not_taken_cannot_be_given_back() -> None:
    mutex = Mutex()
    with pytest.raises(RuntimeError):
        mutex.release()
