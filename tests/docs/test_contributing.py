"""CONTRIBUTING names files, targets of make and messages that there are."""

from __future__ import annotations

import re
from pathlib import Path

from samebits.lint import RULES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PLACES = [ROOT, ROOT / "src" / "samebits"]


def test_every_path_that_it_names_exists() -> None:
    words = " ".join(re.findall(r"`([^`\n]+)`", TEXT)).split()
    named = {word for word in words if re.fullmatch(r"[\w.-]+(/[\w.-]+)*(/|\.\w+)|tests/\S+", word)}
    named = {name for name in named if "/" in name or name.endswith((".py", ".md"))}
    assert len(named) > 40
    assert [name for name in sorted(named) if not any(any(p.glob(name)) for p in PLACES)] == []


def test_what_it_makes_can_be_made() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    wanted = set(re.findall(r"\bmake ([a-z][\w-]*)(?=`|  )", TEXT))
    assert len(wanted) > 8
    assert wanted <= targets


def test_its_example_of_an_error_is_one() -> None:
    shown = re.search(r"^```text\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert shown is not None
    messages = (ROOT / "tests" / "errors" / "messages").glob("*.txt")
    assert shown[1] in [message.read_text() for message in messages]


def test_the_guide_lists_every_lint_rule() -> None:
    guide = (ROOT / "docs" / "guides" / "lint.md").read_text("utf-8")
    rows = re.findall(r"^\| (SB\d+ [\w-]+) \|", guide, re.MULTILINE)
    assert rows == [f"{rule.code} {rule.name}" for rule in RULES]
