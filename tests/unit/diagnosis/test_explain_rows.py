"""Several rows of operands and results: an evaluation must give all, and each reader says what is
wrong, where, and what to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samebits.bits import bits_to_float, exact_fma, float_to_bits
from samebits.cli import status
from samebits.diagnosis.explain import explain
from samebits.diagnosis.explain_rows import LARGEST_FILE, MOST_ROWS, read_rows
from samebits.errors import ArgumentError

FUSED = {"a": "0x3dcccccd", "b": "0x3dcccccd", "c": "0xbc23d70a"}


def fused(row: dict[str, str]) -> str:
    a, b, c = (bits_to_float(int(row[name], 16), 32) for name in "abc")
    return f"0x{float_to_bits(exact_fma(a, b, c, 32), 32):08x}"


ROWS = [FUSED, {"a": "0x3f8ccccd", "b": "0x3f99999a", "c": "0x3ea8f5c3"}]


def test_an_evaluation_must_give_the_results_of_every_row() -> None:
    alone = explain("a*b + c", FUSED, fused(FUSED))
    assert len(alone.causes) > 1
    plain = {"a": "0x3e99999a", "b": "0x3f000000", "c": "0x3f19999a"}
    strict = explain("a*b + c", plain, "0").strict
    both = explain("a*b + c", [FUSED, plain], [fused(FUSED), f"0x{strict + 12345:08x}"])
    assert not both.causes
    same = explain("a*b + c", [plain, FUSED], [f"0x{strict:08x}", fused(FUSED)])
    assert ["fma"] in [[h.name for h in cause.hazards] for cause in same.causes]
    assert [row.distance for row in same.rows] == [0, alone.distance]
    assert same.tried <= alone.tried + 1


def test_the_strict_evaluation_explains_rows_only_if_it_gives_them_all() -> None:
    rows = [{"x": "1", "y": "3"}, {"x": "5", "y": "3"}]
    assert explain("x / y", rows, ["0x3eaaaaab", "0x3fd55555"]).causes[0].hazards == ()
    names = [c.hazards[0].name for c in explain("x / y", rows, ["0x3eaaaaab", "0x3fd55556"]).causes]
    assert names[0] == "reciprocal"


CSV = "a, b ,c,got\n" + "\n".join(
    ",".join([*row.values(), fused(row)]) for row in ROWS
) + "\n\n"  # fmt: skip


@pytest.mark.parametrize("text", [
    CSV, CSV.replace("\n", "\r\n"), "\ufeff" + CSV,
    json.dumps([{**row, "got": fused(row)} for row in ROWS]),
])  # fmt: skip
def test_csv_and_json_are_read_alike(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows"
    file.write_bytes(text.encode())
    assert status(["explain", "a*b + c", "--rows", str(file), "--json"]) == 0
    facts: Any = json.loads(capsys.readouterr().out)
    assert [row["operands"] for row in facts["rows"]] == ROWS
    assert [row["observed"] for row in facts["rows"]] == [fused(row) for row in ROWS]
    assert facts["operands"] == ROWS[0]
    assert facts["causes"][0]["hazards"] == ["fma"]


def test_numbers_of_json_are_rounded_once_from_what_is_written() -> None:
    # A double of this would be a tie, which rounds to the even neighbour below.
    text = b'[{"a": 1.000000059604644775390625000000001, "got": 1}]'
    assert read_rows(text, "rows.json") == [({"a": "1.000000059604644775390625000000001"}, "1")]


def test_rows_of_a_command_line_go_with_its_operands(capsys: pytest.CaptureFixture[str]) -> None:
    row = " ".join(f"{name}={value}" for name, value in ROWS[1].items()) + f" got={fused(ROWS[1])}"
    given = [f"{name}={value}" for name, value in FUSED.items()]
    assert status(["explain", "a*b + c", *given, "--got", fused(FUSED), "--row", row]) == 0
    out = capsys.readouterr().out
    assert "gives the bits of every row:\n  fused multiply-add\n" in out
    assert out.index(" row 1\n") < out.index(" row 2\n") < out.index(" 2 rows; 1 differs from")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no rows"),
        ("a,got\n", "there are no rows"),
        ("a,b\n1,2\n", "line 1 of rows names no got"),
        ("a,a,got\n", "line 1 of rows names a twice"),
        ("a,b+,got\n", "line 1 of rows: 'b+' is not a name"),
        ("1,2,got\n", "line 1 of rows: '1' is not a name"),
        ("a,got\n1,2\n3\n", "line 3 of rows has 1 value, and the first line names 2"),
        ("a,got\n1,2,3\n", "line 2 of rows has 3 values, and the first line names 2"),
        ("a,got\n1,\n", "line 2 of rows: got is empty"),
        ('a,got\n"1,2\n', "line 2 of rows is not CSV"),
        (b"\xff\xfe\0a", "rows is not UTF-8 at byte 0"),
        ("[1]", "row 1 of rows is '1'"),
        ('[{"a": 1}]', "row 1 of rows has no got"),
        ('[{"a": null, "got": 1}]', "row 1 of rows: a is None"),
        ('[{"a": true, "got": 1}]', "row 1 of rows: a is True"),
        ('[{"a": [1], "got": 1}]', "row 1 of rows: a is ['1']"),
        ('[{"a": 1, "a": 2, "got": 1}]', "an object of rows has a name twice"),
        ('{"a": 1, "got": 1}', "rows is no list of rows"),
        ("[" * 100_000, "rows is not JSON"),
        ('[{"a": 1', "rows is not JSON"),
        ("a,got\n" + "1,2\n" * (MOST_ROWS + 1), "there are 1,001 rows, and 1,000 are the most"),
        (b"#" * (LARGEST_FILE + 1), "rows is larger than 4 MiB"),
    ],
)
def test_a_file_that_is_no_rows_says_what_and_where(text: str | bytes, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        read_rows(text if isinstance(text, bytes) else text.encode(), "rows")
    assert message in str(caught.value)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("values", "observed", "message"),
    [
        ([{"a": "1"}, {"a": "2"}], ["1"], "there are 2 rows of operands and 1 results"),
        ([{"a": "1"}], "1", "there are 1 rows of operands, and what was observed is one result"),
        ([], [], "there are no rows"),
        ([{"a": "1"}, 3], ["1", "2"], "values is 3"),
        ([{"a": "1"}, {"b": "2"}], ["1", "2"], "row 2: no value is given for a"),
        ([{"a": "1"}, {"a": "2", "c": "2"}], ["1", "2"], "row 2: the expression has no c"),
        ([{"a": "1"}, {"a": "-nan(ind)"}], ["1", "2"], "a of row 2 is not a number: '-nan(ind)'"),
        ([{"a": "1"}, {"a": "2"}], ["1", "x"], "what was observed in row 2 is not a number: 'x'"),
        ([{"a": "1"}, {"a": "2"}], ["1", "0x1"], "what was observed in row 2 has 1 hex digits"),
        ([{"a": "1"}, {"a": "0x3f800000"}], ["1", "2"],
         "rows 1 and 2 have the same operands and other results"),
    ],
)  # fmt: skip
def test_bad_rows_say_which(values: Any, observed: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        explain("a + 1", values, observed)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a=1"], "the observed result of these operands is not given"),
        ([], "no observed result is given"),
        (["--row", "a=1"], "--row a=1 has no got"),
        (["--row", "a=1 a=2 got=1"], "a is given twice"),
        (["--rows", "nowhere.csv"], "there is no file nowhere.csv"),
        (["--rows", "."], "there is no file ."),
        (["--rows", "a\0b"], "cannot be encoded as text"),
    ],
)
def test_a_command_line_without_results_ends_with_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["explain", "a + 1", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_text_of_a_nan_without_its_bits_is_refused_with_a_remedy() -> None:
    for text in ("-nan(ind)", "nan(0x123)", "1.#QNAN", "NaN0"):
        with pytest.raises(ArgumentError) as caught:
            explain("a + 1", {"a": text}, "1")
        assert caught.value.note == "a NaN's sign and payload are in its bits alone"
