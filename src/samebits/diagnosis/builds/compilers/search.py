"""The search for the compiler and the flags that give another machine's hashes.

Owns which builds are tried, in what order, and how far each goes. Side a's program is written as
plain C; built strictly, it must have side a's hashes, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from samebits.diagnosis.builds.compilers.build import (
    ALIKE_32,
    FORCES,
    FORMS,
    STRICT,
    STRICT_32,
    Workshop,
)
from samebits.diagnosis.builds.compilers.execution import INIT, BuiltExecution
from samebits.diagnosis.builds.compilers.found import Compiler, compilers
from samebits.diagnosis.builds.compilers.plans import (
    APART,
    OWN,
    SOME,
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
from samebits.diagnosis.builds.compilers.steps import LoggedRuns
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.report.findings import OperationFact, Place
from samebits.errors import RunnerError
from samebits.export.plain_c.expressions import UnwritableError
from samebits.export.plain_c.program import PlainC
from samebits.export.plain_c.widths import Widths
from samebits.ir.grammar import Op
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs

MOST_FRAMES = 4096
"""Frames that are compared at most."""
_RUN_SECONDS = 20.0
_MOST_NAMED = 6
_ALONE = "built so, it gives b's hash of that frame; logs of its statements change what is built"


@dataclass(frozen=True)
class Hit:
    """A build that gives the known hashes before frame `parting`; all where that is None."""

    compiler: Compiler
    row: Row
    flags: tuple[str, ...]
    parts: Parts
    widths: Widths
    file: Path
    parting: int | None

    hazards: tuple[str, ...] = ()
    """What the flags do that matters."""
    title: str = ""
    forms: bytes = b""
    """Where some of the simulation's functions alone are built so: a byte each, 1 for these."""
    functions: tuple[str, ...] = ()
    """These, by their names in IR."""
    begins: bytes | None = None
    """The state after `init`, where it is not the build's own."""

    @property
    def words(self) -> str:
        """The build in words."""
        words = [self.compiler.title, *(["-m32"] if self.row.bits == 32 else []), *self.flags]
        more = "" if self.widths is Widths.SAME else f", its {self.widths.words}"
        alone = f", in {listed(self.functions)} alone" if self.functions else ""
        start = ", from frame 0 on" if self.begins is not None else ""
        return " ".join(words) + self.parts.title + more + alone + start


@dataclass(frozen=True)
class Near:
    """A build that does not give the first hash that differs, and of the `differing` scalars of
    that state gives the other machine's bits in `alike`."""

    hit: Hit
    alike: int
    differing: int


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
    _shops: dict[tuple[Compiler, Widths, bool], Workshop] = field(
        default_factory=dict[tuple[Compiler, Widths, bool], Workshop], init=False
    )
    _for_all: Compiler | None = None
    """The compiler that tries what all make the same of."""
    _folders: list[TemporaryDirectory[str]] = field(
        default_factory=list[TemporaryDirectory[str]], init=False
    )

    def run(self) -> None:
        """Search. Raises OutOfTime; what cannot be built or run is passed over."""
        found = compilers()
        if not found:
            self.notes.append(
                "no C compiler is here (gcc, clang, or samebits[targets]): what one does to a "
                "whole program was not tried"
            )
        self._rows: Inputs = self.inputs.between(0, MOST_FRAMES)
        self._own_run()
        first = first_of_families(found)
        others = [each for each in found if each not in first]
        try:
            if not self._by(first, STAGES):
                self._by(others, STAGES_OF_OTHERS)
        except UnwritableError as error:
            self.notes.append(f"what compilers do was not tried: {error.message}")

    def first_step(self, hit: Hit, within_loops: bool) -> OperationFact | None:
        """The first statement that makes the differing frame's difference in a build; None where
        that cannot be told. Without `within_loops` a loop is one step, which leaves compilers free
        to make vectors of it. Raises RunnerError."""
        # Statements are numbered as they are written: each side's once, in the same order.
        steps: list[Op] = []
        mine = self._workshop(hit.compiler, Widths.SAME, steps, within_loops)
        theirs = self._workshop(hit.compiler, hit.widths, [], within_loops, hit.parts.c_math)
        runs = LoggedRuns(
            self.a.program,
            self._built(mine, Narrower((*STRICT, FORCES), ()), OWN, 64),
            self._built(theirs, Narrower(hit.flags, ()), hit.parts, hit.row.bits, hit.functions),
            steps,
            self.inputs.seed,
            self._rows,
            self.known,
            _RUN_SECONDS,
            hit.begins,
        )
        return runs.first(self.frame)

    def first_function(self, hit: Hit) -> OperationFact | None:
        """The function that alone, built so, gives the differing frame's hash; one of several that
        are needed for that. None where that cannot be told. Raises RunnerError."""
        if not hit.widths.keeps_signatures or hit.parts.c_math or hit.parts.library:
            return None
        shop = self._workshop(hit.compiler, Widths.SAME)
        file = self._with_forms(shop, hit.row, Narrower(hit.flags, ()), hit.widths)
        with closing(BuiltExecution(self.a.program, file, _RUN_SECONDS, hit.begins)) as built:
            forms = self._some_functions(built, shop).of_frame(self.frame)
        if not forms or not any(forms):
            return None
        function = self.a.program.kernels.functions[shop.plain.kernels[forms.index(1)]]
        return OperationFact(
            "result", "function", Place.of(function.span), (), (), (), None, None, None, _ALONE
        )

    def close(self) -> None:
        """Remove what was built."""
        for folder in self._folders:
            folder.cleanup()

    def _by(self, some: Sequence[Compiler], stages: Sequence[Stage]) -> bool:
        """Try the plans of some compilers, stage by stage; whether one gives all hashes."""
        able = [each for each in some if self._is_able(each)]
        self._for_all = self._for_all or next(iter(able), None)
        for stage in stages:
            for compiler in able:
                plain = self._shop(compiler).plain
                own, others = rows_for(compiler, self.architecture, plain.floats)
                likely = [
                    row
                    for row in own
                    if any(hit.row == row and hit.compiler is compiler for hit in self.hits)
                ]
                known = Known(own, others, likely, bool(plain.library))
                for plan in stage(known):
                    if plan.is_strict and compiler is not self._for_all:
                        continue
                    if self._gives_all(compiler, plan):
                        return True
        return False

    def _is_able(self, compiler: Compiler) -> bool:
        """Whether a strict build by a compiler has side a's hashes."""
        self._in_time()
        self.say(f"building side a's program by {compiler.title}")
        try:
            strict = self._built(self._shop(compiler), Narrower(STRICT, ()), OWN, 64)
        except RunnerError:
            return False
        with closing(self._run_of(strict)) as built:
            if built.parting(self.inputs.seed, self._rows, self._own) is None:
                return True
        self.notes.append(
            f"side a's program as C, built strictly by {compiler.title}, does not have its "
            "hashes: builds by it were not tried"
        )
        return False

    def _shop(
        self, compiler: Compiler, widths: Widths = Widths.SAME, c_math: bool = False
    ) -> Workshop:
        """The workshop for one way to write the program, the same at each call."""
        key = compiler, widths, c_math
        if key not in self._shops:
            self._shops[key] = self._workshop(compiler, widths, c_math=c_math)
        return self._shops[key]

    def _gives_all(self, compiler: Compiler, plan: Plan) -> bool:
        """Try one build; whether it gives all hashes."""
        if plan.parts is SOME:
            return self._in_some(self._shop(compiler), plan.row, plan.widths)
        shop = self._shop(compiler, plan.widths, plan.parts.c_math)
        hit = self._tried(shop, plan.row, plan.row, plan.parts)
        if hit is None or hit.parting is not None:
            return False
        self._narrowed(shop, hit)
        return True

    def _tried(self, shop: Workshop, row: Row, flags: Row | Narrower, parts: Parts) -> Hit | None:
        self._in_time()
        self.say(f"trying {shop.compiler.title} {' '.join(flags.flags)}{parts.title}")
        self.tried += 1
        try:
            file = self._built(shop, flags, parts, row.bits)
            parting, begins = self._parting(file)
        except RunnerError:
            return None
        hit = Hit(
            shop.compiler, row, tuple(flags.flags), parts, shop.plain.widths, file, parting,
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
        differing = differences(state, self._own_state, self.wanted, most=0).differing
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

    def _in_some(self, shop: Workshop, row: Row, widths: Widths) -> bool:
        """Try which of the simulation's functions are built by a row, in some widths, none of them
        a part of another; whether that gives all hashes."""
        self._in_time()
        self.say(f"trying {shop.compiler.title} {' '.join(row.flags)} for some functions")
        self.tried += 1
        begins = self._begins[0]
        try:
            file = self._with_forms(shop, row, row, widths)
            with closing(self._run_of(file, begins)) as built:
                forms, parting = self._some_functions(built, shop).forms()
        except RunnerError:
            return False
        if parting is not None and parting <= self.frame:
            return False
        names = shop.plain.kernels
        chosen = [name for name, form in zip(names, forms, strict=True) if form]
        parts, functions = (SOME, tuple(chosen)) if len(chosen) < len(names) else (APART, ())
        hit = Hit(
            shop.compiler, row, tuple(row.flags), parts, widths, file, parting,
            tuple(row.hazards), row.title, forms, functions, begins,
        )  # fmt: skip
        if parting is None:
            hit = self._narrowed_in_some(shop, hit)
        self._keep(hit)
        return parting is None

    def _narrowed_in_some(self, shop: Workshop, hit: Hit) -> Hit:
        """The build, by a part of its flags where one is enough."""
        for narrower in hit.row.narrower:
            self._in_time()
            try:
                file = self._with_forms(shop, hit.row, narrower, hit.widths)
                with closing(self._run_of(file, hit.begins)) as built:
                    parting = self._some_functions(built, shop).parting(hit.forms)
            except RunnerError:
                continue
            if parting is None:
                flags, hazards = tuple(narrower.flags), tuple(narrower.hazards)
                return replace(hit, flags=flags, hazards=hazards, file=file)
        return hit

    def _some_functions(self, built: BuiltExecution, shop: Workshop) -> SomeFunctions:
        count = len(shop.plain.kernels)
        return SomeFunctions(
            built, count, self.inputs.seed, self._rows, self.known, self._in_time
        )  # fmt: skip

    def _keep(self, hit: Hit) -> None:
        self.hits.append(hit)
        self.hits.sort(key=lambda each: -_reach(each))

    def _with_forms(self, shop: Workshop, row: Row, flags: Row | Narrower, widths: Widths) -> Path:
        """The program with both forms of each function, of which a row's has these widths. Raises
        RunnerError."""
        width = ALIKE_32 if row.bits == 32 else ()
        strict = [*(STRICT_32 if row.bits == 32 else STRICT), *width]
        own = [*flags.flags, *width]
        shop.seconds = max(1.0, self.end - spent())
        library = shop.file_of("library", shop.plain.library)
        objects = [
            shop.object(shop.forms_file(FORMS[0]), strict),
            shop.object(shop.forms_file(FORMS[1], widths), own),
            shop.object(shop.table_file(), strict),
            shop.object(library, strict),
        ]
        return shop.program(objects, strict)

    def _narrowed(self, shop: Workshop, hit: Hit) -> None:
        """Try whether a part of the flags of a build that gives all hashes does too: then the rest
        of them does nothing, and what is found stands in its place. Where none does, what gives the
        first frame alone is named first."""
        first: tuple[str, ...] = ()
        without = [Narrower(STRICT, ())] if hit.parts.c_math and hit.row.bits == 64 else []
        for narrower in (*without, *hit.row.narrower):
            found = self._tried(shop, hit.row, narrower, hit.parts)
            if found is None:
                continue
            if found.parting is None:
                self.hits.remove(hit)
                return
            first = first or found.hazards
        hazards = tuple(dict.fromkeys([*first, *hit.hazards]))
        self.hits[self.hits.index(hit)] = replace(hit, hazards=hazards)

    def _workshop(
        self,
        compiler: Compiler,
        widths: Widths,
        steps: list[Op] | None = None,
        within_loops: bool = True,
        c_math: bool = False,
    ) -> Workshop:
        folder = TemporaryDirectory(prefix="samebits-", ignore_cleanup_errors=True)
        self._folders.append(folder)
        plain = PlainC(
            self.a.program, self.a.simulation.players, widths, c_math, steps, within_loops
        )
        return Workshop(Path(folder.name), plain, compiler)

    def _built(
        self,
        shop: Workshop,
        flags: Row | Narrower,
        parts: Parts,
        bits: int,
        alone: Sequence[str] = (),
    ) -> Path:
        """The program of a row, of which parts are built by its flags, or the functions `alone`.
        Raises RunnerError."""
        width = ALIKE_32 if bits == 32 else ()
        strict = [*(STRICT_32 if bits == 32 else STRICT), *width]
        own = [*flags.flags, *width]
        plain, objects = shop.plain, [shop.object(shop.driver(), strict)]
        shop.seconds = max(1.0, self.end - spent())
        if parts.files == "one":
            every = [*plain.library, *plain.kernels]
            objects.append(shop.object(shop.file_of("all", every, parts.static), own))
        elif parts.files == "two":
            name = "static" if parts.static else "own"
            kernels = shop.file_of(name, plain.kernels, parts.static)
            library = shop.file_of("library", plain.library)
            objects.append(shop.object(kernels, own))
            objects.append(shop.object(library, own if parts.library else strict))
        else:
            for number, name in enumerate(plain.kernels):
                is_so = not alone or name in alone
                widths = None if is_so else Widths.SAME
                file = shop.file_of(f"own{number}", [name], widths=widths)
                objects.append(shop.object(file, own if is_so else strict))
            if parts.library:
                for number, name in enumerate(plain.library):
                    objects.append(shop.object(shop.file_of(f"library{number}", [name]), own))
            else:
                objects.append(shop.object(shop.file_of("library", plain.library), strict))
        return shop.program(objects, own)

    def _own_run(self) -> None:
        """Side a's hashes of the frames that are known, and the states that b may begin with: what
        its own `init` leaves, where that is known to be no other than side a's that one, and both
        where it is not known."""
        with closing(open_run(self.a)) as run:
            run.start(self.inputs.seed)
            state, hashes = run.save(), [run.hash()]
            hashes += map(int, run.advance(self._rows[: self.frame + 1]).hashes)
            self._own_state = run.save()
            hashes += map(int, run.advance(self._rows[self.frame + 1 :]).hashes)
        self._own = {frame: hashes[frame + 1] for frame in self.known if frame + 1 < len(hashes)}
        self._begins: list[bytes | None] = [None, state]
        if self.frame == INIT:
            self._begins = [None]
        elif INIT in self.known:
            self._begins = [state]

    def _run_of(self, file: Path, begins: bytes | None = None) -> BuiltExecution:
        seconds = min(_RUN_SECONDS, max(1.0, self.end - spent()))
        return BuiltExecution(self.a.program, file, seconds, begins)

    def _parting(self, file: Path) -> tuple[int | None, bytes | None]:
        """The first frame whose known hash a program does not give, None if it gives all, and what
        it began with. Raises RunnerError."""
        best = INIT, self._begins[0]
        for begins in self._begins:
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


def listed(functions: Sequence[str]) -> str:
    """Functions by name, the first ones."""
    shown = ", ".join(functions[:_MOST_NAMED])
    return shown + (f" and {len(functions) - _MOST_NAMED} more" if functions[_MOST_NAMED:] else "")


def _reach(hit: Hit) -> float:
    return float("inf") if hit.parting is None else hit.parting
