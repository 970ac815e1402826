"""The first line is the answer, the second what to do, and no operation goes by the IR's name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samebits.diagnosis.frame.healing import healed_beside, healed_in_timeline
from samebits.diagnosis.report.findings import (
    CauseFact,
    ColumnFact,
    Diagnosis,
    HeaderFact,
    InputFact,
    OperationFact,
    Place,
    TimelineFact,
)
from samebits.diagnosis.report.spoken import signed, spoken
from samebits.diagnosis.report.text import as_lines
from samebits.diagnosis.report.wording import answer, healing, to_do
from samebits.ir.rules import CHECKS

PLACE = Place("/games/arena.py", 262, 17, 43, "bounce", "        x = a * b + c")
CAUSE = CauseFact("fma", "fused multiply-add", "", "GPUs", "-ffp-contract=off", "", 9, 9)


def diagnosis(**other: Any) -> Diagnosis:
    given: dict[str, Any] = {
        "simulation": "arena", "version": "1", "seed": 1, "a": "a", "b": "b", "frames": 3600,
        "frame": 1200, "hashes": ("71e4", "b3d6"),
        "columns": (ColumnFact("bodies[10].vel.y", 1, 1, 1),),
        "operation": OperationFact("result", "add", PLACE, (), (), (), None, None, None, ""),
        "causes": (CAUSE,), "certainty": "certain",
    }  # fmt: skip
    return Diagnosis(**{**given, **other})


MODE = HeaderFact("mode", "STRICT", "FAST", "build both alike")
LATE = InputFact(1190, 1210, (1,), "late", 3)
NONE: dict[str, Any] = {"causes": (), "certainty": "unknown", "operation": None}
ANSWERS: list[tuple[dict[str, Any], str, str]] = [
    ({}, "frame 1,200 · bodies[10].vel.y · bounce, arena.py:262 · fused multiply-add (certain)",
     "-ffp-contract=off"),
    ({"frame": -1}, "init · bodies[10].vel.y · bounce, arena.py:262 · fused multiply-add (certain)",
     "-ffp-contract=off"),
    ({"hashes": ("71e4", "trap: boom"), "columns": (), **NONE},
     "frame 1,200 · b ends with a trap: boom · cause unknown", "take the side apart"),
    ({"headers": (MODE,), **NONE},
     "frame 1,200 · bodies[10].vel.y · cause unknown: suspect mode", "build both alike"),
    ({"notes": ["odd", "write another: samebits report"], **NONE},
     "frame 1,200 · bodies[10].vel.y · cause unknown", "write another: samebits report"),
    ({"inputs": (LATE,), "causes": (replace(CAUSE, hazard="changed-input"),)},
     "frame 1,200 · bodies[10].vel.y · bounce, arena.py:262 · player 1's inputs are 3 frames late "
     "from frame 1,190 to 1,210 (certain)", "-ffp-contract=off"),
    ({"certainty": "possible"},
     "frame 1,200 · bodies[10].vel.y · bounce, arena.py:262 · fused multiply-add (possible)",
     "-ffp-contract=off"),
    ({"frame": None}, "the same: no frame of 3,600 differs", ""),
    ({"untried": "too late", "frame": None}, "nothing was compared: too late", ""),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "first", "second"), ANSWERS)
def test_the_answer_is_one_line_and_what_to_do_the_next(
    facts: dict[str, Any], first: str, second: str
) -> None:
    found = diagnosis(**facts)
    assert answer(found) == first
    assert to_do(found).startswith(second)
    lines = [text for _, text in as_lines(found)]
    assert lines[0] == first
    label = "fix" if found.certainty in ("certain", "likely") else "next"
    assert lines[1].startswith(f"{label}: {second}") if second else lines[1] == ""


JARGON = {
    "const", "get", "set", "load", "store", "sub", "mul", "add", "div", "neg", "lt", "le", "gt",
    "ge", "eq", "ne", "select", "bitcast", "convert", "narrow", "local", "muladd", "xor", "shl",
    "shr", "apart", "own", "flat", "zero", "mod", "floordiv", "rotl", "rotr", "clz", "ctz",
}  # fmt: skip
"""Opcodes that are no words of Python or of arithmetic."""


def test_no_operation_is_called_by_the_name_that_it_has_in_the_ir() -> None:
    assert {opcode for opcode in CHECKS if spoken(opcode) in JARGON} == set()
    assert spoken("call of sqrt") == "call of sqrt"
    assert spoken("convert to float32") == "conversion to float32"
    assert (signed("sub"), signed("const")) == ("-", "number")


def test_whether_a_difference_heals_is_told() -> None:
    rows = tuple(TimelineFact(n, int(5 <= n < 8 or n > 9), None) for n in range(3, 12))
    assert healed_in_timeline(rows, 5) == (None, 6, 4, 1), "the same after 8 and 9 alone"
    assert healed_in_timeline(rows[:7], 5) == (8, 4, 2, 0)
    assert healed_in_timeline(rows, 10) == (None, 1, 1, 0)
    hashes = np.array([1, 2, 3, 4], np.uint64)
    assert healed_beside(hashes, 6, {5: 9, 6: 7, 8: 3, 9: 4, 12: 0}) == (8, 3, 1, 0)
    assert healing(diagnosis(heals=8, followed=6)) == (
        "heals: after frame 8 the states are the same again"
    )
    again = healing(diagnosis(heals=8, followed=6, followed_differing=3, parted_again=2))
    assert again.endswith("are the same again, as they were 2 times before and parted again")
    assert healing(diagnosis(followed=6, followed_differing=5, parted_again=1)) == (
        "does not heal: 5 of the 6 frames that follow differ"
    )
    assert healing(diagnosis(followed=6)) == "does not heal in the 6 frames that follow"
    assert healing(diagnosis(followed=1)) == "does not heal in the next frame"
    assert healing(diagnosis()) == ""
