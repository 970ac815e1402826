"""Each ordinary mistake is told what to write, and that compiles and is right."""

from __future__ import annotations

import linecache
import re
import textwrap
from collections import Counter
from itertools import count
from typing import Any

import numpy as np
import pytest

import samebits as sb
from tests.errors.mistaken_programs import MISTAKEN_PROGRAMS, MistakenProgram
from tests.errors.mistakes import MISTAKES, Mistake

HEAD = """\
import math as pymath
import random as pyrandom
import time
import numpy as np
import samebits as sb
from samebits import float3, float32, float64, int2, int8, int32, int64, math, random, uint8
from samebits import uint32, uint64
"""
ARGUMENTS: dict[str, Any] = {
    "sb.Array[float64]": lambda: np.ones(4),
    "sb.Array[float64, 2]": lambda: np.ones((2, 2)),
    "sb.ReadOnly[uint8]": lambda: np.ones(300, np.uint8),
    "float3": lambda: sb.float3(1, 2, 3),
    "int": lambda: 3,
    "random.Random": lambda: sb.random.seeded(1, 0),
    "int32": lambda: 3,
    "sb.Array[float32]": lambda: np.ones(4, np.float32),
}
NUMBERS = count()
BLAMES = {"invalid", "illegal", "please", "must", "sorry", "you", "your"}


def executed(text: str) -> dict[str, Any]:
    """The names of a program, whose lines messages can show."""
    name = f"<mistake {next(NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    return namespace


def ran(mistake: Mistake, body: str, above: str) -> Any:
    """The result of a kernel of this body."""
    lines = textwrap.indent(body.replace("; ", "\n"), "    ")
    text = f"{HEAD}{above}\n@sb.kernel\ndef k({mistake.parameters}) -> float64:\n{lines}\n"
    kinds = [part.partition(": ")[2] for part in re.split(r", (?=\w+: )", mistake.parameters)]
    return executed(text)["k"](*(ARGUMENTS.get(kind, lambda: 2.5)() for kind in kinds))


@pytest.mark.filterwarnings("ignore:assertion is always true:SyntaxWarning")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.habit}: {m.body[:40]}")
def test_a_mistake_is_told_what_to_write(mistake: Mistake) -> None:
    with pytest.raises(sb.SamebitsError) as caught:
        ran(mistake, mistake.body, mistake.above)
    assert mistake.says in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.fix is not None
    assert not BLAMES.intersection(re.findall(r"\w+", str(caught.value).lower()))


@pytest.mark.parametrize("mistake", MISTAKEN_PROGRAMS, ids=lambda m: f"{m.habit}: {m.says[:40]}")
def test_a_mistaken_program_is_told_what_to_write(mistake: MistakenProgram) -> None:
    with pytest.raises(sb.SamebitsError) as caught:
        executed(HEAD + mistake.program)
    assert mistake.says in str(caught.value)
    assert isinstance(caught.value, sb.Trap) or caught.value.fix is not None
    assert not BLAMES.intersection(re.findall(r"\w+", str(caught.value).lower()))


FIXED = [mistake for mistake in MISTAKES if mistake.advised]


@pytest.mark.parametrize("mistake", FIXED, ids=lambda m: f"{m.habit}: {m.body[:40]}")
def test_what_is_advised_compiles_and_is_right(mistake: Mistake) -> None:
    assert float(ran(mistake, mistake.advised, mistake.advised_above)) == mistake.result


FIXED_PROGRAMS = [mistake for mistake in MISTAKEN_PROGRAMS if mistake.advised]


@pytest.mark.parametrize("mistake", FIXED_PROGRAMS, ids=lambda m: f"{m.habit}: {m.says[:40]}")
def test_a_program_as_advised_runs_and_is_right(mistake: MistakenProgram) -> None:
    assert float(executed(HEAD + mistake.advised)["R"]) == mistake.result


def test_the_corpus_is_of_four_habits_and_more_than_150_mistakes() -> None:
    habits = Counter(mistake.habit for mistake in (*MISTAKES, *MISTAKEN_PROGRAMS))
    assert habits.total() >= 150
    assert {"NumPy", "Numba", "C", "Burst"} <= habits.keys()
