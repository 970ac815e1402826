"""A header's difference as an experiment: side a run with the other side's option or seed.

Owns what of a header can be planted in side a, and how what comes of it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.frame.hash_search import HashSearch
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.report.findings import SCOPES, CauseFact, HeaderFact
from samebits.modes import from_text
from samebits.replay.frames import Keyframe
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.sources import InputBlock, InputSource

OVER_INPUTS = "everywhere, over side b's inputs, which differ too"
"""Where it acts together with inputs."""
_BUILD = "an option of the kernel, of its module, or of the build"


@dataclass(frozen=True, eq=False)
class _Planting:
    """What of a header can be planted: how a cause is called, what does it in practice, and the
    side and the inputs with the other's value in them."""

    title: str
    practice: str
    made: Callable[[Side, InputSource, str, str], tuple[Side, InputSource]]
    is_option: bool = False
    """Whether it is one of the kernels' options, which may need one another."""


def _option(side: Side, source: InputSource, name: str, value: str) -> tuple[Side, InputSource]:
    read = {"on": True, "off": False}.get(value, value)
    options: Mapping[str, Any] = {**side.spec.options, name: from_text(name, read)}
    return _made(side, options=options), source


def _environment(
    side: Side, source: InputSource, name: str, value: str
) -> tuple[Side, InputSource]:
    words = [word for word, phrase in _PHRASES.items() if phrase in value]
    return _made(side, environment=tuple(words)), source


def _made(side: Side, **words: Any) -> Side:
    """The side with other words, as a side of its own."""
    return Side(side.text, side.simulation, replace(side.spec, **words))


def _seeded(side: Side, source: InputSource, name: str, value: str) -> tuple[Side, InputSource]:
    return side, OtherSeed(source, int(value))


_PHRASES = {
    "ftz": "(FTZ)", "daz": "(DAZ)", "up": "rounds up", "down": "rounds down",
    "toward-zero": "rounds toward zero",
}  # fmt: skip
"""Words of an environment by what a report says of a thread in it."""

PLANTINGS: Mapping[str, _Planting] = {
    "mode": _Planting("another float mode", _BUILD, _option, True),
    "precision": _Planting("math functions of another precision", _BUILD, _option, True),
    "contract": _Planting("products and sums contracted", _BUILD, _option, True),
    "denormals": _Planting("subnormal numbers flushed", _BUILD, _option, True),
    "seed": _Planting("another seed", "a session that does not tell all peers its seed", _seeded),
    "floating-point environment": _Planting(
        "another floating-point environment",
        "drivers, plug-ins, audio libraries and -ffast-math, which set it for the whole thread",
        _environment,
    ),
}
"""By the header's row."""


@dataclass(frozen=True, eq=False)
class OtherSeed:
    """A source's inputs, in a run of another seed."""

    source: InputSource
    seed: int

    @property
    def replay(self) -> str | None:
        return self.source.replay

    @property
    def frames(self) -> int:
        return self.source.frames

    @property
    def damage(self) -> str | None:
        return self.source.damage

    def blocks(self) -> Iterator[InputBlock]:
        return self.source.blocks()

    def keyframes(self) -> Iterator[Keyframe]:
        return self.source.keyframes()


@dataclass(frozen=True, eq=False)
class GivenInputs:
    """Inputs of all frames, of shape (frames, players), as a source."""

    rows: Inputs
    seed: int
    replay: str | None = None
    damage: str | None = None

    @property
    def frames(self) -> int:
        return len(self.rows)

    def blocks(self) -> Iterator[InputBlock]:
        yield InputBlock(self.rows, None)

    def keyframes(self) -> Iterator[Keyframe]:
        return iter(())


@dataclass(frozen=True, eq=False)
class Planted:
    """A cause that the headers name, and side b's state after the first differing frame, where it
    gives all of b's hashes."""

    cause: CauseFact
    state: bytes | None


def planted(
    facts: Sequence[HeaderFact],
    side: Side,
    source: InputSource,
    known: Mapping[int, int],
    frame: int,
    progress: Progress,
    others: InputSource | None = None,
) -> Planted | None:
    """The first difference of the headers that alone, planted in side a, gives the other side's
    hashes, `known` by frame, from the first differing one on as far as anything is known; of those
    that give some of them, the one that gives most. None where none gives any. Options that need
    one another, as contraction does a mode, are tried together once none does alone, and each over
    the inputs of side b, `others`, where these differ too.

    Raises what opening and running a side raise.
    """
    told = [fact for fact in facts if fact.name in PLANTINGS]
    options = [fact for fact in told if is_option(fact)]
    sets = [[fact] for fact in told] + ([options] if len(options) > 1 else [])
    plans = [(source, tried) for tried in sets]
    plans += [] if others is None else [(others, tried) for tried in sets]
    best: CauseFact | None = None
    for given, tried in plans:
        title = PLANTINGS[tried[0].name].title
        progress(f"trying {title}", 0, source.frames)
        other, inputs = side, given
        for fact in tried:
            other, inputs = PLANTINGS[fact.name].made(other, inputs, fact.name, fact.b)
        found = agreement(other, inputs, known, frame, progress)
        if found.same and (best is None or found.same > best.frames_same):
            best = _cause(tried, found, SCOPES[-1] if given is source else OVER_INPUTS)
        if found.whole:
            assert best is not None
            return Planted(best, _state(other, inputs, frame))
    return None if best is None else Planted(best, None)


def _state(side: Side, source: InputSource, frame: int) -> bytes | None:
    """The state that a run leaves after a frame."""
    inputs = InputStream(source)
    with closing(open_run(side)) as run:
        run.start(inputs.seed)
        if frame >= 0:
            run.advance(inputs.between(0, frame + 1))
        return run.save() if run.frame == frame + 1 else None


def untried(fact: HeaderFact) -> CauseFact:
    """A row of `PLANTINGS` as a cause of which no experiment can be made."""
    return _cause([fact], Agreement(0, 0))


def is_program(fact: HeaderFact) -> bool:
    """Whether it makes the program, or what computes it, another one."""
    return fact.name == "digest" or (fact.name in PLANTINGS and fact.name != "seed")


def is_option(fact: HeaderFact) -> bool:
    """Whether it is an option of kernels."""
    return fact.name in PLANTINGS and PLANTINGS[fact.name].is_option


def of_options(facts: Sequence[HeaderFact], whole: CauseFact) -> CauseFact:
    """Differing options of one source, as the cause of what its whole program in the other's form
    gives."""
    found = Agreement(whole.frames_same, whole.frames_compared)
    cause = _cause(facts, found)
    return replace(cause, scope=whole.scope, evidence=(*cause.evidence, *whole.evidence))


def agreement(
    side: Side, source: InputSource, known: Mapping[int, int], frame: int, progress: Progress
) -> Agreement:
    """How many of the hashes known from `frame` on a side gives. Raises what running it raises."""
    inputs = InputStream(source)
    frames = [n for n in known if frame <= n < inputs.frames]
    with closing(open_run(side)) as run:
        done = HashSearch(run, inputs, known, progress=progress).run()
    if done.found is None:
        return Agreement(len(frames), len(frames))
    return Agreement(sum(n < done.found.frame for n in frames), len(frames))


def _cause(facts: Sequence[HeaderFact], found: Agreement, scope: str = SCOPES[-1]) -> CauseFact:
    first, planting = facts[0], PLANTINGS[facts[0].name]
    return CauseFact(
        hazard=first.name,
        title=planting.title,
        expression=" and ".join(f"{fact.name} {fact.b}" for fact in facts),
        practice=planting.practice,
        remedy="; ".join(fact.meaning for fact in facts),
        scope=scope,
        frames_same=found.same,
        frames_compared=found.compared,
        evidence=tuple(f"{fact.name} is {fact.a} in a's header, {fact.b} in b's" for fact in facts),
    )
