"""A team's day, docs/proof.md: every command of the page, a proof that `make prove-day` runs at a
small size before the page's own."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.prove_day.day import IMAGES, PAGE, Day
from tools.prove_day.steps import Command, Picture, missing, steps_of

from samebits.testing.runs import rows_of

FUSING = rows_of(["x86-64-v3-O3"])[0]
PROGRAMS = ("bash", "curl", "git", "sha256sum")
EXTRAS = ("duckdb", "distributed", "starlette", "uvicorn", "sqlalchemy", "alembic")
LACKING = [
    *(name for name in PROGRAMS if shutil.which(name) is None),
    *(name for name in EXTRAS if find_spec(name) is None),
]


@pytest.mark.proof
@pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")
@pytest.mark.skipif(FUSING.reason is not None, reason="this processor has no fma")
def test_the_day_goes_as_the_page_says(tmp_path: Path) -> None:
    said: list[str] = []
    assert Day(tmp_path, short=True).follow(None, said.append) == []
    assert said


def test_the_pictures_of_the_page_are_those_that_are_taken() -> None:
    page = PAGE.read_text("utf-8")
    taken = [step.name for step in steps_of(page) if isinstance(step, Picture)]
    assert taken
    for name in taken:
        assert f"(images/{name}.png)" in page
        assert (IMAGES / f"{name}.png").is_file()


PRINTED = """\
2 of 2,000 replays
frame 9 · x
done in 3.1 s
"""


@pytest.mark.parametrize(
    ("shown", "numbers", "lacks"),
    [
        (("2 of 2,000 replays", "…", "done in 0.4 s"), True, None),
        (("2 of 1,999 replays",), True, "2 of 1,999 replays"),
        (("2 of 1,999 replays",), False, None),
        (("done in 3.1 s", "frame 9 · x"), True, "frame 9 · x"),
    ],
)
def test_what_is_shown_must_be_printed_in_its_order(
    shown: tuple[str, ...], numbers: bool, lacks: str | None
) -> None:
    assert missing(shown, PRINTED, numbers=numbers) == lacks


def test_steps_are_files_commands_and_pictures() -> None:
    page = "```toml\n# a.toml\nx = 1\n```\n```text\n$ false  # ends with 1\nno\n$ true\n```\n"
    found = steps_of(page + "<!-- picture: it file.html -->\n```sh\na\nb\n```\n")
    assert [type(step).__name__ for step in found] == [
        "Saved", "Command", "Command", "Picture", "Command",
    ]  # fmt: skip
    assert found[1] == Command("false", 1, ("no",))
    assert found[4] == Command("a\nb", 0, ())
