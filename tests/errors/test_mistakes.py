"""Each ordinary mistake is told what to write, and that compiles and is right."""

from __future__ import annotations

import linecache
import textwrap
from itertools import count
from typing import Any

import numpy as np
import pytest

import samebits as sb
from tests.errors.mistakes import MISTAKES, Mistake

HEAD = """\
import math as pymath
import random as pyrandom
import time
import numpy as np
import samebits as sb
from samebits import float3, float32, float64, int32, int64, math, uint8
"""
ARGUMENTS: dict[str, Any] = {
    "sb.Array[float64]": lambda: np.ones(4),
    "sb.Array[float64, 2]": lambda: np.ones((2, 2)),
    "sb.ReadOnly[uint8]": lambda: np.ones(300, np.uint8),
    "float3": lambda: sb.float3(1, 2, 3),
    "int": lambda: 3,
    "int32": lambda: 3,
}
NUMBERS = count()


def ran(mistake: Mistake, body: str) -> Any:
    """The result of a kernel of this body."""
    lines = textwrap.indent(body.replace("; ", "\n"), "    ")
    text = f"{HEAD}\n@sb.kernel\ndef k({mistake.parameters}) -> float64:\n{lines}\n"
    name = f"<mistake {next(NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "mistakes"}
    exec(compile(text, name, "exec"), namespace)
    kind = mistake.parameters.partition(": ")[2]
    return namespace["k"](ARGUMENTS.get(kind, lambda: 2.5)())


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.habit}: {m.body[:40]}")
def test_a_mistake_is_told_what_to_write(mistake: Mistake) -> None:
    with pytest.raises(sb.SamebitsError) as caught:
        ran(mistake, mistake.body)
    assert mistake.says in str(caught.value)


FIXED = [mistake for mistake in MISTAKES if mistake.advised]


@pytest.mark.parametrize("mistake", FIXED, ids=lambda m: f"{m.habit}: {m.body[:40]}")
def test_what_is_advised_compiles_and_is_right(mistake: Mistake) -> None:
    assert float(ran(mistake, mistake.advised)) == mistake.result
