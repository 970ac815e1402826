"""Python blocks of the documentation run, in order, and so do the commands of walkthroughs."""

from __future__ import annotations

import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tools.doc_blocks import BLOCK, DOCS, PAGES, ROOT, SAVED, numbered

import samebits as sb
from samebits.cli import status
from samebits.sides.words import default_words

ELSEWHERE = {"cmake"}
"""Tutorials that a test of their own follows."""
WALKTHROUGHS = [
    DOCS / "getting-started.md",
    *(p for p in sorted((DOCS / "tutorials").glob("*.md")) if p.stem not in ELSEWHERE),
]
"""Pages that are followed from the first line to the last, in a folder of their own."""

SAVED_BEFORE = re.compile(r"<!-- saved before: ([\w-]+\.md) -->")
"""A page whose files a walkthrough goes on with."""

NEEDS = re.compile(r"<!-- needs: ([\w -]+) -->")
"""Programs without which a walkthrough is not followed. Where it names some, it is followed in a
folder that has the repository's `examples` and `tools`, and every command of its runs."""

SPEED = re.compile(r"(?<=same) [\d,]+ ?$", re.MULTILINE)
LEFT_OUT = re.compile(r"^ *…\n", re.MULTILINE)


def save(page: str, folder: Path) -> None:
    for _, text in BLOCK.findall(page):
        if saved := SAVED.match(text):
            (folder / saved[1]).write_text(text)


def plain(text: str) -> str:
    """Output without what differs on another machine: columns' widths, and how fast rows ran."""
    return re.sub(r" +$", "", SPEED.sub("", re.sub(r"(?<=\S) +", " ", text)), flags=re.MULTILINE)


def run(page: Path, match: re.Match[str], namespace: dict[str, object]) -> None:
    source = numbered(match)
    name = f"{page}#{match.start()}"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_page_imports_public_names_alone(page: Path) -> None:
    blocks = "\n".join(text for kind, text in BLOCK.findall(page.read_text()) if kind == "python")
    inside = re.findall(r"^ *(?:from|import) samebits\.(\w+)", blocks, re.MULTILINE)
    assert [name for name in inside if name not in sb.__all__] == []


def with_programs(needed: str, folder: Path) -> None:
    """Prepare a folder for commands of all kinds; skips the test where a program is missing."""
    for program in needed.split():
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    (folder / "examples").mkdir()
    shutil.copytree(ROOT / "examples" / "arena", folder / "examples" / "arena")


def run_line(line: str) -> None:
    """Run a line of a shell, with the Python and the samebits of this test."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    modules = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    env = {**os.environ, "PATH": path, "PYTHONPATH": modules}
    assert subprocess.run(line, shell=True, env=env, check=False).returncode == 0, line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_page_does_what_it_says(
    page: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    followed = page in WALKTHROUGHS
    # A reader's folders for temporary files are for the reader to remove.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
    if followed:
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        for other in SAVED_BEFORE.findall(page.read_text()):
            save((page.parent / other).read_text(), tmp_path)
        for needed in NEEDS.findall(page.read_text()):
            with_programs(needed, tmp_path)
    needs = NEEDS.search(page.read_text()) is not None
    namespace: dict[str, object] = {"__name__": f"docs_{page.stem}"}
    for match in BLOCK.finditer(page.read_text()):
        language, text = match[1], match[2]
        if followed and SAVED.match(text):
            save(match[0], tmp_path)
        elif language == "python":
            run(page, match, namespace)
        elif followed and language == "sh":
            for line in text.splitlines():
                if line.startswith("samebits "):
                    assert status(shlex.split(line, comments=True)[1:]) == 0, line
                elif needs:
                    run_line(line)
        elif followed and text.startswith("$ samebits "):
            command, _, shown = text.removeprefix("$ samebits ").partition("\n")
            capsys.readouterr()
            assert status(shlex.split(command)) in (0, 1)
            said, at = plain(capsys.readouterr().out), 0
            for part in LEFT_OUT.split(shown.replace("x86-64-v3-O3", default_words())):
                assert plain(part) in said[at:]
                at = said.index(plain(part), at) + len(plain(part))
