"""The desync report of a session that is running, from the history that it keeps of itself."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from samebits.bits import xxh64
from samebits.desync.format import (
    HASHES,
    INPUT_HASHES,
    INPUTS,
    MAX_CHANGED,
    MAX_INPUTS,
    MAX_PROGRAM,
    MAX_STATES,
    PROGRAM,
    STATES,
    Contents,
    Key,
    StateChange,
    input_block,
    line_of,
    plan,
)
from samebits.desync.machine import this_machine
from samebits.desync.portable import PortableNames, portable
from samebits.desync.record import values_as_parts
from samebits.desync.record_trace import readable
from samebits.desync.report import Report
from samebits.desync.writer import write_report
from samebits.errors import ReportError
from samebits.ir.text import print_module
from samebits.sides.side import parse_side
from samebits.sides.words import default_words
from samebits.sim.history import Change, History
from samebits.sim.kept_session import KeptSession
from samebits.sim.simulation import Simulation
from samebits.sim.state.columns import columns
from samebits.sim.state.difference import hexadecimal


def write_session_report(
    session: KeptSession,
    path: str | os.PathLike[str],
    frames: range | int | None,
    confirmed: int | None,
    force: bool,
) -> int:
    """As `Session.report`."""
    return write_report(session_report(session, frames, confirmed), path, force)


def session_report(
    session: KeptSession, frames: range | int | None = None, confirmed: int | None = None
) -> Report:
    """What a session's history holds, as a report. Raises ReportError."""
    machine = this_machine()
    simulation, history = session.simulation, session.history
    assert isinstance(simulation, Simulation)
    last = _confirmed(history, confirmed)
    trap = history.trap if last == history.number else None
    header = simulation.header(session.seed)
    begun = last + (trap is not None)
    inputs = dict(history.inputs)
    if trap is not None:
        inputs[last] = trap[1]
    detail = _detail(inputs, range(history.first, begun), frames, header.frame_size)
    names = PortableNames(simulation)
    side = parse_side(default_words(), simulation)
    text = print_module(portable(readable(side, detail.start), names)).encode()
    text = b"" if len(text) > MAX_PROGRAM else text
    states = dict(_states(history, detail, last, header.state_size))
    contents = Contents(
        side=line_of(side.text),
        frames=last,
        asked=detail,
        states=tuple(states),
        leaves=0,
        program=len(text),
        init=names.function(side.plain.init),
        step=names.function(side.plain.step),
        trap=None if trap is None else names.trap(trap[0]),
        first=history.first,
        changes=tuple(_told(history, each) for each in history.changes if each.number <= last
                      and _is_one(history, each)),
        restores=tuple((each.frame, each.to) for each in history.restores),
    )  # fmt: skip
    first = history.first
    hashes = np.array(history.hashes[: last + 1 - first], np.uint64)
    hashed = np.array(history.input_hashes()[: begun - first], np.uint64)
    if trap is not None:
        (row,) = history.canonical_inputs([trap[1]])
        hashed = np.append(hashed, np.uint64(xxh64(row)))
    parts = {
        **values_as_parts(HASHES, hashes, first),
        **values_as_parts(INPUT_HASHES, hashed, first),
        **{Key(STATES, number): state for number, state in states.items()},
        Key(PROGRAM, 0): text,
    }
    rows = list(history.canonical_inputs([inputs[frame] for frame in detail]))
    count = input_block(header)
    for at in range(0, len(rows) if header.frame_size else 0, count):
        parts[Key(INPUTS, detail.start + at)] = b"".join(rows[at : at + count])
    return Report(machine, header, contents, {key: parts[key] for key in plan(header, contents)})


def _confirmed(history: History, confirmed: int | None) -> int:
    """How many whole frames are told."""
    if confirmed is None:
        return history.number
    if type(confirmed) is not int or not history.first <= confirmed <= history.number:
        raise ReportError(
            f"confirmed={confirmed!r:.40} is not among the frames {history.first:,} to "
            f"{history.number:,} that the session knows",
            fix="give how many frames are final, from frame 0 on",
        )
    return confirmed


def _detail(inputs: dict[int, bytes], begun: range, frames: range | int | None, size: int) -> range:
    """The frames in detail: those that are wanted, of those whose inputs are kept; by default as
    many of the last as a report holds."""
    kept = [frame for frame in inputs if frame in begun]
    have = range(min(kept), max(kept) + 1) if kept else range(begun.stop, begun.stop)
    if frames is None:
        return have[-max(1, MAX_INPUTS // max(1, size)) :]
    wanted = range(frames, frames + 1) if isinstance(frames, int) else frames
    if wanted.step == 1 and wanted and wanted[0] in have and wanted[-1] in have:
        return wanted
    there = f"{have.start:,} to {have.stop - 1:,}" if have else "none"
    raise ReportError(
        f"frames {wanted!r:.60} are not all kept: the session has those of {there}",
        fix="give a range within these, or start the session with a larger keep",
    )


def _states(history: History, detail: range, last: int, size: int) -> Iterator[tuple[int, bytes]]:
    """The states before the frames in detail and after the last, as many of the last as fit."""
    numbers = [n for n in sorted(history.states) if detail.start <= n <= min(detail.stop, last)]
    for number in numbers[-(MAX_STATES // size) :]:
        yield number, history.canonical_state(history.states[number])


def _is_one(history: History, change: Change) -> bool:
    """Whether a change is one of the state, not of what no hash covers."""
    if not change.was:
        return True
    return history.canonical_state(change.was) != history.canonical_state(change.became)


def _told(history: History, change: Change) -> StateChange:
    if not change.was:
        return StateChange(change.number, change.by, 0, ())
    was, became = map(history.canonical_state, (change.was, change.became))
    found: list[tuple[str, str, str]] = []
    differing = 0
    for column in columns(history.state):
        before, after = column.patterns(was), column.patterns(became)
        for flat in np.flatnonzero(before != after).tolist():
            differing += 1
            if len(found) < MAX_CHANGED:
                one, other = (hexadecimal(column.type, int(each[flat])) for each in (before, after))
                found.append((line_of(column.path(flat)), one, other))
    return StateChange(change.number, change.by, differing, tuple(found))
