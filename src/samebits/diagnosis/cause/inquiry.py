"""The cause of a difference, by experiment with hazards in the first side's program.

A hazard that gives the other side's hashes from the differing frame on explains the difference.

Owns which experiments are made, and in which order what they show is named. Reads nothing of how
the other side was made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from samebits.bits import ulp_distance, value_of
from samebits.diagnosis.cause.experiment import FRAMES, Agreement, Experiment, exchange
from samebits.diagnosis.cause.nondeterminism import RerunFacts, nondeterministic_cause
from samebits.diagnosis.cause.observations import Observations
from samebits.diagnosis.cause.trials import Trials
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.operation.first_difference import OperationDifference
from samebits.diagnosis.operation.match_versions import Change
from samebits.diagnosis.operation.source_changes import (
    PRACTICE,
    is_constant,
    other_calls,
    rewording,
    with_other_calls,
)
from samebits.diagnosis.report.findings import SCOPES, THROUGHOUT, WITH_ALL_ELSE, CauseFact
from samebits.errors import SamebitsError, TraceError
from samebits.frame_trace.record import Trace
from samebits.hazards.apply import rewritten
from samebits.hazards.catalogue import ExpressionHazard, ProgramHazard, by_name
from samebits.hazards.catalogue.programs.changed_input import changed_in
from samebits.hazards.edit.function_editor import guarded, with_statements
from samebits.hazards.environments import environments
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.analysis.budget import REBUILT
from samebits.ir.grammar import Module, walk
from samebits.ir.once import is_library
from samebits.ir.refs import OpRef, op_at
from samebits.sim.program import Program
from samebits.types import ScalarType

MOST_EXPERIMENTS = 90
MOST_PLAYERS = 8
FEW_FRAMES = 3
"""Frames of an experiment in the interpreter when another hazard explains everything."""
SURE_FRAMES = 8
"""Frames that an experiment has to agree in before its cause is called certain."""

_LEVELS = (0, 3)
"""Optimisation levels of code in another environment, whose bits depend on them."""

PROGRAM_HAZARDS_OF: dict[str, tuple[str, ...]] = {
    "result": ("changed-constant", "changed-operation"),
    "loop": ("lanes", "iteration-order", "changed-constant", "changed-operation"),
    "path": ("lost-store", "changed-operation", "changed-constant"),
    "memory": ("uninitialised", "lost-store", "unhashed", "changed-operation"),
    "input": ("changed-input",),
}
"""Which program hazards can show in which kind of difference, the most plausible first."""


@dataclass(frozen=True, eq=False)
class Question:
    """A difference, and what is needed to explain it by experiment."""

    program: Program
    """The first side's."""
    difference: OperationDifference
    experiment: Experiment
    observe: Observations
    facts: RerunFacts = field(default_factory=RerunFacts)
    times: tuple[int, int] = (0, 0)
    """How often each side does the differing operation in the frame."""
    frame: int = 0
    changes: tuple[Change, ...] = ()
    """What differs in the other side's source, where both sources are known."""
    theirs: Module | None = None
    """What the other side evaluates, if that is known."""
    trace: Trace | None = None
    """Of the other side's frame, where that evaluates the first side's program."""
    other: Module | None = None
    """The other source's kernels, numbered as the first one's."""


@dataclass(frozen=True, slots=True)
class Found:
    """A cause, and the hazard with the place and the note of what was done: they say which other
    operations are exposed."""

    fact: CauseFact
    hazard: ExpressionHazard | ProgramHazard
    place: OpRef | None
    note: str
    only: frozenset[OpRef] | None = None
    """Where else it acts, if that is known; None: wherever the hazard can."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The causes, the first of them the cause, and how sure that is."""

    causes: tuple[Found, ...]
    certainty: str
    notes: tuple[str, ...] = ()


def explain_difference(question: Question, progress: Progress) -> Answer:
    """Make the experiments that the difference calls for."""
    return _Inquiry(question, progress).answer()


class _Inquiry:
    def __init__(self, question: Question, progress: Progress) -> None:
        self.q = question
        self.kernels = question.program.kernels
        self.results: list[Found] = []
        self.notes: list[str] = []
        self.untried: set[str] = set()
        """Hazards that had more variants which fit than were tried."""
        self._progress = progress
        self._done = 0

    def answer(self) -> Answer:
        kind, facts = self.q.difference.kind, self.q.facts
        if facts.is_outside:
            # One input that is another in one frame is what an experiment can repeat even so.
            steps = [self._input] if kind == "input" and facts.repeats is not False else []
        else:
            steps = [self._versions] if self.q.changes else []
            if kind == "result":
                steps += [self._callee, self._constant, self._expressions, self._environments]
            elif kind == "input":
                steps.append(self._input)
            steps.append(self._structures)
        for step in (*steps, self._outside):
            if not self._explained:
                step()
        return replace(self._named(), notes=tuple(self.notes))

    @property
    def _explained(self) -> bool:
        return any(found.fact.holds for found in self.results)

    def _versions(self) -> None:
        """The other source's own functions, put in the first one's place."""
        assert self.q.other is not None
        program = self.q.program.with_kernels(self.q.other)
        agreement = self._try("the changed source", lambda: program)
        first = self._nearest(self.q.changes)
        hazard = by_name("changed-constant" if is_constant(first) else "changed-operation")
        places = [*dict.fromkeys(str(c.b or c.a) for c in self.q.changes)][:4]
        evidence = (
            *rewording(first, self.q.changes),
            f"changes, {len(self.q.changes):,} in all, at {', '.join(places)}",
        )
        only = frozenset(change.place for change in self.q.changes if change.a is not None)
        place = None if first.a is None else first.place  # what is new has no place in a
        self._add(
            hazard, place, first.text, agreement, scope=WITH_ALL_ELSE, evidence=evidence, only=only
        )

    def _nearest(self, changes: Sequence[Change]) -> Change:
        """The change at the differing operation, or else in its line, or else the first."""
        at, span = self.q.difference.place, self.q.difference.span

        def distance(change: Change) -> int:
            if change.place == at:
                return 0
            same_line = change.a is not None and (change.a.file, change.a.line) == (
                span.file, span.line,
            )  # fmt: skip
            return 1 if same_line else 2

        return min(changes, key=distance)

    def _callee(self) -> None:
        """A call of another function on the other side, as of another precision."""
        d = self.q.difference
        place, theirs = d.place, self.q.theirs
        if d.a is None or d.b is None or place is None or theirs is None:
            return
        mine, other = d.a.op, d.b.op
        if mine.opcode != "call" or other.opcode != "call" or mine.attr == other.attr:
            return
        # The library's own, by another precision: what else is called is for experiments to find.
        if not is_library(str(other.attr)):
            return
        hazard, every = by_name("changed-operation"), other_calls(self.kernels, theirs)
        text = f"{other.attr} for {mine.attr}"
        for scope, places in ((SCOPES[0], {place}), (SCOPES[-1], every)):
            program = self.q.program.with_kernels(with_other_calls(self.kernels, theirs, places))
            agreement = self._try(hazard.title, lambda program=program: program)
            self._add(
                hazard, place, PRACTICE, agreement, expression=text, scope=scope, only=every
            )  # fmt: skip
            if agreement.whole or len(every) < 2:
                return

    def _constant(self) -> None:
        """A constant that is another on the other side, which shows its value."""
        d = self.q.difference
        op, place, seen = d.op, d.place, d.b
        if op is None or op.opcode != "const" or place is None or seen is None or not seen.results:
            return
        t, bits = op.result.type, seen.results[0]
        if bits is None or not isinstance(t, ScalarType):
            return
        value = value_of(t, bits)
        other = replace(op_at(self.kernels, place), attr=value)
        kernels = with_statements(self.kernels, place.function, {place.op: [other]})
        mine = seen if d.a is None else d.a
        apart = ulp_distance(mine.results[0] or 0, bits, t.bits) if t.is_float else None
        hazard = by_name("constant" if apart == 1 else "changed-constant")
        program = self.q.program.with_kernels(kernels)
        experiment = self.q.experiment
        if experiment.foreign:  # a loop of compiled code would iterate as often as it says
            experiment = replace(experiment, interpreted=True)
        agreement = self._try(hazard.title, lambda: experiment.run(program))
        text = f"{op.attr!r} is {value!r} on the other side"
        self._add(hazard, place, "", agreement, expression=text)

    def _input(self) -> None:
        """The inputs' value of the other side, read by one player after the other."""
        d = self.q.difference
        op, place, seen = d.op, d.place, d.b
        if op is None or place is None or seen is None or not seen.results:
            return
        t, bits = op.result.type, seen.results[0]
        if bits is None or not isinstance(t, ScalarType):
            return
        value = value_of(t, bits)
        hazard = by_name("changed-input")
        players = self.q.experiment.inputs.shape[1]
        for frame in dict.fromkeys((self.q.frame, 0)):
            for player in range(min(players, MOST_PLAYERS)):
                kernels = changed_in(self.kernels, place, frame, player, value)
                agreement = self._try(
                    hazard.title, lambda kernels=kernels: self.q.program.with_kernels(kernels)
                )
                if agreement.same:
                    text = f"player {player}'s input is {value!r} in frame {self.q.frame:,}"
                    self._add(hazard, place, "", agreement, expression=text, player=player)
                if agreement.whole:
                    return

    def _expressions(self) -> None:
        place = self.q.difference.place
        assert place is not None
        trials = Trials(
            self.kernels, place, self.q.observe, self._injected, self._interpreted,
            self.q.experiment.budget,
        )  # fmt: skip
        try:
            for trial in trials.run():
                variant = trial.variant
                self._add(
                    variant.hazard, variant.place, variant.note, trial.agreement,
                    expression=variant.expression, scope=trial.scope, evidence=trial.evidence,
                )  # fmt: skip
        except TraceError:  # the budget says why
            return
        self.untried = trials.untried

    def _environments(self) -> None:
        """Another floating-point environment, which acts in the library's functions too: where one
        of these differs, or what such a hazard gives at an operation of the program's own."""
        op, experiment = self.q.difference.op, self.q.experiment
        called = op is not None and op.opcode == "call"
        hazards = {found.fact.hazard for found in self.results}
        for each, opt in product(environments(), _LEVELS):
            if experiment.interpreted or not (called or each.hazard in hazards):
                continue
            hazard = by_name(each.hazard)
            agreement = self._try(
                hazard.title,
                lambda each=each, opt=opt: experiment.run(each.of(self.q.program), opt=opt),
            )
            if agreement.same:
                self._add(
                    hazard, self.q.difference.place, each.note, agreement,
                    expression=f"fpenv={each.word}", scope=THROUGHOUT,
                )  # fmt: skip
            if agreement.whole:
                return

    def _injected(self, what: str, variants: Sequence[SiteVariant]) -> Agreement | None:
        if self._done >= MOST_EXPERIMENTS:
            return None
        program = self.q.program
        kernels = rewritten(guarded(program.kernels), variants)
        experiment = replace(self.q.experiment, trace=self.q.trace)
        return self._try(what, lambda: experiment.run(program.with_kernels(kernels)))

    def _interpreted(self, variant: SiteVariant) -> Agreement | None:
        if self._done >= MOST_EXPERIMENTS:
            return None
        q = self.q
        source = exchange(variant.place, variant.site, (variant.tree, variant.arithmetic))
        frames = FEW_FRAMES if self._explained else FRAMES
        return self._try(
            variant.hazard.title,
            lambda: q.experiment.evaluated(q.program, frames, source),
        )

    def _structures(self) -> None:
        place, kind = self.q.difference.place, self.q.difference.kind
        tried: list[tuple[ProgramHazard, Sequence[OpRef]]] = []
        for name in PROGRAM_HAZARDS_OF[kind]:
            hazard = by_name(name)
            assert isinstance(hazard, ProgramHazard)
            tried.append((hazard, hazard.places(self.kernels)))
        for hazard, places in tried:
            if place is not None and place in places and self._structure(hazard, place):
                return
        for hazard, places in tried:
            around = [at for at in places if place is None or at.function == place.function]
            if place not in places and any(self._structure(hazard, at) for at in around):
                return

    def _structure(self, hazard: ProgramHazard, at: OpRef) -> bool:
        """Try a hazard's variants at a place: whether that is the end of it."""
        for module, note in hazard.variants(self.kernels, at):
            if self._done >= MOST_EXPERIMENTS:
                return True
            program = self.q.program.with_kernels(module)
            agreement = self._try(hazard.title, lambda program=program: program)
            if agreement.same:
                self._add(hazard, at, note, agreement)
            if agreement.whole:
                return True
        return False

    def _outside(self) -> None:
        """Causes that no experiment can repeat."""
        found = nondeterministic_cause(self.q.difference, self.q.facts, self.q.times)
        if found is not None:
            name, evidence = found
            self._add(
                by_name(name), self.q.difference.place, "", Agreement(0, 0), evidence=evidence
            )

    def _try(self, what: str, make: Callable[[], Program | Agreement]) -> Agreement:
        self._progress(what, self._done, MOST_EXPERIMENTS)
        self._done += 1
        budget = self.q.experiment.budget
        try:
            if budget is not None:
                budget.work(REBUILT * self._size)
            made = make()
            return made if isinstance(made, Agreement) else self.q.experiment.run(made)
        except SamebitsError as error:  # this one explains nothing; others may
            note = f"an experiment was not made ({what}): {error.message}"
            if note not in self.notes:
                self.notes.append(note)
            return Agreement(0, max(1, len(self.q.experiment.hashes)))

    @cached_property
    def _size(self) -> int:
        """Operations of the program, all of which a changed one is made of."""
        return sum(1 for f in self.kernels.functions.values() for _ in walk(f.body))

    def _add(
        self,
        hazard: ExpressionHazard | ProgramHazard,
        place: OpRef | None,
        note: str,
        agreement: Agreement,
        *,
        expression: str = "",
        scope: str = SCOPES[0],
        evidence: tuple[str, ...] = (),
        only: frozenset[OpRef] | None = None,
        player: int | None = None,
    ) -> None:
        fact = CauseFact(
            hazard=hazard.name,
            title=hazard.title,
            expression=expression or note,
            practice=note if expression and note else hazard.practice,
            remedy=hazard.remedy,
            scope=scope,
            frames_same=agreement.same,
            frames_compared=agreement.compared,
            evidence=evidence,
            player=player,
        )
        self.results.append(Found(fact, hazard, place, note, only))

    def _named(self) -> Answer:
        best: dict[str, Found] = {}
        for found in self.results:
            known = best.setdefault(found.fact.hazard, found)
            if found.fact.frames_same > known.fact.frames_same:
                best[found.fact.hazard] = found
        # What running b again has told comes before what explains the first frames alone.
        order = sorted(
            (found for found in self.results if best[found.fact.hazard] is found),
            key=lambda f: (not f.fact.holds, bool(f.fact.frames_compared), -f.fact.frames_same),
        )
        if not order:
            return Answer((), "unknown")
        top = order[0].fact
        if not top.frames_compared:
            return Answer((order[0],), "likely")
        if not top.frames_same:
            return Answer(tuple(order), "possible")
        alike = tuple(found for found in order if found.fact.frames_same == top.frames_same)
        if not top.holds:
            return Answer(alike, "possible")
        rivals = self.untried - {top.hazard}
        enough = top.frames_compared >= SURE_FRAMES
        # Between two versions, only their edits, each made alone, can be certain.
        by_itself = top.scope != WITH_ALL_ELSE and not self.q.changes
        sure = len(alike) == 1 and not rivals and enough and by_itself
        return Answer(alike, "certain" if sure else "likely")
