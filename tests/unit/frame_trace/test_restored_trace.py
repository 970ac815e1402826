"""Stored traces: bytes that another machine follows to the same trace, and hostile ones."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from tests.support.programs.edits import OTHERS, backwards, nothing, only_above_two, other
from tests.support.runs.traced_frames import ARENA_FRAME, SMALL, TracedFrame

from samebits.bits import to_canonical, xxh64
from samebits.diagnosis.operation.first_difference import first_difference
from samebits.errors import TraceError
from samebits.frame_trace.encoding import decode, encode, to_bytes
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import LIMIT
from samebits.frame_trace.record import Trace, record
from samebits.frame_trace.reduce import DIVERGED, RETURNED, ReducedTrace, reduce_trace
from samebits.frame_trace.restore import restore_trace
from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.ir.grammar import For, Lanes, Module, Op
from samebits.types import INT


def followed(frame: TracedFrame, trace: Trace) -> Trace:
    """What another machine, which knows the plain program and the state, makes of a trace."""
    state = to_canonical(frame.program.state, frame.memory)
    return restore_trace(Model.of(frame.program), decode(encode(trace)), state, frame.inputs)


def assert_same(a: Trace, b: Trace) -> None:
    assert np.array_equal(a.numbers, b.numbers)
    assert np.array_equal(a.values, b.values)
    assert a.after == b.after
    assert a.last == b.last
    assert (a.trap is None) is (b.trap is None)
    if a.trap is not None and b.trap is not None:
        assert (a.trap.kind, a.trap.detail, a.trap.span) == (
            b.trap.kind,
            b.trap.detail,
            b.trap.span,
        )


@pytest.mark.parametrize("frame", [SMALL, ARENA_FRAME], ids=["small", "arena"])
def test_a_stored_trace_is_followed_to_the_same_trace(frame: TracedFrame) -> None:
    there = followed(frame, frame.trace)
    assert_same(there, frame.trace)
    for event in (0, 1000, len(there) - 1):
        assert there.instance(event) == frame.trace.instance(event)
    assert encode(there) == encode(frame.trace)


def test_a_stored_trace_of_the_arena_is_small() -> None:
    assert len(encode(ARENA_FRAME.trace)) < 64 * 1024


def test_what_arithmetic_gave_on_the_other_machine_is_what_is_followed() -> None:
    found = 0
    for place, _ in islice(SMALL.ops(*OTHERS), 0, None, 3):
        trace = SMALL.changed(SMALL.rebuilt(place, other))
        if place.function.endswith(".init") or first_difference(SMALL.trace, trace) is None:
            continue
        there = followed(SMALL, trace)
        assert_same(there, trace)
        difference = first_difference(SMALL.trace, there)
        assert difference is not None
        assert (difference.kind, difference.place) == ("result", place)
        assert difference.b is not None
        assert difference.a is not None
        assert difference.a.operands == difference.b.operands
        assert difference.a.results != difference.b.results
        found += 1
    assert found >= 7


def test_a_lost_store_on_the_other_machine_is_found() -> None:
    found = 0
    for place, _ in islice(SMALL.ops("store"), 0, None, 2):
        trace = SMALL.changed(SMALL.rebuilt(place, nothing))
        if place.function.endswith(".init") or first_difference(SMALL.trace, trace) is None:
            continue
        there = followed(SMALL, trace)
        assert_same(there, trace)
        difference = first_difference(SMALL.trace, there)
        assert difference is not None
        assert (difference.kind, difference.place) == ("path", place)
        found += 1
    assert found >= 4


def test_a_store_that_the_other_machine_lost_once_is_found() -> None:
    place = SMALL.at("drift", "mote.pos += mote.vel * 0.016", "store")
    trace = SMALL.changed(SMALL.rebuilt(place, only_above_two))
    there = followed(SMALL, trace)
    assert there.diverged_to is not None
    assert there.call_path(len(there)) == trace.call_path(len(there))
    difference = first_difference(SMALL.trace, there)
    assert difference is not None
    assert (difference.kind, difference.place) == ("path", place)


def test_a_call_that_the_other_machine_left_out_is_found() -> None:
    place = SMALL.at("step", "sort_in(state)", "call")
    there = followed(SMALL, SMALL.changed(SMALL.rebuilt(place, nothing)))
    difference = first_difference(SMALL.trace, there)
    assert difference is not None
    assert (difference.kind, difference.place) == ("path", place)


def test_a_loop_in_another_order_on_the_other_machine_is_found() -> None:
    for place, _ in SMALL.loops():
        if not place.function.endswith(".init"):
            trace = SMALL.changed(SMALL.rebuilt(place, backwards))
            there = followed(SMALL, trace)
            assert_same(there, trace)
            difference = first_difference(SMALL.trace, there)
            assert difference is not None
            assert (difference.kind, difference.place) == ("loop", place)


def test_other_lanes_on_the_other_machine_are_found() -> None:
    place = SMALL.loop("step", "for i in range(N)")

    def laned(editor: FunctionEditor, loop: Op | For) -> None:
        assert isinstance(loop, For)
        editor.append(replace(loop, lanes=Lanes((8,), (("total", "add"),))))

    trace = SMALL.changed(SMALL.rebuilt(place, laned))
    there = followed(SMALL, trace)
    assert_same(there, trace)
    difference = first_difference(SMALL.trace, there)
    assert difference is not None
    assert (difference.kind, difference.place) == ("loop", place)


def test_memory_that_was_not_zeroed_on_the_other_machine_is_found() -> None:
    place = SMALL.at("sort_in", "begin = sb.zeros", "zero")
    trace = SMALL.changed(SMALL.rebuilt(place, nothing))
    there = followed(SMALL, trace)
    assert_same(there, trace)
    difference = first_difference(SMALL.trace, there)
    assert difference is not None
    assert difference.kind == "memory"
    assert difference.place == SMALL.at("sort_in", "begin[eighth + 1] += 1", "load")


def test_where_the_other_machine_took_another_way_the_trace_parts() -> None:
    place = SMALL.loop("step", "for i in range(N)")

    def shorter(editor: FunctionEditor, loop: Op | For) -> None:
        assert isinstance(loop, For)
        one = editor.const(loop.start.type, 1)  # type: ignore[arg-type]
        editor.append(replace(loop, stop=editor.op("sub", loop.stop, one)))

    trace = SMALL.changed(SMALL.rebuilt(place, shorter))
    assert reduce_trace(trace).ending == DIVERGED
    there = followed(SMALL, trace)
    assert 0 < len(there) < len(trace)
    assert np.array_equal(there.numbers, trace.numbers[: len(there)])
    assert np.array_equal(there.values, trace.values[: len(there.values)])
    assert there.last == trace.place(len(there))
    for a, b in ((SMALL.trace, there), (there, SMALL.trace)):
        difference = first_difference(a, b)
        assert difference is not None
        assert (difference.kind, difference.place) == ("loop", place)
    assert encode(there) == encode(trace)


def test_a_trap_is_stored() -> None:
    inputs = SMALL.inputs.copy()
    inputs["at"] = 24
    frame = SMALL.with_inputs(inputs)
    trace = record(frame.trace.model, *frame.before)
    there = followed(frame, trace)
    assert_same(there, trace)
    assert there.instance(len(there)) == trace.instance(len(trace))
    trapped = SMALL.changed(SMALL.rebuilt(SMALL.at("step", "state.hits < 1000", "lt"), other))
    assert trapped.trap is not None
    assert trapped.trap.detail == "too many hits"
    assert_same(followed(SMALL, trapped), trapped)


def test_a_library_function_that_trapped_is_stored() -> None:
    place = SMALL.at("step", "wave = math.sin(total)", "call")

    def divided(editor: FunctionEditor, op: Op | For) -> None:
        assert isinstance(op, Op)
        editor.append(replace(op, attr="samebits.trapping"))

    kernels = SMALL.rebuilt(place, divided)
    (sine,) = (name for name in kernels.functions if name.endswith("sin_cos_f32.sin"))
    editor = FunctionEditor(kernels, sine)
    with editor.first():
        editor.op("floordiv", editor.const(INT, 1), editor.const(INT, 0))
    made = replace(editor.done().functions[sine], name="samebits.trapping")
    trace = SMALL.changed(Module({made.name: made, **kernels.functions}, kernels.tables))
    assert trace.trap is not None
    assert trace.last == place
    there = followed(SMALL, trace)
    assert (there.last, there.trap is not None and there.trap.kind) == (place, "zero")


def test_a_trace_of_another_program_or_frame_is_refused() -> None:
    stored = reduce_trace(SMALL.trace)
    with pytest.raises(TraceError, match="another program") as caught:
        restore_trace(ARENA_FRAME.trace.model, stored, *ARENA_FRAME.before)
    assert caught.value.event == 0
    memory = SMALL.memory.copy()
    memory["motes"]["pos"] += 1  # which all are written in the frame
    assert_same(restore_trace(SMALL.trace.model, stored, memory, SMALL.inputs), SMALL.trace)
    memory["dice"]["key"] += 1  # which none is
    with pytest.raises(TraceError, match="the frame ends in another state") as caught:
        restore_trace(SMALL.trace.model, stored, memory, SMALL.inputs)
    assert caught.value.event == len(SMALL.trace)


def broken(stored: ReducedTrace) -> dict[str, ReducedTrace]:
    column = next(c for c, patterns in stored.columns.items() if len(patterns) > 2)
    patterns = stored.columns[column]
    flags = next(c for c in stored.columns if SMALL.trace.model.numbering.type_of(c).name == "bool")
    shorter, longer = patterns[:-1], np.append(patterns, patterns[:1])
    two = np.full_like(stored.columns[flags], 2)
    nowhere = {**stored.columns, 1 << 20: patterns}
    return {
        "it has no more results": replace(stored, columns={**stored.columns, column: shorter}),
        "too many": replace(stored, columns={**stored.columns, column: longer}),
        "holds what is no bool": replace(stored, columns={**stored.columns, flags: two}),
        "there is no result": replace(stored, columns=nowhere),
        "is not one that is stored": replace(stored, corrections={column: (patterns, patterns)}),
        "it continues to": replace(stored, events=len(SMALL.trace) + 1),
        "it ends here": replace(stored, regions=10),
        "ends as 'gone'": replace(stored, ending="gone"),
        "has a trap without trapping": replace(stored, trap=("index", None, None)),
        "there is no trap": replace(stored, ending="trapped", last=(3,), trap=("boom", None, None)),
        "there is no operation": replace(stored, last=(1 << 20,)),
        "there is no operation 9999": replace(stored, absent=np.array([9999], np.uint32)),
        "it writes outside": replace(
            stored, patch=(np.array([1 << 40], np.uint64), np.array([1], np.uint8))
        ),
        "ends in another state": replace(stored, after=1),
    }


def test_what_does_not_fit_is_named_with_its_event() -> None:
    stored = reduce_trace(SMALL.trace)
    for message, bad in broken(stored).items():
        again = decode(to_bytes(bad)) if bad.ending != "gone" else bad
        with pytest.raises(TraceError, match=message) as caught:
            restore_trace(SMALL.trace.model, again, *SMALL.before)
        assert caught.value.event is not None
        assert 0 <= caught.value.event <= len(SMALL.trace)


def test_damaged_bytes_are_refused() -> None:
    data = encode(SMALL.trace)
    for cut in range(0, len(data), 7):
        with pytest.raises(TraceError):
            decode(data[:cut])
    rng = random.Random(1)
    for _ in range(200):
        bad = bytearray(data)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        with pytest.raises(TraceError):
            decode(bytes(bad))
    with pytest.raises(TraceError):
        decode(data + b"\0")


def sealed(body: bytes) -> bytes:
    """Bytes with the right hash, as somebody would write who means harm."""
    return b"sbtrace1" + xxh64(body).to_bytes(8, "little") + body


def test_bytes_that_inflate_beyond_the_limit_are_refused() -> None:
    bomb = sealed(zlib.compress(bytes(100_000_000), 9))
    with pytest.raises(TraceError, match="more than 33554432 bytes"):
        decode(bomb)
    with pytest.raises(TraceError, match="too many"):
        decode(to_bytes(replace(reduce_trace(SMALL.trace), events=LIMIT + 1)))
    for body in (b"", zlib.compress(b"x") + b"y", zlib.compress(b"x" * 200)[:-1]):
        with pytest.raises(TraceError):
            decode(sealed(body))


@pytest.mark.parametrize("seed", range(2))
def test_hostile_bytes_never_crash_and_never_run_on(seed: int) -> None:
    """Whatever is stored, following it gives a trace or a TraceError."""
    rng = random.Random(seed)
    plain = zlib.decompress(encode(SMALL.trace)[16:])
    kinds = {"fits": 0, "refused": 0, "unread": 0}
    for _ in range(60):
        body = bytearray(plain)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(len(body)) if rng.random() < 0.7 else rng.randrange(120)
            body[at] = rng.choice((0, 1, 0x7F, 0xFF, body[at] ^ 1 << rng.randrange(8)))
        if rng.random() < 0.1:
            del body[rng.randrange(len(body)) :]
        try:
            stored = decode(sealed(zlib.compress(bytes(body))))
        except TraceError:
            kinds["unread"] += 1
            continue
        try:
            there = restore_trace(SMALL.trace.model, stored, *SMALL.before)
        except TraceError:
            kinds["refused"] += 1
            continue
        kinds["fits"] += 1
        first_difference(SMALL.trace, there)
    assert min(kinds.values()) > 0, kinds


def test_hostile_values_never_crash_and_never_run_on() -> None:
    rng = np.random.default_rng(3)
    stored = reduce_trace(SMALL.trace)
    fits = 0
    for _ in range(60):
        columns: dict[int, Any] = dict(stored.columns)
        for column in rng.choice(list(columns), 3):
            bits = SMALL.trace.model.numbering.type_of(int(column)).bits
            patterns = columns[int(column)].copy()
            at = rng.integers(len(patterns))
            patterns[at] = int(rng.integers(1 << 63)) & ((1 << bits) - 1)
            columns[int(column)] = patterns
        try:
            restore_trace(SMALL.trace.model, replace(stored, columns=columns), *SMALL.before)
            fits += 1
        except TraceError:
            continue
    assert 0 < fits < 60
    assert stored.ending == RETURNED
