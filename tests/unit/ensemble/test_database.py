"""Queries that an interrupt ends raise what the handler of the signal raises."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

import pytest

from samebits.ensemble.database import Database, Error

ENDLESS = "SELECT sum(sin(i * j)) FROM range(1000000) t(i), range(1000000) u(j)"


class Asked(BaseException):
    """What a handler raises."""


def handler(number: int, frame: FrameType | None) -> None:
    raise Asked


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_a_handler_raises_ends_a_query(number: signal.Signals) -> None:
    database = Database()
    before = signal.signal(number, handler)
    main = threading.main_thread().ident
    assert main is not None

    def ask() -> None:
        time.sleep(0.2)  # or the signal comes before the query, which it ends all the same
        signal.pthread_kill(main, number)

    asking = threading.Thread(target=ask)
    try:
        asking.start()
        with pytest.raises(Asked):
            database.execute(ENDLESS).fetchall()
    finally:
        signal.signal(number, before)
        asking.join()
    assert not [t for t in threading.enumerate() if t.name == "samebits database"]
    assert database.execute("SELECT 1 + ?", [2]).fetchall() == [(3,)]
    database.close()


def test_errors_are_duckdbs() -> None:
    database = Database()
    with pytest.raises(Error, match="nothing_there"):
        database.execute("SELECT * FROM nothing_there")
    assert database.execute("SELECT 5").fetchone() == (5,)
    database.close()
