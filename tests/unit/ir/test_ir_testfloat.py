"""Evaluation gives Berkeley TestFloat's results, bit by bit."""

from __future__ import annotations

import lzma

import pytest
from tests.support.folders import SHARED_DATA
from tests.support.programs.ir_ops import bits_of, op_runner

from samebits.bits import bits_to_float
from samebits.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT64,
    ScalarType,
)

FOLDER = SHARED_DATA / "testfloat"
F, D = FLOAT32, FLOAT64
FILES: dict[str, tuple[str, tuple[ScalarType, ...], ScalarType]] = {
    "f32_add": ("add", (F, F), F), "f64_add": ("add", (D, D), D),
    "f32_mul": ("mul", (F, F), F), "f64_mul": ("mul", (D, D), D),
    "f32_div": ("div", (F, F), F), "f64_div": ("div", (D, D), D),
    "f32_sqrt": ("sqrt", (F,), F), "f64_sqrt": ("sqrt", (D,), D),
    "f32_mulAdd.every97": ("fma", (F, F, F), F), "f64_mulAdd.every97": ("fma", (D, D, D), D),
    "f32_lt": ("lt", (F, F), BOOL), "f64_le": ("le", (D, D), BOOL),
    "f32_roundToInt.rd": ("floor", (F,), F), "f64_roundToInt": ("round", (D,), D),
    "f32_to_f64": ("convert", (F,), D), "f64_to_f32": ("convert", (D,), F),
    "f32_to_i32.rz": ("convert", (F,), INT32), "f64_to_i64.rz": ("convert", (D,), INT64),
    "i64_to_f32": ("convert", (INT64,), F), "i64_to_f64": ("convert", (INT64,), D),
    "ui64_to_f32": ("convert", (UINT64,), F),
}  # fmt: skip
OUT_OF_RANGE = 0x10


def value(t: ScalarType, text: str) -> bool | int | float:
    pattern = int(text, 16)
    if t.is_float:
        return bits_to_float(pattern, t.bits)
    return pattern - (1 << t.bits) if t.is_signed and pattern >> (t.bits - 1) else pattern


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the TestFloat vectors are not in {FOLDER.name}")
@pytest.mark.parametrize("name", FILES)
def test_evaluation_has_testfloats_bits(name: str) -> None:
    opcode, types, result = FILES[name]
    evaluator = op_runner(opcode, types, result)
    rows = 0
    with lzma.open(FOLDER / f"{name}.txt.xz", "rt") as lines:
        for line in lines:
            *operands, due, flags = line.split()
            if result.is_int and int(flags, 16) & OUT_OF_RANGE:
                continue
            args = [value(t, text) for t, text in zip(types, operands, strict=True)]
            got = evaluator.run("op", args)[0]
            assert bits_of(result, got) == bits_of(result, value(result, due)), line
            rows += 1
    assert rows >= 100
