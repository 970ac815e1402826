"""What `samebits diagnose` finds as JSON and as a page, which is written whole or not at all."""

from __future__ import annotations

import json
import os
import re
from contextlib import redirect_stdout
from dataclasses import fields
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.support.command_line import Run, called, refused
from tests.support.runs.compared import FRAMES, FUSED, PLAIN, SMALL

from samebits.diagnosis.report.findings import CERTAINTIES, Diagnosis


class Page(HTMLParser):
    """Tags that are open, and every address that an attribute has."""

    VOID = ("meta", "link", "br", "img", "hr", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [str(v) for name, v in attrs if name in ("src", "href", "srcset")]
        assert tag not in ("script", "link", "iframe", "img", "object")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closed at once."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def facts(made: Path) -> tuple[dict[str, Any], str]:
    """What `--json` and `--html` give of one comparison."""
    page = made / "page.html"
    given = (SMALL, made / "push.mcap", "--a", PLAIN, "--b", FUSED, "--json", "--html", page)
    with redirect_stdout(StringIO()) as out:
        assert called("diagnose", *given) == 1
    text = page.read_text("utf-8")
    page.unlink()
    return json.loads(out.getvalue()), text


def test_json_is_one_object_with_everything(facts: tuple[dict[str, Any], str]) -> None:
    found, _ = facts
    told = ["format", "answer", "to_do", "same"]
    assert list(found) == [*told, *[field.name for field in fields(Diagnosis)]]
    assert found["answer"].startswith(
        "frame 10 · bodies[1].pos.x · step, small_simulation.py:59 · "
    )
    assert found["to_do"] == found["causes"][0]["remedy"]
    assert (found["heals"], found["followed"]) == (None, 29)
    assert (found["format"], found["same"], found["frame"], found["frames"]) == (2, False, 10, 40)
    assert found["hashes"] == ["81b23c3beb1e12a8", "78d1a622c5601bd9"]
    assert found["fields"][0]["path"] == "bodies[1].pos.x"
    assert (found["operation"]["place"]["file"], found["operation"]["place"]["line"]) == (SMALL, 59)
    assert found["causes"][0]["hazard"] == "fma"
    assert found["certainty"] in CERTAINTIES
    assert found["timeline"][-1]["frame"] == FRAMES - 1


def test_html_is_one_page_that_needs_nothing_else(facts: tuple[dict[str, Any], str]) -> None:
    _, text = facts
    assert "http" not in text
    assert "url(" not in text
    page = Page()
    page.feed(text)
    page.close()
    assert (page.open, page.addresses) == ([], [])
    for said in ("small 1, seed 1", FUSED, "frame 10 of 40", "fused multiply-add", "bodies[1].pos",
                 "small_simulation.py:59:20", "0xbce7eee8", "81b23c3beb1e12a8"):  # fmt: skip
        assert said in page.text


def test_names_from_a_report_cannot_write_into_the_page(run: Run) -> None:
    from dataclasses import replace

    from samebits.desync.reader import read_report
    from samebits.desync.writer import write_report

    report = read_report("fused.desync")
    contents = replace(report.contents, side="<script>alert(1)</script>")
    write_report(replace(report, contents=contents), "fused.desync", force=True)
    assert run("push.desync", "fused.desync", "--html", "page.html")[0] == 1
    page = Page()
    page.feed(Path("page.html").read_text("utf-8"))
    assert "<script>alert(1)</script>" in page.text


NOWHERE = Path("/proc")
"""A folder in which nobody makes files, root included."""


@pytest.mark.skipif(not NOWHERE.is_dir(), reason="this system has no such folder")
def test_a_page_that_cannot_be_written_is_refused_before_the_work(run: Run) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", PLAIN, "--html", NOWHERE / "page.html")
    assert re.fullmatch(
        "cannot write /proc/page.html: .+\n  fix: give a path that this user may write to", said
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_as_a_page_is_not_opened_before_the_work(run: Run) -> None:
    os.mkfifo("pipe")
    said = refused(run, SMALL, "--html", "pipe")
    assert said.startswith("side b is not given")


def test_a_page_is_written_over_an_older_one(run: Run) -> None:
    Path("page.html").write_text("")
    given = (SMALL, "push.mcap", "--b", PLAIN, "--html", "page.html")
    assert run(*given)[0] == 0
    first = Path("page.html").read_text("utf-8")
    assert run(*given)[0] == 0
    assert Path("page.html").read_text("utf-8") == first


def test_an_interrupt_ends_with_130_and_leaves_no_page(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.cli import diagnose as command

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "diagnose", interrupted)
    code, out, err = run(SMALL, "push.mcap", "--b", PLAIN, "--html", "page.html")
    assert (code, out, err) == (130, "", "interrupted\n")
    assert not Path("page.html").exists()
