"""A diagnosis as one self-contained HTML page.

It shows the timeline, the fields, the operation, and the cause with its evidence.

Owns what is on the page; `page.html` how it looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import Any

from samebits.diagnosis.frame import departing
from samebits.diagnosis.report.findings import (
    CERTAINTIES,
    CauseFact,
    ColumnFact,
    Diagnosis,
    Place,
    TimelineFact,
)
from samebits.diagnosis.report.spoken import spoken
from samebits.diagnosis.report.wording import (
    answer,
    apart_said,
    change_said,
    file_of,
    healing,
    input_said,
    kind_of,
    merged,
    moment,
    moment_of,
    near,
    to_do,
    to_do_label,
    which,
    why_unknown,
)
from samebits.pages import filled

_WIDTH, _HEIGHT = 1020, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 40, 20, 40
_DOTS = 200
_HEAT_SHOWN = 120
_ROWS_OPEN = 10
"""Rows of a table that are shown before the rest is asked for."""
_EXPOSED_SHOWN = 60


def page(diagnosis: Diagnosis) -> str:
    """The page's text."""
    d = diagnosis
    exposed = merged(d.exposed)
    return filled(
        "samebits.diagnosis.report", "page.html",
        d=d,
        which=None if d.same else which(d), leaver=moment_of(d),
        answer=answer(d), to_do=near(to_do(d)), label=to_do_label(d), healing=healing(d),
        inputs=[input_said(fact) for fact in d.inputs],
        changes=[change_said(fact) for fact in d.changes],
        chart=_chart(d.timeline) if any(row.differing for row in d.timeline) else None,
        certainty=CERTAINTIES[d.certainty],
        why_unknown=why_unknown(d),
        apart=[] if d.apart is None else apart_said(d.apart),
        agreement=_agreement,
        evidence=[near(line) for cause in d.causes[:1] for line in cause.evidence],
        heat=[_cell(h) for h in d.columns[:_HEAT_SHOWN]],
        heat_left=len(d.columns) - _HEAT_SHOWN,
        exposed=exposed[:_EXPOSED_SHOWN],
        exposed_left=d.exposed_left + sum(n for _, n in exposed[_EXPOSED_SHOWN:]),
        exposed_counted=any(each.evaluations for each, _ in exposed),
        recorded=[] if d.recorded is None else [*departing.lines(d.recorded, "the run departs")],
        rows_open=_ROWS_OPEN,
        kind_of=kind_of, marked=_marked, short=_short, spoken=spoken,
    )  # fmt: skip


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _short(place: Place) -> str:
    return f"{file_of(place)}:{place.line}:{place.column + 1}"


@dataclass(frozen=True)
class _Chart:
    """Frames to the right; ULP upwards, by powers of two."""

    first: int
    last: int
    top: float
    """The power of two at the upper edge."""

    def x(self, frame: int) -> float:
        part = (frame - self.first) / max(self.last - self.first, 1)
        return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)

    def y(self, ulps: int) -> float:
        return _HEIGHT - _BOTTOM - log2(ulps + 1) / self.top * (_HEIGHT - _TOP - _BOTTOM)

    def point(self, row: TimelineFact) -> tuple[float, float]:
        return self.x(row.frame), self.y(row.ulps or 0)


def _chart(rows: Sequence[TimelineFact]) -> dict[str, Any]:
    """The divergence by frame as the marks of a picture of `width` by `height`."""
    most = max(row.ulps or 1 for row in rows)
    chart = _Chart(rows[0].frame, rows[-1].frame, max(4.0, log2(most + 1)))
    apart = chart.last - chart.first
    differing = [row for row in rows if row.differing]
    lines = [
        [chart.point(row) for row in rows if start <= row.frame <= stop]
        for start, stop in _runs([row.frame for row in differing])
    ]
    return {
        "width": _WIDTH, "height": _HEIGHT, "left": _LEFT, "right": _WIDTH - _RIGHT,
        "zero": chart.y(0),
        "powers": [
            (chart.y((1 << power) - 1), _power(power))
            for power in range(0, int(chart.top) + 1, max(1, round(chart.top / 5)))
        ],
        "frames": [
            (chart.x(frame), "init" if frame < 0 else f"{frame:,}")
            for frame in sorted({chart.first + round(k * apart / 5) for k in range(6)})
        ],
        "same": [
            (chart.x(start) - 3, chart.x(stop) + 3)
            for start, stop in _runs([row.frame for row in rows if not row.differing])
        ],
        "lines": [" ".join(f"{x:.1f},{y:.1f}" for x, y in points) for points in lines],
        "dots": [
            (*chart.point(row), _tip(row))
            for row in differing[:: max(1, len(differing) // _DOTS)]
        ],
        "ends": _ends(differing),
    }  # fmt: skip


def _power(power: int) -> str:
    """The label of ULP distances of 2^`power` - 1."""
    return "0" if not power else f"2^{power}" if power > 13 else f"{(1 << power) - 1:,}"


def _runs(frames: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of frames that follow one another."""
    starts = [f for k, f in enumerate(frames) if not k or frames[k - 1] != f - 1]
    stops = [f for k, f in enumerate(frames) if k + 1 == len(frames) or frames[k + 1] != f + 1]
    yield from zip(starts, stops, strict=True)


def _tip(row: TimelineFact) -> str:
    count = "one scalar differs" if row.differing == 1 else f"{row.differing:,} scalars differ"
    text = f"{moment(row.frame)}: {count}"
    return text if row.ulps is None else f"{text}, {row.path} by {row.ulps:,} ULP"


def _ends(rows: Sequence[TimelineFact]) -> str:
    """The first and the last differing frame in words."""
    first, last = _tip(rows[0]), _tip(rows[-1])
    return f"{_sentence(first)}." if first == last else f"{_sentence(first)}; {last}."


def _marked(place: Place) -> tuple[str, str, str]:
    """A line of source before, in and after the columns to mark."""
    indent = len(place.source) - len(place.source.lstrip())
    start, end = max(place.column, indent), max(place.end_column, place.column + 1)
    return place.source[indent:start], place.source[start:end], place.source[end:]


def _agreement(cause: CauseFact) -> str:
    if not cause.frames_compared:
        return "none could repeat it"
    found = "does not give b's hash"
    if cause.frames_same:
        frames = f"{cause.frames_same:,} of {cause.frames_compared:,} frames"
        found = f"gives b's hash in {frames} from there on"
    return f"injected {cause.scope}, it {found}"


def _cell(h: ColumnFact) -> tuple[int, str, str, str]:
    """A field's cell, the redder the larger the part of its scalars that differ: percent of red,
    what is told when it is pointed at, path, and the count of its scalars."""
    part = h.differing / h.scalars if h.scalars else 1.0
    count = f"{h.differing:,} of {h.scalars:,}" if h.scalars else "its hash"
    tip = count if h.ulps is None else f"{count} scalars, up to {h.ulps:,} ULP"
    return round(8 + 47 * sqrt(part)), tip, h.path, count
