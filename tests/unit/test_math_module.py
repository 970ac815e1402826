"""`samebits.math` has all its functions, and loads none before it is used."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import samebits as sb
from samebits import fix32, float32, math
from samebits.lang.other_names import OTHER_NAMES

LOADED = """
import sys
import numpy
import samebits.math
print(*(name for name in sys.modules if name.startswith("samebits.mathlib")))
samebits.math.hypot
print("samebits.mathlib.powers" in sys.modules, "samebits.mathlib.trigonometric" in sys.modules)
"""


def test_no_function_is_loaded_before_one_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "\nTrue False\n"), done.stderr


CACHED = """
import sys
import samebits as sb
from samebits import float64, math
sb.set_cache_dir(sys.argv[1])
if "before" in sys.argv:
    math.sin, math.exp

@sb.kernel
def wave(x: float64) -> float64:
    return math.sin(x) * sb.math.exp(x) + math.min(x, math.pi)

print(wave(0.5).hex())
loaded = [name for name in sys.modules if name.startswith("samebits.mathlib")]
print("samebits.frontend.compile" in sys.modules, bool(loaded))
"""


def test_a_cached_call_loads_none_and_finds_its_object_where_some_are_loaded(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text(CACHED)
    told: list[str] = []
    for given in ("", "", "before"):
        command = [sys.executable, str(program), str(tmp_path / "cache"), given]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        number, loaded = done.stdout.splitlines()
        told.append(loaded)
        assert number == (math.sin(0.5) * math.exp(0.5) + 0.5).hex()
    assert told == ["True True", "False False", "False True"]


def test_every_name_is_there_and_documented() -> None:
    assert set(math.__all__) <= {*dir(math)}
    for name in math.__all__:
        value = getattr(math, name)
        assert not callable(value) or (value.__name__, bool(value.__doc__)) == (name, True)


def test_help_lists_functions_that_were_not_used() -> None:
    shown = {name for name, _ in inspect.getmembers(math, inspect.isroutine)}
    assert {"atanh", "cbrt", "hypot"} <= shown
    assert "Hyperbolic tangent" in pydoc.plain(pydoc.render_doc(math))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'sinn'"):
        math.sinn  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(math, "fixed")


def test_a_name_that_others_have_says_what_it_is_here() -> None:
    for theirs, ours in OTHER_NAMES.items():
        with pytest.raises(AttributeError, match=rf"{theirs!r}; it is math\.{ours} here"):
            getattr(math, theirs)
        assert ours in math.__all__


def test_infinity_and_nan_have_names() -> None:
    @sb.kernel
    def least(x: float32) -> float32:
        if x != x:
            return math.nan
        return math.min(x, math.inf)

    assert (math.inf, math.nan != math.nan) == (float("inf"), True)
    for x in (1.0, math.inf, -math.inf, math.nan):
        sb.assert_same_bits(least, x)


def test_fixed_point_is_served_where_nothing_else_is_loaded() -> None:
    program = (
        "from samebits import fix32, math\n"
        "print(repr(math.log(fix32(2))), repr(math.atan2(fix32(1), fix32(1))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    expected = f"{math.log(fix32(2))!r} {math.atan2(fix32(1), fix32(1))!r}\n"
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_a_kernel_finds_functions_that_were_not_used() -> None:
    @sb.kernel
    def of_one(x: sb.float32) -> sb.float32:
        return math.rsqrt(x)

    math.__dict__.pop("rsqrt", None)
    assert of_one(sb.float32(4)) == of_one.managed(sb.float32(4)) == 0.5
