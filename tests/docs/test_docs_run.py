"""Every Python block in the documentation runs, in order, page by page."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_page_does_what_it_says(page: Path) -> None:
    text = page.read_text()
    namespace: dict[str, object] = {"__name__": f"docs_{page.stem}"}
    for match in BLOCK.finditer(text):
        # The block at its own lines of the page, so that an error names the page's line.
        blank = "\n" * text[: match.start(1)].count("\n")
        source = blank + match[1]
        name = f"{page}#{match.start()}"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), namespace)
