"""Texts that commands read without running them: sources for `lint`, expressions for `explain`."""

from __future__ import annotations

from pathlib import Path
from random import Random

from samebits.errors import ArgumentError
from samebits.fpmodel.parse import parse, pattern
from samebits.fpmodel.softfloat import FORMATS
from samebits.fpmodel.tree import written
from samebits.lint import RULES, check_paths
from samebits.lint.output import as_json, as_sarif, as_text
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import mutated

_SOURCE = '''"""Hazards."""
import math, random
from numpy import *
SIZES = {1.5, 2.5}
def step(a: float, b):
    total = sum(x * 0.1 for x in set([a, b]))
    for name in {"a", "b"}:
        total += hash(name) ** 2.0
    return math.sin(total) + random.random() if total else float("1e5")
'''


class Sources(Target):
    name = "sources"
    errors = ()
    words = (
        b"# coding: latin-1\n", b"# -*- coding: rot13 -*-\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\0",
        b"(" * 300, b"[" * 3000, b"-" * 5000, b"f'{" * 100, b"lambda: " * 500,
        b"x if y else " * 500, b"1" * 5000, b"'''", b"\\\n", b"async ", b"yield ",
        b"match x:\n    case {**y}: pass\n",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self._path = folder / "source.py"

    def seeds(self) -> list[bytes]:
        return [_SOURCE.encode(), b"x = 1\n"]

    def read(self, data: bytes) -> Read:
        self._path.write_bytes(data)
        checked = list(check_paths([str(self._path)], RULES))
        assert len(checked) == 1
        list(as_text(checked, RULES))
        as_json(checked, RULES)
        as_sarif(checked, RULES)
        return Read(None, checked[0].error is None)


class Expressions(Target):
    name = "expressions"
    errors = (ArgumentError,)
    words = (
        b"fma(", b"sqrt(", b"pow(", b"int32(", b"0x1p-3", b"1e400", b"nan", b"inf", b"1f",
        b"(" * 200, b"-" * 300, b"**", b" if a else b", b"a.b", b"a[0]", b"'", b"\0",
        b"\xc3\xa9", b"lambda: a",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        pass

    def seeds(self) -> list[bytes]:
        return [b"a*b + c*0.1", b"fma(a, b, -sqrt(c)) / 3", b"min(sin(a), int32(b))"]

    def read(self, data: bytes) -> Read:
        text = data.decode("utf-8", "surrogateescape")
        try:
            for form in FORMATS.values():
                pattern(text[:80], form, "what was observed")
        except ArgumentError:
            pass
        tree = parse(text)
        assert parse(written(tree)) == tree, "an expression that is read as another"
        return Read(None, True)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        return mutated(data, others, self.words, chance)[:3000]
