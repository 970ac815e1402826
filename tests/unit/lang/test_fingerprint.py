"""The key of the compile cache changes with whatever the kernel's meaning hangs on, and only so."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from samebits.frontend.compile import symbol_of
from samebits.lang.fingerprint import fingerprint
from samebits.types import FLOAT32, FLOAT64

BASE = """
import types
import typing
import numpy as np
import samebits as sb
from samebits import float32, float64, int32, uint32

T = typing.TypeVar("T")
GAIN = 2.5
WORD = np.int32(3)
LONG = 1 << 20000
PAIR = (4.5, (WORD, 6))
NAME = "ship one"
PART = sb.fix32("0.5")
TABLE = sb.table([1, 2, 3], uint32)
DEEP = 4
settings = types.ModuleType("settings")
settings.inner = types.ModuleType("inner")
settings.inner.steps = 3

@sb.struct
class Ship:
    hp: int32
    mass: float32

    def weight(self) -> float32:
        return self.mass * 9.81

FLAGSHIP = Ship(hp=1, mass=2.0)
FLEET = (Ship(hp=8), Ship(hp=9))

@sb.kernel
def helper(x: float32, k: float32 = 0.5) -> float32:
    return x * k + DEEP

def make(amount):
    @sb.kernel
    def inner(x: float32) -> float32:
        return x + amount
    return inner

adder = make(6)

@sb.kernel
def k(x: T, ship: Ship, n: int = 7) -> float32:
    y = helper(float32(x)) + ship.weight() + adder(1)
    if n > settings.inner.steps:
        y += GAIN * WORD + float32(TABLE[0]) + PAIR[0] + float32(PART)
    assert y > 0, NAME
    y += FLAGSHIP.weight() + float32(FLEET[1].hp)
    return y + (LONG >> 19999)
"""

CHANGES = {
    "operator of the body": ("y += GAIN", "y -= GAIN"),
    "literal of the body": ("adder(1)", "adder(2)"),
    "long literal": ("1 << 20000", "3 << 20000"),
    "name of a local": ("    y = helper(", "    y = 0 * float32(x) + helper("),
    "constant": ("GAIN = 2.5", "GAIN = 2.75"),
    "sign of a zero constant": ("GAIN = 2.5", "GAIN = -0.0"),
    "type of a constant": ("GAIN = 2.5", "GAIN = np.float64(2.5)"),
    "width of a constant": ("WORD = np.int32(3)", "WORD = np.int64(3)"),
    "body of a called kernel": ("x * k + DEEP", "x * k - DEEP"),
    "constant of a called kernel": ("DEEP = 4", "DEEP = 5"),
    "default of a called kernel": ("k: float32 = 0.5", "k: float32 = 0.25"),
    "parameter type of a called kernel": ("k: float32 = 0.5", "k: float = 0.5"),
    "struct field": ("hp: int32", "hp: uint32"),
    "order of struct fields": (
        "hp: int32\n    mass: float32",
        "mass: float32\n    hp: int32",
    ),
    "method": ("* 9.81", "* 9.80"),
    "own default": ("n: int = 7", "n: int = 8"),
    "item of a tuple": ("(4.5, (", "(4.0, ("),
    "type of an item inside a tuple": ("(WORD, 6)", "(3, 6)"),
    "length of a tuple": ("(WORD, 6)", "(WORD, 6, 6)"),
    "text": ("ship one", "ship two"),
    "fixed-point number": ('fix32("0.5")', 'fix32("0.25")'),
    "field of a struct from outside": ("mass=2.0)", "mass=-2.0)"),
    "struct in a tuple": ("Ship(hp=9)", "Ship(hp=7)"),
    "table": ("[1, 2, 3]", "[1, 2, 4]"),
    "type of a table": ("[1, 2, 3], uint32", "[1, 2, 3], int32"),
    "attribute of a module": ("steps = 3", "steps = 2"),
    "closed-over value": ("make(6)", "make(5)"),
    "result type": ("n: int = 7) -> float32", "n: int = 7) -> float64"),
    "place in the file": ("\n@sb.kernel\ndef k", "\n\n@sb.kernel\ndef k"),
}

Load = Callable[[str], Any]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    file = tmp_path / "fingerprinted.py"

    def module(text: str) -> Any:
        file.write_text(text)
        spec = importlib.util.spec_from_file_location("fingerprinted", file)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        exec(compile(text, str(file), "exec"), vars(made))
        return made

    return module


def key(module: Any, t: Any = FLOAT32) -> str:
    return fingerprint(module.k, (t, module.Ship.__sb_type__, module.k.signature.resolve(
        (t, module.Ship.__sb_type__, None))[2]))  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_changes_the_fingerprint(load: Load, what: str) -> None:
    before, after = CHANGES[what]
    assert BASE.count(before) == 1
    assert key(load(BASE)) != key(load(BASE.replace(before, after)))


def test_a_second_module_of_the_same_text_has_the_same_fingerprint(load: Load) -> None:
    assert key(load(BASE)) == key(load(BASE))


def test_the_type_of_an_argument_changes_the_fingerprint(load: Load) -> None:
    module = load(BASE)
    assert key(module) != key(module, FLOAT64)


def test_what_the_kernel_does_not_use_changes_nothing(load: Load) -> None:
    assert key(load(BASE)) == key(load(BASE + "\nUNUSED = 3\n"))


def test_every_process_makes_the_same_fingerprint_and_symbol(load: Load, tmp_path: Path) -> None:
    module = load(BASE)
    script = tmp_path / "ask.py"
    script.write_text(
        "import hashlib, importlib, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from samebits.frontend.compile import symbol_of\n"
        "from samebits.lang.fingerprint import fingerprint\n"
        "from samebits.types import FLOAT32, INT\n"
        "m = importlib.import_module('fingerprinted')\n"
        "types = (FLOAT32, m.Ship.__sb_type__, INT)\n"
        "print(symbol_of(m.adder, (FLOAT32,)), symbol_of(m.k, types))\n"
        "print(hashlib.sha256(fingerprint(m.k, types).encode()).hexdigest())\n"
    )
    del module
    found = {
        subprocess.run(
            [sys.executable, "-B", str(script), str(tmp_path)],
            capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_every_process_gives_operations_the_same_names(tmp_path: Path) -> None:
    (tmp_path / "lengths.py").write_text(
        "import samebits as sb\n"
        "from samebits import float2, float3, float32, math\n\n\n"
        "@sb.kernel\n"
        "def flat(a: float2, b: float2) -> float32:\n"
        "    return math.distance(a, b) + math.csum(a)\n\n\n"
        "@sb.kernel\n"
        "def deep(a: float3, b: float3) -> float32:\n"
        "    return math.distance(a, b) + math.csum(a)\n"
    )
    script = (
        "import lengths, sys\n"
        "from samebits.frontend.compile import compile_kernel, link\n"
        "from samebits.ir.refs import statements\n"
        "names = {}\n"
        "for name in sys.argv[1:]:\n"
        "    kernel = getattr(lengths, name)\n"
        "    module = link(compile_kernel(kernel, kernel.fixed_types))\n"
        "    names[name] = [str(at) for at, _ in statements(module, module.functions)]\n"
        "print(sorted(names.items()))\n"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", script, *names], cwd=tmp_path, capture_output=True, text=True,
            check=True, env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed, names in (("1", ("flat", "deep")), ("2", ("deep", "flat")))
    )  # fmt: skip
    assert first == second
    assert "distance<float2, float2>#0" in first


def test_the_symbol_of_a_closure_is_the_same_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
from typing import Any
import samebits as sb

@sb.kernel
def twice(x: sb.float32) -> sb.float32:
    return x + x

def apply(f: Any) -> Any:
    @sb.kernel
    def applied(x: sb.float32) -> sb.float32:
        return f(x)

    return applied

applied = apply(twice)
"""
    found: set[str] = set()
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        place = tmp_path / folder / "closed.py"
        place.write_text(source)
        spec = importlib.util.spec_from_file_location("closed", place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "closed", module)
        spec.loader.exec_module(module)
        monkeypatch.setattr("samebits.frontend.compile._symbols", {})
        found.add(symbol_of(module.applied, (FLOAT32,)))
    assert len(found) == 1
    assert "#" not in found.pop()


def test_nested_code_and_sets_are_described_by_what_is_in_them(load: Load) -> None:
    odd = """
@sb.kernel
def odd(x: float32) -> bool:
    return (lambda y: y in {"c", "a", "b"})(x)
"""
    text = fingerprint(load(BASE + odd).odd, (FLOAT32,))
    assert " at 0x" not in text
    assert "{'a', 'b', 'c'}" in text


def test_the_last_line_of_code_is_the_one_that_its_positions_have() -> None:
    """Of each function of some large modules, whose statements and texts go over many lines."""
    import argparse
    import ast
    import dataclasses
    import inspect
    import tarfile
    import typing

    from samebits.lang import definition

    def inside(code: CodeType) -> list[CodeType]:
        found = [c for c in code.co_consts if isinstance(c, CodeType)]
        return [code, *(one for c in found for one in inside(c))]

    seen = many = 0
    for module in (argparse, ast, dataclasses, inspect, tarfile, typing, definition):
        text = inspect.getsource(module)
        for code in inside(compile(text, module.__name__, "exec")):
            ends = [end for _, end, _, _ in code.co_positions() if end]
            assert definition._last_line(code) == max(ends, default=0), code
            seen += 1
            many += max(ends, default=0) > max(line for _, _, line in code.co_lines() if line)
    assert seen > 800
    assert many > 20
