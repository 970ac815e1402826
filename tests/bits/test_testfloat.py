"""Berkeley TestFloat's vectors hold in every execution: managed, evaluated, compiled."""

from __future__ import annotations

import sys
from functools import cache

import pytest
from tests.fuzz.execute import Compiled, Level, levels, run_evaluate, run_managed
from tests.fuzz.inputs import InputSet
from tests.support.testfloat import DATA, FILES, programs, vectors

from samebits.types import SCALARS

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"TestFloat's vectors are not there: {DATA} is missing"
)


@cache
def _compiled(level: Level) -> Compiled:
    return Compiled(list(programs().values()), level)


def _row(name: str, inputs: InputSet, got: bytes, wanted: bytes) -> str:
    size = len(wanted) // inputs.args[-1][4][0]
    k = next(i for i in range(0, len(wanted), size) if got[i : i + size] != wanted[i : i + size])
    row = k // size
    operands = [
        int.from_bytes(blob[row * w : row * w + w], sys.byteorder)
        for blob, argument in zip(inputs.blobs[:-1], inputs.args, strict=False)
        for w in (SCALARS[argument[1]].size,)
    ]
    call = f"{name}({', '.join(f'{o:#x}' for o in operands)})"
    return f"{call}: {got[k : k + size].hex()} where TestFloat has {wanted[k : k + size].hex()}"


def test_every_vector_file_has_its_kernel() -> None:
    assert {path.name.removesuffix(".txt.xz") for path in DATA.glob("*.txt.xz")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_managed_gives_the_bits_of_testfloat(name: str) -> None:
    inputs, wanted = vectors(name)
    got = run_managed(programs()[name], inputs).memory[-1]
    assert got == wanted, _row(name, inputs, got, wanted)


@pytest.mark.parametrize("name", FILES)
def test_evaluate_gives_the_bits_of_testfloat(name: str) -> None:
    inputs, wanted = vectors(name)
    got = run_evaluate(programs()[name], inputs).memory[-1]
    assert got == wanted, _row(name, inputs, got, wanted)


@pytest.mark.parametrize("level", levels(), ids=str)
@pytest.mark.parametrize("name", FILES)
def test_compiled_code_gives_the_bits_of_testfloat(name: str, level: Level) -> None:
    inputs, wanted = vectors(name)
    index = list(FILES).index(name)
    got = _compiled(level).run(index, programs()[name], inputs).memory[-1]
    assert got == wanted, _row(name, inputs, got, wanted)
