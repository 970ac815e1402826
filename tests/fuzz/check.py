"""Whether programs' executions agree: one program, or a batch of generated ones.

A failure's `kind` is what the shrinker keeps; its text is for people.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from samebits.errors import CompileError
from tests.fuzz import called_in_loops
from tests.fuzz.execute import Level, disagreements, run_evaluate
from tests.fuzz.forms import FORMS
from tests.fuzz.generator import Program, generate
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import DisagreementError, Loaded, Workspace

TIMES = 10**9
"""The least seed that is a time."""


@dataclass(frozen=True)
class Failure:
    """A program whose executions disagree on one call, or that the front end refused."""

    program: Program
    inputs: InputSet
    kind: str
    text: str


@dataclass
class Tally:
    """What a batch covered."""

    programs: int = 0
    calls: int = 0
    traps: Counter[str] = field(default_factory=Counter[str])
    failures: list[Failure] = field(default_factory=list[Failure])

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.calls += other.calls
        self.traps += other.traps
        self.failures += other.failures


def kind_of(text: str) -> str:
    """The part of a failure's text that stays while a program shrinks."""
    parts = text.split(": ")
    kept = parts[0] if parts[0].startswith("managed and") else ": ".join(parts[:2])
    return re.sub(r"\d+", "N", kept) if kept.startswith("refused") else kept


def check_programs(
    programs: Iterable[Program],
    *,
    native: bool = True,
    compiled_at: Sequence[Level] | None = None,
    texts: int = 1,
) -> Tally:
    """Run programs in every execution; the first failure of each is kept. One of `texts` programs
    has its IR read back from its text."""
    tally = Tally()
    with Workspace(texts) as workspace:
        loaded: list[tuple[Loaded, Sequence[InputSet]]] = []
        kept: list[Program] = []
        for program in programs:
            tally.programs += 1
            tally.calls += len(program.inputs)
            try:
                loaded.append((workspace.load(program.source, program.entry), program.inputs))
                kept.append(program)
            except CompileError as error:
                text = f"refused: {error.message}"
                tally.failures.append(Failure(program, program.inputs[0], kind_of(text),
                                              f"refused: {error}"))  # fmt: skip
            except DisagreementError as error:
                text = str(error)
                tally.failures.append(Failure(program, program.inputs[0], kind_of(text), text))
        seen: set[int] = set()
        for p, k, text in _disagreements(loaded, native, compiled_at):
            if p not in seen:
                seen.add(p)
                tally.failures.append(Failure(kept[p], kept[p].inputs[k], kind_of(text), text))
        for p, (program, input_sets) in enumerate(loaded):
            if p not in seen:
                for inputs in input_sets:
                    trap = run_evaluate(program, inputs).trap
                    tally.traps[trap[0] if trap else "none"] += 1
    return tally


def _disagreements(
    loaded: Sequence[tuple[Loaded, Sequence[InputSet]]],
    native: bool,
    compiled_at: Sequence[Level] | None,
) -> list[tuple[int, int, str]]:
    """What `disagreements` finds; where it breaks off, program by program."""
    try:
        return list(disagreements(loaded, native=native, compiled_at=compiled_at))
    except Exception as error:
        if len(loaded) == 1:
            text = str(error).splitlines()[0] if str(error) else ""
            return [(0, 0, f"broke off: {type(error).__name__}: {text}")]
        return [
            (p, k, text)
            for p, one in enumerate(loaded)
            for _, k, text in _disagreements([one], native, compiled_at)
        ]


def check_seeds(
    seeds: Sequence[int],
    input_sets: int = 3,
    compiled_at: Sequence[Level] | None = None,
    texts: int = 1,
) -> Tally:
    """Generate and check the programs of `seeds`."""
    made = (_program(seed, input_sets) for seed in seeds)
    return check_programs(made, compiled_at=compiled_at, texts=texts)


def _program(seed: int, input_sets: int) -> Program:
    """One program in eight of `make fuzz`, whose seeds are times, calls kernels in its loops, and
    another is of a form that others seldom have."""
    if seed >= TIMES and seed % 8 == 0:
        return called_in_loops.generate(seed, input_sets)
    if seed >= TIMES and seed % 8 == 1:
        return [*FORMS.values()][seed // 8 % len(FORMS)](seed)
    return generate(seed, input_sets)


def assert_agreement(source: str, entry: str, inputs: Sequence[InputSet]) -> None:
    """Fail unless every execution of `entry` gives the same bits, memory and traps."""
    with Workspace() as workspace:
        loaded = workspace.load(source, entry)
        for _, k, text in disagreements([(loaded, inputs)]):
            raise DisagreementError(f"input set {k}: {text}")
