"""A case: a session played twice, what is wrong with the second one, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field

INPUTS = ("dropped", "late", "repeated", "exchanged", "another", "nan", "range", "bit", "left")
"""Faults of inputs."""
POKES = ("poke", "poke overwritten", "poke that heals", "poke put right")
"""Faults of the state, from outside: one scalar, between two frames."""
RESTORES = ("lost field", "lost tail", "wrong frame", "one frame short")
"""Faults of a rollback: what is restored, or how far it is simulated again."""
FAULTS = (*INPUTS, "seed", *POKES, *RESTORES)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong. `frame` is the first that is affected, `count` how many are; of a
    restore, `frame` is the one that it goes back to, and `count` how many are played again."""

    kind: str
    frame: int = 0
    count: int = 1
    players: tuple[int, ...] = ()
    by: int = 0
    """How late; the other seed; how many frames another state is off; when it is put right."""
    field: str = ""
    """The path of a scalar, or of a column, as `bodies[].vel`."""
    bits: str = ""
    """What a poke writes, little-endian, in hexadecimal; of a lost field, `zero` or `kept`."""

    def __str__(self) -> str:
        if self.kind == "seed":
            return f"seed {self.by}"
        more = f" for {self.count}" if self.count != 1 else ""
        who = f" of {','.join(map(str, self.players))}" if self.players else ""
        by = f" by {self.by}" if self.by else ""
        what = f" {self.field}" if self.field else ""
        return f"{self.kind}{what}{who} at {self.frame}{more}{by} {self.bits}".rstrip()


@dataclass(frozen=True)
class Rollback:
    """Play goes `count` frames back to `frame`, of which the inputs of `player` were guessed."""

    frame: int
    count: int
    player: int


@dataclass(frozen=True)
class Case:
    """`keyframes` is after how many frames replays have one, 0 for never. `evidence` is a name of
    `evidence.FORMS`."""

    number: int
    subject: str
    inputs: str
    seed: int
    frames: int
    keyframes: int
    evidence: str
    faults: tuple[Fault, ...]
    rollbacks: tuple[Rollback, ...] = field(default=())

    def __str__(self) -> str:
        what = " + ".join(map(str, self.faults)) or "nothing wrong"
        back = f", {len(self.rollbacks)} rollbacks" if self.rollbacks else ""
        return (
            f"{self.subject} {self.inputs} seed {self.seed}, {self.frames} frames, keyframes "
            f"{self.keyframes}{back}: {what} | {self.evidence}"
        )
