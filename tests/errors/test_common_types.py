"""The advice on two types that meet: followed, the program compiles, and no number is narrowed."""

from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import samebits as sb
from samebits.types import STRONG_SCALARS, ScalarType, promote

NUMBERS = [t for t in STRONG_SCALARS if promote(t, t) is not None and t.storage == t]
HEAD = "import samebits as sb\nfrom samebits import *\n\n@sb.kernel\n"
FORMS = {
    "ternary": "x = a if a > {a}(0) else b\n    return {r}(x)",
}


def kernel(form: str, a: ScalarType, b: ScalarType, folder: Path, fixes: list[str]) -> Any:
    body = FORMS[form].format(a=a, r="float64")
    for fix in fixes:
        (name,) = re.findall(r"\((\w)\)", fix)
        body = re.sub(rf"(?<![\w(]){name}(?=\)| else|,|\n|$)", fix, body)
        body = body.replace(f"= {name} if", f"= {fix} if")
    place = folder / f"{form}.py"
    place.write_text(f"{HEAD}def k(a: {a}, b: {b}) -> float64:\n    {body}\n")
    return runpy.run_path(str(place))["k"]


def refusal(kernel: Any, a: float) -> sb.CompileError | None:
    try:
        kernel(a, 1)
    except sb.CompileError as error:
        return error
    return None


@pytest.mark.parametrize("form", FORMS)
def test_the_advice_is_a_type_that_both_sides_fit(form: str, tmp_path: Path) -> None:
    followed = 0
    for a, b in itertools.permutations(NUMBERS, 2):
        common = promote(a, b)
        refused = refusal(kernel(form, a, b, tmp_path, []), a.maximum if a.is_int else 1)
        if refused is None or common is None or (a.is_int and b.is_int and common.is_float):
            continue
        fixes = re.findall(r"`([^`]+)`", refused.fix or "")
        assert fixes, (a, b, refused.fix)
        assert all(fix.startswith(f"{common}(") for fix in fixes), (a, b, refused.fix)
        assert kernel(form, a, b, tmp_path, fixes)(1, 1) == 1
        followed += 1
    assert followed > 40
