"""What the documentation shows of `samebits diagnose` is what the command gives."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from samebits.cli import status
from samebits.diagnosis.report import findings as finding
from samebits.diagnosis.report.findings import Diagnosis
from samebits.sides.words import default_words

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "guides" / "diagnose.md").read_text("utf-8")
JSON = (ROOT / "docs" / "reference" / "diagnosis-json.md").read_text("utf-8")
SHOWN = re.compile(r"^```\n\$ samebits (diagnose [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "  …"
"""A line of an example that stands for some of the output."""


def shown() -> tuple[str, list[str]]:
    """The worked example: its command, and the parts of its output between what is left out."""
    match = SHOWN.search(TEXT)
    assert match is not None
    output = match[2].replace("  a  x86-64-v3-O3\n", f"  a  {default_words()}\n")
    return match[1], re.split(f"^{LEFT_OUT}\n", output, flags=re.MULTILINE)


def test_the_worked_example_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command, parts = shown()
    assert status(shlex.split(command)) == 1
    out = capsys.readouterr().out
    assert out.startswith(parts[0])
    at = 0
    for part in parts:
        assert part in out[at:]
        at = out.index(part, at) + len(part)


def test_every_part_of_the_output_is_explained() -> None:
    words = re.findall(r"^(\w+): ", SHOWN.search(TEXT)[2], re.MULTILINE)  # type: ignore[index]
    assert words == ["fix", "frame", "field", "operation", "cause", "exposed"]
    explained = re.findall(r"^\| (\w+) \| ", section("A worked example"), re.MULTILINE)
    assert [word for word in explained if word in words] == words


def section(title: str) -> str:
    return TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]


PARTS = {
    "headers": finding.HeaderFact,
    "inputs": finding.InputFact,
    "fields": finding.FieldFact,
    "columns": finding.ColumnFact,
    "timeline": finding.TimelineFact,
    "operation": finding.OperationFact,
    "causes": finding.CauseFact,
    "exposed": finding.ExposedFact,
    "recorded": finding.RecordedFact,
}


def test_the_table_of_fields_is_what_json_has() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", JSON, re.MULTILINE))
    assert list(rows) == ["format", "answer", "to_do", "same", *(f.name for f in fields(Diagnosis))]
    for name, fact in PARTS.items():
        listed = rows[name].partition(": ")[2].partition(";")[0]
        assert listed == ", ".join(f"`{f.name}`" for f in fields(fact)), name


@pytest.mark.parametrize("part", [finding.Datum, finding.Place])
def test_a_value_and_a_place_have_what_is_listed(part: type) -> None:
    assert ", ".join(f"`{f.name}`" for f in fields(part)) in JSON


def test_every_certainty_is_explained() -> None:
    rows = re.findall(r"^\| (\w+) \| ", section("How sure it is"), re.MULTILINE)
    assert rows == ["word", *finding.CERTAINTIES]


def test_how_often_a_diagnosis_is_right_is_what_was_measured() -> None:
    """Each row of the table names a section of the results, which has all of its figures."""
    told = (ROOT / "docs" / "explanation" / "diagnosis.md").read_text("utf-8")
    measured = (ROOT / "docs" / "results" / "diagnosis-quality.md").read_text("utf-8")
    sections = {
        text.split("\n", 1)[0]: re.findall(r"^\| ([^|\n]+) \| ([^|\n]+) \|", text, re.M)
        for text in measured.split("\n## ")[1:]
    }
    rows = re.findall(r"^\| \[([^]]+)\]\([^)]+\) \| (.+) \|$", told, re.M)
    assert [name for name, _ in rows] == [*sections]
    for name, cells in rows:
        counts = {
            key.split(",")[0].split(":")[0]: figure.partition(",")[0].replace(" of ", "/")
            for key, figure in sorted(sections[name], key=lambda row: ", where" in row[0])
        }  # the cause is that where the evidence decides, if both are counted
        wrong = next(figure for key, figure in sections[name] if key.startswith("wrong, but"))
        wanted = [counts.get(key, "") for key in ("frame", "fields", "line", "cause")]
        assert cells.split(" | ") == [*wanted, wrong], name
