"""Every link between pages leads somewhere, anchors too, and code names pages that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BESIDE = [*sorted(ROOT.glob("examples/*/README.md")), *sorted(ROOT.glob("benchmarks/*.md"))]
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\bdocs/[\w/-]+\.\w+")
CODE = ("src", "tools", "tests", "benchmarks", "examples")
FILES = sorted(
    path for folder in CODE for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".toml", ".html"} and path != Path(__file__)
)  # fmt: skip


def anchors(page: Path) -> set[str]:
    """What GitHub makes of a page's headings."""
    found: set[str] = set()
    for title in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").strip().lower()
        slug = base = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while slug in found:
            number += 1
            slug = f"{base}-{number}"
        found.add(slug)
    return found


def dead(page: Path) -> Iterator[str]:
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


@pytest.mark.parametrize("page", [*PAGES, *BESIDE], ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert list(dead(page)) == []


def test_a_dead_link_and_a_dead_anchor_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c\n[here](#a-b-c) [gone](#d) [away](other.md) ![shown](a.png)\n")
    assert list(dead(page)) == ["#d", "other.md", "a.png"]


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    open_ = [ROOT / "README.md"]
    while open_:
        page = open_.pop()
        if page in reached or not page.exists():
            continue
        reached.add(page)
        for link in LINK.findall(FENCE.sub("", page.read_text())):
            path = link.partition("#")[0]
            if path.endswith(".md") and "://" not in path:
                open_.append((page.parent / path).resolve())
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []


def test_every_page_that_code_names_exists() -> None:
    named = {
        (name, str(path.relative_to(ROOT)))
        for path in [*FILES, ROOT / "Makefile", *ROOT.glob("*.md")]
        for name in NAMED.findall(path.read_text(encoding="utf-8", errors="replace"))
    }
    assert len(named) > 20
    assert sorted(pair for pair in named if not (ROOT / pair[0]).exists()) == []
