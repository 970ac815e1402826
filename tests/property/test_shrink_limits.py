"""Candidates of the shrinker that loop for ever."""

from __future__ import annotations

import time

import pytest
from tests.fuzz.shrink import TooLongError, time_limit


class Deaf:
    """An object whose destructor lasts until it is interrupted, which nobody hears of."""

    def __del__(self) -> None:
        while True:
            time.process_time()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_whose_first_signal_a_destructor_takes_still_holds() -> None:
    def endless() -> None:
        with time_limit(0.05):
            Deaf()
            while True:
                time.process_time()

    with pytest.raises(TooLongError):
        endless()
