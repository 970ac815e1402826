"""The search for the compiler and the flags that give another machine's hashes.

Owns which builds are tried, in what order, and how far each goes. Side a's program is written as
plain C; built strictly, it must have side a's hashes, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from samebits.diagnosis.builds.clock import OutOfTime, spent
from samebits.diagnosis.builds.compilers.build import ALIKE_32, FORMS, STRICT, STRICT_32, Workshop
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.builds.compilers.found import Compiler, compilers, makes_32_bits
from samebits.diagnosis.builds.compilers.rows import Narrower, Row, rows
from samebits.diagnosis.builds.compilers.some import SomeFunctions
from samebits.diagnosis.builds.compilers.steps import LoggedRuns
from samebits.diagnosis.report.findings import OperationFact
from samebits.errors import RunnerError
from samebits.export.plain_c.c_types import Doubles
from samebits.export.plain_c.expressions import UnwritableError
from samebits.export.plain_c.program import PlainC
from samebits.ir.grammar import Op
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs

MOST_FRAMES = 4096
"""Frames that are compared at most."""
_RUN_SECONDS = 20.0
_MOST_NAMED = 6


@dataclass(frozen=True)
class Parts:
    """What of a program is built by a row's flags, and in which files."""

    title: str
    library: bool
    """Whether the math library's functions are too."""
    files: str
    """ "two": the simulation's own in one file, the library's in another; "one": all in one;
    "each": every function in a file of its own."""
    c_math: bool = False
    """Whether C's math library is called instead."""


PARTS = (
    Parts("", False, "two"),
    Parts(", the math library too", True, "two"),
    Parts(", with C's math library", False, "two", c_math=True),
    Parts(", each function in a file of its own", False, "each"),
    Parts(", the math library too, in one file", True, "one"),
    Parts(", the math library too, each function in a file of its own", True, "each"),
    Parts(
        ", with C's math library, each function in a file of its own", False, "each", c_math=True
    ),
)


SOME = Parts("", False, "some")
"""Some of the simulation's functions alone."""


@dataclass(frozen=True)
class Hit:
    """A build that gives the known hashes before frame `parting`; all where that is None."""

    compiler: Compiler
    row: Row
    flags: tuple[str, ...]
    parts: Parts
    doubles: Doubles
    file: Path
    parting: int | None

    hazards: tuple[str, ...] = ()
    """What the flags do that matters."""
    title: str = ""
    forms: bytes = b""
    """Where some of the simulation's functions alone are built so: a byte each, 1 for these."""
    functions: tuple[str, ...] = ()
    """These, by their names in IR."""

    @property
    def words(self) -> str:
        """The build in words."""
        words = [self.compiler.title, *(["-m32"] if self.row.bits == 32 else []), *self.flags]
        more = f", its {self.doubles.value} doubles" if self.doubles is not Doubles.NONE else ""
        alone = f", in {listed(self.functions)} alone" if self.functions else ""
        return " ".join(words) + self.parts.title + more + alone


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
    hits: list[Hit] = field(default_factory=list[Hit])
    """Builds that give the first hash that differs, the best first."""
    notes: list[str] = field(default_factory=list[str])
    tried: int = 0
    """Programs built and run."""
    _folders: list[TemporaryDirectory[str]] = field(
        default_factory=list[TemporaryDirectory[str]], init=False
    )

    def run(self) -> None:
        """Search. Raises OutOfTime; what cannot be built or run is passed over."""
        found = [each for each in compilers() if any(_suits(row, each) for row in rows())]
        if not found:
            self.notes.append(
                "no C compiler is here (gcc, clang, or samebits[targets]): what one does to a "
                "whole program was not tried"
            )
        self._rows: Inputs = self.inputs.between(0, MOST_FRAMES)
        for compiler in found:
            if any(hit.parting is None for hit in self.hits):
                return
            try:
                self._by(compiler)
            except UnwritableError as error:
                self.notes.append(f"what compilers do was not tried: {error.message}")
                return

    def first_step(self, hit: Hit, within_loops: bool) -> OperationFact | None:
        """The first statement of the differing frame that a build computes otherwise; None where
        that cannot be told. Without `within_loops` a loop is one step, which leaves compilers free
        to make vectors of it. Raises RunnerError."""
        if hit.forms:
            return None
        steps: list[Op] = []
        mine = self._workshop(hit.compiler, Doubles.NONE, steps, within_loops)
        theirs = mine
        if hit.doubles is not Doubles.NONE or hit.parts.c_math:
            theirs = self._workshop(hit.compiler, hit.doubles, [], within_loops, hit.parts.c_math)
        runs = LoggedRuns(
            self.a.program,
            self._built(mine, Narrower(STRICT, ()), PARTS[0], 64),
            self._built(theirs, Narrower(hit.flags, ()), hit.parts, hit.row.bits),
            steps,
            self.inputs.seed,
            self._rows,
            self.known,
            _RUN_SECONDS,
        )
        return runs.first(self.frame)

    def close(self) -> None:
        """Remove what was built."""
        for folder in self._folders:
            folder.cleanup()

    def _by(self, compiler: Compiler) -> None:
        """Try one compiler's rows."""
        self._in_time()
        shop = self._workshop(compiler, Doubles.NONE)
        self.say(f"building side a's program by {compiler.title}")
        try:
            strict = self._built(shop, Narrower(STRICT, ()), PARTS[0], 64)
        except RunnerError:
            return
        if self._parting(strict, self._own()) is not None:
            self.notes.append(
                f"side a's program as C, built strictly by {compiler.title}, does not have its "
                "hashes: builds by it were not tried"
            )
            return
        shops = {(Doubles.NONE, False): shop}
        for row, parts, doubles in self._plans(compiler):
            if parts is SOME:
                if self._in_some(shop, row):
                    return
                continue
            key = doubles, parts.c_math
            if key not in shops:
                shops[key] = self._workshop(compiler, doubles, c_math=parts.c_math)
            hit = self._tried(shops[key], row, row, parts)
            if hit is not None and hit.parting is None:
                self._narrowed(shops[key], hit)
                return

    def _plans(self, compiler: Compiler) -> Iterator[tuple[Row, Parts, Doubles]]:
        fitting = [row for row in rows() if _suits(row, compiler)]
        if not makes_32_bits(compiler):
            fitting = [row for row in fitting if row.bits != 32]
        has_library = bool(self._plain.library)
        first, *others = [
            each for each in PARTS if has_library or not (each.library or each.c_math)
        ]
        yield from self._in_parts(fitting, [first])
        likely = [row for row in fitting if any(hit.row is row for hit in self.hits)]
        for row in likely:
            yield from self._in_parts([row], others)
        rest = [row for row in fitting if row not in likely]
        usual = [row for row in fitting if row.is_usual]
        yield from self._in_parts([row for row in usual if row not in likely], others[:1])
        yield from ((row, SOME, Doubles.NONE) for row in usual)
        yield from self._in_parts([row for row in rest if row not in usual], others[:1])
        yield from self._in_parts(rest, others[1:])

    def _in_parts(
        self, some: Sequence[Row], of: Sequence[Parts]
    ) -> Iterator[tuple[Row, Parts, Doubles]]:
        for parts in of:
            for row in some:
                for doubles in Doubles:
                    if (doubles is not Doubles.NONE) == row.doubles:
                        yield row, parts, doubles

    def _tried(self, shop: Workshop, row: Row, flags: Row | Narrower, parts: Parts) -> Hit | None:
        self._in_time()
        self.say(f"trying {shop.compiler.title} {' '.join(flags.flags)}{parts.title}")
        self.tried += 1
        try:
            file = self._built(shop, flags, parts, row.bits)
            parting = self._parting(file, self.known)
        except RunnerError:
            return None
        if parting is not None and parting <= self.frame:
            return None
        hit = Hit(
            shop.compiler, row, tuple(flags.flags), parts, shop.plain.doubles, file, parting,
            (*flags.hazards, *(["libm"] if parts.c_math else [])), row.title,
        )  # fmt: skip
        self.hits.append(hit)
        self.hits.sort(key=lambda each: -_reach(each))
        return hit

    def _in_some(self, shop: Workshop, row: Row) -> bool:
        """Try whether some of the simulation's functions alone are built by a row; whether that
        gives all hashes."""
        self._in_time()
        self.say(f"trying {shop.compiler.title} {' '.join(row.flags)} for some functions")
        self.tried += 1
        names = shop.plain.kernels
        try:
            file = self._with_forms(shop, row)
            with closing(BuiltExecution(self.a.program, file, self._run_seconds())) as built:
                some = SomeFunctions(
                    built, len(names), self.inputs.seed, self._rows, self.known, self._in_time
                )
                forms = some.forms()
        except RunnerError:
            return False
        if forms is None or not any(forms):
            return False
        chosen = tuple(name for name, form in zip(names, forms, strict=True) if form)
        hit = Hit(
            shop.compiler, row, tuple(row.flags), SOME, Doubles.NONE, file, None,
            tuple(row.hazards), row.title, forms, chosen,
        )  # fmt: skip
        self.hits.insert(0, hit)
        for narrower in row.narrower:
            self._in_time()
            try:
                file = self._with_forms(shop, row, narrower)
                with closing(BuiltExecution(self.a.program, file, self._run_seconds())) as built:
                    some = SomeFunctions(
                        built, len(names), self.inputs.seed, self._rows, self.known, self._in_time
                    )
                    is_enough = some.parting(forms) is None
            except RunnerError:
                continue
            if is_enough:
                flags, hazards = tuple(narrower.flags), tuple(narrower.hazards)
                self.hits[0] = replace(hit, flags=flags, hazards=hazards, file=file)
                break
        return True

    def _with_forms(self, shop: Workshop, row: Row, narrower: Narrower | None = None) -> Path:
        """The program with both forms of each function. Raises RunnerError."""
        width = ALIKE_32 if row.bits == 32 else ()
        strict = [*(STRICT_32 if row.bits == 32 else STRICT), *width]
        own = [*(narrower or row).flags, *width]
        shop.seconds = max(1.0, self.end - spent())
        library = shop.file_of("library", shop.plain.library)
        objects = [
            shop.object(shop.forms_file(FORMS[0]), strict),
            shop.object(shop.forms_file(FORMS[1]), own),
            shop.object(shop.table_file(), strict),
            shop.object(library, strict),
        ]
        return shop.program(objects, strict)

    def _run_seconds(self) -> float:
        return min(_RUN_SECONDS, max(1.0, self.end - spent()))

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
        doubles: Doubles,
        steps: list[Op] | None = None,
        within_loops: bool = True,
        c_math: bool = False,
    ) -> Workshop:
        folder = TemporaryDirectory(prefix="samebits-", ignore_cleanup_errors=True)
        self._folders.append(folder)
        plain = PlainC(
            self.a.program, self.a.simulation.players, doubles, c_math, steps, within_loops
        )
        self._plain = plain
        return Workshop(Path(folder.name), plain, compiler)

    def _built(self, shop: Workshop, flags: Row | Narrower, parts: Parts, bits: int) -> Path:
        """The program of a row, of which parts are built by its flags. Raises RunnerError."""
        width = ALIKE_32 if bits == 32 else ()
        strict = [*(STRICT_32 if bits == 32 else STRICT), *width]
        own = [*flags.flags, *width]
        plain, objects = shop.plain, [shop.object(shop.driver(), strict)]
        shop.seconds = max(1.0, self.end - spent())
        if parts.files == "one":
            objects.append(shop.object(shop.file_of("all", [*plain.library, *plain.kernels]), own))
        elif parts.files == "two":
            kernels, library = (
                shop.file_of("own", plain.kernels),
                shop.file_of("library", plain.library),
            )
            objects.append(shop.object(kernels, own))
            objects.append(shop.object(library, own if parts.library else strict))
        else:
            for number, name in enumerate(plain.kernels):
                objects.append(shop.object(shop.file_of(f"own{number}", [name]), own))
            if parts.library:
                for number, name in enumerate(plain.library):
                    objects.append(shop.object(shop.file_of(f"library{number}", [name]), own))
            else:
                objects.append(shop.object(shop.file_of("library", plain.library), strict))
        return shop.program(objects, own)

    def _own(self) -> dict[int, int]:
        """Side a's own hashes of the frames that are known."""
        with closing(open_run(self.a)) as run:
            run.start(self.inputs.seed)
            hashes = [run.hash(), *map(int, run.advance(self._rows).hashes)]
        return {frame: hashes[frame + 1] for frame in self.known if frame + 1 < len(hashes)}

    def _parting(self, file: Path, known: Mapping[int, int]) -> int | None:
        """The first frame whose known hash a program does not give; None if it gives all. Raises
        RunnerError."""
        with closing(BuiltExecution(self.a.program, file, self._run_seconds())) as built:
            return built.parting(self.inputs.seed, self._rows, known)

    def _in_time(self) -> None:
        if spent() > self.end:
            raise OutOfTime


def listed(functions: Sequence[str]) -> str:
    """Functions by name, the first ones."""
    shown = ", ".join(functions[:_MOST_NAMED])
    return shown + (f" and {len(functions) - _MOST_NAMED} more" if functions[_MOST_NAMED:] else "")


def _suits(row: Row, compiler: Compiler) -> bool:
    return compiler.family in row.families


def _reach(hit: Hit) -> float:
    return float("inf") if hit.parting is None else hit.parting
