"""What a math function says of a wrong argument can be done as it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import math
from samebits.errors import ArgumentError

OF_FLOATS = ["sin", "sqrt", "hash", "f32_to_f16", "f64_to_f16", "abs", "sign", "exp", "fract"]
OF_INTEGERS = ["popcount", "clz", "ctz", "reversebits", "ceilpow2", "ispow2", "floorlog2",
               "ceillog2", "f16_to_f32", "f16_to_f64"]  # fmt: skip
OWN = {"f32_to_f16": "f4", "f16_to_f32": "u2", "f16_to_f64": "u2"}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("name", OF_FLOATS + OF_INTEGERS)
def test_lists_and_subclasses_of_arrays_are_named_and_the_fix_is_taken(name: str) -> None:
    function = getattr(math, name)
    kind = OWN.get(name, "f8" if name in OF_FLOATS else "i8")
    plain = np.array([1, 2], kind)
    values: list[Any] = [plain.tolist(), tuple(plain.tolist()), np.ma.array(plain)]
    for value in [*values, np.matrix(plain)]:
        with pytest.raises(ArgumentError) as refused:
            function(value)
        assert type(value).__name__ in refused.value.message
        fix = (refused.value.fix or "").removeprefix("write ")
        found = eval(fix, {"math": math, "np": np, "x": value})
        assert np.array_equal(np.asarray(found).reshape(-1), function(plain)), fix


@pytest.mark.parametrize("name", ["all", "any"])
def test_any_and_all_speak_of_themselves(name: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        getattr(math, name)(sb.float3(1))
    assert refused.value.fix == f"compare first: {name}(v > 0)"
    with pytest.raises(ArgumentError) as refused:
        getattr(math, name)(1.0)
    assert refused.value.fix == "of a number write x != 0"


def test_a_hash_is_refused_by_its_own_name() -> None:
    with pytest.raises(ArgumentError, match=r"^hash\(\)"):
        math.hash(2**63)


@pytest.mark.parametrize("name", ["abs", "sign", "min", "max", "clamp"])
def test_functions_that_keep_integers_refuse_bools_as_numbers_and_arrays(name: str) -> None:
    count = {"clamp": 3, "min": 2, "max": 2}.get(name, 1)
    for value in (True, np.True_, np.array([True])):
        with pytest.raises(ArgumentError, match="bool"):
            getattr(math, name)(*[value] * count)
