"""The page of fresh cases counts what was right and keeps what was not."""

from __future__ import annotations

from tools.prove_diagnose.foreign.judge import Verdict as Foreign
from tools.prove_diagnose.fresh import section
from tools.prove_diagnose.skew.judge import Verdict as Skew


def foreign(number: int, line: bool) -> Foreign:
    return Foreign(
        number, f"springs case{number}", "gcc -Ofast", "list", truth="line 3",
        said="line 4 | notes /tmp/secret", answer=True, frame=True, fields=True, line=line,
        cause=True, certainty="certain", version="abc",
    )  # fmt: skip


def test_every_family_is_counted_and_what_was_wrong_stays() -> None:
    skew = Skew(1, "arena", ["constant"], [[0]], True, True, True, True, True, version="abc")
    again = [foreign(8, True)]
    rows = {"skew": [skew], "foreign": [foreign(7, True), foreign(8, False)]}
    text = section(rows, {"skew": 3, "foreign": 4}, "It was cold.", again)
    assert "It was cold." in text
    assert "## Versions of a source: 1 cases\n\nOf seed 3, commit abc." in text
    assert "| cause: all edits that matter, and no other | 1 of 1, 100.0 % |" in text
    assert "| line | 1 of 2, 50.0 % |" in text
    assert "| wrong, but stated as certain | 1 |" in text
    assert "- 8: springs case8. Truth: line 3. Said: line 4\n" in text
    assert "- 7: springs" not in text
    assert "secret" not in text
    assert text.index("Judged again, by mended code") < text.index("8 +++++ certain")
    assert "## Sessions" not in text
