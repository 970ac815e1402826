"""The known answer of a case: two programs run side by side, and bisection over what they are of.

A binary has each function and each statement twice, by the strict and by the foreign build. The
functions, then the statements, of which none can be left out if the first differing state is to be
the foreign one's, are the place. Flags that do one thing alone and leave that same state are the
cause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tools.prove_diagnose.foreign.binary import Binary, BuildFailed, Workshop
from tools.prove_diagnose.foreign.c.program import LIBRARY
from tools.prove_diagnose.foreign.c.style import EXACT
from tools.prove_diagnose.foreign.compilers import COMPILERS, Build
from tools.prove_diagnose.truth import differing

from samebits.sim.inputs import Inputs

WITH_LIBRARY = "with the library"
"""The layout in which the library is the foreign build's too."""


@dataclass(frozen=True, eq=False)
class Truth:
    """`frame` is the first that differs, -1 for what `init` leaves, None where none does. `states`
    are the foreign ones. `functions` are the kernels that make the difference, empty where they
    could not be told apart, and `lines` those of their statements, empty where they could not;
    `causes` the hazards that are right."""

    frame: int | None
    fields: tuple[str, ...]
    states: list[bytes]
    functions: frozenset[str]
    lines: frozenset[int]
    causes: frozenset[str]
    how: str
    later: tuple[str, ...] = ()
    """The fields that differ after frame 0, where what `init` leaves differs."""


class Different(Exception):
    """A port that is not the source, where a strict compiler builds it."""


def known(
    shop: Workshop, build: Build, layout: str, seed: int, inputs: Inputs, strict: list[bytes],
    loaded: bool = False,
) -> Truth:  # fmt: skip
    """The answer; with `loaded`, the foreign program begins with the strict one's state. Raises
    BuildFailed, Different."""
    compiler = COMPILERS[build.compiler]
    chosen = shop.chosen(compiler, build.flags, build.style)
    count = len(chosen.members)
    plain = shop.states(chosen, seed, inputs, on="0" * count)
    if plain != strict:
        raise Different(f"{build.compiler}: {_first(strict, plain)}")
    functions = [m for m in chosen.members if not m.startswith("st_") and m != LIBRARY]
    library = layout == WITH_LIBRARY
    if library or layout == "one file":
        whole = shop.whole(compiler, build.flags, build.style, library, loaded)
        theirs = shop.states(whole, seed, inputs, build.flushes, loaded=loaded)
    else:
        if layout == "some files":
            draws = Random(f"{seed} {build.name}")
            functions = sorted(draws.sample(functions, max(1, len(functions) // 3)))
        on = "".join("1" if m in functions else "0" for m in chosen.members)
        theirs = shop.states(chosen, seed, inputs, build.flushes, on, loaded)
    frame = _first(strict, theirs)
    if frame is None:
        return Truth(None, (), theirs, frozenset(), frozenset(), frozenset(), "the same")
    fields = tuple(differing(shop.simulation.state_type, strict[frame + 1], theirs[frame + 1]))
    found = _Bisection(shop, build, chosen, seed, inputs[: frame + 1], theirs[frame + 1], loaded)
    names, lines, how = found.place([*functions, LIBRARY] if library else functions)
    causes = found.causes(library)
    state = shop.simulation.state_type
    later = tuple(differing(state, strict[1], theirs[1])) if frame < 0 else ()
    return Truth(frame, fields, theirs, names, lines, causes, how, later)


def _first(a: Sequence[bytes], b: Sequence[bytes]) -> int | None:
    return next((n - 1 for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), None)


@dataclass
class _Bisection:
    shop: Workshop
    build: Build
    binary: Binary
    seed: int
    inputs: Inputs
    wanted: bytes
    loaded: bool

    def gives(self, members: Sequence[str], flushes: bool = False) -> bool:
        on = "".join("1" if m in members else "0" for m in self.binary.members)
        try:
            left = self.shop.states(self.binary, self.seed, self.inputs, flushes, on, self.loaded)
        except BuildFailed:
            return False
        return left[-1] == self.wanted

    def place(self, functions: list[str]) -> tuple[frozenset[str], frozenset[int], str]:
        program = self.shop.program(EXACT, True)
        if self.build.flushes and self.gives((), True):
            return frozenset(), frozenset(), "the environment alone; no function is judged"
        flushes = self.build.flushes and not self.gives(functions)
        sets = smallest(functions, lambda some: self.gives(some, flushes))
        if not sets:
            return frozenset(), frozenset(), "functions apart do not give it; none is judged"
        if any(LIBRARY in some for some in sets):
            return frozenset(), frozenset(), "the library gives it; no function is judged"
        kernels = frozenset(program.places[name] for some in sets for name in some)
        inner = [s for s in program.statements if s.function in kernels]
        of = {s.name: s.lines for s in inner}
        found = smallest([*of], lambda some: self.gives(some, flushes))
        if not found:
            return kernels, frozenset(), "statements apart do not give it; the function is judged"
        lines = frozenset(line for some in found for name in some for line in of[name])
        return kernels, lines, "statements"

    def causes(self, library: bool) -> frozenset[str]:
        """What narrower flags that leave the same state do; all that the build can do where none
        does."""
        found: set[str] = set()
        if self.build.flushes and self.gives((), True):
            return frozenset({"flush"})
        compiler = COMPILERS[self.build.compiler]
        for hazards, flags in self.build.narrower:
            try:
                whole = self.shop.whole(compiler, flags, self.build.style, library, self.loaded)
                left = self.shop.states(whole, self.seed, self.inputs, loaded=self.loaded)
            except BuildFailed:
                continue
            if left[-1] == self.wanted:
                found |= {*hazards}
        return frozenset(found or self.build.hazards)


def smallest(members: list[str], gives: Callable[[Sequence[str]], bool]) -> list[list[str]]:
    """The single members that give it, or else one or two sets from which none can be left out; no
    set where all together do not."""
    singles = [[m] for m in members if gives([m])]
    if singles:
        return singles
    if not gives(members):
        return []
    sets: list[list[str]] = []
    for order in (members, members[::-1]):
        left = list(members)
        for member in order:
            fewer = [m for m in left if m != member]
            if gives(fewer):
                left = fewer
        if left not in sets:
            sets.append(left)
    return sets
