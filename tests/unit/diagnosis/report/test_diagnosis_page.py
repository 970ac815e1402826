"""The page of a diagnosis: every part is there, whatever was found, and no name writes into it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

import pytest

from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.report.findings import (
    CauseFact,
    ColumnFact,
    Datum,
    Diagnosis,
    ExposedFact,
    FieldFact,
    OperationFact,
    Place,
    TimelineFact,
)
from samebits.diagnosis.report.html import page
from samebits.diagnosis.report.text import as_lines
from samebits.diagnosis.report.wording import kind_of, merged, near
from samebits.types import BOOL, FLOAT32, INT16, UINT64

SOURCE = "        square = math.dot(between, between)"
PLACE = Place("/games/arena.py", 262, 17, 43, "bounce", SOURCE)
ONE, OTHER = Datum("float32", "0x4133ee84", "11.245731"), Datum("float32", "0x4133ee83", "11.24573")
EVIL = '</title><script>alert("1")</script>\'><img src=x onerror=alert(1)>'


def operation() -> OperationFact:
    first = replace(ONE, name="(between.x * between.x)", bits="0x3fc07dc4")
    return OperationFact(
        "result", "add", PLACE, (replace(PLACE, function="step", line=377),), (("i", 6),),
        (first, replace(first, name="")), ONE, OTHER, 1, "it gives the plain run's bits",
    )  # fmt: skip


def cause() -> CauseFact:
    return CauseFact(
        "fma", "fused multiply-add", "fma(x0, x0, x1 * x1)", "GPUs", "-ffp-contract=off",
        "on this line", 2400, 2400, ("gives 48 of 48 results",),
    )  # fmt: skip


def diagnosis(**other: Any) -> Diagnosis:
    """One that has something of everything."""
    found = [FieldFact(f"bodies[{n}].vel.y", ONE, OTHER, n) for n in range(30)]
    exposed = [ExposedFact(replace(PLACE, line=n), "add", 1, 1, 2) for n in range(30)]
    given: dict[str, Any] = {
        "simulation": "arena", "version": "1", "seed": 1, "a": "opt=0", "b": "hazard=fma",
        "frames": 3600, "frame": 1200, "hashes": ("71e4", "b3d6"), "fields": tuple(found),
        "differing": 4000, "columns": (ColumnFact("bodies[].vel.y", 30, 202, 3),),
        "timeline": tuple(
            TimelineFact(n, max(0, n - 1199), n - 1199, "x") for n in range(1190, 1300)
        ),
        "operation": operation(), "causes": (cause(), replace(cause(), title="x87")),
        "certainty": "certain", "exposed": (*exposed, replace(exposed[-1])), "exposed_left": 3,
        "notes": ["a note"],
    }  # fmt: skip
    return Diagnosis(**{**given, **other})


class Read(HTMLParser):
    """Tags, attributes and text of a page, which must be closed as they were opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def headings(d: Diagnosis) -> list[str]:
    return [part.partition("</h2>")[0] for part in page(d).split("<h2>")[1:]]


EVERY = [
    "Divergence by frame, largest distance in ULP",
    "First differing operation",
    "Cause",
    "Fields that differ after the frame",
    "Exposed: other operations that the hazard acts on, by steps to the state",
    "Notes",
]


def test_everything_that_was_found_is_on_it() -> None:
    assert headings(diagnosis()) == EVERY
    text = Read(page(diagnosis())).text
    for said in (
        "frame 1,200 · bodies[0].vel.y · bounce, arena.py:262 · fused multiply-add (certain)",
        "fix: -ffp-contract=off", "frame 1,200 of 3,600 is the first that differs",
        "the first whose operands agree and whose results do not", "step:377", "i = 6",
        "0x4133ee84", "float32, 1 ULP apart", "bodies[].vel.y 30 of 202", "20 more rows",
        "and 3,970 more", "2 × sum", "2 of 4", "and 3 more", "a note",
        "also explained by",
    ):  # fmt: skip
        assert said in text


def test_a_name_cannot_write_into_the_page() -> None:
    plain, evil = Read(page(diagnosis())), Read(page(spoilt(diagnosis())))
    assert (evil.tags, evil.attributes) == (plain.tags, plain.attributes)
    assert evil.text.count("<script>") > 100


FIXED = ("kind", "certainty", "hazard")
"""Words of samebits' own."""


def spoilt(value: Any) -> Any:
    """The same with every text that says something replaced by one that would be a tag."""
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            f.name: spoilt(getattr(value, f.name)) for f in fields(value) if f.name not in FIXED
        }
        return replace(value, **changed)
    if isinstance(value, list):
        return [spoilt(each) for each in cast("list[Any]", value)]
    if isinstance(value, tuple):
        return tuple(spoilt(each) for each in cast("tuple[Any, ...]", value))
    return EVIL if isinstance(value, str) and value else value


def test_a_comparison_of_nothing_is_no_sameness() -> None:
    reason = spoilt(diagnosis(frame=None, notes=[], untried="b begins too late"))
    text = Read(page(reason)).text
    assert f"Nothing was compared: {EVIL}." in text
    assert "The same" not in text


def test_what_was_not_found_is_left_out() -> None:
    bare = diagnosis(
        fields=(), differing=0, columns=(), timeline=(), operation=None, causes=(),
        certainty="unknown", exposed=(), exposed_left=0, notes=[],
    )  # fmt: skip
    assert headings(bare) == ["Cause"]
    assert "Unknown: the first differing operation is not known." in Read(page(bare)).text
    tried = Read(page(diagnosis(causes=(), certainty="unknown"))).text
    assert "Unknown: no experiment gives the other side's bits." in tried
    assert headings(diagnosis(frame=None, fields=(), columns=(), timeline=(), operation=None,
                              causes=(), exposed=(), exposed_left=0)) == ["Notes"]  # fmt: skip


def test_an_experiment_that_gives_another_hash_is_not_counted_in_frames() -> None:
    given = diagnosis(causes=(replace(cause(), frames_same=0, frames_compared=1),))
    assert "injected on this line, it does not give b's hash" in Read(page(given)).text
    assert "  experiment: does not give b's hash" in [text for _, text in as_lines(given)]


def test_the_state_after_init_is_called_so() -> None:
    text = Read(page(diagnosis(frame=-1, timeline=()))).text
    assert "the state after init, before all 3,600 frames, is the first that differs" in text


def test_a_trap_in_the_first_differing_frame_draws_no_empty_timeline() -> None:
    alike = tuple(TimelineFact(frame, 0, None) for frame in range(1188, 1200))
    assert headings(diagnosis(timeline=alike)) == EVERY[1:]


def test_a_timeline_of_one_frame_has_one_number_below_it() -> None:
    text = page(diagnosis(timeline=(TimelineFact(7, 1, 1, "x"),)))
    assert text.count('text-anchor="middle"') == 1
    assert "Frame 7: one scalar differs, x by 1 ULP." in Read(text).text


def test_frames_that_heal_are_green_where_they_do() -> None:
    rows = [TimelineFact(n, int(n in (5, 6)), 1 if n in (5, 6) else None) for n in range(12)]
    text = page(diagnosis(timeline=tuple(rows)))
    assert text.count('class="zero"') == 2
    rows[8] = replace(rows[8], differing=1, ulps=3)
    text = page(diagnosis(timeline=tuple(rows)))
    assert (text.count('class="zero"'), text.count('class="line"')) == (3, 2)


def test_fields_known_by_their_hashes_alone_have_no_empty_table() -> None:
    hashed = (ColumnFact("bodies", 1, 0, None),)
    text = page(diagnosis(fields=(), differing=0, columns=hashed, exposed=(), operation=None))
    assert "<table" not in text
    assert "bodies its hash" in Read(text).text
    assert "only hashes are known of side b's state" in Read(text).text


@pytest.mark.parametrize("part", [(1, 202), (202, 202)])
def test_a_field_is_the_redder_the_more_of_it_differs(part: tuple[int, int]) -> None:
    text = page(diagnosis(columns=(ColumnFact("x", *part, None),)))
    assert f"--heat: {11 if part[0] == 1 else 55}%" in text


def test_components_of_one_expression_are_one_row() -> None:
    rows = diagnosis().exposed
    assert [(count, fact.changed) for fact, count in merged(rows)] == [(1, 1)] * 29 + [(2, 2)]


def test_an_operation_of_which_one_side_is_known_is_not_said_to_give_two_results() -> None:
    assert kind_of(replace(operation(), b=None)) == "the first that side b does differently"


def test_bits_are_written_as_explain_takes_them() -> None:
    shown = [datum(t, 1).bits for t in (BOOL, INT16, FLOAT32, UINT64)]
    assert shown == ["0x01", "0x0001", "0x00000001", "0x0000000000000001"]


def test_paths_are_written_as_they_are_typed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert near(f"at {tmp_path / 'old' / 'game.py'}:3") == f"at {Path('old', 'game.py')}:3"
    assert near("at /elsewhere/game.py:3") == "at /elsewhere/game.py:3"


def test_the_question_for_explain_is_on_the_page_and_in_the_text() -> None:
    command = 'samebits explain "x0 * x1" x0=0x3f800000 x1=0x3f800000 --got 0x3f800001'
    found = diagnosis(operation=replace(operation(), ask=command))
    assert f"  ask: {command}" in [text for _, text in as_lines(found)]
    assert "samebits explain &#34;x0 * x1&#34; x0=0x3f800000" in page(found)
    assert "samebits explain" not in page(diagnosis())


def test_what_init_leaves_is_no_frame_in_chart_and_text() -> None:
    rows = tuple(TimelineFact(n, 1, 1, "x") for n in range(-1, 9))
    found = diagnosis(frame=-1, timeline=rows)
    assert 'text-anchor="middle">init</text>' in page(found)
    assert "<h2>Fields that differ after init</h2>" in page(found)
    assert "scalars differ after init" in " ".join(text for _, text in as_lines(found))
    alone = " ".join(text for _, text in as_lines(replace(found, frames=0)))
    assert "frame: the state after init is the first that differs" in alone
