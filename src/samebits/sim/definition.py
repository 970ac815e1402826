"""A simulation: a struct of state, a struct of one player's input, an init kernel, a step kernel.

Owns the checks that these fit together, and the simulation's identity. Knows nothing of execution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from samebits.bits import canonical_size
from samebits.compiling import lock
from samebits.errors import ReplayError, SimulationError
from samebits.lang.kernel import Kernel
from samebits.lang.memory.structs import Struct
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.stacks import with_room
from samebits.modes import OptionArguments, checked
from samebits.scene import Scene
from samebits.sim.inputs import InputRules
from samebits.sim.learning import Range, check_learning
from samebits.types import NONE, UINT64, ArrayType, StructType, Type

if TYPE_CHECKING:
    from samebits.replay.header import ReplayHeader
    from samebits.sim.program import Program

Script = Callable[[int, int, int], Mapping[str, Any]]
"""`script(frame, player, seed)` gives the fields of one player's input; absent ones are zero."""

MAX_PLAYERS = 65_535
MAX_TICK_RATE = 1_000_000


class SimulationDefinition:
    """The part of a simulation that all executions share; see `Simulation`. Raises SimulationError
    for a part that does not fit."""

    @keeps_flags
    def __init__(
        self,
        *,
        name: str,
        version: str,
        state: type,
        input: type,
        players: int,
        init: Kernel,
        step: Kernel,
        tick_rate: int = 60,
        scripts: Mapping[str, Script] | None = None,
        observe: Kernel | None = None,
        reward: Kernel | None = None,
        done: Kernel | None = None,
        actions: Mapping[str, Range] | None = None,
        episode_frames: int = 0,
        scene: Scene | None = None,
        **options: Unpack[OptionArguments],
    ) -> None:
        _check_text("name", name)
        _check_text(f"version of simulation '{name}'", version)
        self.name = name
        self.version = version
        self.state = _struct(name, "state", state)
        self.input = _struct(name, "input", input)
        self.players = _whole(name, "players", players, MAX_PLAYERS)
        self.tick_rate = _whole(name, "tick_rate", tick_rate, MAX_TICK_RATE)
        s, i = self.state_type.name, self.input_type.name
        self.options = checked(options)
        """The options of `init` and `step` that their own decorators leave open."""
        self.init = _kernel(
            name, "init", init, (self.state_type, UINT64), f"state: {s}, seed: sb.uint64"
        ).within(self.options)
        self.step = _kernel(
            name,
            "step",
            step,
            (self.state_type, ArrayType(self.input_type, 1, readonly=True)),
            f"state: {s}, inputs: sb.ReadOnly[{i}]",
        ).within(self.options)
        self.scripts: dict[str, Script] = dict(scripts or {})
        for label, script in self.scripts.items():
            if not callable(script):
                raise SimulationError(
                    f"simulation '{name}': script '{label}' is {type(script).__name__}, not "
                    "a function",
                    fix="give a function script(frame, player, seed) -> dict of input fields",
                )
        self.inputs = InputRules(name, self.input, self.players)
        self.learning = check_learning(
            name, self.state_type, self.input_type, self.players, observe=observe, reward=reward,
            done=done, actions=actions, episode_frames=episode_frames,
        )  # fmt: skip
        """What learners see of it, if anything."""
        given: Any = scene
        if given is not None and not isinstance(given, Scene):
            raise SimulationError(
                f"simulation '{name}': scene is {type(scene).__name__}, not a scene",
                fix="give sb.scene.Scene(draw, bounds=((left, bottom), (right, top)))",
            )
        if scene is not None and scene.kernel is not None and scene.kernel[1] != self.state_type:
            raise SimulationError(
                f"simulation '{name}': the scene's kernel draws {scene.kernel[1]}, not {s}",
                fix=f"write `def draw(state: {s}, marks: sb.List[sb.scene.Mark, 256]) -> None:`",
            )
        self.scene = scene
        """How its state is drawn, if it is."""
        self._program: Program | None = None

    @property
    def state_type(self) -> StructType:
        return self.state.__sb_type__

    @property
    def input_type(self) -> StructType:
        return self.input.__sb_type__

    @cached_property
    def state_size(self) -> int:
        """Bytes of the canonical state."""
        return canonical_size(self.state_type)

    @property
    @keeps_flags
    def program(self) -> Program:
        """The kernels and the frame loop as IR. Raises CompileError, and SimulationError if FAST
        code could reach the state."""
        return self._program or with_room(self._built)

    def _built(self) -> Program:
        with lock():
            from samebits.sim.program import build_program

            if self._program is None:
                self._program = build_program(
                    self.state_type, self.input_type, self.init, self.step
                )
        return self._program

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The types of state and input, as a replay holds them."""
        from samebits.sim.state.schema import to_json

        return {"state": to_json(self.state_type), "input": to_json(self.input_type)}

    @cached_property
    @keeps_flags
    def digest(self) -> str:
        """32 hex digits: the same for the same kernels, types, name and version."""
        from samebits.sim.digest import digest_of

        facts = {
            "name": self.name,
            "version": self.version,
            "schema": self.schema,
            "players": self.players,
            "tick_rate": self.tick_rate,
        }
        return digest_of((self.init, self.step), facts)

    def header(self, seed: int) -> ReplayHeader:
        """The header of a replay of this simulation."""
        from samebits.replay.header import ReplayHeader

        return ReplayHeader(
            simulation=self.name,
            digest=self.digest,
            version=self.version,
            seed=seed,
            players=self.players,
            input_size=canonical_size(self.input_type),
            state_size=self.state_size,
            tick_rate=self.tick_rate,
            mode=self.step.mode.name,
            precision=self.step.precision.name,
            schema=self.schema,
        )

    def require(self, header: ReplayHeader, what: str) -> None:
        """Raise ReplayError, naming the file as `what`, unless it was recorded from this."""
        if header.simulation != self.name:
            raise ReplayError(
                f"{what} is a replay of another simulation: '{header.simulation}', not "
                f"'{self.name}'",
                fix=f"give a replay of '{self.name}', or name the simulation that recorded it",
            )
        if header.version != self.version:
            raise ReplayError(
                f"{what} is a replay of version {header.version} of '{self.name}'; "
                f"this is version {self.version}",
                fix="check out the version that recorded it, or record a new replay",
            )
        if header.digest != self.digest:
            raise ReplayError(
                f"{what} is a replay of other code that also calls itself '{self.name}' "
                f"version {self.version}",
                note=f"recorded with digest {header.digest}; this code has {self.digest}",
                fix="check out the code that recorded it, or raise the version and record a "
                "new replay",
            )
        mine = self.header(header.seed)
        for field in ("players", "input_size", "state_size", "tick_rate", "mode", "precision"):
            if getattr(header, field) != getattr(mine, field):
                raise ReplayError(
                    f"{what} contradicts itself: its digest is this simulation's, but its "
                    f"{field} is {getattr(header, field)}, not {getattr(mine, field)}",
                    fix="record it again",
                )
        if header.schema != mine.schema:
            raise ReplayError(
                f"{what} contradicts itself: its digest is this simulation's, but its schema, the "
                "names and types of the fields, is another",
                fix="record it again",
            )

    def require_inputs(self, header: ReplayHeader, what: str) -> None:
        """Raise ReplayError, naming the file as `what`, unless its inputs are inputs of this: those
        of any version of it whose input has the same fields."""
        mine = self.header(header.seed)
        if header.simulation != self.name:
            self.require(header, what)
        for field in ("players", "input_size", "tick_rate"):
            if getattr(header, field) != getattr(mine, field):
                raise ReplayError(
                    f"{what} was recorded with another {field} than '{self.name}' has now: "
                    f"{getattr(header, field)}, not {getattr(mine, field)}",
                    fix="record a new replay",
                )
        if header.schema["input"] != mine.schema["input"]:
            raise ReplayError(
                f"{what} was recorded with other inputs than '{self.name}' has now: their fields "
                "differ",
                fix="record a new replay",
            )

    def __repr__(self) -> str:
        return f"<simulation {self.name} {self.version}>"

    def _repr_html_(self) -> str:
        """What notebooks show: its facts, and the fields of its state and input."""
        from samebits.sim.notebook import table

        facts = [
            ("players", f"{self.players:,}"), ("frames a second", f"{self.tick_rate:,}"),
            ("state", f"{self.state_size:,} bytes"), ("digest", self.digest),
        ]  # fmt: skip
        fields = [
            (f"{what}.{name}", t)
            for what, struct in (("state", self.state_type), ("input", self.input_type))
            for name, t in struct.fields
        ]
        return table(f"{self.name} {self.version}", [*facts, *fields])


def check_seed(seed: object) -> int:
    """`seed` if it is an int that uint64 holds; SimulationError otherwise."""
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise SimulationError(
            f"the seed is {seed!r}, not an int from 0 to 2**64 - 1", fix="give seed=1"
        )
    return seed


def _check_text(what: str, text: object) -> None:
    if not isinstance(text, str):
        raise SimulationError(f"the {what} is {type(text).__name__}, not a str")
    if not 0 < len(text) <= 200 or not text.isprintable():
        raise SimulationError(
            f"the {what} is {text[:40]!a}", fix="give 1 to 200 characters that can be printed"
        )


def _struct(simulation: str, what: str, cls: object) -> type[Struct]:
    if isinstance(cls, type) and issubclass(cls, Struct) and cls is not Struct:
        return cls
    found = cls.__name__ if isinstance(cls, type) else type(cls).__name__
    raise SimulationError(
        f"simulation '{simulation}': {what} is {found}, not a struct",
        fix=f"declare it as a class with @sb.struct and give the class, {what}=...",
    )


def _whole(simulation: str, what: str, value: object, most: int) -> int:
    if type(value) is int and 1 <= value <= most:
        return value
    raise SimulationError(
        f"simulation '{simulation}': {what} is {value!r}, not an int from 1 to {most}"
    )


def _kernel(
    simulation: str, what: str, kernel: object, types: tuple[Type, ...], written: str
) -> Kernel:
    fix = f"write `def {what}({written}) -> None:`"
    if not isinstance(kernel, Kernel):
        raise SimulationError(
            f"simulation '{simulation}': {what} is {type(kernel).__name__}, not a kernel",
            fix=f"put @sb.kernel above it, and {fix}",
        )
    if kernel.signature.kernels:
        found = "kernels"
    elif kernel.fixed_types is None:
        found = "type variables"
    elif kernel.fixed_types != types:
        found = f"({', '.join(map(str, kernel.fixed_types))})"
    elif (result := kernel.signature.result_type(types)) not in (None, NONE):
        raise SimulationError(
            f"simulation '{simulation}': {what} returns {result}",
            note="the result of a simulation's kernel is what it writes to the state",
            fix=fix,
        )
    else:
        return kernel
    wanted = ", ".join(map(str, types))
    raise SimulationError(
        f"simulation '{simulation}': {what} takes {found}, not ({wanted})", fix=fix
    )
