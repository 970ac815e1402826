"""A diagnosis as one HTML page that needs no other file: the timeline, the fields, the operation,
the cause with its evidence.

Owns the page; what is on it is in `finding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from math import log2

from samebits.diagnose.finding import (
    CERTAINTIES,
    CauseFact,
    CousinFact,
    Datum,
    Diagnosis,
    HeatFact,
    OperationFact,
    Place,
    TimelineFact,
)

_PLACE = re.compile(r"@([A-Z]+)@")
_WIDTH, _HEIGHT = 1020, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 26
_HEAT_SHOWN = 120
_COUSINS_SHOWN = 60


def page(diagnosis: Diagnosis) -> str:
    """The page's text."""
    template = files("samebits.diagnose").joinpath("page.html").read_text("utf-8")
    d = diagnosis
    parts = {
        "TITLE": escape(f"{d.simulation} {d.version}, seed {d.seed}"),
        "A": escape(d.a),
        "B": escape(d.b),
        "BODY": "\n".join(_sections(d)),
    }
    return _PLACE.sub(lambda found: parts[found[1]], template)


def _sections(d: Diagnosis) -> Iterator[str]:
    yield _section("", _lead(d))
    if d.same:
        return
    if d.timeline:
        yield _section("Divergence by frame, largest distance in ULP", _timeline(d.timeline))
    if d.operation is not None:
        yield _section("First differing operation", _operation(d.operation))
    yield _section("Cause", _causes(d))
    yield _section("Fields that differ after the frame", _fields(d))
    if d.cousins:
        yield _section("Cousins: what else the hazard acts on", _cousins(d))
    if d.notes:
        rows = "".join(f"<li>{escape(note)}</li>" for note in d.notes)
        yield _section("Notes", f"<ul>{rows}</ul>")


def _section(title: str, body: str) -> str:
    head = f"<h2>{escape(title)}</h2>" if title else ""
    return f"<section>{head}{body}</section>"


def _lead(d: Diagnosis) -> str:
    if d.same:
        return f'<div class="lead certain">The same: no frame of {d.frames:,} differs.</div>'
    assert d.frame is not None
    frame = "The state after init" if d.frame < 0 else f"Frame {d.frame:,}"
    hashes = ""
    if d.hashes is not None:
        hashes = (
            f'<div class="mono"><span class="a">a {escape(d.hashes[0])}</span> &nbsp; '
            f'<span class="b">b {escape(d.hashes[1])}</span></div>'
        )
    cause = escape(d.causes[0].title) if d.causes else "a cause that no experiment found"
    where = f" at {_where(d.operation.place)}" if d.operation else ""
    return (
        f'<div class="lead">{frame} of {d.frames:,} is the first that differs: '
        f"{cause}{where}</div>{hashes}"
    )


def _where(place: Place) -> str:
    return f'<span class="mono">{escape(_short(place))}</span>'


def _short(place: Place) -> str:
    name = re.split(r"[/\\]", place.file)[-1]
    return f"{name}:{place.line}:{place.column + 1}"


def _timeline(rows: Sequence[TimelineFact]) -> str:
    """Frames to the right; ULP upwards, by powers of two; the green line is where none differ."""
    first, last = rows[0].frame, rows[-1].frame
    most = max((row.ulps or 1 for row in rows), default=1)
    top = max(4.0, log2(most + 1))

    def x(frame: float) -> float:
        return _LEFT + (frame - first) / max(last - first, 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(ulps: int) -> float:
        return _HEIGHT - _BOTTOM - log2(ulps + 1) / top * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="ULP by frame">']
    step = max(1, round(top / 5))
    for power in range(0, int(top) + 1, step):
        at = y((1 << power) - 1)
        label = "0" if not power else f"2^{power}" if power > 13 else f"{(1 << power) - 1:,}"
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
        )
    for k in range(6):
        frame = first + round(k * (last - first) / 5)
        parts.append(
            f'<text x="{x(frame):.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{frame:,}</text>'
        )
    same = [row.frame for row in rows if not row.differing]
    if same:
        parts.append(
            f'<line class="zero" x1="{x(same[0]):.1f}" x2="{x(same[-1]):.1f}" '
            f'y1="{y(0):.1f}" y2="{y(0):.1f}"/>'
        )
    different = [row for row in rows if row.differing]
    points = " ".join(f"{x(r.frame):.1f},{y(r.ulps or 0):.1f}" for r in different)
    parts.append(f'<polyline class="line" points="{points}"/>')
    for row in different[:: max(1, len(different) // 200)]:
        tip = f"frame {row.frame:,}: {row.differing:,} scalars differ"
        tip += f", {row.path} by {row.ulps:,} ULP" if row.ulps is not None else ""
        parts.append(
            f'<circle class="dot" r="2.6" cx="{x(row.frame):.1f}" cy="{y(row.ulps or 0):.1f}">'
            f"<title>{escape(tip)}</title></circle>"
        )
    return "".join(parts) + "</svg>"


def _operation(o: OperationFact) -> str:
    path = "".join(
        f'<span class="mono">{escape(p.function)}:{p.line}</span>' for p in (*o.calls, o.place)
    )
    turns = ", ".join(f"{name} = {value:,}" for name, value in o.turns)
    rows = [
        _datum(datum.name or f"operand {k + 1}", datum, "") for k, datum in enumerate(o.operands)
    ]
    if o.a is not None:
        rows.append(_datum("a", o.a, "a"))
    if o.b is not None:
        rows.append(_datum("b", o.b, "b", o.ulps))
    return (
        f'<div><b>{escape(o.opcode)}</b> at {_where(o.place)}</div><div class="path">{path}</div>'
        + (f'<div class="soft">in the turn {escape(turns)}</div>' if turns else "")
        + _source(o.place)
        + f"<table>{''.join(rows)}</table>"
        + f'<div class="soft">{escape(o.believed)}</div>'
    )


def _source(place: Place) -> str:
    if not place.source:
        return ""
    text, start, end = place.source, place.column, max(place.end_column, place.column + 1)
    marked = f"{escape(text[:start])}<mark>{escape(text[start:end])}</mark>{escape(text[end:])}"
    return f'<pre><span class="soft">{place.line}</span>  {marked}</pre>'


def _datum(name: str, datum: Datum, style: str, ulps: int | None = None) -> str:
    apart = f"{ulps:,} ULP apart" if ulps is not None else ""
    return (
        f'<tr class="{style}"><td>{escape(name)}</td><td class="bits">{escape(datum.bits)}</td>'
        f'<td class="bits">{escape(datum.text)}</td><td class="soft">{escape(datum.type)}</td>'
        f"<td>{apart}</td></tr>"
    )


def _causes(d: Diagnosis) -> str:
    if not d.causes:
        return f'<div class="unknown">Unknown: {escape(CERTAINTIES["unknown"])}.</div>'
    first, *others = d.causes
    parts = [
        f'<div class="lead">{escape(first.title)}'
        f'<span class="badge {d.certainty}">{d.certainty}</span></div>',
        f'<div class="soft">{escape(CERTAINTIES[d.certainty])}</div>',
        f"<pre>{escape(first.expression)}</pre>" if first.expression else "",
        f"<div>{escape(_agreement(first))}</div>",
        *(f"<div>{escape(line)}</div>" for line in first.evidence),
        f'<div><span class="soft">as by</span> {escape(first.practice)}</div>',
        f'<div><span class="soft">instead</span> {escape(first.remedy)}</div>',
    ]
    if others:
        rows = "".join(f"<li>{escape(c.title)}: {escape(_agreement(c))}</li>" for c in others)
        parts.append(f'<div class="soft">also explained by</div><ul>{rows}</ul>')
    return "".join(parts)


def _agreement(cause: CauseFact) -> str:
    where = cause.reach
    if not cause.frames_compared:
        return f"Planted {where}, it gives the operation's result."
    frames = f"{cause.frames_same:,} of {cause.frames_compared:,} frames from there on"
    return f"Planted {where}, it gives b's hash in {frames}."


def _fields(d: Diagnosis) -> str:
    rows = "".join(
        f'<tr><td class="bits">{escape(f.path)}</td><td>{escape(f.a.type)}</td>'
        f'<td class="bits a">{escape(f.a.bits)}<br>{escape(f.a.text)}</td>'
        f'<td class="bits b">{escape(f.b.bits)}<br>{escape(f.b.text)}</td>'
        f'<td class="number">{"" if f.ulps is None else f"{f.ulps:,}"}</td></tr>'
        for f in d.fields
    )
    left = d.differing - len(d.fields)
    more = f'<div class="soft">and {left:,} more</div>' if left > 0 else ""
    head = '<tr><th>field</th><th>type</th><th>a</th><th>b</th><th class="number">ULP</th></tr>'
    return f"{_heat(d)}<table>{head}{rows}</table>{more}"


def _heat(d: Diagnosis) -> str:
    """One cell a field, the redder the larger the part of its scalars that differ."""
    cells = "".join(map(_cell, d.heat[:_HEAT_SHOWN]))
    return f'<div class="heat">{cells}</div>' if cells else ""


def _cell(h: HeatFact) -> str:
    part = h.differing / h.scalars if h.scalars else 1.0
    tip = f"{h.differing:,} of {h.scalars:,} scalars" if h.scalars else "its hash differs"
    tip += "" if h.ulps is None else f", up to {h.ulps:,} ULP"
    return f'<div style="--heat: {round(70 * part)}%" title="{tip}">{escape(h.path)}</div>'


def _cousins(d: Diagnosis) -> str:
    head = (
        '<tr><th>where</th><th>operation</th><th class="number">steps to the state</th>'
        '<th class="number">results changed in the frame</th></tr>'
    )
    rows = "".join(map(_cousin, d.cousins[:_COUSINS_SHOWN]))
    left = d.cousins_left + len(d.cousins) - min(len(d.cousins), _COUSINS_SHOWN)
    more = f'<div class="soft">and {left:,} more</div>' if left > 0 else ""
    return f"<table>{head}{rows}</table>{more}"


def _cousin(c: CousinFact) -> str:
    steps = "no path" if c.steps is None else f"{c.steps:,}"
    return (
        f'<tr><td class="bits">{escape(_short(c.place))} {escape(c.place.function)}</td>'
        f'<td class="bits">{escape(c.opcode)}<br>'
        f'<span class="soft">{escape(c.place.source.strip())}</span></td>'
        f'<td class="number">{steps}</td>'
        f'<td class="number">{c.changed:,} of {c.evaluations:,}</td></tr>'
    )
