"""Inputs on the wire: what changed since the frame before, by the schema of the simulation's input.

Owns the bytes of one player's input and of one closed frame. What comes from the wire is made
canonical here, before anything else sees it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from samebits.bits import CANONICAL_NAN, INFINITY, canonical_size, from_canonical, leaves, xxh64
from samebits.errors import MatchError, ProtocolError
from samebits.net import limits
from samebits.net.wire import get_varint, put_varint
from samebits.sim.definition import SimulationDefinition
from samebits.types import Kind, ScalarType

MOST_GROUPS = 64
"""Fields that a mask tells of; where an input has more, some next to each other share a bit."""
_IS_LITTLE = sys.byteorder == "little"


class Event(IntEnum):
    """What an entry of a bundle says; `value` is given in brackets."""

    JOIN = 1
    """The slot is played from this frame on."""
    LEAVE = 2
    """The slot is empty from this frame on: its inputs are zeros."""
    AWAY = 3
    """The slot's connection is gone; its inputs are substituted."""
    PAUSE = 4
    """No frame closes after this one until the relay says START."""
    RESUME = 5
    """The pause is over."""
    DELAY = 6
    """The slot's input delay is `value` frames."""
    HEAL = 7
    """The slot was sent the agreed state before frame `value`."""
    DESYNC = 8
    """The state after frame `value` differed between peers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened to a match in a frame."""

    event: Event
    slot: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True)
class ClosedFrame:
    """A frame as the relay closed it: all players' canonical inputs, one bit for each slot whose
    input was substituted, and what else happened."""

    row: bytes
    substituted: int = 0
    entries: tuple[Entry, ...] = ()


class InputCodec:
    """The bytes of a simulation's inputs on the wire. Raises MatchError for more players than a
    match has slots, or inputs too large for a message."""

    def __init__(self, simulation: SimulationDefinition) -> None:
        t = simulation.input_type
        self.players = simulation.players
        self.size = canonical_size(t)
        """Bytes of one player's canonical input."""
        if self.players > limits.PLAYERS:
            raise MatchError(
                f"simulation '{simulation.name}' has {self.players} players; a match has at most "
                f"{limits.PLAYERS}"
            )
        text = json.dumps(simulation.schema, sort_keys=True, separators=(",", ":"))
        self._schema = xxh64(text.encode())
        self.zero = bytes(self.size)
        self.zeros = bytes(self.size * self.players)
        """All players' inputs, none given."""
        self._type = t
        places = [n for _, s, offset in leaves(t) for n in range(offset, offset + s.size)]
        self._places = np.array(places, np.intp)
        self._is_packed = places == [*range(t.dtype.itemsize)]
        """Whether an input's bytes in memory are its canonical ones."""
        at, found, checks = 0, list[tuple[int, int]](), list[tuple[int, ScalarType]]()
        for _, scalar, _ in leaves(t):
            found.append((at, at + scalar.size))
            if scalar.kind is Kind.BOOL or scalar.is_ieee:
                checks.append((at, scalar))
            at += scalar.size
        each = -(-len(found) // MOST_GROUPS)
        parts = (found[n : n + each] for n in range(0, len(found), each))
        self.groups = tuple((part[0][0], part[-1][1]) for part in parts)
        """Where in the input the bytes of each bit of a mask are, lowest bit first."""
        self._mask_size = -(-len(self.groups) // 8)
        self.no_change = bytes(self._mask_size)
        """The bytes of an input that is that of the frame before."""
        self._slots_size = -(-self.players // 8)
        self._checks = tuple(checks)
        room = limits.MESSAGE_UP - 8 * limits.HASHES - 64
        self.frames_at_once = min(limits.INPUT_FRAMES, room // (self.size + self._mask_size))
        """One player's inputs that a message holds beside hashes, whatever they are."""
        if not self.frames_at_once:
            raise MatchError(
                f"a player's input of '{simulation.name}' has {self.size:,} bytes, more than the "
                f"{room - self._mask_size:,} that a message of a match holds",
                fix="make the input struct smaller: an input is what a player does in one frame",
            )
        if self.players * (self.size + self._mask_size) + 256 > limits.MESSAGE // 2:
            raise MatchError(
                f"the inputs of '{simulation.name}' have {self.size * self.players:,} bytes a "
                "frame, more than a message of a match holds",
                fix="make the input struct smaller: an input is what a player does in one frame",
            )

    @property
    def schema(self) -> int:
        """XXH64 of the types of state and input, as compact JSON with sorted keys."""
        return self._schema

    def memory(self, rows: bytes) -> np.ndarray[Any, Any]:
        """Some frames' inputs, shape (frames, players), as simulations take them."""
        frames = len(rows) // len(self.zeros) if self.zeros else 1
        if not _IS_LITTLE or not self.zeros:
            data = from_canonical(self._type, rows, frames * self.players)
            return data.reshape(frames, self.players)
        if self._is_packed:
            return np.frombuffer(bytearray(rows), self._type.dtype).reshape(frames, self.players)
        data = np.zeros((frames * self.players, self._type.dtype.itemsize), np.uint8)
        data[:, self._places] = np.frombuffer(rows, np.uint8).reshape(-1, self.size)
        return data.view(self._type.dtype).reshape(frames, self.players)

    def canonical(self, given: bytes) -> bytes:
        """An input with canonical NaNs and bools."""
        out: bytearray | None = None
        for at, t in self._checks:
            value = int.from_bytes(given[at : at + t.size], "little")
            if t.kind is Kind.BOOL:
                good = int(value != 0)
            else:
                is_nan = value & ((1 << (t.bits - 1)) - 1) > INFINITY[t.bits]
                good = CANONICAL_NAN[t.bits] if is_nan else value
            if good != value:
                out = out or bytearray(given)
                out[at : at + t.size] = good.to_bytes(t.size, "little")
        return given if out is None else bytes(out)

    def put(self, out: bytearray, before: bytes, now: bytes) -> None:
        """Append one input by what changed since another: the mask, then the changed fields."""
        if before == now:
            out += self.no_change
            return
        mask = 0
        at = len(out)
        out += self.no_change
        for n, (start, stop) in enumerate(self.groups):
            if before[start:stop] != now[start:stop]:
                mask |= 1 << n
                out += now[start:stop]
        out[at : at + self._mask_size] = mask.to_bytes(self._mask_size, "little")

    def get(self, data: bytes, at: int, before: bytes) -> tuple[bytes, int]:
        """The canonical input at `at`, and where it ends. Raises ProtocolError."""
        end = at + self._mask_size
        if data[at:end] == self.no_change:
            return before, end
        mask, at = self._mask(data, at)
        out = bytearray(before)
        for n, (start, stop) in enumerate(self.groups):
            if mask >> n & 1:
                part = data[at : at + stop - start]
                if len(part) != stop - start:
                    raise ProtocolError("an input ends within the record")
                out[start:stop] = part
                at += stop - start
        return self.canonical(bytes(out)), at

    def skip(self, data: bytes, at: int) -> int:
        """Where the input at `at` ends. Raises ProtocolError."""
        mask, at = self._mask(data, at)
        for n, (start, stop) in enumerate(self.groups):
            at += (stop - start) * (mask >> n & 1)
        if at > len(data):
            raise ProtocolError("an input ends within the record")
        return at

    def _mask(self, data: bytes, at: int) -> tuple[int, int]:
        end = at + self._mask_size
        if end > len(data):
            raise ProtocolError("an input ends within the record")
        mask = int.from_bytes(data[at:end], "little")
        if mask >> len(self.groups):
            raise ProtocolError("an input has a mask for fields that there are not")
        return mask, end

    def inputs_of(self, row: bytes) -> list[bytes]:
        """Each player's input."""
        size = self.size
        return [row[n * size : n * size + size] for n in range(self.players)]

    def input_of(self, row: bytes, slot: int) -> bytes:
        """One player's input."""
        return row[slot * self.size : slot * self.size + self.size]

    def put_frame(self, out: bytearray, before: bytes, frame: ClosedFrame) -> None:
        """Append a closed frame: flags, the slots whose input changed, their inputs; where the
        flags say so, the substituted slots, and the entries."""
        out.append((frame.substituted != 0) | (len(frame.entries) > 0) << 1)
        at = len(out)
        out += bytes(self._slots_size)
        if before != frame.row:
            changed = 0
            for n in range(self.players):
                start, stop = n * self.size, n * self.size + self.size
                old, new = before[start:stop], frame.row[start:stop]
                if old != new:
                    changed |= 1 << n
                    self.put(out, old, new)
            out[at : at + self._slots_size] = changed.to_bytes(self._slots_size, "little")
        if frame.substituted:
            out += frame.substituted.to_bytes(self._slots_size, "little")
        if frame.entries:
            put_varint(out, len(frame.entries))
            for entry in frame.entries:
                out.append(entry.event)
                put_varint(out, entry.slot)
                put_varint(out, entry.value)

    def get_frame(self, data: bytes, at: int, before: bytes) -> tuple[ClosedFrame, int]:
        """The closed frame at `at`, and where it ends. Raises ProtocolError."""
        flags, at = get_varint(data, at, len(data), 3)
        changed, at = self._slots(data, at)
        row = before
        if changed:
            parts = self.inputs_of(before)
            for n in range(self.players):
                if changed >> n & 1:
                    parts[n], at = self.get(data, at, parts[n])
            row = b"".join(parts)
        substituted = 0
        if flags & 1:
            substituted, at = self._slots(data, at)
        entries: list[Entry] = []
        if flags & 2:
            count, at = get_varint(data, at, len(data), limits.RECORDS * 8)
            for _ in range(count):
                entry, at = self._entry(data, at)
                entries.append(entry)
        return ClosedFrame(row, substituted, tuple(entries)), at

    def _slots(self, data: bytes, at: int) -> tuple[int, int]:
        end = at + self._slots_size
        slots = int.from_bytes(data[at:end], "little")
        if end > len(data) or slots >> self.players:
            raise ProtocolError("a closed frame has no slots, or ones that there are not")
        return slots, end

    def _entry(self, data: bytes, at: int) -> tuple[Entry, int]:
        end = len(data)
        event, at = get_varint(data, at, end, max(Event))
        slot, at = get_varint(data, at, end, limits.PLAYERS)
        value, at = get_varint(data, at, end, limits.FRAME)
        if event == 0:
            raise ProtocolError("an entry of a closed frame has no event")
        return Entry(Event(event), slot, value), at
