"""How much of a log a stranger can fill."""

from __future__ import annotations

from samebits.net.few_lines import FewLines


def test_lines_of_a_kind_are_ten_a_minute_and_the_others_a_count() -> None:
    lines = FewLines()
    found = [line for n in range(500) for line in lines.take("m: refused", f"line {n}", n / 10)]
    assert found == [f"line {n}" for n in range(10)]
    assert lines.take("m: joined", "who", 51.0) == ["who"]
    assert lines.take("m: joined", "who else", 60.0) == [
        "m: refused: 490 more in a minute",
        "who else",
    ]
    assert lines.take("m: refused", "again", 61.0) == ["again"]
    assert lines.take("m: refused", "again", 200.0) == ["again"]
