"""A place is found by what a user writes, and what there is none of lists what there is."""

from __future__ import annotations

import pytest
from tests.support.runs.observed_frames import ARENA, TOUR

from samebits.errors import HazardError
from samebits.hazards.locate import find
from samebits.ir.grammar import For, Op
from samebits.ir.refs import OpRef, described, op_at, statement_at

KERNELS = ARENA.program.kernels


def opcodes(text: str) -> list[str]:
    found = [statement_at(KERNELS, place) for place in find(KERNELS, text)]
    return [s.opcode if isinstance(s, Op) else type(s).__name__ for s in found]


def test_a_line_is_what_begins_on_it() -> None:
    assert opcodes("arena.py:219").count("mul") == 2
    assert opcodes("arena/arena.py:219") == opcodes("arena.py:219")
    assert opcodes("examples\\arena\\arena.py:219") == opcodes("arena.py:219")


def test_a_column_counts_from_one() -> None:
    assert opcodes("arena.py:118:18") == ["mul"]
    assert opcodes("arena.py:118:19") == ["get", "sub"]


def test_a_function_is_all_its_statements_and_a_number_one_of_them() -> None:
    assert find(KERNELS, "draw") == find(KERNELS, "arena.draw") != []
    assert find(KERNELS, "arena.draw#37") == [OpRef("arena.draw", 37)]
    assert op_at(KERNELS, OpRef("arena.draw", 37)).opcode == "add"
    assert "For" in opcodes("fire")


def test_what_extends_over_a_line_is_there_where_nothing_begins() -> None:
    # 186 to 189 are one `if`, of which line 188 has its own test and 187 its own sum.
    assert "If" in opcodes("arena.py:186")
    assert opcodes("arena.py:188") != opcodes("arena.py:186")


def test_a_place_says_where_it_is_and_what_it_does() -> None:
    assert described(KERNELS, OpRef("arena.draw", 36)) == "arena.py:118:18 mul in arena.draw"
    cos = next(p for p in find(KERNELS, "arena.py:190") if _calls(p))
    assert described(KERNELS, cos) == "arena.py:190:22 call of cos in arena.steer"
    loop = next(p for p in find(KERNELS, "fire") if isinstance(statement_at(KERNELS, p), For))
    assert described(KERNELS, loop) == "arena.py:164:5 for in arena.fire"


def _calls(place: OpRef) -> bool:
    found = statement_at(KERNELS, place)
    return isinstance(found, Op) and found.opcode == "call"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("arena.py:100000", "the nearest lines that have one are 3"),
        ("arena.py:118:99", "they begin at the columns 12, 18, 19"),
        ("other.py:3", "its files are "),
        ("nothing", "its functions are arena.draw, arena.place"),
        ("arena.draw#99", "has no operation 99"),
        ("", "there is no function ''"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(text: str, says: str) -> None:
    with pytest.raises(HazardError) as raised:
        find(KERNELS, text)
    assert says in str(raised.value)


def test_a_name_of_several_functions_asks_for_more() -> None:
    with pytest.raises(HazardError) as raised:
        find(TOUR.program.kernels, "exp2")
    assert "samebits.mathlib.float64.exp_f64.exp2" in str(raised.value)


def test_a_statement_is_no_operation() -> None:
    loop = next(p for p in find(KERNELS, "fire") if isinstance(statement_at(KERNELS, p), For))
    with pytest.raises(HazardError):
        op_at(KERNELS, loop)
