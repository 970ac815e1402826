"""The known answer of a case: two programs run side by side, and bisection over what they are of.

A binary has each function and each statement twice, by the strict and by the foreign build. The
functions, then the statements, of which none can be left out if the first differing state is to be
the foreign one's, are the place. Flags that do one thing alone and leave that same state are the
cause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from tools.prove_diagnose.foreign.binary import Binary, BuildFailed, Workshop
from tools.prove_diagnose.foreign.c.program import LIBRARY
from tools.prove_diagnose.foreign.c.style import EXACT
from tools.prove_diagnose.foreign.compilers import BUILDS, COMPILERS, Build, missing
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
    fits: Callable[[str], bool] = lambda hazard: False
    """Whether a build that does this hazard alone, at this place, leaves the same states: whether
    no evidence could tell the two apart."""


class Different(Exception):
    """A port that is not the source, where a strict compiler builds it."""


def known(
    shop: Workshop, build: Build, layout: str, seed: int, inputs: Inputs, strict: list[bytes],
    loaded: bool = False,
) -> Truth:  # fmt: skip
    """The answer; with `loaded`, the foreign program begins with the strict one's state. Raises
    BuildFailed, Different."""
    chosen = shop.chosen(COMPILERS[build.compiler], build.flags, build.style)
    plain = shop.states(chosen, seed, inputs, on="0" * len(chosen.members))
    if plain != strict:
        raise Different(f"{build.compiler}: {_first(strict, plain)}")
    functions = [m for m in chosen.members if not m.startswith("st_") and m != LIBRARY]
    if layout == WITH_LIBRARY:
        functions.append(LIBRARY)
    if layout == "some files":
        draws = Random(f"{seed} {build.name}")
        functions = sorted(draws.sample(functions, max(1, len(functions) // 3)))
    port = _Port(shop, build, layout, functions, seed, loaded)
    theirs = port.states(build.flags, inputs)
    frame = _first(strict, theirs)
    if frame is None:
        return Truth(None, (), theirs, frozenset(), frozenset(), frozenset(), "the same")
    state = shop.simulation.state_type
    fields = tuple(differing(state, strict[frame + 1], theirs[frame + 1]))
    later = tuple(differing(state, strict[1], theirs[1])) if frame < 0 else ()
    found = _Bisection(port, chosen, inputs[: frame + 1], theirs[frame + 1])
    place = found.place()
    return Truth(
        frame, fields, theirs, place.functions, place.lines, found.causes(), place.how, later,
        lambda hazard: port.fits(hazard, place.sets, inputs, theirs),
    )  # fmt: skip


def _first(a: Sequence[bytes], b: Sequence[bytes]) -> int | None:
    return next((n - 1 for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), None)


def _on(binary: Binary, members: Sequence[str]) -> str:
    return "".join("1" if m in members else "0" for m in binary.members)


@dataclass(frozen=True)
class _Port:
    """The foreign program: which functions its flags are for, and how they lie."""

    shop: Workshop
    build: Build
    layout: str
    functions: list[str]
    seed: int
    loaded: bool

    def states(self, flags: tuple[str, ...], inputs: Inputs, strictly: bool = False) -> list[bytes]:
        """What it leaves with other flags; `strictly`: in a strict environment."""
        shop, build = self.shop, self.build
        compiler = COMPILERS[build.compiler]
        flushes = build.flushes and not strictly
        if self.layout in ("one file", WITH_LIBRARY):
            library = self.layout == WITH_LIBRARY
            whole = shop.whole(compiler, flags, build.style, library, self.loaded)
            return shop.states(whole, self.seed, inputs, flushes, loaded=self.loaded)
        chosen = shop.chosen(compiler, flags, build.style)
        on = _on(chosen, self.functions)
        return shop.states(chosen, self.seed, inputs, flushes, on, self.loaded)

    def fits(self, hazard: str, sets: list[list[str]], inputs: Inputs, theirs: list[bytes]) -> bool:
        """Whether a build that does nothing else leaves the same states, at the same place."""
        for rival in BUILDS.values():
            if {hazard} <= {*rival.hazards} <= SAME.get(hazard, {hazard}) | {hazard}:
                compiler = COMPILERS[rival.compiler]
                if compiler.runner or missing(rival.compiler):
                    continue
                try:
                    chosen = self.shop.chosen(compiler, rival.flags, rival.style)
                    for some in sets:
                        on = _on(chosen, some)
                        left = self.shop.states(
                            chosen, self.seed, inputs, rival.flushes, on, self.loaded
                        )
                        if left == theirs:
                            return True
                except BuildFailed:
                    continue
        return False


WHOLE = "mode"
"""What a diagnosis calls a whole build with fast-math."""
_OF_FAST = {"order", "reciprocal", "algebra"}
SAME = {"x87": {"double-rounding"}, "double-rounding": {"x87"}, "libm": {"libm-ulp"},
        "libm-ulp": {"libm"}, "constant": {"narrower", "double-rounding"}}  # fmt: skip
"""What builds of one hazard may do besides."""


@dataclass(frozen=True)
class _Place:
    functions: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()
    how: str = ""
    sets: list[list[str]] = field(default_factory=list[list[str]])


@dataclass
class _Bisection:
    port: _Port
    binary: Binary
    inputs: Inputs
    wanted: bytes

    def gives(self, members: Sequence[str], flushes: bool = False) -> bool:
        port, on = self.port, _on(self.binary, members)
        try:
            left = port.shop.states(self.binary, port.seed, self.inputs, flushes, on, port.loaded)
        except BuildFailed:
            return False
        return left[-1] == self.wanted

    def place(self) -> _Place:
        port = self.port
        program = port.shop.program(EXACT, True)
        if port.build.flushes and self.gives((), True):
            return _Place(how="the environment alone; no function is judged")
        flushes = port.build.flushes and not self.gives(port.functions)
        sets = smallest(port.functions, lambda some: self.gives(some, flushes))
        if not sets:
            return _Place(how="functions apart do not give it; none is judged")
        if any(LIBRARY in some for some in sets):
            return _Place(how="the library gives it; no function is judged")
        kernels = frozenset(program.places[name] for some in sets for name in some)
        of = {s.name: s.lines for s in program.statements if s.function in kernels}
        found = smallest([*of], lambda some: self.gives(some, flushes))
        if not found:
            how = "statements apart do not give it; the function is judged"
            return _Place(kernels, how=how, sets=sets)
        lines = frozenset(line for some in found for name in some for line in of[name])
        return _Place(kernels, lines, "statements", found)

    def causes(self) -> frozenset[str]:
        """What narrower flags that leave the same state do; all that the build can do where none
        does. The whole of fast-math is right as well where no part of it is enough."""
        build = self.port.build
        found: set[str] = set()
        is_part_enough = False
        if build.flushes and self.gives((), True):
            return frozenset({"flush"})
        for hazards, flags in build.narrower:
            try:
                left = self.port.states(flags, self.inputs, strictly=True)
            except BuildFailed:
                continue
            if left[-1] == self.wanted:
                found |= {*hazards}
                is_part_enough |= not {*hazards} >= _OF_FAST
        found = found or {*build.hazards}
        if found >= _OF_FAST and not is_part_enough:
            found.add(WHOLE)
        return frozenset(found)


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
