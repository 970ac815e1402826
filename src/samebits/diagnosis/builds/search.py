"""The search for the build that gives another machine's hashes, where it tells nothing else.

Owns what is tried, for how long, and when it is enough. Each hazard is tried at each place of side
a's program at once, on a switchboard; what explains the first frames only is tried with others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from samebits.diagnosis.builds.board_plans import SOME, BoardPlan, together
from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point
from samebits.diagnosis.builds.boards import Boards
from samebits.diagnosis.builds.build import Attempt, Build
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.climb import Climb
from samebits.diagnosis.builds.compiled import CompiledBuilds
from samebits.diagnosis.builds.compilers.hits import Near
from samebits.diagnosis.builds.compilers.plans import (
    STAGES,
    STAGES_OF_ITS_BITS,
    Stage,
    bits_of,
)
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.builds.compilers.steps import FirstStep
from samebits.diagnosis.builds.decode import Decoded, Decoder
from samebits.diagnosis.builds.hypotheses import (
    ACROSS_CALLS,
    CLIMBED,
    LIKELY,
    OPTIONS,
    PROXIES,
    REWRITES,
    SINGLE,
    SLIP,
    SLOW,
    are_kin,
)
from samebits.diagnosis.builds.manners import altered, line_of, manners
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.builds.whole_programs import WholePrograms
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.report.findings import OperationFact
from samebits.hazards.catalogue import by_name
from samebits.ir.grammar import Op, walk
from samebits.ir.refs import is_own
from samebits.sides.input_stream import InputStream
from samebits.sides.side import Side
from samebits.sim.sources import InputSource
from samebits.types import FLOAT64

SECONDS = 30.0
"""Of the processor, for what is tried and for telling what is found."""
_SEARCHING = 0.75
"""Of all seconds, after which nothing more is tried."""
_FIRST_SHARE = 0.25
"""Of all seconds, for what is tried before compilers; in heavy programs the rest of it is tried
after them."""
_SHARE = 0.6
"""Of all seconds, for what compilers do."""


@dataclass
class BuildSearch:
    """One search for what gives `theirs`, of which the hash of `frame` is the first that differs
    from side a's. `whole` are the builds that give all of them, `best` the one that gives
    most."""

    a: Side
    source: InputSource
    theirs: Theirs
    frame: int
    progress: Progress = silent
    seconds: float = SECONDS
    boards: Boards | None = None
    """Those of an earlier search for the same, which need not be made again."""
    whole: list[Build] = field(default_factory=list[Build])
    best: Build | None = None
    nearest: Near | None = None
    """What a compiler made that has b's bits in most scalars, where nothing gives a hash."""
    finished: bool = False
    """Whether all was tried that might give the same."""
    notes: list[str] = field(default_factory=list[str])
    """What could not be tried, and why."""
    _compilers: CompiledBuilds | None = None
    _partial: dict[str, Build] = field(default_factory=dict[str, Build])
    _idle: set[str] = field(default_factory=set[str])
    """Hazards that change nothing in the first frame, by themselves."""
    _tried: set[str] = field(default_factory=set[str])
    """Hazards that were tried by themselves."""
    _runs: int = 0
    """Programs run, and settings of theirs, but for whole programs'."""
    _end: float = 0.0

    def run(self) -> None:
        """Search. Raises what reading the inputs raises; what cannot be built or run is passed
        over."""
        self._begin()
        try:
            if bits_of(self.theirs.architecture) == 32:
                self._compiled(STAGES_OF_ITS_BITS)
            likely = [name for name in SINGLE if name in self._likely]
            names = [*likely, *[n for n in SINGLE if n not in (*likely, *SLOW)]]
            left = self._in_turn([
                *[partial(self._singles, [name]) for name in names],
                self._for_all,
                *[partial(self._across_calls, hazard) for hazard in likely],
                self._with_other_number,
                self._with_other_library,
            ])  # fmt: skip
            if not any(build.sure or build.story.hazard == SLIP.hazard for build in self.whole):
                self._compiled()  # what gives all hashes with nothing to choose says more
            for step in left:
                step()
            for hazard in self._partial_first():
                if hazard not in likely:
                    self._across_calls(hazard)
            self._singles([name for name in SLOW if name not in likely])
            self.finished = bool(self.whole)
            for some in () if self.whole or not self.theirs.states else self._climbed():
                self._climb(some)
            first = self._partial_first()
            for plan in () if self.whole else together(self.a, self._likely, first):
                if not self._is_idle(plan) and (not self.whole or self._is_rival(plan)):
                    self._decode(plan)
            self.finished = True
        except OutOfTime:
            return

    def gives_all(self, hazards: Sequence[str], stages: Sequence[Stage] = ()) -> bool:
        """Whether one of some hazards alone, at any places, a math library whose results are off in
        some calls, or what compilers make by some stages gives all hashes."""
        self._begin()
        try:
            for hazard in hazards:
                if not self.whole:
                    self._decode(BoardPlan((hazard,)))
            self._with_other_library()
            if not self.whole and stages:
                self._compiled(stages)
        except OutOfTime:
            pass
        return bool(self.whole)

    def _in_turn(self, steps: Sequence[Callable[[], None]]) -> Sequence[Callable[[], None]]:
        """Take steps while their share of the seconds lasts; those that are left. Raises OutOfTime
        where no time is left at all."""
        end, left = self._end, [*steps]
        self._end = self._programs.end = min(end, spent() + _FIRST_SHARE * self.seconds)
        try:
            while left and spent() <= self._end:
                left[0]()
                del left[0]
        except OutOfTime:
            pass
        finally:
            self._end = self._programs.end = end
        self._in_time()
        return left

    def _begin(self) -> None:
        """Let the time begin."""
        self._end = spent() + _SEARCHING * self.seconds

    @cached_property
    def _boards(self) -> Boards:
        return self.boards or Boards(self.a, InputStream(self.source), self.theirs.known)

    @property
    def _inputs(self) -> InputStream:
        return self._boards.inputs

    @property
    def tried(self) -> int:
        """Programs run, and settings of theirs."""
        return self._runs + self._programs.tried

    @cached_property
    def _programs(self) -> WholePrograms:
        return WholePrograms(
            self.a, self.source, self._inputs, self.theirs, self.frame, self._end, self._say
        )

    @property
    def _likely(self) -> Sequence[str]:
        return LIKELY.get(self.theirs.architecture, ())

    def _singles(self, hazards: Sequence[str]) -> None:
        for hazard in hazards:
            if not self._is_told(hazard):
                self._decode(BoardPlan((hazard,)))

    @cached_property
    def _computes_doubles(self) -> bool:
        """Whether any of the simulation's own functions computes float64."""
        functions = self.a.plain.kernels.functions
        return any(
            value.type == FLOAT64
            for name in functions
            if is_own(name)
            for op in walk(functions[name].body)
            if isinstance(op, Op)
            for value in op.results
        )

    def _across_calls(self, hazard: str) -> None:
        if hazard in ACROSS_CALLS and not self.whole:
            self._decode(BoardPlan((hazard,), SOME, inlined=True))

    def _partial_first(self) -> list[str]:
        """The hazards that give the first hashes, those first that give most."""
        return sorted(self._partial, key=lambda name: -self._partial[name].agreement.same)

    @property
    def partly(self) -> Sequence[str]:
        """The hazards that give the first hashes and not all."""
        return [name for name, build in self._partial.items() if not build.agreement.whole]

    @property
    def by_boards(self) -> Sequence[str]:
        """The hazards that give the first hashes at places of side a's program."""
        return [name for name, each in self._partial.items() if isinstance(each.side, BuiltSide)]

    def _for_all(self) -> None:
        """What builds do to a whole program."""
        for rewrite in REWRITES:
            if not self._is_told(rewrite.story.hazard):
                self._take(self._programs.rewritten(rewrite))
        for option in OPTIONS:
            if not self._is_told(option.story.hazard):
                self._take(self._programs.by_option(option))

    def _with_other_number(self) -> None:
        if not self.whole:
            self._take(self._programs.with_other_number())

    def _with_other_library(self) -> None:
        """A library that was looked for in vain before is not again."""
        if self.whole or self._boards.is_library_tried:
            return
        found = self._programs.with_other_library()
        self._boards.is_library_tried = found is None
        self._take(found)

    def _compiled(self, stages: Sequence[Stage] = STAGES) -> None:
        """What the compilers of this machine make of side a's program as C, by some stages. Raises
        OutOfTime."""
        if self._compilers is None:
            search = CompilerSearch(
                self.a, self._inputs, self.theirs.known, self.frame, self._end, self._say,
                self.theirs.architecture, self.theirs.states.get(self.frame),
            )  # fmt: skip
            self._compilers = CompiledBuilds(search, self.theirs)
        search = self._compilers.search
        before = search.tried, len(search.notes)
        end = min(self._end, spent() + _SHARE * self.seconds)
        found, is_out = self._compilers.run(stages, end)
        self._runs += search.tried - before[0]
        self.notes += search.notes[before[1] :]
        self.nearest = search.nearest
        for build in found:
            self._note(build)
        if is_out:
            self._in_time()

    def name_first(self) -> None:
        """Name the best build, if a compiler made it, by what makes its first difference, if that
        is found in time. Raises RunnerError."""
        best = self.best
        if self._compilers is not None and best is not None:
            self.best = self._compilers.named_first(best)
            self.whole = [self.best if each is best else each for each in self.whole]

    def first_step(self) -> FirstStep | None:
        """What the best build does otherwise first, if a compiler made it. Raises RunnerError,
        OutOfTime."""
        if self._compilers is None or self.best is None:
            return None
        return self._compilers.first_step(self.best)

    def first_function(self) -> OperationFact | None:
        """The function in which the best build differs first, if a compiler made it. Raises
        RunnerError."""
        if self._compilers is None or self.best is None:
            return None
        return self._compilers.first_function(self.best)

    def close(self) -> None:
        """Remove what was built, which the sides found run."""
        if self._compilers is not None:
            self._compilers.search.close()

    def _is_told(self, hazard: str) -> bool:
        """Whether a hazard need not be tried: it alone gives all hashes, built by a compiler; what
        stands for it does not; or many frames show one that is not of its kin."""
        alone = {build.hazards[0] for build in self.whole if len(build.hazards) == 1}
        if hazard in alone:
            return True
        proxy = PROXIES.get(hazard)
        if proxy in self._tried - alone and not self._computes_doubles:
            return True
        return bool(self.whole) and all(
            build.events >= SURE_FRAMES and not any(are_kin(each, hazard) for each in build.hazards)
            for build in self.whole
        )

    def _is_idle(self, plan: BoardPlan) -> bool:
        """Whether a part of a plan changes nothing in the first frame, which the rest alone has
        been tried for in vain."""
        names = set(plan.names)
        return len(names) > 1 and bool(names & self._idle) and not names & self._partial.keys()

    def _is_rival(self, plan: BoardPlan) -> bool:
        """Whether a plan might give the same as a build that gives all: each hazard is kin."""
        return any(
            len(plan.names) == len(build.hazards)
            and all(any(are_kin(name, each) for each in build.hazards) for name in plan.names)
            for build in self.whole
        )

    def _climbed(self) -> list[tuple[str, ...]]:
        return sorted(CLIMBED, key=lambda some: not any(name in self._likely for name in some))

    def _climb(self, hazards: tuple[str, ...]) -> None:
        """Try the settings that leave the states that are known, with and without calls of small
        functions. Raises OutOfTime."""
        for inlined in (False, True):
            if not self.whole:
                self._decode(BoardPlan(hazards, SOME, inlined=inlined), climbs=True)

    def _decode(self, plan: BoardPlan, climbs: bool = False) -> None:
        """Try the hazards of a plan at any places, from settings that leave the states if it
        `climbs`. Raises OutOfTime."""
        title = " and ".join(by_name(name).title for name in plan.hazards)
        self._say(f"trying {title}")
        made = self._boards.of(plan)
        if made is None:
            return
        base, run = made
        self._in_time()
        decoder = Decoder(run, plan.most, self._end)
        try:
            start = (
                Climb(run, self.theirs.states, self.frame, self._end).climb() if climbs else None
            )
            if climbs and start is None:
                return
            decoded = decoder.decode(start)
        finally:
            self._runs += run.trials
        if plan.is_plain:
            self._tried.add(plan.hazards[0])
        if decoder.acts is False and plan == BoardPlan(plan.hazards[:1], plan.most):
            self._idle.add(plan.hazards[0])
        if decoded.parting is not None:
            decoded = self._at_same_lines(run) or decoded
        if not decoded.solved and plan.beneath is None and start is None:
            return
        found = self.theirs.agreement(self.frame, self._inputs.frames, decoded.parting)
        if not found.same:
            return
        attempt = Attempt(run, base, plan.hazards, plan.beneath, decoded, self.frame, found)
        self._note(attempt.build())

    def _at_same_lines(self, run: BoardRun) -> Decoded | None:
        """What the board does on the lines of a build that gives all hashes in some places alone,
        where that gives them all too: no sets are tried there, so that a hazard which few switches
        have is not found before another one of its kin by that alone."""
        switches = run.board.switches
        left = [set(range(len(switch.variants) + 1)) for switch in switches]
        for build in self.whole:
            lines = {line_of(variant) for variant in build.variants}
            if build.everywhere or not lines:
                continue
            numbers = [n for n, each in enumerate(switches) if line_of(each.variants[0]) in lines]
            for forms in manners(switches, left, numbers):
                settings = altered(run.off(), tuple(forms.items()))
                if run.parting(Point(INIT, b""), settings) is None:
                    return Decoded(settings, None, left, 1)
        return None

    def _take(self, found: Build | None) -> None:
        """Note what a trial of a whole program has found."""
        if found is not None:
            self._note(found)

    def _note(self, found: Build) -> None:
        if found.agreement.whole:
            self.whole.append(found)
            self.whole.sort(key=_plausibility)
            self.best = self.whole[0]
        elif self.best is None or found.agreement.same > self.best.agreement.same:
            self.best = found
        if len(found.hazards) == 1 and found.hazards[0] in SINGLE:
            self._partial.setdefault(found.hazards[0], found)

    def _say(self, what: str) -> None:
        done = self.seconds - max(0.0, self._end - spent())
        self.progress(what, round(done), max(1, round(self.seconds)))

    def _in_time(self) -> None:
        if spent() > self._end:
            raise OutOfTime


def _plausibility(build: Build) -> tuple[bool, bool, int, int]:
    """The less, the more plausible."""
    order = [SINGLE.index(name) if name in SINGLE else len(SINGLE) for name in build.hazards]
    return not build.sure, not build.everywhere, len(build.hazards), sum(order)
