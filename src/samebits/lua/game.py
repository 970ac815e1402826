"""A simulation whose step is a Lua script: its state as tables there, as canonical bytes here.

A script returns a table with `state`, the layout of its state, `init(state)` and
`step(state, inputs)`; `input` is the layout of one player's input and `players` how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.bits import canonical_size, from_canonical, to_canonical, xxh64
from samebits.errors import ArgumentError
from samebits.lang.signal_safe import keeps_flags
from samebits.lua.engines import ENGINES
from samebits.lua.errors import LuaError
from samebits.lua.layout import layout_text, lua_type, struct_layout
from samebits.lua.runtime import INSTRUCTIONS, MEMORY, Runtime, read_script
from samebits.types import FixedArrayType, StructType

RANDOM = 32
"""Bytes of `math.random`'s state, behind the script's own."""
MOST_PLAYERS = 64


@dataclass(frozen=True, slots=True)
class Script:
    """A script's name and bytes, and the modules beside it that it may require."""

    name: str
    text: bytes
    path: Path | None = None
    modules: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    @keeps_flags
    def read(cls, path: str | Path) -> Script:
        """The script in a file, with the other `.lua` files of its folder as modules. Raises
        LuaError."""
        path = Path(path)
        text = read_script(path)
        modules = {
            each.stem: each.read_text(encoding="utf-8", errors="surrogateescape")
            for each in sorted(path.parent.glob("*.lua"))
            if each != path
        }
        return cls(path.name, text, path, modules)


class Game:
    """A run of a script's simulation in one engine.

    `seed` starts `math.random`, whose state is part of the simulation's. `instructions` bound each
    frame. The state is that of the set-up, until `step`. Raises LuaError for a script that is no
    simulation, ScriptError for its own errors.
    """

    @keeps_flags
    def __init__(
        self,
        script: Script | str | Path,
        engine: str = ENGINES[0].name,
        *,
        seed: int = 0,
        instructions: int = INSTRUCTIONS,
        memory: int = MEMORY,
        math: str = "samebits",
        traced: bool = False,
    ) -> None:
        self.script = script if isinstance(script, Script) else Script.read(script)
        self.seed = seed
        self.runtime = Runtime(
            engine, seed=seed, instructions=instructions, memory=memory,
            modules=self.script.modules, math=math, traced=traced,
        )  # fmt: skip
        if self.script.path is not None:
            self.runtime.show_lines_of(self.script.path)
        self.runtime.run(self.script.text, self.script.name)
        self.state_type = self._layout("state") or _missing(self.script.name)
        self.input_type = self._layout("input")
        self.players = self._players() if self.input_type is not None else 0
        self._state = lua_type(self.state_type)
        self._input: str | None = None
        if self.input_type is not None:
            self._input = lua_type(FixedArrayType(self.input_type, (self.players,)))
        if not self.runtime.has_function(".step"):
            raise LuaError(
                f"{self.script.name} gives no function step",
                fix="return a table with state, init and step",
            )
        self.state = b""
        """The canonical bytes: the script's state, then that of `math.random`."""

    @keeps_flags
    def start(self) -> bytes:
        """Run `init`, and give the state."""
        self.runtime.reseed(self.seed)
        return self._advanced(".init", None, b"")

    @keeps_flags
    def step(self, inputs: bytes = b"") -> bytes:
        """Run a frame with all players' canonical inputs, and give the state after it. Raises
        ArgumentError for inputs of another length."""
        if len(inputs) != self.input_size:
            raise ArgumentError(
                f"inputs of {len(inputs)} bytes, where {self.script.name} takes {self.input_size}"
            )
        return self._advanced(".step", self._input or "{'struct'}", inputs)

    @keeps_flags
    def restore(self, state: bytes) -> None:
        """Go on from a state that `start` or `step` gave, of any engine and machine. Raises
        ArgumentError for bytes of another length."""
        if len(state) != self.state_size:
            raise ArgumentError(
                f"a state of {len(state)} bytes, where {self.script.name} has {self.state_size}"
            )
        self.runtime.fill(self._state, state[:-RANDOM])
        self.runtime.random_state = state[-RANDOM:]
        self.state = state

    @property
    def hash(self) -> int:
        """XXH64 of the state."""
        return xxh64(self.state)

    @property
    def state_size(self) -> int:
        """Canonical bytes of the state, with those of `math.random`."""
        return canonical_size(self.state_type) + RANDOM

    @property
    def input_size(self) -> int:
        """Canonical bytes of a frame's inputs."""
        return 0 if self.input_type is None else canonical_size(self.input_type) * self.players

    @keeps_flags
    def read(self, struct: type[Any]) -> Any:
        """The state as a struct of samebits with the layout's fields. Raises ArgumentError."""
        self._check(struct)
        return struct.from_memory(from_canonical(struct.__sb_type__, self.state[:-RANDOM]))

    @keeps_flags
    def write(self, value: Any) -> None:
        """Take the state from a struct of samebits with the layout's fields. Raises
        ArgumentError."""
        struct: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
        self._check(struct)
        own = to_canonical(struct.__sb_type__, value.memory)
        self.restore(own + (self.state[-RANDOM:] or self.runtime.random_state))

    def _check(self, struct: type[Any]) -> None:
        found = getattr(struct, "__sb_type__", None)
        if found is None or layout_text(found) != layout_text(self.state_type):
            raise ArgumentError(
                f"{struct.__name__} has other fields than the state of {self.script.name}",
                note=f"the state is {layout_text(self.state_type)}",
            )

    def _advanced(self, name: str, given: str | None, inputs: bytes) -> bytes:
        if name == ".init" and not self.runtime.has_function(".init"):
            raise LuaError(f"{self.script.name} gives no function init", fix="write init(state)")
        own = self.runtime.advance(name, self._state, given, inputs)
        self.state = own + self.runtime.random_state
        return self.state

    def _layout(self, name: str) -> StructType | None:
        text = self.runtime.field(f".{name}")
        if text is None:
            return None
        if not isinstance(text, str):
            raise LuaError(f"{name} of {self.script.name} is no text", fix=_FIX)
        return struct_layout(text, name.capitalize())

    def _players(self) -> int:
        found = self.runtime.field(".players")
        if found is None:
            return 1
        if not isinstance(found, int | float) or not 1 <= found <= MOST_PLAYERS or found % 1:
            raise LuaError(
                f"players of {self.script.name} is {found!r}",
                fix=f"write a whole number from 1 to {MOST_PLAYERS}",
            )
        return int(found)


_FIX = 'write a layout: state = "{balls:{x:f64 y:f64 alive:bool}[16] score:i32}"'


def _missing(name: str) -> StructType:
    raise LuaError(f"{name} tells no layout of its state", fix=_FIX)
