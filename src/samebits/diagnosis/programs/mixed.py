"""Mixtures of two builds: files of one with flags of the other, until few are left that matter.

Owns which mixtures are tried. A mixture passes where it has side b's state after the differing
frame, and side a's before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from samebits.diagnosis.fast.ddmin import BudgetSpent, MinimalSet
from samebits.diagnosis.programs.flag_table import PARTS
from samebits.errors import RunnerError
from samebits.foreign.programs.description import Words
from samebits.foreign.programs.noise import Noise, without_noise
from samebits.foreign.programs.plan import BuildPlan, CompileStep
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop
from samebits.foreign.records import ForeignRun

LINK = "the link"
COMPILER = "the compiler itself"
MOST_TRIALS = 60
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Switched:
    """What was switched to side b's in side a's build, and how many frames from the differing one
    on have b's hash then."""

    files: tuple[str, ...]
    flags: tuple[str, ...]
    """Flags given, or left out (`without -ffp-contract=off`); empty where not taken apart."""
    same: int
    frames: int
    is_minimal: bool

    @property
    def holds(self) -> bool:
        return 0 < self.frames == self.same

    @property
    def words(self) -> str:
        """In a sentence."""
        where = ", ".join(self.files)
        if not self.flags:
            return f"{where} as on side b, all else as on side a"
        return f"{' and '.join(self.flags)} for {where} alone, all else as on side a"


@dataclass(eq=False)
class MixedBuilds:
    """The mixtures of two sides whose objects link together."""

    shop: Workshop
    a: BuildPlan
    b: BuildPlan
    runs: tuple[ForeignRun, ForeignRun]
    frame: int
    noises: Sequence[Noise] = ()
    trials: int = 0
    failures: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._hashes = [dict(without_noise(run, self.noises).hashes) for run in self.runs]
        self._names = list(self.a.names)

    @property
    def can(self) -> bool:
        """Whether both are of one processor and of the same files."""
        facts = [(run.facts.get("architecture"), run.facts.get("system")) for run in self.runs]
        return facts[0] == facts[1] and self.a.names == self.b.names

    def files(self, first: str = "") -> Switched | None:
        """The files that give b's bits in a's build, `first` being the likeliest."""
        items = sorted([*self._names, LINK], key=lambda name: name != first)
        search = MinimalSet(items, lambda names: self._passes(self._steps(names), LINK in names))
        found = self._run(search)
        if not found:
            return None
        return self._switched(
            tuple(found), (), self._steps(found), LINK in found, search.is_minimal
        )

    def flags(self, files: Switched) -> Switched | None:
        """The flags that do so, given to these files alone."""
        names = [name for name in files.files if name != LINK]
        if not names:
            return None
        linked = LINK in files.files
        pairs = [pair for name, *pair in self._triples() if name in names]
        if any(a.compiler != b.compiler for a, b in pairs):
            plain = self._edited(names, ())
            if self._passes(plain, linked):
                return self._switched(files.files, (COMPILER,), plain, linked, True)
        edits = list(dict.fromkeys(e for a, b in pairs for e in edits_between(a.flags, b.flags)))
        found = self._fewest(names, edits, linked)
        if found is None:
            return None
        for _ in range(_DEEPEST):
            parts = _parted(found[0])
            if parts == found[0] or not self._passes(self._edited(names, parts), linked):
                break
            found = self._fewest(names, parts, linked) or found
        chosen, is_minimal = found
        steps = self._edited(names, chosen)
        return self._switched(files.files, tuple(chosen), steps, linked, is_minimal)

    def _fewest(
        self, names: Sequence[str], edits: Sequence[str], linked: bool
    ) -> tuple[list[str], bool] | None:
        """The fewest edits that pass, and whether none of them can be left out."""
        search = self._flag_search(names, edits, linked)
        found = self._run(search)
        return (found, search.is_minimal) if found else None

    def _flag_search(
        self, names: Sequence[str], edits: Sequence[str], linked: bool
    ) -> MinimalSet[str]:
        return MinimalSet(
            edits, lambda chosen: self._passes(self._edited(names, _kept(edits, chosen)), linked)
        )

    def _run(self, search: MinimalSet[str]) -> list[str] | None:
        try:
            return search.run()
        except BudgetSpent:
            return search.best

    def _steps(self, names: Sequence[str] | frozenset[str]) -> list[CompileStep]:
        return [b if name in names else a for name, a, b in self._triples()]

    def _triples(self) -> list[tuple[str, CompileStep, CompileStep]]:
        """Each file's name, with its step on both sides."""
        return list(zip(self._names, self.a.compiles, self.b.compiles, strict=True))

    def _edited(self, names: Sequence[str], edits: Sequence[str]) -> list[CompileStep]:
        """The files with b's compiler and a's flags, edited; all others as on side a."""
        out: list[CompileStep] = []
        for name, a, b in self._triples():
            mixed = replace(b, flags=applied(a.flags, edits))
            out.append(mixed if name in names else a)
        return out

    def _passes(self, steps: Sequence[CompileStep], linked: bool) -> bool:
        run = self._recorded(steps, linked)
        if run is None:
            return False
        hashes, (mine, theirs) = without_noise(run, self.noises).hashes, self._hashes
        before = all(hashes.get(n) == hash_ for n, hash_ in mine.items() if n < self.frame)
        return before and hashes.get(self.frame) == theirs.get(self.frame)

    def _recorded(self, steps: Sequence[CompileStep], linked: bool) -> ForeignRun | None:
        if self.trials >= MOST_TRIALS:
            raise BudgetSpent
        self.trials += 1
        try:
            link = (self.b if linked else self.a).link
            program = self.shop.linked(link, self.shop.objects(steps))
            side = self.a.side
            return recorded(self.shop.program, side, program, self.shop.path("mixed.sbt")).run
        except RunnerError as error:
            self.failures.append(error.message)
            return None

    def _switched(
        self,
        files: tuple[str, ...],
        flags: tuple[str, ...],
        steps: Sequence[CompileStep],
        linked: bool,
        is_minimal: bool,
    ) -> Switched | None:
        self.trials = min(self.trials, MOST_TRIALS - 1)
        run = self._recorded(steps, linked)
        if run is None:
            return None
        hashes = without_noise(run, self.noises).hashes
        later = {n: hash_ for n, hash_ in self._hashes[1].items() if n >= self.frame}
        same = sum(hashes.get(n) == hash_ for n, hash_ in later.items())
        return Switched(files, flags, same, len(later), is_minimal)


_WITHOUT = "without "
_TOGETHER = {part for parts in PARTS.values() for part in parts if " " in part}


def edits_between(a: Words, b: Words) -> list[str]:
    """What makes b's flags of a's: words given, and words left out."""
    added = [word for word in dict.fromkeys(b) if word not in a]
    return [*added, *(f"{_WITHOUT}{word}" for word in dict.fromkeys(a) if word not in b)]


def _kept(edits: Sequence[str], chosen: frozenset[str]) -> list[str]:
    return [edit for edit in edits if edit in chosen]


def _parted(edits: Sequence[str]) -> list[str]:
    """Edits with flags in the place of those that are short for them."""
    return list(dict.fromkeys(part for edit in edits for part in PARTS.get(edit, (edit,))))


def applied(flags: Words, edits: Sequence[str]) -> Words:
    """Flags with edits made."""
    left_out = {edit.removeprefix(_WITHOUT) for edit in edits if edit.startswith(_WITHOUT)}
    added = [
        word
        for edit in edits
        if not edit.startswith(_WITHOUT)
        for word in (edit.split(" ") if edit in _TOGETHER else (edit,))
    ]
    return (*(word for word in flags if word not in left_out), *added)
