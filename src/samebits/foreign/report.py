"""A record of another program's run as a desync report, which `samebits diagnose` compares.

Owns which frames of it a report holds. It has no program and no trace; its machine is as the
recorder tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.bits import canonical_size, xxh64
from samebits.desync.format import (
    BLOCK_VALUES,
    FOREIGN_MODE,
    HASHES,
    INPUT_HASHES,
    INPUTS,
    MAX_STATES,
    STATES,
    Contents,
    Key,
    input_block,
    line_of,
    most_asked,
)
from samebits.desync.machine import MAX_FEATURES, MAX_TEXT, UNKNOWN, Machine
from samebits.desync.report import Report
from samebits.errors import ReplayError, ReportError
from samebits.foreign.format import WHERE
from samebits.foreign.records import ControlWord, ForeignRun
from samebits.replay.header import ReplayHeader
from samebits.runtime.fp_state.registers import REGISTERS, decode, decode_x87
from samebits.sim.state.schema import to_json

UNIT = "unit:"
"""How the name of a fact of a source file begins."""
_CONTROL = {"fpscr": "fpcr"}
"""Registers of other names whose bits mean the same."""
_USUAL_X87 = 0x037F
_TOLD_WORDS = 4


def report_of_run(run: ForeignRun, frames: range | None = None) -> Report:
    """A report of all hashes, with `frames` in detail; by default the last that fit.

    States are held as far as they were recorded and fit into a report, those of the last frames
    first. Raises ReportError where the run has no such frames.
    """
    first, last = run.first + 1, run.last
    header = _header(run)
    asked = _asked(run, frames, range(first, last + 1), header)
    parts: dict[Key, bytes] = {}
    numbers = range(first, last + 2)
    for key, block in _blocks(numbers):
        parts[Key(HASHES, key)] = b"".join(_word(run.hashes[n - 1]) for n in block)
    empty = bytes(run.input_size * run.players)
    for key, block in _blocks(range(first, last + 1)):
        hashes = (_word(xxh64(run.inputs.get(frame, empty))) for frame in block)
        parts[Key(INPUT_HASHES, key)] = b"".join(hashes)
    for at in range(asked.start, asked.stop, input_block(header)):
        block = range(at, min(at + input_block(header), asked.stop))
        parts[Key(INPUTS, at)] = b"".join(run.inputs.get(frame, empty) for frame in block)
    states, damage = _states(run, asked)
    parts |= {Key(STATES, number): state for number, state in states.items()}
    contents = Contents(
        line_of(run.facts.get("compiler", "")), last + 1, asked, tuple(states), 0, 0, first=first
    )
    return Report(
        machine_of(run), header, contents, parts, damage, run.path, remarks=tuple(remarks(run))
    )


def _header(run: ForeignRun) -> ReplayHeader:
    schema = {"state": to_json(run.state), "input": to_json(run.input)}
    try:
        header = ReplayHeader(
            run.name, "00000000", run.version, run.seed, run.players, run.input_size,
            canonical_size(run.state), run.rate, FOREIGN_MODE, FOREIGN_MODE, schema,
        )  # fmt: skip
    except ReplayError as error:
        raise ReportError(f"{run.path}: {error.message}", fix=error.fix) from None
    return replace(header, digest=f"{xxh64(repr((run.name, header.schema)).encode()):016x}")


def _asked(run: ForeignRun, frames: range | None, whole: range, header: ReplayHeader) -> range:
    most = min(most_asked(header, 0), max(1, MAX_STATES // max(1, header.state_size) - 1))
    if frames is None:
        return range(max(whole.start, whole.stop - most), whole.stop)
    found = range(max(frames.start, whole.start), min(frames.stop, whole.stop))
    if not found:
        raise ReportError(
            f"{run.path} has frames {whole.start:,} to {whole.stop - 1:,}, none of "
            f"{frames.start:,} to {frames.stop - 1:,}",
            fix="ask for frames that it has",
        )
    if len(found) > most:
        raise ReportError(
            f"{len(found):,} frames in detail are more than the {most:,} that fit into a report",
            fix=f"ask for fewer: --frames {found.start}:{found.start + most}",
        )
    return found


def _blocks(numbers: range) -> Iterator[tuple[int, range]]:
    for at in range(numbers.start, numbers.stop, BLOCK_VALUES):
        yield at, range(at, min(at + BLOCK_VALUES, numbers.stop))


def _word(value: int) -> bytes:
    return value.to_bytes(8, "little")


def _states(run: ForeignRun, asked: range) -> tuple[dict[int, bytes], tuple[str, ...]]:
    """The states before the frames and after the last, as far as they were kept; what is wrong."""
    found: dict[int, bytes] = {}
    damage = [] if run.damage is None else [run.damage]
    for number in range(asked.start, asked.stop + 1):
        if number - 1 not in run.places:
            continue
        state = run.state_after(number - 1)
        if state is None:
            damage.append(f"the state before frame {number:,} does not have the hash given for it")
        else:
            found[number] = state
    return found, tuple(damage)


def machine_of(run: ForeignRun) -> Machine:
    """What the recorder tells of machine, compiler, source files and control registers."""
    facts = {name: line_of(value)[:MAX_TEXT] for name, value in run.facts.items()}
    units = (f"{name[len(UNIT):]}: {value}" for name, value in sorted(facts.items())
             if name.startswith(UNIT))  # fmt: skip
    registers, environment = _environment(run)
    return replace(
        UNKNOWN,
        architecture=facts.get("architecture", ""),
        system=facts.get("system", ""),
        libc=facts.get("libc", ""),
        compiler=facts.get("compiler", ""),
        units=tuple(line_of(unit)[:MAX_TEXT] for unit in units)[:MAX_FEATURES],
        registers=registers,
        environment=environment,
    )


def _environment(run: ForeignRun) -> tuple[tuple[tuple[str, int], ...], str]:
    """The words at first, and in words what they do and when they became others."""
    at_first: dict[str, int] = {}
    later: list[ControlWord] = []
    for word in run.words:
        if word.register not in at_first and word.where != 2:
            at_first[word.register] = word.word
        else:
            later.append(word)
    said = _said(at_first)
    told = [f"{_moment(word)}: {_said({word.register: word.word})}" for word in later]
    text = "; ".join([said, *told[:_TOLD_WORDS]])
    if len(told) > _TOLD_WORDS or run.words_left:
        text += f"; {len(told) + run.words_left - _TOLD_WORDS:,} more changes"
    registers = tuple(at_first.items())[: len(REGISTERS) + 1]
    return registers, line_of(text)[:MAX_TEXT] if at_first else ""


def _moment(word: ControlWord) -> str:
    when = "set-up" if word.frame < 0 else f"frame {word.frame:,}"
    if word.who:
        return f"{word.register} changed by {word.who}, {when}"
    return f"{word.register} another {WHERE[word.where]}, {when}"


def _said(words: dict[str, int]) -> str:
    """What words do, "default" for nothing unusual; bits of other registers as they are."""
    found: list[str] = []
    x87 = decode_x87(words["x87"] | 0x40, _USUAL_X87) if "x87" in words else None
    for register, word in words.items():
        name = _CONTROL.get(register, register)
        if name in REGISTERS:
            found += decode(name, word, x87).oddities()
            x87 = None
        elif register != "x87" and word:
            found.append(f"{register} {word:#x}")
    if x87 is not None:  # no other register says it
        found += [text for text in decode("mxcsr", 0x1F80, x87).oddities() if "x87" in text]
    return ", ".join(found) or "default"


def remarks(run: ForeignRun) -> Iterator[str]:
    """What is to be known of how far the record tells the run."""
    if run.unfinished is not None and not run.is_ended:
        when = "the set-up" if run.unfinished < 0 else f"frame {run.unfinished:,}"
        yield f"{run.path} stops in {when}, which had begun: the program ended there"
    elif not run.is_ended:
        yield f"{run.path} stops after frame {run.last:,}: the program did not close it"
    if run.again:
        yield f"{run.path} has {run.again:,} frames that were run again: the last of each counts"
    if run.overflowed is not None:
        yield (
            f"{run.path} has a heap with more items than its capacity after frame "
            f"{run.overflowed:,}: those too many are not compared"
        )
    if run.words_left:
        yield f"{run.path} has {run.words_left:,} more changes of control registers"
