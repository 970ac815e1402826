"""Reports for the tests: of a small simulation, and their files taken apart record by record."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Metadata

from samebits.bits import to_canonical, xxh64
from samebits.desync.format import TOPICS, Key
from samebits.desync.portable import PortableNames
from samebits.desync.reader import report_from_bytes
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.record_trace import portable_model
from samebits.desync.report import Report
from samebits.desync.summary import disclosure_json, disclosure_text, summary
from samebits.desync.writer import METADATA_NAME, checksum, description, pieces, report_bytes
from samebits.errors import ReportError
from samebits.frame_trace.encoding import decode
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace
from samebits.frame_trace.restore import restore_trace
from samebits.sides.side import Side, parse_side
from samebits.sim.execution import EvaluateExecution
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from tests.support.folders import SIMULATIONS

SMALL = load_simulation(str(SIMULATIONS / "small_simulation.py"))
MAGIC = b"\x89MCAP0\r\n"
FRAMES, ASKED, TRACED = 40, range(10, 14), 12


@cache
def small(players: str = "push", seed: int = 1, frames: int = FRAMES) -> Report:
    """A report of the small simulation, with every kind of part."""
    return made(PlayerSource(SMALL, players, seed, frames), ReportRequest(ASKED, TRACED))


def made(source: PlayerSource, wanted: ReportRequest, side: Side | None = None) -> Report:
    return record_report(side or evaluated(), source, wanted)


def evaluated(simulation: Simulation = SMALL, text: str = "evaluate") -> Side:
    """The reference interpreter as a side, whatever it is called."""
    return replace(parse_side("evaluate", simulation), text=text)


@cache
def states(players: str = "push", seed: int = 1, frames: int = FRAMES) -> list[bytes]:
    """The state before each frame, and after the last, run without any report."""
    run = EvaluateExecution(SMALL.program)
    run.start(seed)
    found = [run.save()]
    for block in PlayerSource(SMALL, players, seed, frames).blocks():
        for i in range(len(block.inputs)):
            run.advance(block.inputs[i : i + 1])
            found.append(run.save())
    return found


def inputs_of(players: str = "push", seed: int = 1, frames: int = FRAMES) -> list[bytes]:
    """The canonical inputs of each frame."""
    found: list[bytes] = []
    for block in PlayerSource(SMALL, players, seed, frames).blocks():
        found += [to_canonical(SMALL.input_type, row) for row in block.inputs]
    return found


def followed(report: Report, simulation: Simulation | None = None) -> Trace:
    """The trace in a report, along its own program or that of a simulation that is here."""
    frame = report.contents.traced
    state, inputs = report.state(frame), report.inputs_array(frame)
    if simulation is None:
        assert report.program is not None
        model = report.model_of(report.program)
    else:
        model = portable_model(Model.of(simulation.program), PortableNames(simulation))
    assert state is not None
    assert inputs is not None
    assert report.trace is not None
    return restore_trace(model, decode(report.trace), state, inputs)


@dataclass(frozen=True)
class Raw:
    """A record of a file: its kind, and where its head, its body and the next record begin."""

    opcode: int
    start: int
    body: int
    end: int


def records(data: bytes) -> Iterator[Raw]:
    at = len(MAGIC)
    while at < len(data) - len(MAGIC):
        opcode, length = struct.unpack_from("<BQ", data, at)
        yield Raw(opcode, at, at + 9, at + 9 + length)
        at += 9 + length


def keys_in(data: bytes, record: Raw) -> list[Key]:
    """The parts that a chunk has pieces of."""
    found: list[Key] = []
    at = record.body + 28 + 4 + 8
    while at < record.end:
        opcode, length = struct.unpack_from("<BQ", data, at)
        if opcode == Opcode.MESSAGE:
            (channel,) = struct.unpack_from("<H", data, at + 9)
            (number,) = struct.unpack_from("<Q", data, at + 9 + 22)
            found.append(Key(TOPICS[channel - 1], number))
        at += 9 + length
    return found


def flipped(data: bytes, at: int, bit: int = 0) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


def signed(report: Report, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The report's file with another description, whose checksums hold."""
    text = description(report)
    values = {key: json.loads(text[key]) for key in ("machine", "run", "contents")}
    change(values)
    run = values["run"]
    if isinstance(run, dict) and "checksum" in run:
        run["checksum"] = checksum({k: v for k, v in run.items() if isinstance(v, str)})
    for key, value in values.items():
        text[key] = json.dumps(value)
    text["checksum"] = checksum(text)
    return described(report, text)


def described(report: Report, text: dict[str, str]) -> bytes:
    """The report's file with another description, as it is."""
    builder = RecordBuilder()
    Metadata(name=METADATA_NAME, metadata=text).write(builder)
    new = builder.end()
    data = report_bytes(report)
    parts = [
        new if record.opcode == Opcode.METADATA else data[record.start : record.end]
        for record in records(data)
    ]
    return resealed(MAGIC + b"".join(parts) + MAGIC)


def resealed(data: bytes) -> bytes:
    """A file without an index, whose checksum of all data holds."""
    end = next(r for r in records(data) if r.opcode == Opcode.DATA_END)
    whole = data[: end.start]
    tail = struct.pack("<BQI", Opcode.DATA_END, 4, zlib.crc32(whole))
    footer = struct.pack("<BQQQ", Opcode.FOOTER, 20, 0, 0)
    return whole + tail + footer + struct.pack("<I", zlib.crc32(footer)) + MAGIC


def with_part(report: Report, key: Key, data: bytes) -> Report:
    """The report with another part, as a liar would write it."""
    return replace(report, parts={**report.parts, key: data})


def with_messages(report: Report, key: Key, messages: list[bytes]) -> Report:
    """What is read where the messages of one part are others, all checksums right."""
    import pytest

    with pytest.MonkeyPatch.context() as patch:
        true = pieces

        def lie(number: int, data: bytes) -> Iterator[bytes]:
            same = number == key.number and data == report.parts[key]
            yield from messages if same else true(number, data)

        patch.setattr("samebits.desync.writer.pieces", lie)
        return report_from_bytes(report_bytes(report))


def state_hash(state: bytes) -> int:
    return xxh64(state)


def use(data: bytes) -> None:
    """Everything that can be asked of a report, where there is one."""
    problem = ""
    try:
        report = report_from_bytes(data)
        text = [summary(report), *disclosure_text(report, "f", len(data)), *report.damage]
        assert all(line.isprintable() for line in text)
        disclosure_json(report, "f", len(data))
        for n in range(-2, 50):
            report.hash_after(n)
            report.inputs(n)
            report.state(n)
            report.tree_hashes(n)
        assert report.program is None or report.program.step
    except ReportError as error:
        problem = error.message
    assert "\n" not in problem
