"""The reader of untrusted desync reports: every intact part, and a list of the damage.

Owns which parts are accepted: those that the report's description declares, of the declared size,
with valid checksums. Nothing is allocated for what a file merely claims.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from samebits.bits import xxh64
from samebits.desync.format import (
    BLOCK_VALUES,
    FORMAT,
    HASHES,
    INPUT_HASHES,
    INPUTS,
    MAX_DAMAGE,
    MAX_DESCRIPTIONS,
    MAX_FILE,
    MAX_MESSAGES,
    PROFILE,
    STATES,
    TOPICS,
    Contents,
    Key,
    contents_from_json,
    plan,
    types_of,
)
from samebits.desync.machine import Machine, machine_from_json
from samebits.desync.merkle_tree import merkle_tree
from samebits.desync.report import Report
from samebits.desync.salvage import Message, salvage
from samebits.desync.writer import METADATA_NAME, Assembly, Piece, checksum
from samebits.errors import ReplayError, ReportError, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.replay import header as replay_header
from samebits.replay.header import ReplayHeader, header_from_text
from samebits.replay.mcap_records import MAGIC

_AGAIN = "ask for it again, as a file and not as text, or write it again with `samebits report`"
_NO_REPORT = "give a file that `samebits report` wrote"
_BEGINNING = 64
"""Bytes at the start of a file that contain MCAP's profile."""


@dataclass(frozen=True, slots=True)
class _Description:
    machine: Machine
    header: ReplayHeader
    contents: Contents


@folding
@keeps_flags
def read_report(source: str | os.PathLike[str] | BinaryIO) -> Report:
    """The report in a file or a binary stream, or its intact parts: check `damage`.

    Raises ReportError if there is no file, if it is not a report, or if its description is lost.
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return report_from_bytes(_file(Path(name)), name)
    stream: Any = source
    if not hasattr(stream, "read"):
        raise ReportError(
            f"a {type(stream).__name__} is neither a path nor a binary stream",
            fix='give the path of a report, as in read_report("game.desync")',
        )
    return report_from_bytes(_stream(stream, "the stream"), "the stream")


def is_report(path: str) -> bool:
    """Whether a file is a report by its first bytes, whatever its name."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return PROFILE.encode() in file.read(_BEGINNING)
    except OSError:
        return False


def report_from_bytes(data: bytes, name: str = "the report") -> Report:
    """As `read_report`, of a file's bytes."""
    if not data:
        raise ReportError(f"{name} is empty", fix=_AGAIN)
    saved = salvage(data, METADATA_NAME, MAX_MESSAGES)
    damage = [] if saved.damage is None else [f"at byte {saved.damage.offset}, {saved.damage.what}"]
    messages: list[Message] = []
    found: list[_Description] = []
    tried = 0
    for item in saved.items:
        if isinstance(item, Message):
            messages.append(item)
        elif item.name == METADATA_NAME and tried < MAX_DESCRIPTIONS:
            tried += 1
            try:
                found.append(_described(item.pairs))
            except ReportError as error:
                damage.append(f"at byte {item.offset}, {error.message}")
    if not found:
        raise _nothing(data, name, saved.profile, damage)
    about = found[0]
    if not damage and found != [about, about]:
        damage.append("its two descriptions of itself are not both there and equal")
    if not damage and saved.profile != PROFILE:
        damage.append(f"its profile is {(saved.profile or '')[:40]!a}")
    parts = _parts(about, messages, damage)
    if len(damage) > MAX_DAMAGE:
        more = len(damage) - MAX_DAMAGE
        damage[MAX_DAMAGE:] = [f"and {more:,} more places like these"]
    missing = len(plan(about.header, about.contents)) - len(parts)
    if missing and not damage:
        damage.append(f"{missing} of its parts are not there")
    return Report(about.machine, about.header, about.contents, parts, tuple(damage), name)


def _nothing(data: bytes, name: str, profile: str | None, damage: list[str]) -> ReportError:
    """The error for a file without a description."""
    if profile == replay_header.PROFILE:
        return ReportError(
            f"{name} is a replay, not a desync report",
            fix="write a report from it: samebits report SIM REPLAY --frames 120:130",
        )
    if METADATA_NAME.encode() not in data:
        if not data.startswith(MAGIC):
            return ReportError(f"{name} is no desync report", fix=_NO_REPORT)
        if profile not in (None, PROFILE):
            return ReportError(
                f"{name} is an MCAP file of profile {profile[:40]!a}, not {PROFILE!r}",
                fix=_NO_REPORT,
            )
    return ReportError(
        f"nothing in {name} is usable: its description of itself is not there",
        note=damage[0] if damage else None,
        fix=_AGAIN,
    )


def _described(text: dict[str, str]) -> _Description:
    if checksum(text) != text.get("checksum"):
        raise ReportError("a description whose checksum does not hold")
    if text.get("format") != str(FORMAT):
        raise ReportError(
            f"a report of format {text.get('format', '')[:20]!a}; this samebits reads {FORMAT}"
        )
    values: dict[str, Any] = {}
    for key in ("machine", "run", "contents"):
        try:
            values[key] = json.loads(text.get(key, ""))
        except (ValueError, RecursionError):
            raise ReportError(f"a description whose {key} is not JSON") from None
    run = values["run"]
    pairs = cast("dict[Any, Any]", run) if isinstance(run, dict) else {}
    if not all(isinstance(value, str) for value in pairs.values()):
        raise ReportError("a description whose run is no text")
    try:
        header = header_from_text(cast("dict[str, str]", pairs))
    except ReplayError as error:
        raise ReportError(f"a description whose run cannot be read: {error.message}") from None
    contents = contents_from_json(values["contents"])
    state, _ = types_of(header)
    if contents.leaves not in (0, len(merkle_tree(state).leaves)):
        raise ReportError(f"a description with Merkle trees of {contents.leaves} leaves")
    plan(header, contents)
    return _Description(machine_from_json(values["machine"]), header, contents)


def _parts(about: _Description, messages: Iterable[Message], damage: list[str]) -> dict[Key, bytes]:
    """The intact parts, in the order of the plan; all others are noted as damage."""
    sizes = plan(about.header, about.contents)
    assemblies: dict[Key, Assembly] = {}
    found: dict[Key, bytes] = {}
    for message in messages:
        try:
            if not 1 <= message.channel <= len(TOPICS):
                raise ReportError(f"a message on channel {message.channel}")
            piece = Piece(message.data)
            key = Key(TOPICS[message.channel - 1], piece.number)
            if key not in sizes or key in found:
                raise ReportError(f"a part of {key.topic} at {key.number} that does not belong")
            if key not in assemblies:
                assemblies[key] = Assembly(sizes[key])
            part = assemblies[key].add(piece)
            if part is not None:
                found[key] = part
        except ReportError as error:
            damage.append(f"at byte {message.offset}, {error.message}")
    first = about.contents.first
    _check_states(found, first, damage)
    _check_inputs(found, about.header.frame_size, first, damage)
    return {key: found[key] for key in sizes if key in found}


def _check_states(found: dict[Key, bytes], base: int, damage: list[str]) -> None:
    """Drop states whose hash differs from the one in the report, whose blocks begin at `base`."""
    for key in [key for key in found if key.topic == STATES]:
        first = key.number - (key.number - base) % BLOCK_VALUES
        block = found.get(Key(HASHES, first))
        if block is None:
            continue
        at = 8 * (key.number - first)
        if xxh64(found[key]) != int.from_bytes(block[at : at + 8], "little"):
            damage.append(
                f"the state before frame {key.number} does not have the hash given for it"
            )
            del found[key]


def _check_inputs(found: dict[Key, bytes], size: int, base: int, damage: list[str]) -> None:
    """Drop inputs likewise; a part holds those of several frames."""
    for key in [key for key in found if key.topic == INPUTS]:
        data = found[key]
        for i in range(len(data) // size if size else 0):
            frame = key.number + i
            first = frame - (frame - base) % BLOCK_VALUES
            block = found.get(Key(INPUT_HASHES, first))
            at = 8 * (frame - first)
            hashed = None if block is None else int.from_bytes(block[at : at + 8], "little")
            if hashed is not None and xxh64(data[i * size : (i + 1) * size]) != hashed:
                damage.append(f"the inputs of frame {frame} do not have the hash given for them")
                del found[key]
                break


def _file(path: Path) -> bytes:
    try:
        # Reading a pipe or a terminal could block forever.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ReportError(f"{path} is not a file", fix=_NO_REPORT)
        with open(path, "rb") as file:
            return _stream(file, str(path))
    except (OSError, ValueError) as error:  # ValueError: the name has a NUL
        raise ReportError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}",
            fix="give the path of a report that this user may read",
        ) from None


def _stream(file: Any, name: str) -> bytes:
    try:
        data: Any = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        raise ReportError(
            f"cannot read {name}: {error}", fix="give an open binary stream"
        ) from None
    if not isinstance(data, bytes):
        raise ReportError(f"{name} gives text, not bytes", fix='open the file with mode "rb"')
    if len(data) > MAX_FILE:
        raise ReportError(
            f"{name} has more than {MAX_FILE:,} bytes: it is no desync report", fix=_NO_REPORT
        )
    return data
