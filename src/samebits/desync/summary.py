"""A desync report's summary in one sentence, and its disclosure: all that it reveals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from samebits.desync.format import (
    HASHES,
    INPUT_HASHES,
    INPUTS,
    PROGRAM,
    STATES,
    TOPICS,
    TRACE,
    TREES,
    Key,
    input_block,
)
from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.ir.grammar import Module, Op, walk
from samebits.printed import OUTPUT

NOT_IN_IT = (
    "not in it: names of the host or of a user, paths, environment variables, clock times, "
    "the source"
)
NOT_FAITHFUL = (
    "the traced evaluation left another state than the run: the trace does not show what ran"
)
_INDENT = 14
_COLUMNS = 100


def disclosure_json(report: Report, path: str, size: int) -> dict[str, Any]:
    """The disclosed facts as JSON; `parts` has the bytes of each kind, before compression."""
    about, contents = report.header, report.contents
    sizes = {
        topic: sum(len(data) for key, data in report.parts.items() if key.topic == topic)
        for topic in TOPICS
    }
    return {
        "report": path,
        "bytes": size,
        "damage": list(report.damage),
        "machine": report.machine.to_json(),
        "simulation": {
            "name": about.simulation,
            "version": about.version,
            "digest": about.digest,
            "mode": about.mode,
            "precision": about.precision,
            "players": about.players,
            "tick_rate": about.tick_rate,
            "schema": about.schema,
        },
        "side": contents.side,
        "seed": about.seed,
        "frames": contents.frames,
        "asked": [contents.asked.start, contents.asked.stop],
        "states": report.states,
        "traced": contents.traced if report.trace is not None else None,
        "trace_is_faithful": report.trace_is_faithful if report.trace is not None else None,
        "trap": None if contents.trap is None else asdict(contents.trap),
        "first": contents.first,
        "changes": [change.to_json() for change in contents.changes],
        "restores": [list(pair) for pair in contents.restores],
        "inputs": {
            str(frame): data.hex()
            for frame in contents.asked
            if (data := report.inputs(frame)) is not None
        },
        "parts": {topic.strip("/"): size for topic, size in sizes.items()},
        "names": _names(report),
    }


def disclosure_text(report: Report, path: str, size: int) -> Iterator[str]:
    """The disclosure as lines of text."""
    about, contents, machine = report.header, report.contents, report.machine
    yield f"{path}: a desync report of {size:,} bytes"
    yield "machine"
    yield from _rows(
        ("architecture", machine.architecture),
        ("system", ", ".join(filter(None, (machine.system, machine.libc)))),
        ("processor", machine.processor),
        ("features", ": ".join(filter(None, (machine.cpu, " ".join(machine.features))))),
        ("samebits", ", ".join(filter(None, (machine.samebits, machine.llvm)))),
        ("Python", f"{machine.python}, NumPy {machine.numpy}" if machine.python else ""),
        ("fingerprint", machine.fingerprint),
        ("workers", str(machine.workers or "")),
        ("registers", ", ".join(f"{name} {word:#06x}" for name, word in machine.registers)),
        ("environment", machine.environment),
    )
    if machine.compiler or machine.units:
        yield from _rows(("compiler", machine.compiler), ("source files", "; ".join(machine.units)))
    yield "simulation"
    yield from _rows(
        ("name", f"{about.simulation} {about.version}"),
        ("digest", f"{about.digest}, {about.mode}, {about.precision}"),
        ("run", f"{contents.side}, seed {about.seed}, {about.players} players, "
                f"{about.tick_rate} frames a second"),
    )  # fmt: skip
    for name in ("state", "input"):
        yield from _rows((name, _shown(about.schema.get(name))))
    yield "holds"
    yield from (f"  {phrase}" for phrase in part_phrases(report, list(report.parts)))
    yield from _rows(*_of_session(report))
    if contents.trap is not None:
        yield f"  the trap in frame {contents.frames}: {contents.trap.message}, at " + (
            contents.trap.place
        )
    if report.trace is not None and not report.trace_is_faithful:
        yield f"  {NOT_FAITHFUL}"
    names = _names(report)
    if names:
        yield "names in the program"
        yield from _rows(*((kind, ", ".join(found)) for kind, found in names.items() if found))
    yield NOT_IN_IT


def _of_session(report: Report) -> Iterator[tuple[str, str]]:
    """What a session that was running tells besides."""
    for change in report.contents.changes:
        scalars = [f"{path} {before} to {after}" for path, before, after in change.scalars]
        text = f"before frame {change.number}, by {change.by}: {', '.join(scalars) or 'unknown'}"
        count = change.differing
        yield "a change", f"{text}; {count} scalar{'s' * (count != 1)}" if count else text
    restores = [f"{at} to {to}" for at, to in report.contents.restores]
    if restores:
        yield "restores", ", ".join(restores)


def _rows(*rows: tuple[str, str]) -> Iterator[str]:
    for name, value in rows:
        # Untrusted text must not control this terminal.
        yield from textwrap.wrap(
            (value if value.isprintable() else ascii(value)) or "unknown",
            _COLUMNS,
            initial_indent=f"  {name:{_INDENT}}",
            subsequent_indent=" " * (2 + _INDENT),
            break_on_hyphens=False,
        )


def _shown(schema: Any) -> str:
    """A type of a replay's schema in the notation of kernels, on one line."""
    match schema:
        case {"struct": name, "fields": [*fields]}:
            inner = ", ".join(f"{field[0]}: {_shown(field[1])}" for field in fields)
            return f"{name}({inner})"
        case {"array": element, "shape": [*shape]}:
            return f"{_shown(element)}[{', '.join(map(str, shape))}]"
        case _:
            return str(schema)


def _names(report: Report) -> dict[str, list[str]]:
    """The names and texts in the program, by kind; empty if it cannot be read."""
    try:
        program = report.program
    except ReportError:
        return {}
    return {} if program is None else _of_module(program.kernels)


_TOLD = OUTPUT | {"assert"}
"""The opcodes whose attribute is a text of the source."""


def _of_module(module: Module) -> dict[str, list[str]]:
    files: set[str] = set()
    texts: set[str] = set()
    variables: set[str] = set()
    for function in module.functions.values():
        files.add(function.span.file)
        variables.update(dict(function.params), function.slots, function.locals)
        for statement in walk(function.body):
            files.add(statement.span.file)
            if isinstance(statement, Op) and statement.opcode in _TOLD and statement.attr:
                texts.add(str(statement.attr))
    return {
        "files": sorted(files),
        "functions": list(module.functions),
        "variables": sorted(variables),
        "messages": sorted(texts),
    }


_PHRASES = {
    HASHES: ("the hash of frame {}", "hashes of frames {}"),
    INPUT_HASHES: ("the hash of the inputs of frame {}", "hashes of the inputs of frames {}"),
    INPUTS: ("inputs of frame {}", "inputs of frames {}"),
    STATES: ("the state before frame {}", "states before frames {}"),
    TREES: ("the Merkle tree after frame {}", "Merkle trees after frames {}"),
    PROGRAM: ("the program", ""),
    TRACE: ("the trace of frame {}", ""),
}
"""The phrases for a topic's parts: of one frame, of several."""
_MOST_SHOWN = 16
_AFTER = (HASHES, TREES)
"""Topics that count states, whose first is the one after `init`."""
_INIT = "the hash of the state that init leaves"


def summary(report: Report) -> str:
    """The parts that are usable and those that are not, as in `hashes of frames 0-899 and the
    environment are usable; the trace of frame 124 is not`."""
    lack = part_phrases(report, report.missing)
    if not lack:
        return "everything in it is usable"
    have = [*part_phrases(report, list(report.parts)), "the environment"]
    return f"{_listed(have)} {_are(have)} usable; {_listed(lack)} {_are(lack)} not"


def part_phrases(report: Report, keys: Sequence[Key]) -> list[str]:
    """The given parts in words, one phrase per topic."""
    phrases: list[str] = []
    for topic, (one, many) in _PHRASES.items():
        found = [key for key in keys if key.topic == topic]
        spans = _joined(_frames(report, key) for key in found)
        if found:
            phrase = (one if sum(map(len, spans)) == 1 else many).format(_numbers(spans))
            phrases.append(phrase if spans else _INIT)
    return phrases


def _frames(report: Report, key: Key) -> range:
    """The frames that a part covers."""
    count = 1
    if key.topic in (HASHES, INPUT_HASHES):
        count = report.sizes[key] // 8
    elif key.topic == INPUTS:
        count = min(input_block(report.header), report.asked.stop - key.number)
    first = key.number - (key.topic in _AFTER)
    return range(max(0, first), first + count)


def _joined(parts: Iterable[range]) -> list[range]:
    """Ascending frames as maximal ranges."""
    spans: list[range] = []
    for part in parts:
        if spans and part and spans[-1].stop == part.start:
            spans[-1] = range(spans[-1].start, part.stop)
        elif part:
            spans.append(part)
    return spans


def _numbers(spans: Sequence[range]) -> str:
    """`0-899, 1024`."""
    shown = [
        f"{span.start}" if len(span) == 1 else f"{span.start}-{span.stop - 1}"
        for span in spans[:_MOST_SHOWN]
    ]
    more = len(spans) - len(shown)
    return ", ".join([*shown, f"and {more:,} more ranges"] if more else shown)


def _listed(phrases: list[str]) -> str:
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}" if len(phrases) > 1 else phrases[0]


def _are(phrases: list[str]) -> str:
    single = len(phrases) == 1 and phrases[0].startswith("the ")
    return "is" if single else "are"
