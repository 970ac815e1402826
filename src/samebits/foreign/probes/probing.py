"""A side built with probes and run: its frame, traced, and whether the trace is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.bits import xxh64
from samebits.errors import RunnerError
from samebits.foreign.probes.align import Key, noisy_sites
from samebits.foreign.probes.instrument import Instrumented, Site, instrumented
from samebits.foreign.probes.trace import MOST, Trace, read_trace
from samebits.foreign.programs.description import Words
from samebits.foreign.programs.noise import Noise, without_noise
from samebits.foreign.programs.plan import BuildPlan, CompileStep
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop
from samebits.foreign.records import ForeignRun
from samebits.output import write_file

_QUIET = ("-Wno-unused-command-line-argument", "-Wno-override-module")
_IR = ("-Xclang", "-disable-llvm-passes", "-g", "-S", "-emit-llvm", *_QUIET)

Change = Callable[[str, str], str]
"""What is changed in a module's IR, given its name and text."""


@dataclass(frozen=True, eq=False)
class Traced:
    """A side's trace of a frame. `is_believed`: the run with probes has the plain run's states."""

    trace: Trace
    is_believed: bool
    run: ForeignRun
    noise: frozenset[Key] = frozenset()
    is_unsteady: bool = False
    """Whether two runs do other things, and not only with other values."""


class Prober:
    """The IR of a side, with probes as asked for."""

    def __init__(self, shop: Workshop, plan: BuildPlan) -> None:
        self.shop, self.plan = shop, plan
        self._texts: list[str] | None = None

    @property
    def can(self) -> bool:
        """Whether the side's compiler writes LLVM IR."""
        return all(step.toolchain.has_ir for step in self.plan.compiles)

    @property
    def texts(self) -> list[str]:
        """The IR of each source, as the front end leaves it: nothing is optimised yet."""
        if self._texts is None:
            paths = self.shop.results(
                [(step, _ir_command(step)) for step in self.plan.compiles], ".ll"
            )
            self._texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
        return self._texts

    def built(self, texts: Sequence[str], more: Sequence[Path] = ()) -> Path:
        """The program of IR, optimised as the side is."""
        paths: list[Path] = []
        for step, text in zip(self.plan.compiles, texts, strict=True):
            path = self.shop.folder / f"{step.source.stem}-{xxh64(text.encode()):016x}.ll"
            if not path.exists():
                write_file(path, text)
            paths.append(path)
        steps = zip(self.plan.compiles, paths, strict=True)
        objects = self.shop.results([(step, _object_command(step, path)) for step, path in steps])
        return self.shop.linked(self.plan.link, objects, more)

    def plain(self, change: Change | None = None) -> Path:
        """The side's program by way of IR, without probes."""
        return self.built(self._changed(change))

    def _changed(self, change: Change | None) -> list[str]:
        if change is None:
            return self.texts
        named = zip(self.plan.names, self.texts, strict=True)
        return [change(name, text) for name, text in named]

    def traced(
        self,
        level: str,
        frame: int,
        plain: ForeignRun,
        noises: Sequence[Noise] = (),
        change: Change | None = None,
        twice: bool = True,
    ) -> Traced | None:
        """The trace of a frame at a level; None where no frame's begin is seen in the IR, or the
        trace is not written."""
        modules: list[Instrumented] = []
        first = 0
        texts = self._changed(change)
        for name, text in zip(self.plan.names, texts, strict=True):
            modules.append(instrumented(text, level, first, name))
            first += len(modules[-1].sites)
        if not any(module.frames for module in modules):
            return None
        sites = [site for module in modules for site in module.sites]
        program = self.built([module.text for module in modules], [self._runtime()])
        one = self._run(program, frame, sites)
        if one is None:
            return None
        run, trace = one
        believed = _agree(run, plain, frame, noises)
        if not twice:
            return Traced(trace, believed, run)
        other = self._run(program, frame, sites)
        if other is None:
            return None
        noise, unsteady = noisy_sites(trace, other[1])
        return Traced(trace, believed, run, noise, unsteady)

    def _run(
        self, program: Path, frame: int, sites: Sequence[Site]
    ) -> tuple[ForeignRun, Trace] | None:
        out = self.shop.path("trace")
        environment = {
            "SAMEBITS_TRACE": str(out), "SAMEBITS_TRACE_FRAME": str(frame),
            "SAMEBITS_TRACE_MOST": str(MOST),
        }  # fmt: skip
        run = recorded(
            self.shop.program, self.plan.side, program, self.shop.path("traced.sbt"), environment
        ).run
        trace = read_trace(out, sites)
        out.unlink(missing_ok=True)
        return None if trace is None else (run, trace)

    def _runtime(self) -> Path:
        """The object of the probes' own code."""
        source = self.shop.folder / "samebits_trace.c"
        if not source.exists():
            write_file(source, Path(__file__).with_name("trace.c").read_bytes())
        some = self.plan.compiles[0]
        step = CompileStep(source, some.compiler, (*_machine_flags(some.flags), "-O2", "-w"),
                           self.shop.folder)  # fmt: skip
        return self.shop.objects([step])[0]


def _machine_flags(flags: Words) -> Words:
    """Those that say for which machine code is made."""
    found: list[str] = []
    for flag, following in zip(flags, (*flags[1:], ""), strict=True):
        if flag in ("-target", "--target", "-arch", "-isysroot"):
            found += [flag, following]
        elif flag.startswith(("--target=", "--sysroot=", "-m32", "-m64", "-mabi", "-march=")):
            found.append(flag)
    return tuple(found)


def _ir_command(step: CompileStep) -> Callable[[Path], Words]:
    return lambda out: (
        *step.words, *_IR, str(step.source), "-o", str(out),
    )  # fmt: skip


def _object_command(step: CompileStep, source: Path) -> Callable[[Path], Words]:
    return lambda out: step.command(out, source, _QUIET)


def _agree(run: ForeignRun, plain: ForeignRun, frame: int, noises: Sequence[Noise]) -> bool:
    """Whether a run has the states of another up to a frame."""
    mine, theirs = without_noise(run, noises).hashes, without_noise(plain, noises).hashes
    return all(mine.get(n) == hash_ for n, hash_ in theirs.items() if n <= frame)


def prober_of(shop: Workshop, plan: BuildPlan | None) -> Prober | None:
    """A prober of a side's plan; None where its compiler has no IR."""
    if plan is None:
        return None
    prober = Prober(shop, plan)
    try:
        return prober if prober.can and prober.texts else None
    except RunnerError:
        return None
