"""The search for the compiler and the flags that give another machine's hashes.

Owns which builds are tried, in what order, and how far each goes. Side a's program is written as
plain C; built strictly, it must have side a's hashes, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from samebits.diagnosis.builds.compilers.build import FORCES, STRICT, Workshop
from samebits.diagnosis.builds.compilers.builder import Builder, Way
from samebits.diagnosis.builds.compilers.execution import INIT, BuiltExecution
from samebits.diagnosis.builds.compilers.found import Compiler, compilers
from samebits.diagnosis.builds.compilers.hidden_first import HiddenFirst
from samebits.diagnosis.builds.compilers.hits import END, Hit, Near, listed, reach, reach_of
from samebits.diagnosis.builds.compilers.plans import (
    APART,
    OWN,
    STAGES,
    STAGES_OF_OTHERS,
    Known,
    Parts,
    Plan,
    Stage,
    first_of_families,
    rows_for,
)
from samebits.diagnosis.builds.compilers.rows import Narrower, Row
from samebits.diagnosis.builds.compilers.some import SomeFunctions
from samebits.diagnosis.builds.compilers.steps import FirstStep, LoggedRuns
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.report.findings import OperationFact, Place
from samebits.errors import RunnerError, Span
from samebits.export.plain_c.expressions import UnwritableError
from samebits.export.plain_c.waiting import Step
from samebits.export.plain_c.widths import Widths
from samebits.hazards.edit.outlined import outlined
from samebits.ir.grammar import Op, walk
from samebits.ir.refs import is_own
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.types import ScalarType, VectorType

MOST_FRAMES = 4096
"""Frames that are compared at most."""
_RUN_SECONDS = 20.0
_TELLING_SECONDS = 4.0
_ENOUGH = 4
"""Programs that were the same with more flags, after which no more are made with these."""
_LEAST_SECONDS = 30.0
"""By the clock, for one run of a compiler or of what it built: other programs run beside it."""
_ALONE = "built so, it alone gives b's hash of that frame"
_TOGETHER = "built so, {} alone give b's hash of that frame"
_FUNCTION = "built so, it gives b's hash of that frame; no statement of it alone does"


@dataclass(frozen=True)
class _Own:
    """Side a's `hashes` of the frames that are known, its state after the one that differs, and the
    states that b may begin with: what its own `init` leaves, None, where that is known to be no
    other than side a's that one, and both where it is not known."""

    hashes: Mapping[int, int]
    state: bytes
    begins: Sequence[bytes | None]


@dataclass
class CompilerSearch:
    """One search against the hashes `known` by frame, of which that of `frame` is the first that
    differs from side a's. `end` is the time by `clock.spent` at which it stops."""

    a: Side
    inputs: InputStream
    known: Mapping[int, int]
    frame: int
    end: float
    say: Callable[[str], None]
    architecture: str = ""
    """The other machine's, if it is known."""
    wanted: bytes | None = None
    """The other machine's state after `frame`, if it is known."""
    nearest: Near | None = None
    hits: list[Hit] = field(default_factory=list[Hit])
    """Builds that give the first hash that differs, the best first."""
    notes: list[str] = field(default_factory=list[str])
    tried: int = 0
    """Programs built and run."""
    _for_all: Compiler | None = None
    """The compiler that tries what all make the same of."""
    _able: dict[Compiler, bool] = field(default_factory=dict[Compiler, bool])
    _done: list[tuple[Compiler, Plan]] = field(default_factory=list[tuple[Compiler, Plan]])
    _ran: set[Path] = field(default_factory=set[Path])
    """Programs that were tried."""
    _changes: dict[tuple[Compiler, str], list[bool]] = field(
        default_factory=dict[tuple[Compiler, str], list[bool]]
    )
    """Whether more flags made another program, of each that was tried with them, by its files."""

    def __post_init__(self) -> None:
        self._builder = Builder(self.a.program, self.a.simulation.players, self._seconds_left)

    def run(self, stages: Sequence[Stage] = STAGES) -> None:
        """Search, by stages, of all families' first compilers, then of their others; what was tried
        before is not tried again. Raises OutOfTime; what cannot be built or run is passed over."""
        found = compilers()
        if not found and not self.notes:
            self.notes.append(
                "no C compiler is here (gcc, clang, or samebits[targets]): what one does to a "
                "whole program was not tried"
            )
        first = first_of_families(found)
        others = [each for each in found if each not in first]
        try:
            if not self._by(first, stages) and stages is STAGES:
                self._by(others, STAGES_OF_OTHERS)
        except UnwritableError as error:
            self.notes.append(f"what compilers do was not tried: {error.message}")

    def first_step(self, hit: Hit, within_loops: bool) -> FirstStep | None:
        """The first statement that makes the differing frame's difference in a build; None where
        that cannot be told. Without `within_loops` a loop is one step, which leaves compilers free
        to make vectors of it. Where it may be one of another function's, that is given or gives its
        operands, and what functions are given cannot be logged, it is not sure. Raises
        RunnerError."""
        # To log what functions are given and return may change the build.
        inside = self._first_step(hit, within_loops, True)
        if inside is not None and inside.sure:
            return inside
        found = self._first_step(hit, within_loops, False)
        if found is None or not self._is_of_others(found.fact.place):
            return found
        return replace(found, sure=False)

    def _is_of_others(self, place: Place) -> bool:
        """Whether what a line computes may be what another function of the simulation has computed
        for it: one that it calls, or that gives its function a float which it reads."""
        functions = self.a.program.kernels.functions
        own = {name for name in functions if is_own(name)}
        for name in own:
            given = {param for param, t in functions[name].params if _is_float(t)}
            for op in walk(functions[name].body):
                at = op.span.file, op.span.line
                if not isinstance(op, Op) or at != (place.file, place.line):
                    continue
                if op.attr in {"call": own, "get": given}.get(op.opcode, ()):
                    return True
        return False

    def _first_step(self, hit: Hit, within_loops: bool, returns: bool) -> FirstStep | None:
        """As `first_step`; with `returns` what functions return is a step too."""
        self.end = spent() + _TELLING_SECONDS
        # Statements are numbered as they are written: each side's once, in the same order.
        steps: list[Step] = []
        make, compiler = self._builder, hit.compiler
        mine = make.logging_shop(compiler, Widths.SAME, OWN, steps, within_loops, returns)
        theirs = make.logging_shop(compiler, hit.widths, hit.parts, [], within_loops, returns)
        forces = replace(hit.way, flags=(*hit.way.flags, FORCES))

        def foreign(way: Way) -> Path:
            build = make.with_forms if hit.forms else partial(make.built, parts=hit.parts)
            return build(theirs, way)

        runs = LoggedRuns(
            self.a.program,
            lambda: make.built(mine, Way((*STRICT, FORCES)), OWN),
            lambda: foreign(hit.way),
            lambda: foreign(forces),
            steps,
            self.inputs.seed,
            self._rows,
            self.known,
            _RUN_SECONDS,
            hit.begins,
            hit.row.is_strict,
            hit.forms,
        )
        return runs.first(self.frame)

    def first_function(self, hit: Hit) -> OperationFact | None:
        """The simulation's function that alone, built so, gives the differing frame's hash; one of
        several that are needed for that. None where that cannot be told. Raises RunnerError,
        OutOfTime."""
        self.end = spent() + _TELLING_SECONDS
        if not hit.widths.keeps_signatures or hit.parts.c_math:
            return None
        shop = self._builder.shop(hit.compiler, parts=hit.parts)
        file = self._builder.with_forms(shop, hit.way)
        with closing(BuiltExecution(self.a.program, file, _RUN_SECONDS, hit.begins)) as built:
            forms = self._some_functions(built, shop).of_frame(self.frame)
        if not forms or not any(forms):
            return None
        function = self.a.program.kernels.functions[shop.plain.kernels[forms.index(1)]]
        return OperationFact(
            "result", "function", Place.of(function.span), (), (), (), None, None, None, _FUNCTION
        )

    def first_statement(self, hit: Hit) -> OperationFact | None:
        """The statement that alone, built so, gives the differing frame's hash; one of several that
        are needed for that. None where that cannot be told. Raises RunnerError, OutOfTime."""
        self.end = spent() + _TELLING_SECONDS
        if not hit.widths.keeps_signatures or hit.parts.c_math:
            return None
        program, places = self._by_statement
        shop = self._statements.shop(hit.compiler, parts=hit.parts)
        among = [n for n, name in enumerate(shop.plain.kernels) if name in places]
        if not among:
            return None
        file = self._statements.with_forms(shop, hit.way)
        with closing(BuiltExecution(program, file, _RUN_SECONDS, hit.begins)) as built:
            forms = replace(self._some_functions(built, shop), among=among).of_frame(self.frame)
        if not forms or not any(forms):
            return None
        names = [name for name, form in zip(shop.plain.kernels, forms, strict=True) if form]
        lines = sorted({places[name].line for name in names})
        told = _ALONE if len(names) == 1 else _TOGETHER.format(listed([f"line {n}" for n in lines]))
        return OperationFact(
            "result", "line", Place.of(places[names[0]]), (), (), (), None, None, None, told
        )

    @cached_property
    def _by_statement(self) -> tuple[Program, Mapping[str, Span]]:
        """Side a's program with each statement's arithmetic in a function of its own, and where
        that stands."""
        made = outlined(self.a.program.kernels)
        return self.a.program.with_kernels(made.kernels), made.places

    @cached_property
    def _statements(self) -> Builder:
        return Builder(self._by_statement[0], self.a.simulation.players, self._seconds_left)

    def _seconds_left(self) -> float:
        return max(_LEAST_SECONDS, self.end - spent())

    def close(self) -> None:
        """Remove what was built."""
        self._builder.close()
        if "_statements" in vars(self):
            self._statements.close()

    def _by(self, some: Sequence[Compiler], stages: Sequence[Stage]) -> bool:
        """Try the plans of some compilers, stage by stage; whether one gives all hashes."""
        for stage in stages:
            for compiler in some:
                for plan in self._plans(compiler, stage):
                    if not self._is_able(compiler):
                        break
                    self._for_all = self._for_all or compiler
                    if plan.is_shared and compiler is not self._for_all:
                        continue
                    if self._gives_all(compiler, plan):
                        return True
        return False

    def _plans(self, compiler: Compiler, stage: Stage) -> Iterator[Plan]:
        """The plans of a stage that were not tried before."""
        plain = self._builder.shop(compiler).plain
        own, others = rows_for(compiler, self.architecture, plain.floats)
        gave = [hit.row for hit in self.hits if hit.compiler is compiler]
        known = Known(
            own,
            others,
            [row for row in own if row in gave],
            bool(plain.library),
            plain.has_vectors,
            plain.has_locals,
            plain.has_remainders,
        )
        for plan in stage(known):
            if (compiler, plan) not in self._done:
                self._done.append((compiler, plan))
                if not self._is_in_vain(compiler, plan):
                    yield plan

    def _is_in_vain(self, compiler: Compiler, plan: Plan) -> bool:
        """Whether a plan's more flags have changed nothing, again and again."""
        found = self._changes.get((compiler, plan.parts.files), ())
        return plan.parts.has_flags_alone and len(found) >= _ENOUGH and not any(found)

    def _is_new(self, compiler: Compiler, parts: Parts, file: Path) -> bool:
        """Whether a program that was built, of some parts, is none that was tried."""
        is_new = file not in self._ran
        self._ran.add(file)
        if parts.has_flags_alone:
            self._changes.setdefault((compiler, parts.files), []).append(is_new)
        return is_new

    def _is_able(self, compiler: Compiler) -> bool:
        """Whether a strict build by a compiler has side a's hashes."""
        if compiler not in self._able:
            self._able[compiler] = self._has_hashes(compiler)
        return self._able[compiler]

    def _has_hashes(self, compiler: Compiler) -> bool:
        self._in_time()
        self.say(f"building side a's program by {compiler.title}")
        try:
            strict = self._builder.built(self._builder.shop(compiler), Way(STRICT), OWN)
        except RunnerError:
            return False
        with closing(self._run_of(strict)) as built:
            if built.parting(self.inputs.seed, self._rows, self._own.hashes) is None:
                return True
        self.notes.append(
            f"side a's program as C, built strictly by {compiler.title}, does not have its "
            "hashes: builds by it were not tried"
        )
        return False

    def _gives_all(self, compiler: Compiler, plan: Plan) -> bool:
        """Try one build; whether it gives all hashes."""
        if plan.parts.files == "some":
            return self._in_some(compiler, plan)
        hit = self._tried(compiler, plan, plan.row)
        if hit is None or hit.parting is not None:
            return False
        self._narrowed(plan, hit)
        return True

    def _tried(self, compiler: Compiler, plan: Plan, flags: Row | Narrower) -> Hit | None:
        """Try a plan's build by its row's flags, or some that are narrower."""
        self._in_time()
        row, parts = plan.row, plan.parts
        self.say(f"trying {compiler.title} {' '.join(flags.flags)}{parts.title}")
        self.tried += 1
        try:
            shop = self._builder.shop(compiler, plan.widths, parts)
            file = self._builder.built(shop, Way(flags.flags, row.bits, plan.widths), parts)
            if not self._is_new(compiler, parts, file) and flags is row:
                return None
            parting, begins = self._parting(file)
        except RunnerError:
            return None
        hit = Hit(
            compiler, row, tuple(flags.flags), parts, plan.widths, file, parting,
            (*flags.hazards, *(["libm"] if parts.c_math else [])), row.title, begins=begins,
        )  # fmt: skip
        if parting is not None and parting <= self.frame:
            self._measure(hit)
            return None
        self._keep(hit)
        return hit

    def _measure(self, hit: Hit) -> None:
        """Remember what comes nearest to the other machine's state."""
        if self.wanted is None:
            return
        state = self.a.plain.state
        differing = differences(state, self._own.state, self.wanted, most=0).differing
        try:
            with closing(self._run_of(hit.file, hit.begins)) as built:
                built.start(self.inputs.seed)
                built.advance(self._rows[: self.frame + 1])
                left = differences(state, built.save(), self.wanted, most=0).differing
        except RunnerError:
            return
        best = self.nearest
        if differing - left > (0 if best is None else best.alike):
            self.nearest = Near(hit, differing - left, differing)

    def _in_some(self, compiler: Compiler, plan: Plan) -> bool:
        """Try which of the simulation's functions are built by a row, none of them a part of
        another; whether that gives all hashes."""
        row, widths = plan.row, plan.widths
        way = Way((*row.flags, *plan.parts.flags), row.bits, widths)
        shop = self._builder.shop(compiler, parts=plan.parts)
        self._in_time()
        self.say(f"trying {compiler.title} {' '.join(row.flags)} for some functions")
        best: tuple[float, bytes, bytes | None] = (INIT, b"", None)
        try:
            file = self._builder.with_forms(shop, way)
            if not self._is_new(compiler, plan.parts, file):
                return False
            for begins in self._own.begins:
                if best[0] == END:
                    break
                self.tried += 1
                with closing(self._run_of(file, begins)) as built:
                    forms, parting = self._some_functions(built, shop).forms()
                reach = END if parting is None else parting
                best = max(best, (reach, forms, begins), key=lambda each: each[0])
        except RunnerError:
            return False
        reach, forms, begins = best
        parting = None if reach == END else int(reach)
        if parting is not None and parting <= self.frame:
            return False
        names = shop.plain.kernels
        chosen = [name for name, form in zip(names, forms, strict=True) if form]
        parts, functions = plan.parts, tuple(chosen)
        if len(chosen) == len(names):
            parts, functions = replace(APART, title=plan.parts.title + APART.title), ()
            parts = replace(
                parts, flat=plan.parts.flat, flags=plan.parts.flags, cleared=plan.parts.cleared
            )
        hit = Hit(
            compiler, row, tuple(row.flags), parts, widths, file, parting,
            tuple(row.hazards), row.title, forms, functions, begins,
        )  # fmt: skip
        if parting is None:
            hit = self._narrowed_in_some(shop, hit)
        self._keep(hit)
        return parting is None

    def name_first(self, hit: Hit) -> Hit:
        """A build by a part of its flags, if it gives the first hashes alone and one gives as many;
        what makes its first difference is named first, where that is in a frame of which b has no
        hash too. Raises RunnerError, OutOfTime."""
        self.end = spent() + _TELLING_SECONDS
        if hit.parting is None:
            return self._named_by_hidden(hit)
        if not hit.forms:
            return self._named_by_hidden(self._narrowed(Plan(hit.row, hit.parts, hit.widths), hit))
        found = self._narrowed_in_some(self._builder.shop(hit.compiler, parts=hit.parts), hit)
        self.hits[self.hits.index(hit)] = found
        return self._named_by_hidden(found)

    def _named_by_hidden(self, hit: Hit) -> Hit:
        if self.frame == INIT or self.frame - 1 in self.known or len(hit.hazards) < 2:
            return hit
        rows = self._rows[: self.frame + 1]

        def opened(file: Path) -> BuiltExecution:
            built = self._run_of(file, hit.begins)
            if hit.forms:
                built.choose(hit.forms)
            return built

        hidden = HiddenFirst(self.a, self.inputs.seed, rows, opened)
        first = hidden.hazards(hit.file, self._narrower_files(hit))
        own = [name for name in first if name in hit.hazards]
        return self._rename(hit, [*own, *hit.hazards])

    def _narrower_files(self, hit: Hit) -> Iterator[tuple[Path, Sequence[str]]]:
        """A build by parts of its row's flags, and what these do."""
        make, parts = self._builder, hit.parts
        shop = make.shop(hit.compiler, hit.widths, parts)
        for narrower in hit.row.narrower:
            self._in_time()
            way = replace(hit.way, flags=(*narrower.flags, *(parts.flags if hit.forms else ())))
            with suppress(RunnerError):
                file = make.with_forms(shop, way) if hit.forms else make.built(shop, way, parts)
                yield file, narrower.hazards

    def _narrowed_in_some(self, shop: Workshop, hit: Hit) -> Hit:
        """The build, by a part of its flags where one is enough; what gives the first frame alone
        is named first."""
        first: tuple[str, ...] = ()
        for narrower in hit.row.narrower:
            self._in_time()
            try:
                file = self._builder.with_forms(
                    shop, replace(hit.way, flags=(*narrower.flags, *hit.parts.flags))
                )
                with closing(self._run_of(file, hit.begins)) as built:
                    parting = self._some_functions(built, shop).parting(hit.forms)
            except RunnerError:
                continue
            if reach_of(parting) >= reach(hit):
                flags, hazards = tuple(narrower.flags), tuple(narrower.hazards)
                own = [name for name in first if name in hazards]
                hazards = tuple(dict.fromkeys([*own, *hazards]))
                return replace(hit, flags=flags, hazards=hazards, file=file, parting=parting)
            if parting is not None and parting > self.frame:
                first = first or tuple(narrower.hazards)
        return replace(hit, hazards=tuple(dict.fromkeys([*first, *hit.hazards])))

    def _some_functions(self, built: BuiltExecution, shop: Workshop) -> SomeFunctions:
        count = len(shop.plain.kernels)
        return SomeFunctions(
            built, count, self.inputs.seed, self._rows, self.known, self._in_time
        )  # fmt: skip

    def _keep(self, hit: Hit) -> None:
        self.hits.append(hit)
        self.hits.sort(key=lambda each: -reach(each))

    def _narrowed(self, plan: Plan, hit: Hit) -> Hit:
        """Try whether a part of the flags of a build that gives all hashes does too: then the rest
        of them does nothing, and what is found stands in its place. Where none does, what gives the
        first frame alone is named first."""
        first: tuple[str, ...] = ()
        without = (
            [Narrower(STRICT, ())]
            if hit.parts.c_math and hit.row.bits == 64 and not hit.row.is_strict
            else []
        )
        for narrower in (*without, *hit.row.narrower):
            found = self._tried(hit.compiler, plan, narrower)
            if found is None:
                continue
            if reach(found) >= reach(hit):
                self.hits.remove(hit)
                own = [name for name in first if name in found.hazards]
                return self._rename(found, [*own, *found.hazards])
            first = first or found.hazards
        return self._rename(hit, [*first, *hit.hazards])

    def _rename(self, hit: Hit, hazards: Sequence[str]) -> Hit:
        named = replace(hit, hazards=tuple(dict.fromkeys(hazards)))
        self.hits[self.hits.index(hit)] = named
        return named

    @cached_property
    def _rows(self) -> Inputs:
        return self.inputs.between(0, MOST_FRAMES)

    @cached_property
    def _own(self) -> _Own:
        with closing(open_run(self.a)) as run:
            run.start(self.inputs.seed)
            first, hashes = run.save(), [run.hash()]
            hashes += map(int, run.advance(self._rows[: self.frame + 1]).hashes)
            state = run.save()
            hashes += map(int, run.advance(self._rows[self.frame + 1 :]).hashes)
        known = {frame: hashes[frame + 1] for frame in self.known if frame + 1 < len(hashes)}
        begins: tuple[bytes | None, ...] = (None, first)
        if self.frame == INIT:
            begins = (None,)
        elif INIT in self.known:
            begins = (first,)
        return _Own(known, state, begins)

    def _run_of(self, file: Path, begins: bytes | None = None) -> BuiltExecution:
        seconds = min(_RUN_SECONDS, self._seconds_left())
        return BuiltExecution(self.a.program, file, seconds, begins)

    def _parting(self, file: Path) -> tuple[int | None, bytes | None]:
        """The first frame whose known hash a program does not give, None if it gives all, and what
        it began with. Raises RunnerError."""
        best = INIT, self._own.begins[0]
        for begins in self._own.begins:
            with closing(self._run_of(file, begins)) as built:
                parting = built.parting(self.inputs.seed, self._rows, self.known)
            if parting is None:
                return None, begins
            if parting > best[0]:
                best = parting, begins
        return best

    def _in_time(self) -> None:
        if spent() > self.end:
            raise OutOfTime


def _is_float(t: object) -> bool:
    """Whether values of a type are floats, or vectors of them."""
    t = t.element if isinstance(t, VectorType) else t
    return isinstance(t, ScalarType) and t.is_float
