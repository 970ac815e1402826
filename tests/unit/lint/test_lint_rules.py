"""Every hazard of the corpus is found where it is marked, and nothing else anywhere."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from samebits.lint import RULES, check_source

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(CORPUS.glob("*/*.py"))


def marked(text: str) -> Counter[tuple[int, str]]:
    """Line and code of each hazard, from the comments `# expect: SB101, SB202`."""
    found: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"# expect: (.*)", line)
        if match:
            found.update((number, code.strip()) for code in match[1].split(","))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_hazards_are_found_where_they_are_and_nowhere_else(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    checked = check_source(text, path.name)
    assert checked.error is None
    assert Counter((f.line, f.code) for f in checked.findings) == marked(text)


def test_the_corpus_is_large_enough_and_every_rule_is_in_it() -> None:
    hazards = [p for p in FILES if p.parent.name == "hazards"]
    assert len(hazards) >= 40
    assert len(FILES) - len(hazards) >= 40
    found = {code for p in hazards for _, code in marked(p.read_text(encoding="utf-8"))}
    assert found == {rule.code for rule in RULES}


def test_rules_differ_by_code_and_name_and_stand_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted({*codes})
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(re.fullmatch(r"SB[1-9]\d\d", code) for code in codes)
    assert all(issubclass(t, ast.AST) for rule in RULES for t in rule.nodes)


def test_columns_count_characters() -> None:
    (found,) = check_source('import time\nname = "größe", time.time()\n', "a.py").findings
    assert (found.column, found.end_column) == (16, 27)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("t = time.time()", 1),
        ("t = time.time()  # noqa", 0),
        ("t = time.time()  # noqa: SB501", 0),
        ("t = time.time()  # noqa: E501, sb501", 0),
        ("t = time.time()  # NOQA:SB501", 0),
        ("t = time.time()  # noqa: SB101", 1),
        ('t = time.time(), "# noqa: SB501"', 1),
        ("t = (\n    time.time()  # noqa: SB501\n)", 0),
    ],
)
def test_a_comment_keeps_the_rules_that_it_names_silent_on_its_line(line: str, left: int) -> None:
    checked = check_source(f"import time\n{line}\n", "a.py")
    assert len(checked.findings) == left
    assert checked.suppressed == 1 - left
