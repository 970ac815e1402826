"""A diagnosis as one HTML page that needs no other file: the timeline, the fields, the operation,
the cause with its evidence.

Owns the page; what is on it is in `finding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from math import log2, sqrt

from samebits.diagnosis.frame import departing
from samebits.diagnosis.report.findings import (
    CERTAINTIES,
    CauseFact,
    Datum,
    Diagnosis,
    ExposedFact,
    FieldFact,
    HeatFact,
    OperationFact,
    Place,
    TimelineFact,
)
from samebits.diagnosis.report.wording import bits, kind_of, merged, near, which, why_unknown
from samebits.visible import visible

_PLACE = re.compile(r"@([A-Z]+)@")
_WIDTH, _HEIGHT = 1020, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 40, 20, 40
_DOTS = 200
_HEAT_SHOWN = 120
_ROWS_OPEN = 10
"""Rows of a table that are shown before the rest is asked for."""
_EXPOSED_SHOWN = 60


def page(diagnosis: Diagnosis) -> str:
    """The page's text."""
    template = files("samebits.diagnosis.report").joinpath("page.html").read_text("utf-8")
    d = diagnosis
    parts = {
        "TITLE": escape(f"{d.simulation} {d.version}, seed {d.seed}"),
        "A": escape(d.a),
        "B": escape(d.b),
        "BODY": "\n".join(_sections(d)),
    }
    return _PLACE.sub(lambda found: visible(parts[found[1]]), template)


def _sections(d: Diagnosis) -> Iterator[str]:
    yield _section("", _lead(d))
    if any(row.differing for row in d.timeline):
        yield _section("Divergence by frame, largest distance in ULP", _timeline(d))
    if d.operation is not None:
        yield _section("First differing operation", _operation(d.operation))
    if not d.same:
        yield _section("Cause", _causes(d))
    if d.heat or d.fields:
        yield _section("Fields that differ after the frame", _heat(d) + _fields(d))
    if d.exposed:
        yield _section(
            "Exposed: other operations that the hazard acts on, by steps to the state", _exposed(d)
        )
    told = list(departing.lines(d.recorded, "the run departs")) if d.recorded is not None else []
    if told:
        yield _section("Recorded", f'<pre class="mono">{escape(chr(10).join(told))}</pre>')
    if d.notes:
        rows = "".join(f"<li>{escape(note)}</li>" for note in d.notes)
        yield _section("Notes", f"<ul>{rows}</ul>")


def _section(title: str, body: str) -> str:
    head = f"<h2>{escape(title)}</h2>" if title else ""
    return f"<section>{head}{body}</section>"


def _lead(d: Diagnosis) -> str:
    if d.untried:
        return f'<div class="lead">Nothing was compared: {escape(d.untried)}.</div>'
    if d.same:
        return f'<div class="lead certain">The same: no frame of {d.frames:,} differs.</div>'
    hashes = ""
    if d.hashes is not None:
        hashes = (
            f'<div class="sides mono"><span class="a">a</span><span>{escape(d.hashes[0])}</span>'
            f'<span class="b">b</span><span>{escape(d.hashes[1])}</span></div>'
        )
    cause = escape(d.causes[0].title) if d.causes else "the cause is unknown"
    where = f" at {_where(d.operation.place)}" if d.operation else ""
    return (
        f'<div class="lead">{_sentence(which(d))} is the first that differs: '
        f"{cause}{where}</div>{hashes}"
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _where(place: Place) -> str:
    return f'<span class="mono">{escape(_short(place))}</span>'


def _short(place: Place) -> str:
    name = re.split(r"[/\\]", place.file)[-1]
    return f"{name}:{place.line}:{place.column + 1}"


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


def _timeline(d: Diagnosis) -> str:
    rows = d.timeline
    most = max(row.ulps or 1 for row in rows)
    chart = _Chart(rows[0].frame, rows[-1].frame, max(4.0, log2(most + 1)))
    different = [row for row in rows if row.differing]
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="ULP by frame">',
        *_axes(chart),
        *_lines(chart, rows),
        *_dots(chart, different[:: max(1, len(different) // _DOTS)]),
        "</svg>",
    ]
    how = "Frames to the right, ULP upwards by powers of two; green where nothing differs"
    return f'{"".join(parts)}<div class="soft">{how}. {escape(_ends(different))}</div>'


def _axes(chart: _Chart) -> Iterator[str]:
    for power in range(0, int(chart.top) + 1, max(1, round(chart.top / 5))):
        at = chart.y((1 << power) - 1)
        label = "0" if not power else f"2^{power}" if power > 13 else f"{(1 << power) - 1:,}"
        yield (
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
        )
    apart = chart.last - chart.first
    for frame in sorted({chart.first + round(k * apart / 5) for k in range(6)}):
        at = chart.x(frame)
        yield f'<text x="{at:.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{frame:,}</text>'


def _lines(chart: _Chart, rows: Sequence[TimelineFact]) -> Iterator[str]:
    """Green where nothing differs, red through what does."""
    zero = chart.y(0)
    for start, stop in _stretches([row.frame for row in rows if not row.differing]):
        yield (
            f'<line class="zero" x1="{chart.x(start) - 3:.1f}" x2="{chart.x(stop) + 3:.1f}" '
            f'y1="{zero:.1f}" y2="{zero:.1f}"/>'
        )
    for start, stop in _stretches([row.frame for row in rows if row.differing]):
        points = [chart.point(row) for row in rows if start <= row.frame <= stop]
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline class="line" points="{text}"/>'


def _dots(chart: _Chart, rows: Sequence[TimelineFact]) -> Iterator[str]:
    for row in rows:
        x, y = chart.point(row)
        tip = f"<title>{escape(_tip(row))}</title>"
        yield f'<circle class="dot" r="3" cx="{x:.1f}" cy="{y:.1f}">{tip}</circle>'


def _stretches(frames: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of frames that follow one another."""
    starts = [f for k, f in enumerate(frames) if not k or frames[k - 1] != f - 1]
    stops = [f for k, f in enumerate(frames) if k + 1 == len(frames) or frames[k + 1] != f + 1]
    yield from zip(starts, stops, strict=True)


def _tip(row: TimelineFact) -> str:
    count = "one scalar differs" if row.differing == 1 else f"{row.differing:,} scalars differ"
    text = f"frame {row.frame:,}: {count}"
    return text if row.ulps is None else f"{text}, {row.path} by {row.ulps:,} ULP"


def _ends(rows: Sequence[TimelineFact]) -> str:
    """The first and the last differing frame in words."""
    first, last = _tip(rows[0]), _tip(rows[-1])
    return f"{_sentence(first)}." if first == last else f"{_sentence(first)}; {last}."


def _operation(o: OperationFact) -> str:
    path = "".join(
        f'<span class="mono">{escape(p.function)}:{p.line}</span>' for p in (*o.calls, o.place)
    )
    iterations = ", ".join(f"{name} = {value:,}" for name, value in o.iterations)
    rows = [
        _datum(datum.name or f"operand {k + 1}", datum, "") for k, datum in enumerate(o.operands)
    ]
    if o.a is not None:
        rows.append(_datum("a", o.a, "a"))
    if o.b is not None:
        rows.append(_datum("b", o.b, "b", o.ulps))
    return (
        f"<div><b>{escape(o.opcode)}</b> at {_where(o.place)}: {escape(kind_of(o))}</div>"
        f'<div class="path">{path}</div>'
        + (f'<div class="soft">in iteration {escape(iterations)}</div>' if iterations else "")
        + _source(o.place)
        + f'<div class="wide"><table>{"".join(rows)}</table></div>'
        + f'<div class="soft">{escape(o.validation)}</div>'
    )


def _source(place: Place) -> str:
    if not place.source:
        return ""
    indent = len(place.source) - len(place.source.lstrip())
    start, end = max(place.column, indent), max(place.end_column, place.column + 1)
    parts = place.source[indent:start], place.source[start:end], place.source[end:]
    before, marked, after = map(escape, parts)
    return (
        f'<pre><span class="soft">{place.line}</span>  {before}<mark>{marked}</mark>{after}</pre>'
    )


def _datum(name: str, datum: Datum, style: str, ulps: int | None = None) -> str:
    apart = f", {ulps:,} ULP apart" if ulps is not None else ""
    return (
        f'<tr class="{style}"><td class="bits">{escape(name)}</td>'
        f'<td class="bits whole">{escape(bits(datum))}</td>'
        f'<td class="bits whole">{escape(datum.text)}</td>'
        f"<td>{escape(datum.type)}{apart}</td></tr>"
    )


def _causes(d: Diagnosis) -> str:
    if not d.causes:
        return f'<div class="unknown">Unknown: {escape(why_unknown(d))}.</div>'
    first, *others = d.causes
    told = [
        ("experiment", _agreement(first)),
        *(("evidence", near(line)) for line in first.evidence),
        ("seen with", first.practice),
        ("fix", first.remedy),
    ]
    rows = (f'<span class="soft">{name}</span><span>{escape(text)}</span>' for name, text in told)
    parts = [
        f'<div class="lead">{escape(first.title)}'
        f'<span class="badge {d.certainty}">{d.certainty}</span></div>',
        f'<div class="soft">{escape(CERTAINTIES[d.certainty])}</div>',
        f'<pre class="wrap">{escape(first.expression)}</pre>' if first.expression else "",
        f'<div class="told">{"".join(rows)}</div>',
    ]
    if others:
        rows = "".join(f"<li>{escape(c.title)}: {escape(_agreement(c))}</li>" for c in others)
        parts.append(f'<div class="soft">also explained by</div><ul>{rows}</ul>')
    return "".join(parts)


def _agreement(cause: CauseFact) -> str:
    if not cause.frames_compared:
        return "none could repeat it"
    found = "does not give b's hash"
    if cause.frames_same:
        frames = f"{cause.frames_same:,} of {cause.frames_compared:,} frames"
        found = f"gives b's hash in {frames} from there on"
    return f"injected {cause.scope}, it {found}"


def _fields(d: Diagnosis) -> str:
    if not d.fields:
        return '<div class="soft">only hashes are known of side b\'s state</div>'
    head = '<tr><th>field</th><th>type</th><th>a</th><th>b</th><th class="number">ULP</th></tr>'
    return _table(head, list(map(_field, d.fields)), d.differing - len(d.fields))


def _field(f: FieldFact) -> str:
    return (
        f'<tr><td class="bits">{escape(f.path)}</td><td class="soft">{escape(f.a.type)}</td>'
        f'<td class="bits whole a">{escape(bits(f.a))}<br>{escape(f.a.text)}</td>'
        f'<td class="bits whole b">{escape(bits(f.b))}<br>{escape(f.b.text)}</td>'
        f'<td class="number">{"" if f.ulps is None else f"{f.ulps:,}"}</td></tr>'
    )


def _table(head: str, rows: Sequence[str], left: int) -> str:
    """The first rows, the others on request, and how many there are besides."""
    shown, hidden = rows[:_ROWS_OPEN], rows[_ROWS_OPEN:]
    text = f'<div class="wide"><table>{head}{"".join(shown)}</table></div>'
    if hidden:
        text += (
            f"<details><summary>{len(hidden):,} more rows</summary>"
            f'<div class="wide"><table>{head}{"".join(hidden)}</table></div></details>'
        )
    return text + (f'<div class="soft">and {left:,} more</div>' if left > 0 else "")


def _heat(d: Diagnosis) -> str:
    """One cell a field, the redder the larger the part of its scalars that differ."""
    cells = "".join(map(_cell, d.heat[:_HEAT_SHOWN]))
    if not cells:
        return ""
    left = len(d.heat) - _HEAT_SHOWN
    more = f'<div class="soft">and {left:,} more fields</div>' if left > 0 else ""
    return f'<div class="heat">{cells}</div>{more}'


def _cell(h: HeatFact) -> str:
    part = h.differing / h.scalars if h.scalars else 1.0
    count = f"{h.differing:,} of {h.scalars:,}" if h.scalars else "its hash"
    tip = count if h.ulps is None else f"{count} scalars, up to {h.ulps:,} ULP"
    return (
        f'<div style="--heat: {round(8 + 47 * sqrt(part))}%" title="{tip}">'
        f'<span class="bits">{escape(h.path)}</span> {count}</div>'
    )


def _exposed(d: Diagnosis) -> str:
    every = merged(d.exposed)
    counted = any(each.evaluations for each, _ in every)
    changed = '<th class="number">results changed in the frame</th>' if counted else ""
    head = f'<tr><th>where</th><th>operation</th><th class="number">steps</th>{changed}</tr>'
    rows = [_exposed_row(each, count, counted) for each, count in every[:_EXPOSED_SHOWN]]
    return _table(head, rows, d.exposed_left + sum(n for _, n in every[_EXPOSED_SHOWN:]))


def _exposed_row(c: ExposedFact, count: int, counted: bool) -> str:
    steps = "no path" if c.steps is None else f"{c.steps:,}"
    times = f"{count} × " if count > 1 else ""
    changed = f"{c.changed:,} of {c.evaluations:,}" if c.evaluations else "not reached"
    return (
        f'<tr><td class="bits whole">{escape(_short(c.place))}<br>{escape(c.place.function)}</td>'
        f'<td class="bits">{times}{escape(c.opcode)}<br>'
        f'<span class="soft">{escape(c.place.source.strip())}</span></td>'
        f'<td class="number">{steps}</td>'
        + (f'<td class="number">{changed}</td>' if counted else "")
        + "</tr>"
    )
