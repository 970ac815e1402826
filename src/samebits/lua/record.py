"""The record of a run of a script, `run.sbt`, and what of it is run again."""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.bits import xxh64
from samebits.foreign import format as sbt
from samebits.foreign.format import Kind
from samebits.foreign.records import ForeignRun
from samebits.lua.errors import LuaError
from samebits.lua.game import Game
from samebits.lua.layout import layout_text
from samebits.version import __version__

_KEPT_BYTES = 64 << 20
"""Bytes of states that a record keeps; hashes of later frames follow."""
STATE, RANDOM_REGION = "state", "random"
_RANDOM_LAYOUT = "u64[4]"


@dataclass(frozen=True, slots=True)
class Frames:
    """A run: the state and its hash after the set-up and each frame, and the frames' inputs."""

    states: Sequence[bytes]
    inputs: Sequence[bytes]

    @property
    def hashes(self) -> list[int]:
        """The first is the set-up's."""
        return [xxh64(state) for state in self.states]


def run_frames(game: Game, inputs: Sequence[bytes]) -> Frames:
    """Set a simulation up and run a frame for each of the inputs. Raises as `Game.step` does."""
    states = [game.start()]
    states += [game.step(given) for given in inputs]
    return Frames(states, inputs)


def record_bytes(game: Game, run: Frames) -> bytes:
    """The file of a run. It holds neither paths nor names of host or user."""
    parts = [sbt.MAGIC + struct.pack("<II", sbt.VERSION, 0), _record(Kind.RUN, _head(game))]
    parts.append(_record(Kind.FACTS, b"".join(_text(a) + _text(b) for a, b in _facts(game))))
    kept = 0
    for frame, state in enumerate(run.states, -1):
        given = run.inputs[frame] if frame >= 0 else b""
        parts.append(_record(Kind.BEGIN, struct.pack("<q", frame) + given))
        kept += len(state)
        held = state if kept <= _KEPT_BYTES else b""
        done = struct.pack("<qQII", frame, xxh64(state), sbt.KEPT * bool(held), len(held))
        parts.append(_record(Kind.DONE, done + held, len(done)))
    parts.append(_record(Kind.ENDS, struct.pack("<q", len(run.states) - 2)))
    return b"".join(parts)


def inputs_of(game: Game, run: ForeignRun) -> list[bytes]:
    """The inputs of a record for a script's frames. Raises LuaError where they are of another
    simulation, or a frame is missing."""
    own, found = _shape(game), tuple(_recorded_shape(run))
    if own != found:
        raise LuaError(
            f"{run.path} is of another simulation than {game.script.name}",
            note=f"the record has {found}, the script {own}",
        )
    return list(_inputs(game, run))


def _inputs(game: Game, run: ForeignRun) -> Iterator[bytes]:
    for frame in range(run.last + 1):
        if frame not in run.inputs:
            raise LuaError(f"{run.path} has no inputs of frame {frame:,}")
        yield run.inputs[frame] if game.input_size else b""


def _shape(game: Game) -> tuple[str, ...]:
    given = "" if game.input_type is None else layout_text(game.input_type)
    return layout_text(game.state_type), given, str(max(1, game.players))


def _recorded_shape(run: ForeignRun) -> Iterator[str]:
    region = next((each for each in run.regions if each.name == STATE), None)
    yield "" if region is None else layout_text(region.type)
    untyped = run.input.fields[0][0] == "bytes"
    yield "" if untyped else layout_text(run.input)
    yield str(run.players)


def _head(game: Game) -> bytes:
    given = "" if game.input_type is None else layout_text(game.input_type)
    name = game.script.name.removesuffix(".lua")[:100]
    parts = [_text(name if name.isprintable() and name else "script"), _text("1")]
    seed = game.seed & ((1 << 64) - 1)
    parts += [struct.pack("<QII", seed, 60, game.players), _text(given)]
    regions = ((STATE, layout_text(game.state_type)), (RANDOM_REGION, _RANDOM_LAYOUT))
    parts.append(struct.pack("<I", len(regions)))
    parts += [struct.pack("<I", 0) + _text(region) + _text(layout) for region, layout in regions]
    return b"".join(parts)


def _facts(game: Game) -> Iterator[tuple[str, str]]:
    yield "recorder", f"samebits {__version__}"
    yield "compiler", game.runtime.version
    yield "architecture", platform.machine()
    yield "system", platform.system()
    yield f"unit:{game.script.name[:100]}", f"xxh64 {xxh64(game.script.text):016x}"
    for name, text in game.script.modules.items():
        yield f"unit:{name[:100]}.lua", f"xxh64 {xxh64(text.encode(errors='surrogateescape')):016x}"


def _record(kind: Kind, body: bytes, covered: int | None = None) -> bytes:
    head = kind.encode() + struct.pack("<I", len(body))
    check = xxh64(body[:covered], int.from_bytes(head, "little"))
    return head + struct.pack("<Q", check) + body + bytes(-len(body) % 8)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<H", len(data)) + data
