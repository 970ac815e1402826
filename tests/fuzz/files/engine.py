"""The loop: a file by chance, its reader under watch, and what leads somewhere new kept.

Owns what a finding is. The same target, seed and number of cases give the same files in one
version of Python; coverage decides what is kept, so that versions may differ.
"""

from __future__ import annotations

import tracemalloc
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from samebits.errors import SamebitsError
from tests.fuzz.files.mutate import damaged, mutated
from tests.fuzz.files.tracing import Edge, Endless, Steps

_ACCIDENTS = 3
"""One case in so many is a sound file that was damaged."""
_MEASURED = 8
"""One case in so many is read a second time, for its memory and all that can be asked of it; and
so is every file that is kept."""
_CHECKS = 10
"""How many times the lines of reading all else may take."""


@dataclass(frozen=True)
class Read:
    """What a reader gave. `whole` is False where it told damage."""

    value: object
    whole: bool


class Target(ABC):
    """A format: its sound files, its reader, and what that owes."""

    name: str
    errors: tuple[type[SamebitsError], ...]
    """All that `read` may raise."""
    needs: Sequence[str] = ()
    """Modules that reading takes, which may not be installed."""
    words: Sequence[bytes] = ()
    """What the format's files are made of."""
    steps: tuple[int, int] = 20_000, 400
    """Lines of Python that reading may take, and how many more for a byte."""
    memory: tuple[int, int] = 4 << 20, 64
    """Bytes that reading may hold at a time, and how many more for a byte."""

    @abstractmethod
    def __init__(self, folder: Path) -> None:
        """A target that may write to a folder."""

    @abstractmethod
    def seeds(self) -> list[bytes]:
        """Sound files, from the format's own writer."""

    @abstractmethod
    def read(self, data: bytes) -> Read:
        """What the file says. AssertionError where it contradicts itself."""

    def check(self, data: bytes, read: Read) -> None:  # noqa: B027 - most have no more to ask
        """Ask the rest, of a file that was read. AssertionError where it does not fit."""

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """The file with something changed, its checksums right."""
        return mutated(data, others, self.words, chance)

    def is_part(self, value: object, of: object) -> bool:
        """Whether what is left of a damaged file says nothing that the sound one did not."""
        return value == of


@dataclass(frozen=True)
class Finding:
    """A file that a reader does not do with as it should."""

    target: str
    kind: str
    what: str
    data: bytes
    seed: bytes | None
    """The sound file that it was, where it was damaged by accident."""


@dataclass
class Fuzz:
    """One target's run."""

    target: Target
    start: int = 0
    cases: int = 0
    found: list[Finding] = field(default_factory=list[Finding])
    before: Callable[[bytes], object] = bytes
    """Called with each file before it is read: a reader that ends the process leaves it behind."""

    def __post_init__(self) -> None:
        self._steps, self._more_steps = Steps(), Steps()
        self._seeds = self.target.seeds()
        self._values: list[object] = []
        self.corpus: list[bytes] = []
        self._seen: set[Edge] = set()
        for seed in self._seeds:
            read = self.target.read(seed)
            assert read.whole, f"{self.target.name}: a file of the writer's own is not whole"
            self._values.append(read.value)
            if finding := self.judge(seed) or self.inspect(seed):
                raise AssertionError(f"{finding.kind} in a sound file: {finding.what}")
            self._keep(seed)

    @property
    def edges(self) -> int:
        return len(self._seen)

    def run(self, cases: int) -> None:
        """So many cases more."""
        for _ in range(cases):
            self.one(self.start + self.cases)
            self.cases += 1

    def one(self, number: int) -> None:
        """The case of a number; it depends on the cases before it by the corpus alone."""
        chance = Random(f"{self.target.name} {number}")
        if number % _ACCIDENTS == 0:
            at = chance.randrange(len(self._seeds))
            data, seed = damaged(self._seeds[at], chance), at
        else:
            parent = chance.choice(self.corpus)
            others = [chance.choice(self.corpus)]
            make = self.target.forged if chance.random() < 0.7 else self._mutated
            data, seed = make(parent, others, chance), None
        self.before(data)
        finding = self.judge(data, seed)
        is_new = not self._steps.edges <= self._seen
        if finding is None and (is_new or number % _MEASURED == 0):
            finding = self.inspect(data)
        if is_new:
            self._keep(data)
        if finding is not None:
            self.found.append(finding)

    def _mutated(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        return mutated(data, others, self.target.words, chance)

    def _keep(self, data: bytes) -> None:
        self._seen |= self._steps.edges
        if data not in self.corpus:
            self.corpus.append(data)

    def judge(self, data: bytes, seed: int | None = None) -> Finding | None:
        """What is wrong with how a file is read. `seed` is the sound one that it was."""
        base, each = self.target.steps
        most = base + each * len(data)
        sound = None if seed is None else self._seeds[seed]

        def finding(kind: str, what: object) -> Finding:
            return Finding(self.target.name, kind, _told(what), data, sound)

        try:
            with self._steps.counted(most):
                read = self.target.read(data)
        except self.target.errors:
            return None
        except Endless:
            return finding("endless", f"more than {most} lines for {len(data)} bytes")
        except AssertionError as error:
            return finding("contradiction", error)
        except Exception as error:
            return finding("exception", error)
        if seed is not None:
            value = self._values[seed]
            if read.whole and read.value != value:
                return finding("silent", "told to be whole, and says something else")
            if not read.whole and not self.target.is_part(read.value, value):
                return finding("invented", "says something that the sound file does not")
        return None

    def inspect(self, data: bytes) -> Finding | None:
        """What is wrong with the memory that a file takes, or with what else is asked of it."""
        base, each = self.target.memory
        most = _CHECKS * (self.target.steps[0] + self.target.steps[1] * len(data))
        finding: Finding | None = None
        tracemalloc.start()
        try:
            read = self.target.read(data)
            with self._more_steps.counted(most):
                self.target.check(data, read)
        except self.target.errors:
            pass
        except Endless:
            what = f"asking took more than {most} lines for {len(data)} bytes"
            finding = Finding(self.target.name, "endless", what, data, None)
        except AssertionError as error:
            finding = Finding(self.target.name, "contradiction", _told(error), data, None)
        except Exception as error:
            finding = Finding(self.target.name, "exception", _told(error), data, None)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        if finding is None and peak > base + each * len(data):
            what = f"{peak} bytes for a file of {len(data)}"
            finding = Finding(self.target.name, "memory", what, data, None)
        return finding

    def minimised(self, finding: Finding, tries: int = 400) -> Finding:
        """The finding with as much as possible taken away, of the same kind."""
        if finding.seed is not None:
            return finding  # it is what became of another file
        best, size, left = finding, max(1, len(finding.data) // 2), tries
        while size and left > 0:
            at, smaller = 0, False
            while at < len(best.data) and left > 0:
                left -= 1
                data = best.data[:at] + best.data[at + size :]
                found = self.judge(data) or self.inspect(data)
                if found is not None and found.kind == best.kind:
                    best, smaller = found, True
                else:
                    at += size
            size = size if smaller else size // 2
        return best


def _told(what: object) -> str:
    if isinstance(what, BaseException):
        what = f"{type(what).__name__}: {what}"
    return str(what)[:500]


def fuzzed(target: Target, cases: int, start: int = 0) -> Fuzz:
    """A target after so many cases."""
    fuzz = Fuzz(target, start)
    fuzz.run(cases)
    return fuzz
