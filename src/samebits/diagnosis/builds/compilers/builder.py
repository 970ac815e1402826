"""The programs of one search: side a's program as C, built in each way that a plan asks for.

Owns the folders in which they are made, and which objects they share. Knows nothing of hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from samebits.diagnosis.builds.compilers.build import ALIKE_32, FORMS, STRICT, STRICT_32, Workshop
from samebits.diagnosis.builds.compilers.found import Compiler
from samebits.diagnosis.builds.compilers.plans import OWN, Parts
from samebits.export.plain_c.program import PlainC
from samebits.export.plain_c.waiting import Step
from samebits.export.plain_c.widths import Widths
from samebits.sim.program import Program


@dataclass(frozen=True)
class Way:
    """How some of a program's functions are built: by flags, for a processor of `bits`."""

    flags: Sequence[str]
    bits: int = 64
    widths: Widths = Widths.SAME

    @property
    def own(self) -> list[str]:
        """All flags."""
        return [*self.flags, *(ALIKE_32 if self.bits == 32 else ())]

    @property
    def strict(self) -> list[str]:
        """Those of the functions beside them."""
        return [*STRICT_32, *ALIKE_32] if self.bits == 32 else [*STRICT]


@dataclass
class Builder:
    """Builds a simulation's program for `players`; `close` removes all that it has built."""

    program: Program
    players: int
    seconds_left: Callable[[], float]
    """That one run of a compiler may take."""
    _shops: dict[tuple[Compiler, Widths, bool, bool, bool], Workshop] = field(
        default_factory=dict[tuple[Compiler, Widths, bool, bool, bool], Workshop], init=False
    )
    _folders: list[TemporaryDirectory[str]] = field(
        default_factory=list[TemporaryDirectory[str]], init=False
    )

    def close(self) -> None:
        for folder in self._folders:
            folder.cleanup()

    def shop(
        self, compiler: Compiler, widths: Widths = Widths.SAME, parts: Parts = OWN
    ) -> Workshop:
        """The workshop for some widths, the same at each call; one for all that keep signatures."""
        base = Widths.SAME if widths.keeps_signatures else widths
        key = compiler, base, parts.c_math, parts.flat, parts.cleared
        if key not in self._shops:
            self._shops[key] = self._new(compiler, base, parts, None, True)
        return self._shops[key]

    def logging_shop(
        self,
        compiler: Compiler,
        widths: Widths,
        parts: Parts,
        steps: list[Step],
        within_loops: bool,
        returns: bool,
    ) -> Workshop:
        """A new workshop, whose functions log their `steps`, which it adds in the order in which
        they are written."""
        base = Widths.SAME if widths.keeps_signatures else widths
        return self._new(compiler, base, parts, steps, within_loops, returns)

    def built(self, shop: Workshop, way: Way, parts: Parts) -> Path:
        """A program of which `parts`, whole files, are built in a way. Raises RunnerError."""
        shop.seconds = self.seconds_left()
        plain, strict, widths = shop.plain, way.strict, way.widths
        own = [*way.own, *parts.flags]
        objects = [self._common(shop).object(self._common(shop).driver(), strict)]
        if parts.files == "one":
            every = [*plain.library, *plain.kernels]
            objects.append(shop.object(shop.file_of("all", every, parts.static, widths), own))
        else:
            name = "static" if parts.static else "own"
            kernels = shop.file_of(name, plain.kernels, parts.static, widths)
            objects.append(shop.object(kernels, own))
            # Which has few loops: what else its flags are is little to it.
            objects.append(self._library(shop, way.own if parts.library else strict))
        return shop.program(objects, own)

    def with_forms(self, shop: Workshop, way: Way) -> Path:
        """The program with two forms of each function, a strict one, and one in a way that keeps
        signatures. Raises RunnerError."""
        shop.seconds = self.seconds_left()
        objects = [
            shop.object(shop.forms_file(FORMS[0]), way.strict),
            shop.object(shop.forms_file(FORMS[1], way.widths), way.own),
            shop.object(shop.table_file(), way.strict),
            self._library(shop, way.strict),
        ]
        return shop.program(objects, way.strict)

    def _common(self, shop: Workshop) -> Workshop:
        """The workshop that makes what is the same in all of a compiler's."""
        return self.shop(shop.compiler)

    def _library(self, shop: Workshop, flags: Sequence[str]) -> str:
        common = self._common(shop)
        return common.object(common.file_of("library", common.plain.library), flags)

    def _new(
        self,
        compiler: Compiler,
        widths: Widths,
        parts: Parts,
        steps: list[Step] | None,
        within_loops: bool,
        returns: bool = False,
    ) -> Workshop:
        folder = TemporaryDirectory(prefix="samebits-", ignore_cleanup_errors=True)
        self._folders.append(folder)
        plain = PlainC(
            self.program,
            self.players,
            widths,
            parts.c_math,
            steps,
            parts.flat,
            parts.cleared,
            within_loops,
            returns,
        )
        return Workshop(Path(folder.name), plain, compiler)
