"""A diagnosis as lines of text: frame, fields, operation, cause, exposed operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.diagnosis.frame import departing
from samebits.diagnosis.report import versions
from samebits.diagnosis.report.findings import (
    CERTAINTIES,
    INPUT_SHAPES,
    CauseFact,
    ColumnFact,
    Diagnosis,
    ExposedFact,
    FieldFact,
    OperationFact,
    Place,
)
from samebits.diagnosis.report.spoken import spoken
from samebits.diagnosis.report.wording import (
    answer,
    apart_said,
    change_said,
    departs,
    healing,
    input_said,
    kind_of,
    merged,
    moment_of,
    near,
    to_do,
    to_do_label,
    which,
    why_unknown,
)

FIELDS_SHOWN = 5
EXPOSED_SHOWN = 8

Line = tuple[str, str]
"""A style and a text; both may be empty."""

_STYLES = {"certain": "bold green", "likely": "bold yellow", "possible": "yellow", "unknown": "red"}


def as_lines(d: Diagnosis, edits: bool = False) -> Iterator[Line]:
    """The lines and their styles: the answer, what to do, then the evidence; with `edits` all edits
    between two versions besides."""
    yield _answer_style(d), answer(d)
    if todo := to_do(d):
        yield "", f"{to_do_label(d)}: {near(todo)}"
    yield "", ""
    yield "bold", f"{d.simulation} {d.version}, seed {d.seed}"
    yield "", f"  a  {d.a}"
    yield "", f"  b  {d.b}"
    yield "", ""
    yield from _headers(d)
    yield from _inputs(d)
    yield from _changes(d)
    if d.untried:
        yield from _notes(d.notes)
        return
    if d.same:
        yield from _departure(d, "both depart")
        yield from _notes(d.notes)
        return
    yield from _frame(d)
    yield from _fields(d)
    if d.operation is not None:
        yield from _operation(d.operation)
    yield from _causes(d)
    if edits and d.edits is not None:
        yield from (("", text) for text in versions.lines(d.edits))
    yield from _exposed(d.exposed, d.exposed_left)
    yield from _departure(d, "side a departs")
    yield from _notes(d.notes)


def _answer_style(d: Diagnosis) -> str:
    if d.untried:
        return "bold yellow"
    if d.same:
        return "bold red" if departs(d) else "green"
    return _STYLES[d.certainty]


def _headers(d: Diagnosis) -> Iterator[Line]:
    """What was known to differ before anything ran."""
    if not d.headers:
        return
    yield "bold yellow", "headers: these differ before anything runs: suspect them first"
    for fact in d.headers:
        yield "", f"  {fact.name}  a {fact.a}, b {fact.b}"
        yield "", f"    {fact.meaning}"
    yield "", ""


def _inputs(d: Diagnosis) -> Iterator[Line]:
    """The inputs that differ, before what comes of them."""
    if not d.inputs:
        return
    count = "one frame" if d.inputs_differing == 1 else f"{d.inputs_differing:,} frames"
    yield "bold yellow", f"inputs: {input_said(d.inputs[0])}; those of {count} differ"
    for fact in d.inputs[1:]:
        yield "", f"  {input_said(fact)}"
    for each in d.inputs[0].fields[:FIELDS_SHOWN]:
        yield from _field(each)
    yield "", f"  {INPUT_SHAPES[d.inputs[0].shape]}"
    yield "", ""


def _changes(d: Diagnosis) -> Iterator[Line]:
    """What was done to side b's state outside of its frames."""
    for fact in d.changes:
        yield "bold yellow", f"state: {change_said(fact)}"
        for each in fact.fields[:FIELDS_SHOWN]:
            yield "", f"  {each.path}  {each.a.type}{_apart(each.ulps)}"
            yield "", f"    was     {each.a.bits}  {each.a.text}"
            yield "red", f"    became  {each.b.bits}  {each.b.text}"
        if fact.differing > FIELDS_SHOWN:
            yield "dim", f"  and {fact.differing - FIELDS_SHOWN:,} more"
        yield "", ""


def _departure(d: Diagnosis, who: str) -> Iterator[Line]:
    """Where the run is not the recorded one."""
    lines = () if d.recorded is None else departing.lines(d.recorded, who)
    for number, text in enumerate(lines):
        yield ("bold red", f"recorded: {text}") if not number else ("", text)


def _frame(d: Diagnosis) -> Iterator[Line]:
    yield "bold", f"frame: {which(d)} is the first that differs"
    if d.hashes is not None:
        yield "", f"  a  {d.hashes[0]}"
        yield "", f"  b  {d.hashes[1]}"
    if said := healing(d):
        yield "", f"  {said}"
    yield "", ""


def _fields(d: Diagnosis) -> Iterator[Line]:
    if not d.fields:
        yield from _hashed(d.columns)
        return
    count = "one scalar differs" if d.differing == 1 else f"{d.differing:,} scalars differ"
    yield "bold", f"field: {d.fields[0].path}; {count} after {moment_of(d)}"
    for fact in d.fields[:FIELDS_SHOWN]:
        yield from _field(fact)
    left = d.differing - min(FIELDS_SHOWN, len(d.fields))
    if left > 0:
        yield "dim", f"  and {left:,} more"
    yield "", ""


def _hashed(columns: Sequence[ColumnFact]) -> Iterator[Line]:
    """The parts of the state whose hashes differ, where no more is known of them."""
    if columns:
        yield "bold", f"field: {columns[0].path}; only hashes are known of side b's state"
        for part in columns[:FIELDS_SHOWN]:
            yield "", f"  {part.path}"
        if len(columns) > FIELDS_SHOWN:
            yield "dim", f"  and {len(columns) - FIELDS_SHOWN:,} more"
        yield "", ""


def _field(fact: FieldFact) -> Iterator[Line]:
    yield "", f"  {fact.path}  {fact.a.type}{_apart(fact.ulps)}"
    yield "", f"    a  {fact.a.bits}  {fact.a.text}"
    yield "red", f"    b  {fact.b.bits}  {fact.b.text}"


def _apart(ulps: int | None) -> str:
    return "" if ulps is None else f", {ulps:,} ULP apart"


def _operation(o: OperationFact) -> Iterator[Line]:
    yield "bold", f"operation: {spoken(o.opcode)} in {o.place.function}, {near(str(o.place))}"
    yield "", f"  {kind_of(o)}"
    if o.calls:
        path = " → ".join(f"{p.function}:{p.line}" for p in o.calls)
        yield "", f"  by way of {path}"
    if o.iterations:
        iterations = ", ".join(f"{name} = {value:,}" for name, value in o.iterations)
        yield "", f"  in iteration {iterations}"
    yield from source(o.place)
    names = [datum.name or f"operand {k + 1}" for k, datum in enumerate(o.operands)]
    width = max(map(len, (*names, "a")))
    for name, datum in zip(names, o.operands, strict=True):
        yield "", f"    {name:<{width}}  {datum.bits}  {datum.text}  {datum.type}"
    if o.a is not None:
        yield "", f"    {'a':<{width}}  {o.a.bits}  {o.a.text}"
    if o.b is not None:
        yield "red", f"    {'b':<{width}}  {o.b.bits}  {o.b.text}{_apart(o.ulps)}"
    yield "dim", f"  {o.validation}"
    if o.ask:
        yield "dim", f"  ask: {o.ask}"
    yield "", ""


def source(place: Place) -> Iterator[Line]:
    """The line, and a caret under its columns."""
    if place.source:
        indent = len(place.source) - len(place.source.lstrip())
        start = max(place.column - indent, 0)
        yield "", f"      {place.source.strip()}"
        yield "bold", f"      {' ' * start}{'^' * max(1, place.end_column - place.column)}"


def _causes(d: Diagnosis) -> Iterator[Line]:
    if not d.causes:
        yield "bold red", f"cause: unknown: {why_unknown(d)}"
        yield "", ""
        return
    first, *others = d.causes
    yield _STYLES[d.certainty], f"cause: {first.title} ({first.hazard}), {d.certainty}"
    yield "dim", f"  {CERTAINTIES[d.certainty]}"
    yield from _cause(first)
    if others:
        yield "", "  also explained by:"
        for cause in others:
            yield "", f"    {cause.title} ({cause.hazard}): {_agreement(cause)}"
    if d.apart is not None:
        asked, *results = apart_said(d.apart)
        yield "", f"  {asked}"
        yield from (("", f"    {text}") for text in results)
    yield "", ""


def _cause(cause: CauseFact) -> Iterator[Line]:
    words = [word for word in (cause.expression, cause.scope) if word]
    if words and cause.frames_compared:
        yield "", f"  {', '.join(words)}"
        yield "", f"  experiment: {_agreement(cause)}"
    for line in "\n".join(cause.evidence).splitlines():
        yield "", f"  {near(line)}"
    yield "", f"  seen with: {cause.practice}"


def _agreement(cause: CauseFact) -> str:
    if not cause.frames_compared:
        return "gives the operation's result"
    if cause.holds:
        if cause.frames_same == 1:
            return "gives b's hash in that frame"
        return f"gives b's hash in all {cause.frames_same:,} frames from there on"
    if not cause.frames_same:
        return "does not give b's hash"
    return f"gives b's hash in {cause.frames_same:,} of {cause.frames_compared:,} frames"


def _exposed(exposed: Sequence[ExposedFact], left: int) -> Iterator[Line]:
    if not exposed:
        return
    yield (
        "bold",
        "exposed: other operations that the same hazard acts on, nearest to the state first",
    )
    rows = merged(exposed)
    counted = any(each.evaluations for each, _ in rows)
    for each, count in rows[:EXPOSED_SHOWN]:
        times = f"{count} × " if count > 1 else ""
        where = f"{near(str(each.place))}  {times}{spoken(each.opcode)} in {each.place.function}"
        yield "", f"  {where}: {_steps(each)}{_changed(each) if counted else ''}"
    more = left + sum(count for _, count in rows[EXPOSED_SHOWN:])
    if more:
        yield "dim", f"  and {more:,} more (--json has {'some of them' if left else 'them'})"
    yield "", ""


def _steps(each: ExposedFact) -> str:
    if each.steps is None:
        return "no path"
    return f"{each.steps} step{'' if each.steps == 1 else 's'}"


def _changed(each: ExposedFact) -> str:
    if not each.evaluations:
        return ", not reached in the frame"
    return f", changes {each.changed:,} of {each.evaluations:,} results in the frame"


def _notes(notes: Sequence[str]) -> Iterator[Line]:
    for note in notes:
        yield "", f"note: {note}"
