"""The search for the build that gives another machine's hashes, where it tells nothing else.

Owns what is tried, for how long, and when it is enough. Each hazard is tried at each place of side
a's program at once, on a switchboard; what explains the first frames only is tried with others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from samebits.desync.evidence.dump import Dump
from samebits.desync.report import Report
from samebits.diagnosis.before.planted import agreement
from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point
from samebits.diagnosis.builds.build import Attempt, Build
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.climb import Climb
from samebits.diagnosis.builds.compilers.built_by import CompiledSide
from samebits.diagnosis.builds.compilers.plans import (
    STAGES,
    STAGES_OF_ITS_BITS,
    Stage,
    bits_of,
)
from samebits.diagnosis.builds.compilers.search import CompilerSearch, Hit, Near, listed
from samebits.diagnosis.builds.decode import Decoded, Decoder
from samebits.diagnosis.builds.hypotheses import (
    ACROSS_CALLS,
    BENEATH,
    CLIMBED,
    FORMS,
    IN_LIBRARY,
    LIKELY,
    OPTIONS,
    OTHER_LIBRARY,
    PROXIES,
    REWRITES,
    SINGLE,
    SLIP,
    SLOW,
    Option,
    Rewrite,
    Story,
    are_kin,
    rows,
)
from samebits.diagnosis.builds.manners import altered, line_of, manners
from samebits.diagnosis.builds.option_side import side_of
from samebits.diagnosis.builds.other_library import OtherLibrary, described_results
from samebits.diagnosis.builds.other_numbers import OtherNumbers, described
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.report.findings import OperationFact
from samebits.errors import SamebitsError
from samebits.hazards.catalogue import by_name
from samebits.hazards.edit.other_constants import with_constants
from samebits.hazards.edit.other_results import with_other_results
from samebits.hazards.injection import switches_of, variants_among
from samebits.hazards.switchboard import switchboard
from samebits.ir.grammar import Op, walk
from samebits.ir.refs import is_own
from samebits.sides.input_stream import InputStream
from samebits.sides.side import Side
from samebits.sim.sources import InputSource
from samebits.types import FLOAT64

SECONDS = 30.0
"""Of the processor, for what is tried and for telling what is found."""
_FEW, _SOME, _MANY = 1_000, 4_000, 100_000
"""Sets of switches that are tried for a frame at most."""
_MOST_FORMS_BENEATH = 4
_SEARCHING = 0.75
"""Of all seconds, after which nothing more is tried."""
_SECONDS_OF_NUMBERS = 3.0
_SHARE = 0.6
"""Of all seconds, for what compilers do."""


@dataclass(frozen=True)
class _Plan:
    """Hazards of one board, with one form of another beneath it, if `beneath` says so."""

    hazards: tuple[str, ...]
    most: int
    beneath: str | None = None
    inlined: bool = False
    """Whether also across calls of small functions."""
    library: bool = False
    """Whether also in the library's functions."""

    @property
    def names(self) -> tuple[str, ...]:
        """All that it makes act."""
        return (*self.hazards, *([] if self.beneath is None else [_hazard_of(self.beneath)]))


@dataclass(frozen=True)
class Theirs:
    """What is known of the other machine's run: `known` are its hashes by the frame that they
    follow, -1 being `init`, `states` its whole states as canonical bytes, `architecture` its
    machine's, if it is known, and `dumps` what was told of single states."""

    known: Mapping[int, int]
    states: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    architecture: str = ""
    dumps: tuple[Dump, ...] = ()


def theirs_of(report: Report) -> Theirs:
    """What a report tells that a build has to give: of states those that are known whole."""
    found = {n - 1: report.state(n) for n in report.states if n - 1 not in report.incomplete}
    states = {n: state for n, state in found.items() if state is not None}
    return Theirs(report.told, states, report.machine.architecture, report.dumps)


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
    whole: list[Build] = field(default_factory=list[Build])
    best: Build | None = None
    nearest: Near | None = None
    """What a compiler made that has b's bits in most scalars, where nothing gives a hash."""
    finished: bool = False
    """Whether all was tried that might give the same."""
    tried: int = 0
    """Programs run, and settings of theirs."""
    notes: list[str] = field(default_factory=list[str])
    """What could not be tried, and why."""
    _search: CompilerSearch | None = None
    _built: list[Build] = field(default_factory=list[Build])
    """What compilers made."""
    _partial: dict[str, Build] = field(default_factory=dict[str, Build])
    _idle: set[str] = field(default_factory=set[str])
    """Hazards that change nothing in the first frame, by themselves."""
    _tried: set[str] = field(default_factory=set[str])
    """Hazards that were tried by themselves."""
    _end: float = 0.0

    def run(self) -> None:
        """Search. Raises what reading the inputs raises; what cannot be built or run is passed
        over."""
        self._end = spent() + _SEARCHING * self.seconds
        self._inputs = InputStream(self.source)
        try:
            if bits_of(self.theirs.architecture) == 32:
                self._compiled(STAGES_OF_ITS_BITS)
            likely = [name for name in SINGLE if name in self._likely]
            self._singles([*likely, *[n for n in SINGLE if n not in (*likely, *SLOW)]])
            self._for_all()
            for hazard in likely if not self.whole else ():
                self._across_calls(hazard)
            if not self.whole:
                self._other_number()
            if not self.whole:
                self._other_library()
            if not any(build.sure or build.story.hazard == SLIP.hazard for build in self.whole):
                self._compiled()  # what gives all hashes with nothing to choose says more
            for hazard in () if self.whole else self._partial_first():
                if hazard not in likely and not self.whole:
                    self._across_calls(hazard)
            self._singles([name for name in SLOW if name not in likely])
            self.finished = bool(self.whole)
            for some in () if self.whole or not self.theirs.states else self._climbed():
                self._climb(some)
            for plan in () if self.whole else self._together():
                if not self._is_idle(plan) and (not self.whole or self._is_rival(plan)):
                    self._decode(plan)
            self.finished = True
        except OutOfTime:
            return

    def gives_all(self, hazards: Sequence[str]) -> bool:
        """Whether one of some hazards alone, at any places, or a math library whose results are
        off in some calls, gives all hashes."""
        self._end = spent() + _SEARCHING * self.seconds
        self._inputs = InputStream(self.source)
        try:
            for hazard in hazards:
                if not self.whole:
                    self._decode(_Plan((hazard,), _FEW))
            if not self.whole:
                self._other_library()
        except OutOfTime:
            pass
        return bool(self.whole)

    @property
    def _likely(self) -> Sequence[str]:
        return LIKELY.get(self.theirs.architecture, ())

    def _singles(self, hazards: Sequence[str]) -> None:
        for hazard in hazards:
            if not self._is_told(hazard):
                self._decode(_Plan((hazard,), _FEW))

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
        if hazard in ACROSS_CALLS:
            self._decode(_Plan((hazard,), _SOME, inlined=True))

    def _partial_first(self) -> list[str]:
        """The hazards that give the first hashes, those first that give most."""
        return sorted(self._partial, key=lambda name: -self._partial[name].agreement.same)

    @property
    def partly(self) -> Sequence[str]:
        """The hazards that give the first hashes and not all."""
        return [name for name, build in self._partial.items() if not build.agreement.whole]

    def _for_all(self) -> None:
        """What builds do to a whole program."""
        for rewrite in REWRITES:
            if not self._is_told(rewrite.story.hazard):
                self._rewrite(rewrite)
        for option in OPTIONS:
            if not self._is_told(option.story.hazard):
                self._try(option)

    def _compiled(self, stages: Sequence[Stage] = STAGES) -> None:
        """What the compilers of this machine make of side a's program as C, by some stages. Raises
        OutOfTime."""
        search = self._search
        if search is None:
            search = self._search = CompilerSearch(
                self.a, self._inputs, self.theirs.known, self.frame, self._end, self._say,
                self.theirs.architecture, self.theirs.states.get(self.frame),
            )  # fmt: skip
        search.end = min(self._end, spent() + _SHARE * self.seconds)
        before = search.tried, len(search.notes)
        try:
            search.run(stages)
        except OutOfTime:
            self._in_time()
        except SamebitsError:
            return
        finally:
            self.tried += search.tried - before[0]
            self.notes += search.notes[before[1] :]
            self.nearest = search.nearest
            told = {_file(build) for build in self._built}
            for hit in search.hits:
                if hit.file not in told:
                    build = self._build_of(hit)
                    self._built.append(build)
                    self._note(build)

    def _build_of(self, hit: Hit) -> Build:
        row, agreement = hit.row, self._agreement(hit.parting)
        story = Story(hit.hazards[0], hit.title, row.practice, row.remedy)
        words = f"its C built by {hit.words}"
        side = CompiledSide(
            words, self.a.simulation, self.a.spec, file=hit.file, forms=hit.forms,
            begins=hit.begins,
        )  # fmt: skip
        many = "all" if agreement.whole else f"{agreement.same:,} of"
        told = (
            f"side a's program as C, built by {hit.words}, gives {many} {agreement.compared:,} "
            "hashes"
        )
        places = (f"it acts in {listed(hit.functions)}",) if hit.functions else ()
        return Build(
            story, hit.hazards, side, agreement, not places, agreement.same, places, told=told
        )

    def name_first(self) -> None:
        """Name the best build, if a compiler made it, by what makes its first difference, if that
        is found in time. Raises RunnerError."""
        hit, best = self._best_hit(), self.best
        if self._search is None or hit is None or best is None:
            return
        try:
            named = self._search.name_first(hit)
        except OutOfTime:
            return
        if named is not hit:
            self.best = self._build_of(named)
            self.whole = [self.best if each is best else each for each in self.whole]

    def first_step(self) -> OperationFact | None:
        """The statement in which the best build, if a compiler made it, differs first: one within
        loops, or else, for logs keep compilers from making vectors of these, one around. Where it
        is not sure, a statement is told that gives the hash alone, or else such a function. Raises
        RunnerError, OutOfTime."""
        hit = self._best_hit()
        if self._search is None or hit is None:
            return None
        found = self._search.first_step(hit, True) or self._search.first_step(hit, False)
        if found is not None and found.sure:
            return found.fact
        statement = self._search.first_statement(hit)
        if statement is not None or found is None:
            return statement
        return self._search.first_function(hit) or found.fact

    def first_function(self) -> OperationFact | None:
        """The function in which the best build differs first, if a compiler made it. Raises
        RunnerError."""
        hit = self._best_hit()
        return None if self._search is None or hit is None else self._search.first_function(hit)

    def _best_hit(self) -> Hit | None:
        if self._search is None or self.best is None:
            return None
        file = _file(self.best)
        return next((each for each in self._search.hits if each.file == file), None)

    def close(self) -> None:
        """Remove what was built, which the sides found run."""
        if self._search is not None:
            self._search.close()

    def _is_told(self, hazard: str) -> bool:
        """Whether a hazard need not be tried: it alone gives all hashes, built by a compiler; what
        stands for it does not, where others do; or many frames show one that is not of its kin."""
        alone = {build.hazards[0] for build in self.whole if len(build.hazards) == 1}
        if hazard in alone:
            return True
        proxy = PROXIES.get(hazard)
        if self.whole and proxy in self._tried - alone and not self._computes_doubles:
            return True
        return bool(self.whole) and all(
            build.events >= SURE_FRAMES and not any(are_kin(each, hazard) for each in build.hazards)
            for build in self.whole
        )

    def _together(self) -> Iterator[_Plan]:
        """What explains the first frames with others; what builds do together; then more sets of
        each hazard."""
        known = self._partial_first()
        for hazard in ACROSS_CALLS:
            if hazard not in (*self._likely, *known):
                yield _Plan((hazard,), _SOME, inlined=True)
        for hazard in IN_LIBRARY:
            yield _Plan((hazard,), _SOME, library=True)
        for first in known:
            for other in SINGLE:
                if other != first:
                    yield _Plan((first, other), _SOME)
            for words in self._beneath(first):
                yield _Plan((first,), _SOME, words)
        for row in rows():
            yield _Plan(tuple(row.hazards), _SOME)
            for name in row.hazards:
                others = tuple(each for each in row.hazards if each != name)
                for words in self._forms(name) if name in BENEATH else ():
                    yield _Plan(others, _SOME, words)
        for hazard in SINGLE:
            yield _Plan((hazard,), _MANY)

    def _is_idle(self, plan: _Plan) -> bool:
        """Whether a part of a plan changes nothing in the first frame, which the rest alone has
        been tried for in vain."""
        names = set(plan.names)
        return len(names) > 1 and bool(names & self._idle) and not names & self._partial.keys()

    def _is_rival(self, plan: _Plan) -> bool:
        """Whether a plan might give the same as a build that gives all: each hazard is kin."""
        return any(
            len(plan.names) == len(build.hazards)
            and all(any(are_kin(name, each) for each in build.hazards) for name in plan.names)
            for build in self.whole
        )

    def _beneath(self, hazard: str) -> Iterator[str]:
        for name in BENEATH:
            if name != hazard:
                yield from self._forms(name)

    def _forms(self, hazard: str) -> Iterator[str]:
        forms = len(variants_among(self.a.plain.kernels, hazard))
        for number in range(min(forms, _MOST_FORMS_BENEATH)):
            yield f"{hazard}#{number}"

    def _climbed(self) -> list[tuple[str, ...]]:
        return sorted(CLIMBED, key=lambda some: not any(name in self._likely for name in some))

    def _climb(self, hazards: tuple[str, ...]) -> None:
        """Try the settings that leave the states that are known, with and without calls of small
        functions. Raises OutOfTime."""
        for inlined in (False, True):
            if not self.whole:
                self._decode(_Plan(hazards, _SOME, inlined=inlined), climbs=True)

    def _decode(self, plan: _Plan, climbs: bool = False) -> None:
        """Try the hazards of a plan at any places, from settings that leave the states if it
        `climbs`. Raises OutOfTime."""
        title = " and ".join(by_name(name).title for name in plan.hazards)
        self._say(f"trying {title}")
        try:
            base = self._base(plan)
            kernels = base.program.kernels
            board = switchboard(kernels, switches_of(kernels, plan.hazards, FORMS, plan.library))
            if not board.switches:
                return
            run = BoardRun(base.program, board, self._inputs, self.theirs.known)
        except SamebitsError:
            return
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
            self.tried += run.trials
        if plan == _Plan(plan.hazards[:1], _FEW):
            self._tried.add(plan.hazards[0])
        if decoder.acts is False and plan == _Plan(plan.hazards[:1], plan.most):
            self._idle.add(plan.hazards[0])
        if decoded.parting is not None:
            decoded = self._at_same_lines(run) or decoded
        if not decoded.solved and plan.beneath is None and start is None:
            return
        found = self._agreement(decoded.parting)
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

    def _base(self, plan: _Plan) -> BuiltSide:
        own, more = self.a.spec, [] if plan.beneath is None else [plan.beneath]
        spec = replace(own, opt=0, hazards=(*own.hazards, *more))
        return BuiltSide(self.a.text, self.a.simulation, spec, inlined=plan.inlined)

    def _try(self, option: Option) -> None:
        self._in_time()
        self._say(f"trying {option.story.title}")
        self.tried += 1
        try:
            side = side_of(option, self.a)
            fits = agreement(side, self.source, self.theirs.known, self.frame, silent)
        except SamebitsError:
            return
        if fits.same:
            self._note(Build(option.story, (option.story.hazard,), side, fits, True, fits.same))

    def _rewrite(self, what: Rewrite) -> None:
        """Try it from `init` on, and from frame 0 on: states are often loaded from a file."""
        self._say(f"trying {what.story.title}")
        base = self._base(_Plan((), 0))
        for start in (None, 0):
            self._in_time()
            self.tried += 1
            spec = replace(base.spec, start=start)
            text = what.text + ("" if start is None else ", from frame 0 on")
            side = replace(base, text=text, spec=spec, rewrite=what.made)
            try:
                fits = agreement(side, self.source, self.theirs.known, self.frame, silent)
            except SamebitsError:
                return
            if fits.same:
                self._note(Build(what.story, (what.story.hazard,), side, fits, True, fits.same))
                return

    def _other_number(self) -> None:
        """Try other values of the constants that side a's program writes."""
        self._say("trying other constants")
        base = self._base(_Plan((), 0))
        end = min(self._end, spent() + _SECONDS_OF_NUMBERS)
        try:
            search = OtherNumbers(base.program, self._inputs, self.theirs.known, self.frame, end)
            try:
                found = search.search()
            finally:
                self.tried += search.trials
        except (SamebitsError, OutOfTime):
            return
        if found is None:
            return
        number, parting = found
        words = described(number)
        side = replace(base, text=words, rewrite=partial(with_constants, values=number.values))
        agreed = self._agreement(parting)
        events = min(SURE_FRAMES, agreed.same)
        story = replace(SLIP, title=f"{SLIP.title}: {words}")
        self._note(Build(
            story, (SLIP.hazard,), side, agreed, True, events, sure=False,
            told=f"side a's program in which {words} gives them",
        ))  # fmt: skip

    def _other_library(self) -> None:
        """Try results of math functions that are a step off for some arguments."""
        self._say(f"trying {OTHER_LIBRARY.title}")
        base = self._base(_Plan((), 0))
        theirs = self.theirs
        try:
            search = OtherLibrary(
                base.program, self._inputs, theirs.known, theirs.states, self._end
            )
            try:
                parting = search.search()
            finally:
                self.tried += search.trials
            results = search.results()
        except SamebitsError:
            return
        agreed = self._agreement(parting)
        if not results or not agreed.same:
            return
        text = f"{len(results)} other result{'' if len(results) == 1 else 's'} of math functions"
        side = replace(base, text=text, rewrite=partial(with_other_results, results=results))
        names = (OTHER_LIBRARY.hazard,)
        events = min(SURE_FRAMES, agreed.same)
        self._note(Build(
            OTHER_LIBRARY, names, side, agreed, True, events, tuple(described_results(results)),
            sure=False,
        ))  # fmt: skip

    def _note(self, found: Build) -> None:
        if found.agreement.whole:
            self.whole.append(found)
            self.whole.sort(key=_plausibility)
            self.best = self.whole[0]
        elif self.best is None or found.agreement.same > self.best.agreement.same:
            self.best = found
        if len(found.hazards) == 1 and found.hazards[0] in SINGLE:
            self._partial.setdefault(found.hazards[0], found)

    def _agreement(self, parting: int | None) -> Agreement:
        frames = [n for n in self.theirs.known if self.frame <= n < self._inputs.frames]
        if parting is None:
            return Agreement(len(frames), len(frames))
        return Agreement(sum(n < parting for n in frames), len(frames))

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


def _file(build: Build) -> Path | None:
    return build.side.file if isinstance(build.side, CompiledSide) else None


def _hazard_of(words: str) -> str:
    return words.split("#")[0]
