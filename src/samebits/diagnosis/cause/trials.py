"""Trials of expression hazards at the differing operation: which variants, and in which order.

What gives the other side's observed results is tried in a whole program. Where that departs from
the other side in some later frame, the operation's evaluations in that frame are looked at: a
variant that does not give them is refuted, and with it, untried, all others that do not either. One
that does give them is right at the operation, and acts at more places than this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.observations import Candidate, Observations, candidates, gives
from samebits.diagnosis.report.findings import SCOPES
from samebits.errors import HazardError
from samebits.hazards.catalogue import EXPRESSION_HAZARDS
from samebits.hazards.expressions import Sites
from samebits.hazards.injection import ExpressionVariant, variants_among
from samebits.hazards.site_variants import SiteVariant, variants_of
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import Module
from samebits.ir.refs import OpRef

ROUNDS = (8, 16)
"""Experiments with one hazard's variants at the operation alone, before and after other hazards."""
MOST_WITH_RIVALS = 30
"""Experiments that are made once something holds: what they leave open makes that likely only."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A variant that was tried: how far it explains the other side, and where it acted then."""

    variant: SiteVariant
    agreement: Agreement
    scope: str
    evidence: tuple[str, ...]


Attempt = Callable[[str, Sequence[SiteVariant]], Agreement | None]
"""An experiment with variants at places; None where no more can be made. Raises HazardError."""


@dataclass(eq=False)
class Trials:
    """The trials at one operation. `interpret` evaluates a variant that cannot be compiled."""

    kernels: Module
    place: OpRef
    observe: Observations
    attempt: Attempt
    interpret: Callable[[SiteVariant], Agreement | None]
    budget: Budget | None = None
    """What looking for variants may take, where the kernels are another machine's."""

    def __post_init__(self) -> None:
        self._everywhere: dict[str, tuple[ExpressionVariant, ...]] = {}
        """The variants of a hazard at all of its places."""
        self._left: dict[str, list[Candidate]] = {}
        """Ways that have not been tried, by hazard, those that give more first."""
        self._held: set[str] = set()
        self._scope = SCOPES[0]
        """Of the first variant that holds."""
        self._with_rivals = 0
        """Experiments since then."""
        self._cut: set[str] = set()
        """Hazards of which an experiment was not made, because there had been too many."""
        self._stretched: set[str] = set()
        """Hazards of which a variant was tried that does not give all that was observed."""

    @property
    def untried(self) -> set[str]:
        """Hazards of which no variant holds, with variants left that give all that was observed, or
        of which an experiment could not be made any more."""
        open_ = {name for name in self._left if name in self._cut or self._fitting(name)}
        return open_ - self._held

    def run(self) -> Iterator[Trial]:
        """Try hazards in the order of their table, each until one of its variants explains it all;
        further variants only where no hazard does."""
        sites = Sites(self.kernels.functions[self.place.function], self.budget)
        for hazard in EXPRESSION_HAZARDS:
            variants = variants_of(hazard, sites, self.place)
            self._left[hazard.name] = candidates(variants, self.observe)
            yield from self._some(hazard.name, ROUNDS[0])
        for hazard in EXPRESSION_HAZARDS if not self._held else ():
            yield from self._some(hazard.name, ROUNDS[1])

    def _some(self, name: str, most: int) -> Iterator[Trial]:
        for _ in range(most):
            if self._is_spent:
                return
            candidate = self._next(name)
            trial = None if candidate is None else self._trial(candidate)
            if trial is None:
                return
            yield trial
            if trial.agreement.whole:
                if not self._held:
                    self._scope = trial.scope
                self._held.add(name)
                return

    @property
    def _is_spent(self) -> bool:
        """Whether rivals have had their experiments."""
        return bool(self._held) and self._with_rivals >= MOST_WITH_RIVALS

    def _next(self, name: str) -> Candidate | None:
        """The variant to try: one that gives all that was observed; where there is none, once, the
        one that gives most of it, as not all evaluations need be compiled alike."""
        fitting = self._fitting(name)
        if not fitting:
            rest = [c for c in self._left[name] if not c.fits]
            once = name not in self._stretched
            self._stretched.add(name)
            return rest[0] if once and rest else None
        self._left[name].remove(fitting[0])
        return fitting[0]

    def _fitting(self, name: str) -> list[Candidate]:
        """A hazard's variants that are left and have not been refuted."""
        return [
            c
            for c in self._left[name]
            if c.fits and all(gives(c.variant, o) for o in self.observe.refuting(c.variant.site))
        ]

    def _trial(self, candidate: Candidate) -> Trial | None:
        variant = candidate.variant
        evidence = [
            f"gives {candidate.matched:,} of {candidate.instances:,} results of the operation, "
            f"{candidate.telling:,} of which strict evaluation does not"
        ]
        try:
            found = self._wider(variant)
        except HazardError:
            agreement = self.interpret(variant)
            found = None if agreement is None else (agreement, SCOPES[0])
            evidence.append("run in the interpreter: the host's own code has it, and ours has not")
        return None if found is None else Trial(variant, *found, tuple(evidence))

    def _wider(self, variant: SiteVariant) -> tuple[Agreement, str] | None:
        """The best of trying it at the operation alone and, if that is not refuted, wider."""
        best = self._attempted(variant, "", [variant])
        if best is None:
            return None
        scope = SCOPES[0]
        if best.whole or self.observe.refutes(variant, best.same):
            return best, scope
        for wider, variants in self._scopes(variant):
            if self._held and SCOPES.index(wider) > SCOPES.index(self._scope):
                break  # a rival has to stand as wide as what holds, and wider is slower
            found = self._attempted(variant, f" {wider}", variants)
            if found is not None and found.same > best.same:
                best, scope = found, wider
            if found is None or found.whole:
                break
        return best, scope

    def _attempted(
        self, variant: SiteVariant, where: str, variants: Sequence[SiteVariant]
    ) -> Agreement | None:
        made = None
        if not self._is_spent:
            self._with_rivals += bool(self._held)
            made = self.attempt(f"{variant.hazard.title}{where}", variants)
        if made is None:
            self._cut.add(variant.hazard.name)
        return made

    def _scopes(self, variant: SiteVariant) -> Iterator[tuple[str, Sequence[SiteVariant]]]:
        """The same variant at more and more of the places where the hazard acts."""
        name = variant.hazard.name
        if name not in self._everywhere:
            self._everywhere[name] = variants_among(self.kernels, name, budget=self.budget)
        every = self._everywhere[name]
        parts = next((each.parts for each in every if each.note == variant.note), ())
        span = variant.site.op.span
        line = [p for p in parts if (p.site.op.span.file, p.site.op.span.line) == (
            span.file, span.line,
        )]  # fmt: skip
        function = [part for part in parts if part.place.function == variant.place.function]
        tried = 1
        for scope, variants in zip(SCOPES[1:], (line, function, parts), strict=True):
            if len(variants) > tried:
                tried = len(variants)
                yield scope, variants
