"""The blocks of the documentation's pages, as they stand in Markdown."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md"]

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"# (\w+\.py)\n")
"""The first line of a block that is saved as a file, not run."""


def numbered(match: re.Match[str]) -> str:
    """A block at its own lines of the page, so that an error names the page's line."""
    return "\n" * match.string[: match.start(2)].count("\n") + match[2]
