"""The findings of a diagnosis: frame, fields, operation, cause, exposed operations, and certainty.

Owns the facts alone; how they are found is `driver`'s, how they read `text`'s and `html`'s.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from samebits.errors import Span
from samebits.source_lines import line_of

CERTAINTIES = {
    "certain": "gives the other side's bits in every frame compared, and nothing else does",
    "likely": "explains the difference, but others may too, or too little is known to decide",
    "possible": "explains this operation, but not every later frame",
    "unknown": "no experiment gives the other side's bits",
}
"""How sure a cause is, and what that means."""


SCOPES = ("at this operation alone", "on this line", "in this function", "everywhere")
"""Where a hazard acts: from the least to the most of the operations that it can act on."""
THROUGHOUT = "everywhere, the library's own code included"
"""Where a floating-point environment does."""
WITH_ALL_ELSE = "with all else that differs in the other version"
"""How a change acted that was not injected by itself: the whole other program was."""

IN_PLACES = "in some places"
"""Where a build acts that does not do the same wherever it could; which they are is evidence."""

ALONE = "made alone in a's source"
"""How edits between two versions acted."""


@dataclass(frozen=True)
class Datum:
    """A scalar: its type, its bits in hex (0x and as many digits as it has), and how it is
    written."""

    type: str
    bits: str
    text: str
    name: str = ""
    """What it is in the source, where that can be told."""


@dataclass(frozen=True)
class Place:
    """A piece of source: where, and the line itself, with the columns to mark."""

    file: str
    line: int
    column: int
    end_column: int
    function: str
    source: str

    @classmethod
    def of(cls, span: Span) -> Place:
        text = line_of(span.file, span.line).rstrip("\n")
        end = span.end_column if span.end_line == span.line else len(text)
        name = span.function.rpartition("<locals>.")[2]
        return cls(span.file, span.line, span.column, end, name, text)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"


@dataclass(frozen=True)
class HeaderFact:
    """A fact that both sides tell of themselves before anything runs, and in which they differ:
    a mode, a version, a digest, a seed, a floating-point word. `meaning` is what to do about it."""

    name: str
    a: str
    b: str
    meaning: str


@dataclass(frozen=True)
class FieldFact:
    """A scalar of the state that differs after the frame. `ulps` is None for integers and NaN."""

    path: str
    a: Datum
    b: Datum
    ulps: int | None


INPUT_SHAPES = {
    "dropped": "step a frame only once the inputs of all players are there; send them until they "
    "are acknowledged",
    "repeated": "an input was predicted and never corrected: roll back to that frame, and run on "
    "with the real one",
    "late": "give each input the frame that it is for, and one input delay on all peers",
    "early": "give each input the frame that it is for, and one input delay on all peers",
    "another's": "number the players alike on all peers",
    "exchanged": "number the players alike on all peers",
    "left": "agree on the frame in which a player leaves, and on the input that stands for it from "
    "there on",
    "nan": "check an input where it is read from its device, before it is sent: no NaN",
    "infinite": "check an input where it is read from its device, before it is sent: no infinity",
    "range": "clamp an input where it is read from its device, before it is sent",
    "changed": "record and exchange inputs, step only with those that all peers have",
    "unknown": "record and exchange inputs, step only with those that all peers have",
}
"""The shapes in which inputs are others, and what to do about each."""


@dataclass(frozen=True)
class InputFact:
    """Inputs that are others on side b, from `frame` to `last`.

    `players` are whose; empty where that is not known. `shape` is a key of `INPUT_SHAPES`: with
    "late" and "early" by `frames`, with "another's" those of player `other`. `fields` are the
    scalars of the first such player's input that differ in the first frame; empty where b's are
    not known. With "range", `least` and `most` are what side a's inputs have there.
    """

    frame: int
    last: int
    players: tuple[int, ...]
    shape: str
    frames: int = 0
    other: int | None = None
    fields: tuple[FieldFact, ...] = ()
    least: str = ""
    most: str = ""


@dataclass(frozen=True)
class ColumnFact:
    """A field of the state: how many of its scalars differ, of how many, and the largest ULP
    distance among them. Where `scalars` is 0, it is only known that its hash differs."""

    path: str
    differing: int
    scalars: int
    ulps: int | None


@dataclass(frozen=True)
class OperationFact:
    """The first operation whose operands agree and whose results do not.

    `kind` is "result" for that; "memory", "input", "loop" and "path" say that the difference is
    none of arithmetic: memory that differs though nothing wrote it differently, an input, the order
    or the number of a loop's iterations, an operation that only one side does.
    """

    kind: str
    opcode: str
    place: Place
    calls: tuple[Place, ...]
    """The calls that lead there, the step's first."""
    iterations: tuple[tuple[str, int], ...]
    """The counters of the loops around it."""
    operands: tuple[Datum, ...]
    a: Datum | None
    b: Datum | None
    ulps: int | None
    validation: str
    """Why the trace is valid, or what serves in its place."""
    only: str = ""
    """"a" or "b", where the program of that side alone has it."""
    line_too: bool = False
    """Whether the other side lacks the whole line."""
    ask: str = ""
    """The command of `samebits explain` that asks which evaluations give b's result."""


@dataclass(frozen=True)
class CauseFact:
    """One hazard that explains the other side's bits, with the experiment that shows it."""

    hazard: str
    title: str
    expression: str
    """How the operation is evaluated under it."""
    practice: str
    remedy: str
    scope: str
    """A word of `SCOPES`, or one of those below them: where it acted in the experiment."""
    frames_same: int
    """Frames, from the differing one on, in which the experiment gave the other side's hash."""
    frames_compared: int
    evidence: tuple[str, ...] = ()
    player: int | None = None
    """Whose input is another, if that is the cause."""

    @property
    def holds(self) -> bool:
        """Whether the experiment gave the other side's bits in all frames compared."""
        return 0 < self.frames_compared == self.frames_same


@dataclass(frozen=True)
class ApartFact:
    """The measurement that tells the first cause from another one that fits all evidence too.

    It is the hash after `frame`, which nobody has told yet; where that is None, the operation's
    `expression` for other `operands`, bits by name. `titles` are both causes', `results` what each
    gives: hashes, or bits.
    """

    titles: tuple[str, str]
    results: tuple[str, str]
    frame: int | None = None
    expression: str = ""
    operands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ExposedFact:
    """An exposed operation: another one that the same hazard acts on."""

    place: Place
    opcode: str
    steps: int | None
    """Operations between it and the hashed state, at least; None where it does not get there."""
    changed: int
    """How many of its evaluations in the frame the hazard changes."""
    evaluations: int


@dataclass(frozen=True)
class TimelineFact:
    """One frame: scalars that differ, and the largest distance in ULP among floats."""

    frame: int
    differing: int
    ulps: int | None
    path: str = ""
    """The scalar with the largest distance."""


@dataclass(frozen=True)
class Departure:
    """The point at which a run departs from its replay.

    `frame` is the first whose state after it is another than the recorded one; -1 is what `init`
    leaves; `since` the last that is known to agree, -2 for none. With `between`, the hash after the
    frame agrees, and the keyframe behind it does not. `here` and `recorded` are hashes, or how the
    run trapped. `fields` are those in which the first keyframe from there on, before frame
    `keyframe`, is another; `a` in them is the run made here, `b` what was recorded.
    """

    frame: int
    since: int
    between: bool
    here: str
    recorded: str
    keyframe: int | None = None
    fields: tuple[FieldFact, ...] = ()
    differing: int = 0


@dataclass(frozen=True)
class RecordedFact:
    """A run beside the hashes and keyframes of its replay: how many of each were compared, and
    where it departs from them, if it does."""

    replay: str
    hashes: int
    keyframes: int
    departure: Departure | None
    notes: tuple[str, ...] = ()


CHANGE_SHAPES = ("fields", "frame", "skipped", "unknown")
"""What becomes of a state that is changed outside of the frames: some fields are others; it is that
before another frame; the frame is not played; it is not known."""


@dataclass(frozen=True)
class ChangeFact:
    """Side b's state, changed outside of its frames: between the step of `frame` - 1 and that of
    `frame`.

    `shape` is one of `CHANGE_SHAPES`: with "frame" the state is that before frame `of`. `fields`
    are the first of the `differing` scalars that are others; `a` in them is what they were. Where
    `keyframe` is given, side b kept the state before that frame.
    """

    frame: int
    shape: str
    of: int | None = None
    fields: tuple[FieldFact, ...] = ()
    differing: int = 0
    keyframe: int | None = None


@dataclass(frozen=True)
class EditFact:
    """A change between two versions of a source. `a` and `b` are where it stands in each, None
    where it does not; `words` say what it is, `where` its place."""

    kind: str
    function: str
    a: Place | None
    b: Place | None
    old: str
    new: str
    words: str
    where: str


@dataclass(frozen=True)
class AnswerFact:
    """One of the causes between two versions: edits that belong together.

    `alone` is the first frame that differs with these edits alone; `left` the first that differs
    once they are mended, None where none does, and `fields` the first that differ then. -1 is what
    `init` leaves.
    """

    title: str
    edits: tuple[EditFact, ...]
    alone: int | None
    left: int | None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class EditsFact:
    """The edits between two versions, as far as they matter.

    Those of `answers`, all together and made alone in side a's source, give side b's hash in all of
    `frames`; none can be left out if `is_minimal`. `rivals` are another set that does, `masked`
    those that would change something if it were not for the answers, `harmless` all others.
    """

    answers: tuple[AnswerFact, ...]
    rivals: tuple[EditFact, ...]
    masked: tuple[EditFact, ...]
    harmless: tuple[EditFact, ...]
    is_minimal: bool
    trials: int
    frames: int


@dataclass(kw_only=True)
class Diagnosis:
    """The findings about sides `a` and `b` of a simulation. What could not be told is empty, and
    `notes` say why."""

    simulation: str
    version: str
    seed: int
    a: str
    b: str
    frames: int
    """Frames that both sides have."""
    headers: tuple[HeaderFact, ...] = ()
    """The differences of the headers, which are compared first: the first suspects."""
    inputs: tuple[InputFact, ...] = ()
    """Inputs that differ, the first ones; compared before anything is searched."""
    inputs_differing: int = 0
    """Frames whose inputs differ."""
    changes: tuple[ChangeFact, ...] = ()
    """Side b's state, changed outside of its frames, by side a's program over b's inputs."""
    frame: int | None = None
    """The first that differs; -1 is the state that `init` leaves; None where none does."""
    since: int | None = None
    """The last before it that is known to agree, -2 for none: where that is not the one before,
    one of those between may be the first that differs. None where none differs."""
    hashes: tuple[str, str] | None = None
    fields: tuple[FieldFact, ...] = ()
    differing: int = 0
    """Scalars that differ after the frame, of which `fields` holds the first."""
    columns: tuple[ColumnFact, ...] = ()
    timeline: tuple[TimelineFact, ...] = ()
    operation: OperationFact | None = None
    causes: tuple[CauseFact, ...] = ()
    """The first is the cause; the others are "also explained by"."""
    apart: ApartFact | None = None
    """What would decide between the first two, where both fit all evidence and that is known."""
    edits: EditsFact | None = None
    """What matters between the versions, where both sides are of other sources."""
    certainty: str = "unknown"
    """A key of `CERTAINTIES`."""
    compared: int | None = None
    """Frames after which both states, or hashes of them, are known; None where all are."""
    is_partial: bool = False
    """Whether some of these states are known in part alone."""
    heals: int | None = None
    """The first frame after which the states are the same again, to the end; None if none is."""
    followed: int = 0
    """Frames behind the differing one that were compared for that."""
    followed_differing: int = 0
    """Those of them that differ."""
    parted_again: int = 0
    """How many times states that were the same again have parted again."""
    exposed: tuple[ExposedFact, ...] = ()
    exposed_left: int = 0
    recorded: RecordedFact | None = None
    """Side a beside its replay, as far as it was run; None where that holds no hash and no
    keyframe."""
    notes: list[str] = field(default_factory=list[str])
    untried: str = ""
    """Why nothing was compared; empty where it was."""
    seconds: float = 0.0

    @property
    def same(self) -> bool:
        """Whether no frame differs."""
        return self.frame is None

    @property
    def differs(self) -> bool:
        """Whether anything parts: a frame, a state between frames, or a run from its replay."""
        departs = self.recorded is not None and self.recorded.departure is not None
        return departs or bool(self.changes) or not self.same

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def to_json(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {"same": self.same and not self.untried, **asdict(self)}
