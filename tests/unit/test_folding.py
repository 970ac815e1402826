"""Functions whose errors leave no frame behind are as they were in all else."""

from __future__ import annotations

import gc
import inspect
import pickle
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import ref

import pytest

from samebits.errors import WHOLE_TRACEBACK, ArgumentError, folding


def _refuse(number: int) -> int:
    raise ArgumentError(f"no {number}")


@folding
def given(value: Any, *, raises: bool = False) -> Any:
    """What it is given."""
    return _refuse(value) if raises else value


@folding
def called(function: Callable[[], Any]) -> Any:
    return function()


class Counter:
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    @folding
    def step(self, count: int = 1) -> int:
        """Count on."""
        self.calls += count
        return self.calls if count else _refuse(count)

    @folding
    def __call__(self, count: int) -> int:
        return self.step(count)


class Twice(Counter):
    @folding
    def step(self, count: int = 1) -> int:
        super().step(count)
        return super().step(count)


def frames_of(call: Callable[[], Any], error: type[BaseException] = ArgumentError) -> list[str]:
    """The functions in the traceback of a call, after this one and the call itself."""
    with pytest.raises(error) as found:
        call()
    return [frame.name for frame in traceback.extract_tb(found.value.__traceback__)][2:]


def test_any_value_is_returned_as_it_is() -> None:
    values = (None, 0, "", [], Counter, Counter(), NotImplemented, ArgumentError("a value"), given)
    assert all(given(value) is value for value in values)


def test_an_error_leaves_no_frame_of_functions_methods_and_calls_by_the_class() -> None:
    counter = Counter()
    assert frames_of(lambda: given(1, raises=True)) == []
    assert frames_of(lambda: counter.step(0)) == []
    assert frames_of(lambda: counter(0)) == []
    assert frames_of(lambda: Counter.step(counter, 0)) == []
    assert frames_of(lambda: Twice().step(0)) == []


def test_arguments_that_do_not_fit_leave_none_either() -> None:
    assert frames_of(lambda: given(), TypeError) == []  # type: ignore[call-arg]
    assert frames_of(lambda: Counter().step(1, 2, 3), TypeError) == []  # type: ignore[call-arg]


@pytest.mark.parametrize("error", [ValueError, TypeError, StopIteration, KeyboardInterrupt])
def test_frames_of_users_stay(error: type[BaseException]) -> None:
    def theirs() -> None:
        raise error("theirs")

    found = frames_of(lambda: called(theirs), error)
    assert found[-1] == "theirs"
    if error is not KeyboardInterrupt:
        assert found[-2:] == found == ["called", "theirs"]


def test_all_frames_are_kept_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WHOLE_TRACEBACK, "full")
    assert frames_of(lambda: given(1, raises=True)) == ["call", "given", "_refuse"]


def test_an_error_hides_what_was_handled_inside_and_is_the_same_again() -> None:
    try:
        raise KeyError("outer")
    except KeyError:
        with pytest.raises(ArgumentError) as found:
            given(1, raises=True)
    assert found.value.__suppress_context__
    again = found.value

    def theirs() -> None:
        raise again

    for _ in range(3):
        with pytest.raises(ArgumentError) as found:
            called(theirs)
        assert found.value is again
        assert len(traceback.extract_tb(again.__traceback__)) == 1


def test_an_error_leaves_nothing_for_the_collector() -> None:
    thing = Counter()
    known = ref(thing)

    def theirs(held: Counter) -> None:
        raise (ValueError if held.calls else ArgumentError)(held)

    gc.disable()
    try:
        for count in range(2):
            thing.calls = count
            with suppress(ValueError, ArgumentError):
                called(partial(theirs, thing))
        del thing
        assert known() is None
    finally:
        gc.enable()


def test_generators_and_recursion_see_their_own_frames() -> None:
    def steps() -> Iterator[int]:
        yield given(1)
        yield given(2, raises=True)

    def deep(n: int) -> None:
        if n == 0:
            given(1, raises=True)
        deep(n - 1)

    assert frames_of(lambda: list(steps())) == ["steps"]
    assert frames_of(lambda: deep(20)) == ["deep"] * 21


def test_threads_raise_their_own_errors() -> None:
    wrong: list[int] = []

    def work(first: int) -> None:
        for number in range(first, first + 2000):
            try:
                wrong.append(given(number, raises=True))
            except ArgumentError as error:
                if error.message != f"no {number}":
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(k * 10_000,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_tools_see_the_function() -> None:
    counter = Counter()
    assert inspect.getdoc(given) == "What it is given."
    assert str(inspect.signature(given)) == "(value: 'Any', *, raises: 'bool' = False) -> 'Any'"
    assert str(inspect.signature(counter.step)) == "(count: 'int' = 1) -> 'int'"
    assert inspect.getdoc(counter.step) == "Count on."
    assert pickle.loads(pickle.dumps(given)) is given
    bound = pickle.loads(pickle.dumps(counter.step))
    assert bound.__self__ is not counter
    assert bound(5) == 5
