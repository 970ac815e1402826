"""What the math functions' docstrings state is what `make prove` holds them to, and found."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest

pytest.importorskip("ziglang")
pytest.importorskip("gmpy2")

from tools.prove import promises, results
from tools.prove.catalogue import ROWS
from tools.prove.plan import ALL
from tools.prove.rounding import kept
from tools.prove.subject import kernel_of

from samebits import math

RECORDS = results.load()
STATED = sorted(set(promises.PROMISES) - {"sincos"})
"""sincos is stated to give what sin and cos give."""


TYPES = ("float32", "float64")
PROOFS = kept.load()


def docstring(name: str) -> str:
    return getattr(math, name).__doc__ or ""


def faster(precision: str) -> Iterator[tuple[str, str, str]]:
    """Functions and types that have a kernel of their own at a precision, and its name."""
    for function in promises.PROMISES:
        for type_name in TYPES:
            kernel = kernel_of(function, type_name, precision)
            if kernel is not kernel_of(function, type_name, "HIGH"):
                yield function, type_name, f"{kernel.__module__}:{kernel.__name__}"


FASTER = [(p, *it) for p in ("MEDIUM", "LOW") for it in faster(p)]


def stated(text: str) -> dict[tuple[str, str], float]:
    """By type and precision, what a public docstring says."""
    found = dict[tuple[str, str], float]()
    _, *parts = re.split(r"^ +(float32|float64)(?= at|:)", text, flags=re.MULTILINE)
    for type_name, part in zip(parts[::2], parts[1::2], strict=True):
        figures = r"(MEDIUM|LOW):?\s+(?:at\s+most\s+|within\s+)?(\d*\.?\d+)"
        for precision, figure in re.findall(figures, part):
            found[type_name, precision] = float(figure)
    return found


@pytest.mark.parametrize("name", STATED)
def test_a_docstring_states_the_errors_that_are_promised_and_no_others(name: str) -> None:
    promised = {(t, p): promises.promised(name, t, p) for t in TYPES for p in ("MEDIUM", "LOW")}
    wanted = {key: most for key, most in promised.items() if most != 0.5}
    assert stated(docstring(name)) == wanted


def test_what_a_kernel_says_that_it_is_off_is_what_is_promised() -> None:
    checked, by_module = 0, dict[tuple[str, str], float]()
    for precision, function, type_name, place in FASTER:
        module = place.split(":")[0]
        most = promises.promised(function, type_name, precision)
        assert most is not None
        by_module[module, precision] = max(most, by_module.get((module, precision), 0.0))
        doc = kernel_of(place, type_name, precision).__doc__ or ""
        figures = [float(figure) for figure in re.findall(r"(\d*\.?\d+) ULP", doc)]
        assert figures in ([], [most]), f"{place} of {function}"
        checked += len(figures)
    assert checked >= 80
    for (module, precision), most in by_module.items():
        doc = sys.modules[module].__doc__ or ""
        for figure in re.findall(r"(\d*\.?\d+) ULP", doc):
            assert float(figure) == most, f"{module} at {precision}"


def test_every_bound_is_proven_or_found_on_all_inputs() -> None:
    for precision, function, type_name, _ in FASTER:
        record = RECORDS[results.key(function, type_name, precision)]
        if any(part.what == ALL for part in record.parts):
            continue
        name = f"{type_name} {function} {precision}"
        assert PROOFS[name].complaints == [], name
        assert PROOFS[name].digest == kept.digest(name)


@pytest.mark.parametrize("promise", [p for row in promises.PROMISES.values() for p in row.values()])
def test_medium_is_within_one_ulp_and_low_within_575(promise: promises.Promise) -> None:
    assert promise.medium <= 1
    assert promise.low <= 575


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_what_is_stated_to_be_proven_was_compared_on_all_inputs(name: str) -> None:
    if "proven on all 2³²" in docstring(name):
        record = RECORDS[results.key(name, "float32", "HIGH")]
        assert [part.wrong for part in record.parts if part.what == ALL] == [0]


@pytest.mark.parametrize("key", sorted(RECORDS))
def test_no_error_found_is_above_the_one_promised(key: str) -> None:
    most = promises.promised(*key.split())
    record = RECORDS[key]
    assert record.differ == 0
    assert sum(part.special for part in record.parts) == 0  # a NaN, or a zero's sign
    assert most is None or record.wrong == 0 or record.worst.worst <= most
