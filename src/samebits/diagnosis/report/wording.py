"""Sentences that the text of a diagnosis and its page share."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.diagnosis.report.findings import (
    CERTAINTIES,
    INPUT_SHAPES,
    ApartFact,
    ChangeFact,
    Diagnosis,
    ExposedFact,
    InputFact,
    OperationFact,
    Place,
)

_KINDS = {
    "result": "the first whose operands agree and whose results do not",
    "memory": "it reads what no earlier operation wrote differently",
    "input": "it reads an input that differs",
    "loop": "its iterations, or what they add up to, differ",
    "path": "one side does it and the other does not",
}


def which(d: Diagnosis) -> str:
    """The frame that differs, and of how many."""
    assert d.frame is not None
    if gap := _gap(d):
        return f"one of {gap}, of {d.frames:,},"
    if d.frame < 0:
        before = f", before all {d.frames:,} frames," if d.frames else ""
        return f"the state after init{before}"
    return f"frame {d.frame:,} of {d.frames:,}"


def answer(d: Diagnosis) -> str:
    """The answer in one line: frame, field, place, cause."""
    if d.untried:
        return f"nothing was compared: {d.untried}"
    if d.frame is None:
        but = f", but {change_said(d.changes[0])}" if d.changes else ""
        if not but and departs(d) and d.recorded is not None:
            but = f", but both depart from what {d.recorded.replay} records"
        return f"{_same(d)}{but}"
    when = f"one of {gap}" if (gap := _gap(d)) else moment(d.frame)
    return " · ".join([when, *_what(d), *_where(d), _why(d)])


def _same(d: Diagnosis) -> str:
    part = ", as far as the dumps tell" if d.is_partial else ""
    if d.compared is None or d.compared >= d.frames:
        return f"the same: no frame of {d.frames:,} differs{part}"
    if not d.compared:
        return f"the same after init: none of {d.frames:,} frames was compared"
    some = "one frame" if d.compared == 1 else f"{d.compared:,} frames"
    return f"the same in the {some} compared, of {d.frames:,}{part}; the others are not known"


def _gap(d: Diagnosis) -> str:
    """The frames of which one is the first that differs, where more than one may be; what `init`
    leaves counts too."""
    assert d.frame is not None
    if d.since is None or d.since >= d.frame - 1:
        return ""
    first = max(d.since + 1, 0)
    frames = "frame 0" if d.frame == 0 else f"frames {first:,} to {d.frame:,}"
    return f"{'init and ' * (d.since < -1)}{frames}"


def departs(d: Diagnosis) -> bool:
    """Whether the run made here is not the one that the replay records."""
    return d.recorded is not None and d.recorded.departure is not None


def _what(d: Diagnosis) -> Iterator[str]:
    """The first field that differs, or how a side traps."""
    paths = [fact.path for fact in (*d.fields, *d.columns)]
    traps = [f"{who} ends with a {text}" for who, text in zip("ab", d.hashes or (), strict=False)
             if text.startswith("trap")]  # fmt: skip
    yield from paths[:1] or traps[:1]


def _where(d: Diagnosis) -> Iterator[str]:
    if d.operation is not None:
        place = d.operation.place
        yield f"{place.function}, {file_of(place)}:{place.line}"


def _why(d: Diagnosis) -> str:
    if not d.causes:
        suspects = [fact.name for fact in d.headers] + ["inputs"] * bool(d.inputs)
        return f"cause unknown{': suspect ' + suspects[0] if suspects else ''}"
    first = d.causes[0]
    told = [fact for fact in d.inputs if fact.frame <= (d.frame or 0) <= fact.last]
    title = input_said(told[0]) if first.hazard == "changed-input" and told else first.title
    later = [change_said(fact) for fact in d.changes if fact.frame > (d.frame or 0)]
    return f"{'; '.join([title, *later[:1]])} ({d.certainty})"


def to_do(d: Diagnosis) -> str:
    """What to do next: the remedy of the cause, or how more is found out."""
    if d.frame is None:
        return ""
    if _is_told(d):
        return d.causes[0].remedy
    if d.headers:
        return d.headers[0].meaning
    if d.inputs:
        return INPUT_SHAPES[d.inputs[0].shape]
    asked = next((note for note in d.notes if "samebits " in note), None)
    if asked is not None:
        return asked
    return d.causes[0].remedy if d.causes else _APART


def to_do_label(d: Diagnosis) -> str:
    """How the line of what to do begins: a cause is mended, what is unknown looked for."""
    return "fix" if _is_told(d) else "next"


def _is_told(d: Diagnosis) -> bool:
    return bool(d.causes) and d.certainty in ("certain", "likely")


_APART = (
    "take the side apart: --b opt=0, workers=1, mode=STRICT, one target at a time; what is the "
    "same is not to blame"
)


def file_of(place: Place) -> str:
    """A place's file without its folders."""
    return re.split(r"[/\\]", place.file)[-1]


def healing(d: Diagnosis) -> str:
    """Whether the difference goes away by itself, in a sentence; empty where nothing was seen."""
    if d.frame is None or not d.followed:
        return ""
    if d.heals is not None:
        times = f"{d.parted_again:,} times" if d.parted_again > 1 else "once"
        before = f", as they were {times} before and parted again" if d.parted_again else ""
        return f"heals: after {moment(d.heals)} the states are the same again{before}"
    if d.parted_again:
        return (
            f"does not heal: {d.followed_differing:,} of the {d.followed:,} frames that follow "
            "differ"
        )
    frames = "next frame" if d.followed == 1 else f"{d.followed:,} frames that follow"
    return f"does not heal in the {frames}"


def moment(frame: int) -> str:
    """A frame by its number; -1 is `init`, of which no number is shown."""
    return "init" if frame < 0 else f"frame {frame:,}"


def moment_of(d: Diagnosis) -> str:
    """After what a state that differs is looked at."""
    return "init" if d.frame is not None and d.frame < 0 else "the frame"


def input_said(fact: InputFact) -> str:
    """Inputs that are others on side b, in a sentence."""
    many = fact.last > fact.frame
    when = f"in frame {fact.frame:,}"
    if many:
        when = f"from frame {fact.frame:,} to {fact.last:,}"
    if not fact.players:
        return f"the inputs {when} differ"
    who = _players(fact.players)
    if fact.shape == "left":
        return f"{who} left: nothing new from frame {fact.frame:,} on"
    if fact.shape not in _SHAPED:
        return f"{who}'s {_value(fact)} {when}"
    count = f"{fact.frames:,} frame{'s' * (fact.frames != 1)}"
    how = _SHAPED[fact.shape].format(count=count, other=fact.other)
    return f"{who}'s input{'s are' if many else ' is'} {how} {when}"


def change_said(fact: ChangeFact) -> str:
    """A change of side b's state outside of its frames, in a sentence."""
    n = fact.frame
    if fact.shape == "skipped":
        return f"frame {n:,} was not played: the state after it is that before it"
    between = f"between frames {n - 1:,} and {n:,}" if n else "between init and frame 0"
    if fact.shape == "frame" and fact.of is not None:
        return f"{between} the state became that before frame {fact.of:,}"
    more = f" and {fact.differing - 1:,} more" if fact.differing > 1 else ""
    where = f", in {fact.fields[0].path}{more}" if fact.fields else ""
    return f"the state was changed {between}{where}"


_SHAPED = {
    "dropped": "dropped",
    "repeated": "repeated",
    "exchanged": "exchanged",
    "late": "{count} late",
    "early": "{count} early",
    "another's": "player {other}'s",
}
"""How shapes are put that say where all of an input comes from."""


def _players(players: Sequence[int]) -> str:
    if len(players) == 1:
        return f"player {players[0]}"
    return f"players {', '.join(map(str, players[:-1]))} and {players[-1]}"


def _value(fact: InputFact) -> str:
    field = fact.fields[0]
    said = f"{field.path} is {field.b.text} on side b, and {field.a.text} on side a"
    if fact.shape == "range":
        return f"{said}: out of the range {fact.least} to {fact.most} of all other frames,"
    return f"{said},"


def what_leave(first: int, last: int) -> str:
    """The states after the frames from one to another, as what they leave; -1 is `init`."""
    if first == last:
        return f"what {moment(last)} leaves"
    frames = "frame 0" if last == 0 else f"frames {max(first, 0):,} to {last:,}"
    return f"what {'init and ' * (first < 0)}{frames} leave"


def why_unknown(d: Diagnosis) -> str:
    """Why there is no cause: without an operation there is nothing to try."""
    if d.operation is None:
        return "the first differing operation is not known"
    return CERTAINTIES["unknown"]


def apart_said(fact: ApartFact) -> list[str]:
    """What would decide between two causes, and then what it is for each."""
    if fact.frame is not None:
        said = f"the hash of {moment(fact.frame)} would tell the two apart:"
    else:
        given = ", ".join(f"{name} = {bits}" for name, bits in fact.operands)
        said = f"the first two would be told apart by `{fact.expression}` of {given}:"
    return [said, *(f"{r}  {t}" for r, t in zip(fact.results, fact.titles, strict=True))]


def near(text: str) -> str:
    """Paths below the working folder as they are typed there."""
    return text.replace(f"{os.getcwd()}{os.sep}", "")


def kind_of(o: OperationFact) -> str:
    """In which way an operation is the first that differs."""
    if o.only:
        other = "b" if o.only == "a" else "a"
        if o.line_too:
            return f"{o.only} executes line {o.place.line}, {other} does not"
        return f"{o.only} does this, {other} leaves it out"
    if o.kind == "result" and o.b is None:
        return "the first that side b does differently"
    if o.kind == "result" and o.a is None:
        return "the first that side a does differently"
    return _KINDS[o.kind]


def merged(exposed: Sequence[ExposedFact]) -> list[tuple[ExposedFact, int]]:
    """Exposed operations in their order, those of one expression, as a vector's components, put
    together; and how many each stands for."""
    rows: dict[tuple[Place, str, int | None], list[ExposedFact]] = {}
    for each in exposed:
        rows.setdefault((each.place, each.opcode, each.steps), []).append(each)
    return [
        (
            replace(
                alike[0],
                changed=sum(each.changed for each in alike),
                evaluations=sum(each.evaluations for each in alike),
            ),
            len(alike),
        )
        for alike in rows.values()
    ]
